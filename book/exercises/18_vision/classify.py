"""A vision transformer of one head."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def classify(rows, W_E, P, U):
    """Embed with positions, attend, read the mean."""
    X = rows @ W_E + P
    Y = softmax(X @ X.T / np.sqrt(X.shape[1])) @ X
    return Y.mean(axis=0) @ U


CASES = (
    Case("two patches", draw((2, 4), (4, 2), (2, 2), (2, 3))),
    Case("three patches", draw((3, 4), (4, 5), (3, 5), (5, 2))),
    Case("nine patches of three by three", draw((6, 9), (9, 4), (6, 4), (4, 10))),
)
