"""Attention for one query, in three steps."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.properties import inside


def soft_lookup(q, K, V):
    """Values, mixed by how well their keys fit the query."""
    return softmax(K @ q) @ V


CASES = (
    Case(
        "values as long as keys",
        ([1.0, 0.0], [[1.0, 0.0], [3.0, 1.0]], [[4.0, 0.0], [1.0, 2.0]]),
    ),
    Case(
        "values of another length than keys",
        (
            [1.0, -0.5],
            [[1.1, 0.0], [0.0, 1.0], [1.0, 1.0]],
            [[1.0, 0.0, 2.3], [0.0, 4.0, 1.0], [3.0, 1.0, 0.0]],
        ),
    ),
    Case(
        "negative scores",
        (
            [0.5, 1.0, -1.0],
            [[-1.0, 0.0, 2.0], [0.0, -1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.5]],
            [[1.0, 5.0], [2.0, -1.0], [0.0, 3.0], [4.0, 0.0]],
        ),
    ),
    Case("a single element", ([0.5, -2.0], [[-1.0, 0.3]], [[2.0, -1.5, 0.4]]), rare=True),
    Case("values of one number", ([2.0], [[0.5], [-1.0]], [[3.0], [-1.2]]), rare=True),
)

PROPERTIES = (
    inside(
        lambda q, K, V: V.min(axis=0),
        lambda q, K, V: V.max(axis=0),
        "the range of the values, column by column",
    ),
)


def lengths(x):
    return np.linalg.norm(x, axis=-1)
