"""Attention that lets some items through, and of the others only a little."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.properties import inside


def filtered(x, keep, gap):
    """The mean of x, in which the unwanted count less by the factor exp(−gap)."""
    return softmax(np.where(keep, 0.0, -gap)) @ x


PROPERTIES = (inside(lambda x, *_: x.min(), lambda x, *_: x.max(), "the range of x"),)
CASES = (
    Case("one of two", ([4.0, 10.0], [True, False], 3.0)),
    Case("two of four", ([5.0, 2.0, 8.0, 1.0], [True, False, True, False], 1.5)),
    Case("one of five", ([1.0, 7.0, 3.0, 9.0, -4.0], [False, False, True, False, False], 2.0)),
    Case("a small gap", ([6.0, -2.0, 3.0], [False, True, True], 0.5)),
)
