"""A bias for every pair of positions, looked up by the shift between them in a learned table."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def bias_from_table(table, n_q, n_k):
    """The entry for how far key j stands before or after query i; beyond its ends, the end."""
    m = len(table) // 2
    shift = np.arange(n_k) - (np.arange(n_q)[:, None] + n_k - n_q)
    return table[m + np.clip(shift, -m, m)]


CASES = (
    Case("a table of three", ([1.0, 2.0, 3.0], 2, 2)),
    Case("a key before the table", ([4.0, -1.0, 6.0], 1, 3)),
    Case("fewer queries than keys", (*draw((7,)), 2, 4)),
    Case("a table that reaches further", (*draw((9,)), 3, 3)),
    Case("one query, keys far before it", (*draw((11,)), 1, 9)),
    Case("longer than the table reaches", (*draw((5,)), 5, 5)),
    Case("one number for all", ([2.5], 2, 3), rare=True),
)
