"""Dot products that pass through a matrix."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def bilinear_scores(Q, K, W):
    """Every query, taken through W, with every key."""
    return Q @ W @ K.T


CASES = (
    Case(
        "two of each",
        ([[1.0, 2.0], [3.0, 0.0]], [[1.0, 0.0], [2.0, 1.0]], [[0.0, 1.0], [-2.0, 0.0]]),
    ),
    Case(
        "queries as long as keys",
        (
            [[2.0, -1.0], [0.5, 3.0]],
            [[1.0, 0.0], [2.0, 1.0], [-1.0, 4.0]],
            [[1.5, 2.0], [-0.5, 0.3]],
        ),
    ),
    Case(
        "queries longer than keys",
        (
            [[1.0, 0.0, 2.0], [-1.0, 0.5, 0.3]],
            [[0.4, 1.0], [2.0, -1.0], [0.0, 3.0], [1.0, 1.0]],
            [[1.0, -1.0], [0.0, 2.0], [0.7, 0.1]],
        ),
    ),
    Case("one number each", ([[2.0]], [[-0.5]], [[3.0]]), rare=True),
    Case("whole numbers", ([[2, -1]], [[1], [3]], [[1], [2]]), rare=True),
)
