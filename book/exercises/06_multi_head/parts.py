"""What each head writes into the output."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def parts(Y, W_O):
    """Each head's output times its own rows of W_O."""
    n_heads, _, d_v = Y.shape
    return Y @ W_O.reshape(n_heads, d_v, -1)


CASES = (
    Case("two heads of one component", ([[[1.0]], [[10.0]]], [[1.0, 2.0], [3.0, 4.0]])),
    Case("one head", draw((1, 3, 2), (2, 4))),
    Case("output as wide as the heads", draw((2, 4, 2), (4, 4))),
    Case("output of one number", draw((2, 3, 3), (6, 1))),
    Case("all sizes different", draw((3, 4, 2), (6, 5))),
)


def add_up(answer, Y, W_O):
    """A property: the parts sum to the output."""
    if np.allclose(answer.sum(axis=0), parts(Y, W_O).sum(axis=0)):
        return None
    return "The parts should sum to the output, the merged heads times W_O; these do not."


PROPERTIES = (add_up,)
