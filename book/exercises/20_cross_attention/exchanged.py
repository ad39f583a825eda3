"""Keys of one picture, values of another."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def exchanged(Q, M_A, M_B, W_K, W_V):
    """Look by the first memory, and take from the second."""
    weights = softmax(Q @ (M_A @ W_K).T / np.sqrt(Q.shape[-1]))
    return weights @ (M_B @ W_V)


def only_last(arrays, cases):
    """Whether all rows but the last are still zeros."""
    tables = [array for array in arrays if len(array) > 1]
    return all(not table[:-1].any() and table[-1].any() for table in tables)


CASES = (
    Case("a single place", draw((1, 2), (1, 2), (1, 2), (2, 2), (2, 2))),
    # Where all lengths are equal, matrices that are mixed up give numbers, too.
    Case("equal sizes", draw((2, 2), (2, 2), (2, 2), (2, 2), (2, 2))),
    Case("five different sizes", [a / 2 for a in draw((3, 6), (5, 4), (5, 4), (4, 6), (4, 7))]),
)
