"""Several heads of queries on fewer heads of keys and values."""

import numpy as np

from attnlib import attend, dot
from attnlib.exercises import Case

__all__ = ["dot"]  # for the forms that the text compares


def grouped(Q, K, V):
    """Attention in which neighbouring heads share keys and values."""
    share = len(Q) // len(K)
    return attend(Q, np.repeat(K, share, axis=0), np.repeat(V, share, axis=0))[0]


def drawn(n_heads, n_groups, n_q, n_k, d_k, d_v):
    """Queries, keys and values with one decimal."""
    rng = np.random.default_rng([n_heads, n_groups, n_k])
    shapes = (n_heads, n_q, d_k), (n_groups, n_k, d_k), (n_groups, n_k, d_v)
    return tuple(rng.normal(size=shape).round(1) for shape in shapes)


CASES = (
    Case("four heads, two groups", drawn(4, 2, 1, 2, 4, 2)),
    Case("nine heads, three groups", drawn(9, 3, 2, 4, 2, 3)),
    Case("six heads, two groups", drawn(6, 2, 3, 5, 3, 1)),
    Case("as many groups as heads", drawn(3, 3, 2, 3, 2, 4), rare=True),
    Case("one group", drawn(4, 1, 3, 2, 5, 2), rare=True),
)
