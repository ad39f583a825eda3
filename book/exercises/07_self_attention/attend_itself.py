"""Self-attention from the items and three matrices."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def attend_itself(X, W_Q, W_K, W_V):
    """Queries, keys and values of the same items, each by a matrix of its own."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V


def _with(
    *,
    Q=lambda X, W_Q, W_K, W_V: X @ W_Q,
    K=lambda X, W_Q, W_K, W_V: X @ W_K,
    V=lambda X, W_Q, W_K, W_V: X @ W_V,
    divisor=lambda Q, K, V, X: np.sqrt(K.shape[1]),
    score=lambda Q, K: Q @ K.T,
    weigh=softmax,
    mix=lambda W, V: W @ V,
):
    """attend_itself with one step replaced."""

    def wrong(*given):
        q, k, v = (make(*given) for make in (Q, K, V))
        return mix(weigh(score(q, k) / divisor(q, k, v, given[0])), v)

    return wrong


def _by(name):
    """What is made with the matrix of this name, or the items themselves."""
    place = ("W_Q", "W_K", "W_V").index(name) if name else None
    return lambda X, *matrices: X if place is None else X @ matrices[place]


def _others_only(S):
    return softmax(np.where(np.eye(len(S)) == 1, -1e9, S))


def _earlier_only(S):
    return softmax(np.where(np.tri(len(S)) == 1, S, -1e9))


CASES = (
    Case(
        "all sizes equal",
        (
            np.array([[1.0, 0.0], [2.0, 1.0]]),
            np.array([[0.0, 1.0], [1.0, -1.0]]),
            np.array([[1.0, 2.0], [0.0, 1.0]]),
            np.array([[4.0, 0.0], [1.0, 3.0]]),
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
