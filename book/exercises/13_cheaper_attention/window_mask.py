"""The mask of a window to both sides, with positions that are global."""

import numpy as np

from attnlib.exercises import Case


def window_mask(n, width, n_global):
    """True where two positions are near, or one of them is global."""
    position = np.arange(n)
    is_global = position < n_global
    near = np.abs(position[:, None] - position) < width
    return near | is_global | is_global[:, None]


def _parts(n, width, n_global):
    """How far a key stands before its query; whether the key, the query is global."""
    position = np.arange(n)
    is_global = position < n_global
    return position[:, None] - position, is_global[None], is_global[:, None]


def _made(near, columns=True, rows=True):
    """A mask whose window is near(before, width), with global columns, global rows or neither."""

    def mask(n, width, n_global):
        before, column, row = _parts(n, width, n_global)
        return near(before, width) | (columns & column) | (rows & row)

    return mask


def _near(before, width):
    return np.abs(before) < width


def _other_globals(change):
    """The right mask, with change(n, n_global) in the place of which positions are global."""

    def mask(n, width, n_global):
        is_global = change(n, n_global)
        return window_mask(n, width, 0) | is_global | is_global[:, None]

    return mask


def _block(n, width, n_global):
    _, column, row = _parts(n, width, n_global)
    return window_mask(n, width, 0) | (column & row)


def _both(n, width, n_global):
    _, column, row = _parts(n, width, n_global)
    return window_mask(n, width, 0) & (column | row)


def _added(n, width, n_global):
    before, column, row = _parts(n, width, n_global)
    return _near(before, width).astype(int) + column + row


def _once(n, width, n_global):
    before, column, row = _parts(n, width, n_global)
    return _near(before, width) ^ column ^ row


def _round(n, width, n_global):
    before, column, row = _parts(n, width, n_global)
    distance = np.abs(before)
    return (np.minimum(distance, n - distance) < width) | column | row


CASES = (
    Case("a window alone", (4, 2, 0)),
    Case("each its own key, and one global position", (4, 1, 1)),
    Case("a window and two global positions", (7, 2, 3)),
    Case("a wider window", (9, 4, 1)),
    Case("a window as wide as the sequence", (3, 3, 0)),
    Case("everything global", (3, 1, 3)),
)
