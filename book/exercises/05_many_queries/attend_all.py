"""Scaled dot-product attention of many queries, for any leading axes."""

import numpy as np

from attnlib import attend, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def attend_all(Q, K, V):
    """Scores, weights along the keys, output."""
    return softmax(Q @ K.mT / np.sqrt(K.shape[-1])) @ V


Q, K, V = draw((3, 4), (5, 4), (5, 2))

CASES = (
    Case(
        "all sizes equal",
        ([[1.0, 0.0], [2.0, 1.0]], [[0.0, 1.0], [3.0, -1.0]], [[4.0, 0.0], [1.0, 2.0]]),
    ),
    Case("all sizes different", draw((2, 4), (5, 4), (5, 3))),
    Case("one query", draw((1, 3), (4, 3), (4, 2))),
    Case("a batch", draw((3, 2, 4), (3, 5, 4), (3, 5, 6))),
    Case("a batch that shares its keys and values", draw((4, 2, 3), (5, 3), (5, 1))),
    Case("a batch with heads", draw((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))),
    Case("one key of one number", draw((3, 1), (1, 1), (1, 2))),
    Case("scores above a thousand", (900 * Q, K, V), rare=True),
)

PROPERTIES = (
    inside(
        lambda Q, K, V: V.min(axis=-2, keepdims=True),
        lambda Q, K, V: V.max(axis=-2, keepdims=True),
        "the range of the values, column by column",
    ),
)
