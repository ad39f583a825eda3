"""Rows turned by their positions: rotary, by hand."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from ._frequencies import falling, side_by_side, wrong_frequencies


def _neighbours(X):
    return X[:, 0::2], X[:, 1::2]


def _rotated(x, y, cos, sin):
    return x * cos - y * sin, x * sin + y * cos


def turn(
    X,
    positions,
    base,
    *,
    places=np.asarray,
    frequencies=falling,
    split=_neighbours,
    rotated=_rotated,
    join=side_by_side,
):
    """Each pair of neighbouring components turned by its frequency times the row's position."""
    angles = np.outer(places(positions), frequencies(X.shape[1], base))
    return join(*rotated(*split(X), np.cos(angles), np.sin(angles)))


def _made(**changed):
    """Turn with one part replaced."""
    return lambda X, positions, base: turn(X, positions, base, **changed)


def _halves(X):
    half = X.shape[1] // 2
    return X[:, :half], X[:, half:]


def _one_behind_the_other(first, second):
    return np.concatenate([first, second], axis=1)


def _overwritten(x, y, cos, sin):
    x = x * cos - y * sin
    return x, x * sin + y * cos


def _described(positions, d, base):
    angles = np.asarray(positions)[:, None] * falling(d, base)
    return side_by_side(np.sin(angles), np.cos(angles))


def _own_angles(X, positions, base):
    d = X.shape[1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(d) / d)
    partner = side_by_side(-X[:, 1::2], X[:, 0::2])
    return X * np.cos(angles) + partner * np.sin(angles)


CASES = (
    Case("one row, one pair", (np.array([[1.0, 2.0]]), np.array([1]), 10.0)),
    Case("two rows, two pairs", (*draw((2, 4)), np.array([3, 0]), 100.0)),
    Case("positions in another order", (*draw((3, 6)), np.array([5, 2, 9]), 16.0)),
    Case("a square", (*draw((4, 4)), np.array([7, 8, 9, 10]), 10000.0)),
    Case("a position before 0", (*draw((2, 6)), np.array([-2, 4]), 100.0)),
)

PROPERTIES = (
    lambda found, X, positions, base: (
        None
        if np.shape(found) != X.shape
        or np.allclose(np.linalg.norm(found, axis=1), np.linalg.norm(X, axis=1))
        else "Rows have changed their lengths. What is only turned keeps its length."
    ),
)

MORE_0 = {m.name: m.answer for m in wrong_frequencies(_made)}
