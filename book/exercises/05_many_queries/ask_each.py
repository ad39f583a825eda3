"""One query for each sequence of a batch."""

import numpy as np

from attnlib import attend, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def ask_each(q, K, V):
    """A matrix of one query for each sequence; its axis goes when the answers are there."""
    S = np.einsum("bd,bnd->bn", q, K) / np.sqrt(K.shape[-1])
    return mix(softmax(S), V)


def mix(weights, V):
    """The values of each sequence, with its row of weights."""
    return np.einsum("bn,bnv->bv", weights, V)


CASES = (
    Case(
        "as many sequences as keys",
        (
            [[1.0, 0.0], [2.0, 1.0]],
            [[[0.0, 1.0], [3.0, -1.0]], [[1.0, 1.0], [0.0, 2.0]]],
            [[[4.0, 0.0], [1.0, 2.0]], [[0.0, 6.0], [5.0, 3.0]]],
        ),
    ),
    Case("all sizes different", draw((2, 4), (2, 5, 4), (2, 5, 3))),
    Case("one key in each sequence", draw((3, 2), (3, 1, 2), (3, 1, 1))),
    Case("a batch of one sequence", draw((1, 3), (1, 4, 3), (1, 4, 2))),
)

PROPERTIES = (
    inside(
        lambda q, K, V: V.min(axis=1),
        lambda q, K, V: V.max(axis=1),
        "the range of its sequence's values, column by column",
    ),
)
