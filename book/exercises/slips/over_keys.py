"""Softmax over the keys, whatever axes stand before them."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def over_keys(S):
    """The keys are on the last axis."""
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


CASES = (
    Case("one query", ([[1.0, 0.0, 2.0]],)),
    Case("two queries", draw((2, 3))),
    Case("a batch", draw((2, 3, 4))),
    Case("a batch with heads", draw((2, 3, 4, 5))),
)
