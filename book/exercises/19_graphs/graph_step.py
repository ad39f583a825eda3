"""One step of dot-product attention on a graph."""

import numpy as np

from attnlib import from_graph, scaled_dot_product_attention, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def graph_step(X, A):
    """Attend, with the graph as the mask, and every node to itself."""
    mask = (A != 0) | np.eye(len(X), dtype=bool)
    scores = np.where(mask, X @ X.T / np.sqrt(X.shape[1]), -np.inf)
    return softmax(scores) @ X


def joined(n, *pairs):
    """A matrix that is 1 at these pairs, each in this direction alone."""
    A = np.zeros((n, n))
    for i, j in pairs:
        A[i, j] = 1
    return A


CASES = (
    Case("two nodes", ([[1.0], [-1.0]], [[0.0, 1.0], [1.0, 0.0]])),
    Case("a path of three", (*draw((3, 2)), joined(3, (0, 1), (1, 0), (1, 2), (2, 1)))),
    Case(
        "a directed graph of five",
        (*draw((5, 3)), joined(5, (0, 1), (0, 4), (1, 2), (2, 3), (3, 0), (3, 2), (4, 3))),
    ),
)
