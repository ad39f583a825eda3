"""One query for each sequence of a batch."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def _scores(q, K):
    return np.einsum("bd,bnd->bn", q, K) / np.sqrt(K.shape[-1])


def _sum(w, V):
    return np.einsum("bn,bnv->bv", w, V)


def ask_each(q, K, V):
    """A matrix of one query for each sequence; its axis goes when the answers are there."""
    return _sum(softmax(_scores(q, K)), V)


def _everybody(q, K, V):
    """Every query asks every sequence: entry (i, j) is what query j gets from sequence i."""
    return softmax(q @ K.mT / np.sqrt(K.shape[-1])) @ V


def _pooled(q, K, V):
    rows = K.reshape(-1, K.shape[-1])
    return softmax(q @ rows.T / np.sqrt(K.shape[-1])) @ V.reshape(-1, V.shape[-1])


CASES = (
    Case(
        "as many sequences as keys",
        (
            np.array([[1.0, 0.0], [2.0, 1.0]]),
            np.array([[[0.0, 1.0], [3.0, -1.0]], [[1.0, 1.0], [0.0, 2.0]]]),
            np.array([[[4.0, 0.0], [1.0, 2.0]], [[0.0, 6.0], [5.0, 3.0]]]),
        ),
    ),
    Case("all sizes different", draw((2, 4), (2, 5, 4), (2, 5, 3))),
    Case("a batch of one sequence", draw((1, 3), (1, 4, 3), (1, 4, 2))),
)

PROPERTIES = (
    inside(
        lambda q, K, V: V.min(axis=1),
        lambda q, K, V: V.max(axis=1),
        "the range of its sequence's values, column by column",
    ),
)
