"""The weights of the original graph attention, from a number for each end of an edge."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def original_weights(p, r, A):
    """Add, bend, mask, and normalise each row."""
    S = p[:, None] + r
    scores = np.where(S > 0, S, 0.2 * S)
    return softmax(np.where(A != 0, scores, -np.inf))


CASES = (
    Case("two nodes, all joined", ([1.0, -3.0], [0.0, 1.0], [[1.0, 1.0], [1.0, 1.0]])),
    Case(
        "three nodes in a row",
        (
            [2.0, -1.5, 0.5],
            [1.0, -0.7, 0.3],
            [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]],
        ),
    ),
    Case(
        "four nodes, not all in both directions",
        (
            [-0.4, 0.8, -2.0, 1.1],
            [0.6, -1.2, 1.9, -0.3],
            [
                [0.0, 1.0, 1.0, 0.0],
                [1.0, 1.0, 0.0, 1.0],
                [1.0, 1.0, 1.0, 1.0],
                [0.0, 0.0, 1.0, 1.0],
            ],
        ),
    ),
)
