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


def shares(powers):
    """Each row of powers divided by its sum."""
    return powers / powers.sum(axis=1, keepdims=True)


def sizes_matter(came, cases):
    """Whether all is right where each edge is 1 and joins two nodes, and wrong for other sizes."""
    right = [np.allclose(y, graph_step(*case.args)) for y, case in zip(came, cases)]
    ones = [np.isin(case.args[1], (0, 1)).all() for case in cases]
    loops = [np.trace(case.args[1]) > 0 for case in cases]
    kinds = list(zip(right, ones, loops))
    plain = all(r for r, one, loop in kinds if one and not loop)
    return plain and not all(r for r, one, _ in kinds if not one)


def leaks(came, cases):
    """Whether pairs that are not joined have a score that is low, but finite."""

    def step(X, A, low, lowered):
        mask = (A != 0) | np.eye(len(X), dtype=bool)
        S = X @ X.T / np.sqrt(X.shape[1])
        return softmax(np.where(mask, S, S * lowered - low)) @ X

    lows = [(low, lowered) for low in range(1, 14) for lowered in (0, 1)]
    pairs = list(zip(came, (case.args for case in cases)))
    return any(all(np.allclose(y, step(*args, *low)) for y, args in pairs) for low in lows)


def graph(n, edges):
    """A matrix with the edges (i, j): size, each in this direction alone."""
    A = np.zeros((n, n))
    for pair, size in edges.items():
        A[pair] = size
    return A


def joined(n, *pairs):
    """A graph whose edges are all 1."""
    return graph(n, dict.fromkeys(pairs, 1))


SIZES = {(0, 1): 0.3, (1, 0): 2, (1, 3): 0.4, (2, 0): 3, (2, 1): 1, (3, 2): 0.2, (3, 0): 1.5}
SIGNS = {(0, 2): -1, (1, 0): -0.3, (1, 2): 1, (2, 1): -2, (2, 3): 0.4, (3, 0): -1, (3, 1): 2}

CASES = (
    Case("two nodes", ([[1.0], [-1.0]], [[0.0, 1.0], [1.0, 0.0]])),
    Case("a path of three", (*draw((3, 2)), joined(3, (0, 1), (1, 0), (1, 2), (2, 1)))),
    Case(
        "a directed graph of five",
        (*draw((5, 3)), joined(5, (0, 1), (0, 4), (1, 2), (2, 3), (3, 0), (3, 2), (4, 3))),
    ),
    Case(
        "a node without edges", (*draw((4, 3)), joined(4, (0, 1), (2, 0), (2, 1), (2, 2), (3, 2)))
    ),
    Case("edges of other sizes than 1", (*draw((4, 2)), graph(4, SIZES))),
    Case("negative edges", (*draw((4, 5)), graph(4, SIGNS))),
)
