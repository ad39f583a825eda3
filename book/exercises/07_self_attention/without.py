"""What is left of a table of weights when an item goes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def without(W, j):
    """The others' weights, each row divided by what is left of it."""
    left = np.delete(np.delete(W, j, axis=0), j, axis=1)
    return left / left.sum(axis=1, keepdims=True)


def _left(W, j):
    """Row and column of the item taken away, and nothing else done."""
    keep = np.arange(len(W)) != j
    return W[keep][:, keep]


def _share(W, j):
    """What each of the others gave the item, as a column."""
    return W[np.arange(len(W)) != j, j][:, None]


def _column_only(W, j):
    kept = np.delete(W, j, axis=1)
    return kept / kept.sum(axis=1, keepdims=True)


def _zeroed(W, j):
    W = W.copy()
    W[j], W[:, j] = 0, 0
    return W / np.where(W.sum(axis=1, keepdims=True) == 0, 1, W.sum(axis=1, keepdims=True))


def _table(n):
    """Weights of n items with each other."""
    (scores,) = draw((n, n))
    return softmax(2 * scores)


CASES = (
    Case(
        "the middle one of three",
        (np.array([[0.5, 0.25, 0.25], [0.2, 0.6, 0.2], [0.3, 0.6, 0.1]]), 1),
    ),
    Case("the first of four", (_table(4), 0)),
    Case("the last of five", (_table(5), 4)),
    Case("one of two", (np.array([[0.7, 0.3], [0.4, 0.6]]), 1)),
)

PROPERTIES = (not_negative, sums_to_one)
