"""Additive scores with the bend inside."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def dynamic_scores(X, W_q, W_k, v):
    """Add query and key, bend each hidden number, and add them up with v."""
    return scores(X, W_q, W_k, v, slope=0.2)


def scores(X, W_q, W_k, v, slope):
    """The scores with any slope below 0."""
    hidden = (X @ W_q)[:, None] + X @ W_k
    return np.where(hidden > 0, hidden, slope * hidden) @ v


def other_slope(came, cases):
    """Whether these would be the scores if the slope below 0 were another number than 0.2."""
    above = np.concatenate([scores(*case.args, slope=0).ravel() for case in cases])
    below = np.concatenate([scores(*case.args, slope=1).ravel() for case in cases]) - above
    rest = np.concatenate([s.ravel() for s in came]) - above
    slope = rest @ below / (below @ below)
    return bool(np.allclose(rest, slope * below) and abs(slope - 0.2) > 1e-6)


CASES = (
    Case("two nodes", ([[1.0], [-1.0]], [[1.0, -1.0]], [[1.0, -1.0]], [1.0, 1.0])),
    Case("three nodes", draw((3, 4), (4, 2), (4, 2), (2,))),
    Case("five nodes, three hidden numbers", draw((5, 2), (2, 3), (2, 3), (3,))),
)
