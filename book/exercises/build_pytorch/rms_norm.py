"""The norm of today: each row divided by its root mean square."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from .copying import copied, made, result


def rms_norm(X, gain, epsilon):
    """Each row over the root of its mean square, times the gains."""
    return gain * X / np.sqrt((X**2).mean(axis=-1, keepdims=True) + epsilon)


def adapt(answer):
    def rms_norm(X, gain, epsilon):
        return result(copied(made(answer, len(gain), epsilon), {"gain": gain}), X)

    return rms_norm


CASES = (
    Case("one row", (np.array([[3.0, -4.0]]), np.array([1.0, 2.0]), 1e-5)),
    Case("rows", (*draw((3, 4), (4,)), 0.1)),
    Case("a batch", (*draw((2, 3, 5), (5,)), 0.01)),
    Case("a small row", (0.01 * draw((2, 3, 6), (6,))[0], draw((2, 3, 6), (6,))[1] + 1, 1e-3)),
)
