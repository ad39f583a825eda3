"""Weights from a score that is a small network."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def additive_weights(Q, K, W_q, W_k, v):
    """A row of weights for each query."""
    return softmax(np.tanh((Q @ W_q)[:, None, :] + (K @ W_k)[None, :, :]) @ v)


CASES = (
    Case("one hidden unit", ([[1.0], [-0.3]], [[0.5], [-1.0]], [[1.0]], [[2.0]], [3.0])),
    Case(
        "queries as long as keys",
        (
            [[1.0, -1.0], [0.5, 2.0]],
            [[1.0, 0.0], [0.0, 1.0], [-1.0, 1.5]],
            [[1.0, -0.5, 0.2], [0.3, 0.8, -1.0]],
            [[0.4, 1.0, -1.2], [-0.7, 0.6, 0.5]],
            [2.0, -1.0, 1.5],
        ),
    ),
    Case(
        "queries longer than keys",
        (
            [[1.0, 0.0, 2.0], [-1.0, 0.5, 0.3], [0.2, -2.0, 1.0]],
            [[0.4, 1.0], [2.0, -1.0]],
            [[0.5, -1.0], [1.0, 0.4], [-0.3, 0.9]],
            [[-0.8, 0.6], [1.1, 0.7]],
            [1.5, -2.0],
        ),
    ),
    Case("one key", ([[0.3, -1.0], [2.0, 0.5]], [[1.5]], [[1.0], [-0.4]], [[0.7]], [2]), rare=True),
)

PROPERTIES = (not_negative, sums_to_one)
