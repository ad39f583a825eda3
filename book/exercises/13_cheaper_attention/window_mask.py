"""The mask of a window to both sides, with positions that are global."""

import numpy as np

from attnlib.exercises import Case


def window_mask(n, width, n_global):
    """True where two positions are near, or one of them is global."""
    position = np.arange(n)
    is_global = position < n_global
    near = np.abs(position[:, None] - position) < width
    return near | is_global | is_global[:, None]


CASES = (
    Case("a window alone", (4, 2, 0)),
    Case("each its own key, and one global position", (4, 1, 1)),
    Case("a window and two global positions", (7, 2, 3)),
    Case("a wider window", (9, 4, 1)),
    Case("a window as wide as the sequence", (3, 3, 0)),
    Case("everything global", (3, 1, 3)),
    Case("a single position", (1, 2, 0)),
)
