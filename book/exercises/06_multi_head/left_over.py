"""What no readout can recover from the outputs of some heads."""

import numpy as np

from attnlib.exercises import Case


def left_over(A):
    """Share of the wanted values' variance that the best linear readout leaves over."""
    return 1 - np.linalg.matrix_rank(A) / A.shape[1]


def _error(readout):
    """The error of a readout that is made of the weights by readout(A)."""

    def wrong(A):
        missed = np.eye(A.shape[1]) - readout(A) @ A
        return (missed**2).sum() / A.shape[1]

    return wrong


CASES = (
    Case("one head, two wanted", (np.array([[0.75, 0.25]]),)),
    Case("a head for each", (np.array([[1.0, 0.0], [0.0, 1.0]]),)),
    Case("heads that mix", (np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3]]),)),
    Case("heads that look alike", (np.array([[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]]),)),
    Case("more heads than wanted", (np.array([[1.0, 0.0], [0.4, 0.6], [0.5, 0.5]]),)),
)
