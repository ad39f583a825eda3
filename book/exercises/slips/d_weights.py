"""From the gradient by the outputs to that by the weights."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def d_weights(d_Y, V):
    """Each output's gradient times each value."""
    return d_Y @ V.T


CASES = (
    Case("one query", ([[1.0, -2.0]], [[3.0, 1.0], [0.5, 2.0], [-1.0, 4.0]])),
    Case("as many values as components", draw((2, 3), (3, 3))),
    Case("all sizes different", draw((2, 4), (3, 4))),
)
