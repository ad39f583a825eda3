"""Layer normalisation, by its definition."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def normalize_rows(X, gain, bias, epsilon):
    """Each row with mean 0 and variance 1, then times the gain, plus the bias."""
    return gain * normed(X, epsilon, axis=-1) + bias


def normed(X, epsilon, axis):
    mean = X.mean(axis=axis, keepdims=True)
    variance = ((X - mean) ** 2).mean(axis=axis, keepdims=True)
    return (X - mean) / np.sqrt(variance + epsilon)


CASES = (
    Case("a row", ([[3.0, 3.0, -3.0, 5.0]], np.ones(4), np.zeros(4), 1e-9)),
    Case(
        "a large epsilon",
        ([[0.5, 2.5, -1.0], [1.0, 1.5, 0.5]], [1.0, 2.0, -1.0], [0.0, 3.0, 1.0], 0.5),
    ),
    Case(
        "a row of equal numbers",
        ([[2.0, 2.0, 2.0], [1.0, 0.0, 5.0]], np.ones(3), [0, 1.0, 2], 1e-5),
    ),
    Case("as many rows as numbers", (*draw((4, 4), (4,), (4,)), 1e-5)),
    Case("more rows than numbers", (*draw((5, 2), (2,), (2,)), 1e-3)),
    Case("a large mean", (1000 + draw((2, 5))[0], *draw((5,), (5,)), 0.01)),
    Case("axes of size 1", (*draw((1, 1, 3), (3,), (3,)), 1e-5)),
    Case("a batch", (*draw((2, 3, 5), (5,), (5,)), 0.1)),
)


def row_by_row(X, gain, bias, epsilon):
    normed_rows = np.empty(X.shape)
    for place in np.ndindex(X.shape[:-1]):
        mean = sum(X[place]) / len(X[place])
        variance = sum((x - mean) ** 2 for x in X[place]) / len(X[place])
        normed_rows[place] = gain * (X[place] - mean) / (variance + epsilon) ** 0.5 + bias
    return normed_rows
