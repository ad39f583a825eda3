"""Rows turned by their positions: rotary, by hand."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from .shift_matrix import blocks
from .sinusoids import frequencies, side_by_side


def turn(X, positions, base):
    """Each pair of neighbouring components turned by its frequency times the row's position."""
    return turned(X, np.outer(positions, frequencies(X.shape[1], base)))


def turned(X, angles):
    x, y, cos, sin = X[:, 0::2], X[:, 1::2], np.cos(angles), np.sin(angles)
    return side_by_side(x * cos - y * sin, x * sin + y * cos)


CASES = (
    Case("one row, one pair", ([[1.0, 2.0]], [1], 10.0)),
    Case("two rows, two pairs", (*draw((2, 4)), [3, 0], 100.0)),
    Case("positions in another order", (*draw((3, 6)), [5, 2, 9], 16.0)),
    Case("a square", (*draw((4, 4)), [7, 8, 9, 10], 10000.0)),
    Case("a position before 0, and a fraction", (*draw((2, 6)), [-2, 4.5], 100.0)),
)


def keeps_lengths(answer, X, positions, base):
    lengths = np.linalg.norm(X, axis=1)
    if np.shape(answer) == X.shape and not np.allclose(np.linalg.norm(answer, axis=1), lengths):
        return "Rows have changed their lengths. What is only turned keeps its length."


PROPERTIES = (keeps_lengths,)


def as_complex(X, angles):
    """Each pair as a complex number, times one of length 1."""
    pairs = (X[:, 0::2] + 1j * X[:, 1::2]) * np.exp(1j * angles)
    return side_by_side(pairs.real, pairs.imag)
