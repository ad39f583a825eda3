"""Layer normalisation with the model's epsilon."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def normalize(X, gain, bias):
    """Each row with mean 0 and variance 1, then times the gain, plus the bias."""
    return gain * normed(X, -1) + bias


def normed(X, axis, epsilon=1e-5):
    centred = X - X.mean(axis=axis, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=axis, keepdims=True) + epsilon)


CASES = (
    Case("a row", ([[3.0, 3.0, -3.0, 5.0]], np.ones(4), np.zeros(4))),
    Case("gain and bias", ([[1.5, 0.0, 3.0], [2.0, -4.0, 0.5]], [1.0, 2.0, -1.0], [0.0, 3.0, 1.0])),
    Case("a row of equal numbers", ([[2.0, 2.0], [1.0, 0.5]], [1.0, 3.0], [0.5, -1.0])),
    Case("nearly equal numbers", ([[0.503, 0.5, 0.499], [0.25, 0.252, 0.25]], *draw((3,), (3,)))),
    Case("as many rows as numbers", draw((4, 4), (4,), (4,))),
    Case("a large mean", (100 + draw((2, 5))[0], *draw((5,), (5,)))),
    Case("a batch", draw((2, 3, 5), (5,), (5,))),
)


def row_by_row(X, gain, bias):
    rows = np.empty(X.shape)
    for place in np.ndindex(X.shape[:-1]):
        mean = sum(X[place]) / len(X[place])
        variance = sum((x - mean) ** 2 for x in X[place]) / len(X[place])
        rows[place] = gain * (X[place] - mean) / (variance + 1e-5) ** 0.5 + bias
    return rows
