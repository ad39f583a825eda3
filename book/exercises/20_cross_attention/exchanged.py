"""Keys of one picture, values of another."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def exchanged(Q, M_A, M_B, W_K, W_V):
    """Look by the first memory, and take from the second."""
    weights = softmax(Q @ (M_A @ W_K).T / np.sqrt(Q.shape[-1]))
    return weights @ (M_B @ W_V)


CASES = (
    Case("one place", draw((1, 2), (1, 2), (1, 2), (2, 2), (2, 2))),
    Case("two queries, three places", draw((2, 2), (3, 3), (3, 3), (3, 2), (3, 2))),
    Case("all sizes different", draw((3, 4), (5, 6), (5, 6), (6, 4), (6, 4))),
)
