"""What no readout can recover from the outputs of some heads."""

import numpy as np

from attnlib.exercises import Case


def left_over(A):
    """Share of the wanted values' variance that the best linear readout leaves over."""
    return 1 - np.linalg.matrix_rank(A) / A.shape[1]


CASES = (
    Case("one head, two wanted", ([[0.75, 0.25]],)),
    Case("a head for each", ([[1.0, 0.0], [0.0, 1.0]],)),
    Case("heads that mix", ([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3]],)),
    Case("heads that look alike", ([[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]],)),
    Case("a head between two others", ([[0.5, 0.5, 0.0], [0.2, 0.2, 0.6], [0.35, 0.35, 0.3]],)),
    Case("more heads than wanted", ([[1.0, 0.0], [0.4, 0.6], [0.5, 0.5]],)),
)


def error(readout, A):
    """The share that this readout leaves over."""
    return ((np.eye(A.shape[1]) - readout @ A) ** 2).sum() / A.shape[1]
