"""A bias for every pair of positions, looked up by the shift between them in a learned table."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def _after(n_q, n_k):
    """How far each key stands after its query; negative for an earlier one."""
    return np.arange(n_k) - (np.arange(n_q)[:, None] + n_k - n_q)


def _first_at_first(n_q, n_k):
    return np.arange(n_k) - np.arange(n_q)[:, None]


def _clipped(shift, m):
    return m + np.clip(shift, -m, m)


def bias_from_table(table, n_q, n_k, *, shifts=_after, entry=_clipped):
    """The entry for how far key j stands before or after query i; beyond its ends, the end."""
    return table[entry(shifts(n_q, n_k), len(table) // 2)]


def _made(**changed):
    """bias_from_table with one part replaced."""
    return lambda table, n_q, n_k: bias_from_table(table, n_q, n_k, **changed)


def _far_is_0(table, n_q, n_k):
    far = np.abs(_after(n_q, n_k)) > len(table) // 2
    return np.where(far, 0.0, bias_from_table(table, n_q, n_k))


def _remainder(table, n_q, n_k):
    return table[(len(table) // 2 + _after(n_q, n_k)) % len(table)]


CASES = (
    Case("a table of three", (np.array([1.0, 2.0, 3.0]), 2, 2)),
    Case("a key before the table", (np.array([4.0, -1.0, 6.0]), 1, 3)),
    Case("fewer queries than keys", (*draw((7,)), 2, 4)),
    Case("a table that reaches further", (*draw((9,)), 3, 3)),
    Case("one query, keys far before it", (*draw((11,)), 1, 9)),
    Case("longer than the table reaches", (*draw((5,)), 5, 5)),
    Case("one number for all", (np.array([2.5]), 2, 3), rare=True),
)
