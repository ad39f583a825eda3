"""From the derivatives by the scores to the matrix that makes the keys."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def key_matrix_gradient(d_scores, X_Q, X_KV, W_Q):
    """Scores to keys, keys to the matrix that made them, summed over the batch."""
    Q = X_Q @ W_Q
    d_K = d_scores.mT @ Q / np.sqrt(Q.shape[-1])
    return summed(X_KV.mT @ d_K)


def batch(matrices):
    """A batch of matrices; a single one is a batch of one."""
    return matrices.reshape(-1, *matrices.shape[-2:])


def summed(matrices):
    return batch(matrices).sum(axis=0)


CASES = (
    Case(
        "one query and one key",
        ([[2.0]], [[1.0, -1.0]], [[3.0, 5.0]], [[1.0, 0.0], [2.0, 4.0]]),
    ),
    Case("all sizes equal", draw(*[(3, 3)] * 4)),
    Case("all sizes different", draw((3, 4), (3, 5), (4, 6), (5, 2))),
    Case("a batch", draw((2, 3, 4), (2, 3, 5), (2, 4, 6), (5, 3))),
    Case("a batch of one", draw((1, 2, 3), (1, 2, 4), (1, 3, 2), (4, 2))),
)
