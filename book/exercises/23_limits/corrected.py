"""A state that adds only what it gets wrong."""

import functools

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def corrected(K, v):
    """The state after all pairs."""
    S = np.zeros(K.shape[1])
    for key, value in zip(K, v):
        S = S + (value - key @ S) * key
    return S


def _unit(K):
    return K / np.linalg.norm(K, axis=1, keepdims=True)


DRAWN = draw((4, 3), (5, 3), (4,), (5,))

CASES = (
    Case("two keys", ([[0.8, 0.6], [1.0, 0.0]], [3.0, 5.0])),
    Case("a key that comes again", ([[1.0, 0.0], [0.6, 0.8], [1.0, 0.0]], [3.0, 4.0, -2.0])),
    Case("four keys", (_unit(DRAWN[0]), DRAWN[2])),
    Case("five keys in three components", (_unit(DRAWN[1]), DRAWN[3])),
)
