"""The causal mask of the newest queries of a sequence."""

import numpy as np

from attnlib.exercises import Case


def causal_mask(n_q, n_k):
    """True where key j stands at the place of query i or before; the last query is the last key."""
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return j <= i + (n_k - n_q)


CASES = (
    Case("as many queries as keys", (3, 3)),
    Case("one query", (1, 4)),
    Case("fewer queries than keys", (2, 5)),
    Case("one key", (1, 1)),
)


def finite_to_add(values, cases):
    """Whether these are 0 where the mask allows a key, and negative elsewhere."""
    masks = [causal_mask(*case.args) for case in cases]
    return all((v[m] == 0).all() and (v[~m] < 0).all() for v, m in zip(values, masks))
