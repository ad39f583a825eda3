"""Dot products that pass through a matrix."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def bilinear_scores(Q, K, W):
    """Every query, taken through W, with every key."""
    return Q @ W @ K.T


CASES = (
    Case(
        "one query",
        (np.array([[1.0, 2.0]]), np.eye(2), np.array([[0.0, 1.0], [0.0, 0.0]])),
    ),
    Case(
        "queries as long as keys",
        (
            np.array([[2.0, -1.0], [0.5, 3.0]]),
            np.array([[1.0, 0.0], [2.0, 1.0], [-1.0, 4.0]]),
            np.array([[1.5, 2.0], [-0.5, 0.3]]),
        ),
    ),
    Case(
        "queries longer than keys",
        (
            np.array([[1.0, 0.0, 2.0], [-1.0, 0.5, 0.3]]),
            np.array([[0.4, 1.0], [2.0, -1.0], [0.0, 3.0], [1.0, 1.0]]),
            np.array([[1.0, -1.0], [0.0, 2.0], [0.7, 0.1]]),
        ),
    ),
)
