"""From a file whose pairs are halves to a class whose pairs are neighbours."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from .copying import Later, result, written


def neighbours(W, n_heads):
    """In each head the rows 0, d/2, 1, d/2 + 1, …"""
    return np.swapaxes(W.reshape(n_heads, 2, -1, W.shape[1]), 1, 2).reshape(W.shape)


def adapt(answer, right=neighbours):
    later = Later(CASES)

    def neighbours(W, n_heads):
        return result(
            written(answer), W, n_heads, like=(right, W, n_heads), later=later, learned=False
        )

    return neighbours


def back(W, n_heads):
    """The way from neighbours to halves."""
    return np.swapaxes(W.reshape(n_heads, -1, 2, W.shape[1]), 1, 2).reshape(W.shape)


CASES = (
    Case("one head", (*draw((6, 2)), 1)),
    Case("two heads", (*draw((12, 4)), 2)),
    Case("three heads", (*draw((24, 5)), 3)),
)
