"""Windows of a text, and for each character in them the one that follows."""

import numpy as np

from attnlib.exercises import Case


def windows(ids, starts, n):
    """Inputs, and targets one place later: (2, batch, n)."""
    rows = np.array(starts)[:, None] + np.arange(n)
    return np.stack([ids[rows], ids[rows + 1]])


IDS = np.array([7, 2, 9, 0, 5, 8, 1, 6, 3, 4, 11, 10, 14, 12, 16])

CASES = (
    Case("one window", (np.array([30, 10, 40, 20, 50]), np.array([1]), 2)),
    Case("two windows", (IDS[:7], np.array([3, 0]), 3)),
    Case("windows that overlap", (IDS[:9] + 20, np.array([2, 5, 1, 2]), 3)),
    Case("windows of one character", (IDS[:6] + 40, np.array([4, 0, 3]), 1)),
    Case("long windows", (IDS, np.array([5, 0, 8]), 6)),
)


def cut(ids, starts, n):
    """The windows alone, (batch, n)."""
    return ids[np.array(starts)[:, None] + np.arange(n)]


def shifted_inside(x, fill):
    """Targets made of the window alone, which has none for its last place."""
    zero = np.zeros_like(x[:, :1])
    last = {"first": x[:, :1], "last": x[:, -1:], "zero": zero, "minus one": zero - 1}[fill]
    return np.stack([x, np.concatenate([x[:, 1:], last], axis=1)])
