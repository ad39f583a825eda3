"""The context of one step of decoding."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def look_back(s, H, W):
    """Score every state of the encoder by s W h, and mix them."""
    return softmax(s @ W @ H.T) @ H


CASES = (
    Case("two states", ([1.0, 0.0], [[1.0, 0.0], [2.0, 1.0]], [[0.0, 2.0], [0.0, 0.0]])),
    Case("one state", ([1.0, -2.0], [[3.0, 4.0]], [[1.0, 0.5], [0.0, 2.0]])),
    Case("five states of three numbers", draw((3,), (5, 3), (3, 3))),
    Case("two states of four numbers", draw((4,), (2, 4), (4, 4))),
)
