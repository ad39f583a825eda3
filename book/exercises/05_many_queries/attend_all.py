"""Scaled dot-product attention of many queries, for any leading axes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def _scores(Q, K):
    return Q @ K.mT / np.sqrt(K.shape[-1])


def attend_all(Q, K, V):
    """Scores, weights along the keys, output."""
    return softmax(_scores(Q, K)) @ V


def _sums(largest, keepdims=False):
    """Softmax written out: what is subtracted from the scores, and whether sums keep their axis."""

    def weigh(s):
        e = np.exp(s - largest(s))
        return e / e.sum(axis=-1, keepdims=keepdims)

    return weigh


def _of_all(s):
    e = np.exp(s - s.max())
    return e / e.sum()


def _by_rows(Q, K, V):
    return np.array([softmax(K @ q / np.sqrt(len(q))) @ V for q in Q])


SHARP = draw((3, 4), (5, 4), (5, 2))

CASES = (
    Case(
        "all sizes equal",
        (
            np.array([[1.0, 0.0], [2.0, 1.0]]),
            np.array([[0.0, 1.0], [3.0, -1.0]]),
            np.array([[4.0, 0.0], [1.0, 2.0]]),
        ),
    ),
    Case("all sizes different", draw((2, 4), (5, 4), (5, 3))),
    Case("one query", draw((1, 3), (4, 3), (4, 2))),
    Case("a batch", draw((3, 2, 4), (3, 5, 4), (3, 5, 6))),
    Case("a batch that shares its keys and values", draw((4, 2, 3), (5, 3), (5, 1))),
    Case("a batch with heads", draw((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))),
    Case("scores above a thousand", (900 * SHARP[0], *SHARP[1:]), rare=True),
)

PROPERTIES = (
    inside(
        lambda Q, K, V: V.min(axis=-2, keepdims=True),
        lambda Q, K, V: V.max(axis=-2, keepdims=True),
        "the range of the values, column by column",
    ),
)
