"""Self-attention from the items and three matrices."""

import numpy as np

from attnlib import attend, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def attend_itself(X, W_Q, W_K, W_V):
    """Queries, keys and values of the same items, each by a matrix of its own."""
    return attention(X @ W_Q, X @ W_K, X @ W_V)


def attention(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V


CASES = (
    Case(
        "all sizes equal",
        (
            [[1.0, 0.0], [2.0, 1.0]],
            [[0.0, 1.0], [1.0, -1.0]],
            [[1.0, 2.0], [0.0, 1.0]],
            [[4.0, 0.0], [1.0, 3.0]],
        ),
    ),
    Case("square matrices", draw((3, 4), (4, 4), (4, 4), (4, 4))),
    Case("all sizes different", draw((5, 4), (4, 3), (4, 3), (4, 2))),
    Case("a single item", draw((1, 3), (3, 2), (3, 2), (3, 4))),
    Case("queries and keys of one number", draw((4, 2), (2, 1), (2, 1), (2, 3))),
)

PROPERTIES = (
    inside(
        lambda X, W_Q, W_K, W_V: (X @ W_V).min(axis=0),
        lambda X, W_Q, W_K, W_V: (X @ W_V).max(axis=0),
        "the range of the values X @ W_V, column by column",
    ),
)
