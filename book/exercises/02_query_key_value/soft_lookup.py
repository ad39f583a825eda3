"""Attention for one query, in three steps."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.properties import inside


def soft_lookup(q, K, V):
    """Values, mixed by how well their keys fit the query."""
    return softmax(K @ q) @ V


def _looped(size):
    """soft_lookup by a loop over an output of size(q) numbers."""

    def lookup(q, K, V):
        output = np.zeros(size(q))
        for w, v in zip(softmax(K @ q), V):
            output += w * v
        return output

    return lookup


def _lengths(x):
    return np.linalg.norm(x, axis=-1)


def _sigmoid(s):
    return 1 / (1 + np.exp(-s))


def _three_elements(q, K, V):
    scores = np.array([q @ K[i] for i in range(3)])
    return softmax(scores) @ V[:3]


def _to_sum_one(x):
    return x / x.sum()


CASES = (
    Case(
        "values as long as keys",
        (
            np.array([1.0, 0.0]),
            np.array([[1.0, 0.0], [3.0, 1.0]]),
            np.array([[4.0, 0.0], [1.0, 2.0]]),
        ),
    ),
    Case(
        "values of another length than keys",
        (
            np.array([1.0, -0.5]),
            np.array([[1.1, 0.0], [0.0, 1.0], [1.0, 1.0]]),
            np.array([[1.0, 0.0, 2.3], [0.0, 4.0, 1.0], [3.0, 1.0, 0.0]]),
        ),
    ),
    Case(
        "negative scores",
        (
            np.array([0.5, 1.0, -1.0]),
            np.array([[-1.0, 0.0, 2.0], [0.0, -1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.5]]),
            np.array([[1.0, 5.0], [2.0, -1.0], [0.0, 3.0], [4.0, 0.0]]),
        ),
    ),
)

PROPERTIES = (
    inside(
        lambda q, K, V: V.min(axis=0),
        lambda q, K, V: V.max(axis=0),
        "the range of the values, column by column",
    ),
)
