"""What is left of a table of weights when an item goes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def without(W, j):
    """The others' weights, each row divided by what is left of it."""
    return to_sum_one(np.delete(np.delete(W, j, axis=0), j, axis=1))


def to_sum_one(rows):
    return rows / rows.sum(axis=1, keepdims=True)


def weights(n):
    """Weights of n items with each other."""
    (scores,) = draw((n, n))
    return softmax(2 * scores)


CASES = (
    Case("the middle one of three", ([[0.5, 0.25, 0.25], [0.2, 0.6, 0.2], [0.3, 0.6, 0.1]], 1)),
    Case("the first of four", (weights(4), 0)),
    Case("the last of five", (weights(5), 4)),
    Case("one of two", ([[0.7, 0.3], [0.4, 0.6]], 1)),
)

PROPERTIES = (not_negative, sums_to_one)
