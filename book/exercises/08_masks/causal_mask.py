"""The causal mask of the newest queries of a sequence."""

import numpy as np

from attnlib.exercises import Case


def causal_mask(n_q, n_k):
    """True where key j stands at the place of query i or before; the last query is the last key."""
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return j <= i + (n_k - n_q)


def _seen(n_q, n_k):
    """How far each key stands before its query; negative for a later key."""
    return np.arange(n_q)[:, None] + (n_k - n_q) - np.arange(n_k)


def _from_the_front(n_q, n_k):
    """The same, with the first query at the first key."""
    return np.arange(n_q)[:, None] - np.arange(n_k)


CASES = (
    Case("as many queries as keys", (3, 3)),
    Case("one query", (1, 4)),
    Case("fewer queries than keys", (2, 5)),
    Case("one key", (1, 1)),
)
