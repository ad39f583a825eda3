"""Weights from a score that is a small network."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def _sums(Q, K, W_q, W_k):
    """What every hidden unit gets from every pair, shape (n_q, n_k, d_a)."""
    return (Q @ W_q)[:, None, :] + (K @ W_k)[None, :, :]


def _scores(Q, K, W_q, W_k, v):
    return np.tanh(_sums(Q, K, W_q, W_k)) @ v


def additive_weights(Q, K, W_q, W_k, v):
    """A row of weights for each query."""
    return softmax(_scores(Q, K, W_q, W_k, v))


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


CASES = (
    Case(
        "one query, one hidden unit",
        (
            np.array([[1.0]]),
            np.array([[0.0], [-1.0]]),
            np.array([[1.0]]),
            np.array([[2.0]]),
            np.array([3.0]),
        ),
    ),
    Case(
        "queries as long as keys",
        (
            np.array([[1.0, -1.0], [0.5, 2.0]]),
            np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.5]]),
            np.array([[1.0, -0.5, 0.2], [0.3, 0.8, -1.0]]),
            np.array([[0.4, 1.0, -1.2], [-0.7, 0.6, 0.5]]),
            np.array([2.0, -1.0, 1.5]),
        ),
    ),
    Case(
        "queries longer than keys",
        (
            np.array([[1.0, 0.0, 2.0], [-1.0, 0.5, 0.3], [0.2, -2.0, 1.0]]),
            np.array([[0.4, 1.0], [2.0, -1.0]]),
            np.array([[0.5, -1.0], [1.0, 0.4], [-0.3, 0.9]]),
            np.array([[-0.8, 0.6], [1.1, 0.7]]),
            np.array([1.5, -2.0]),
        ),
    ),
)

PROPERTIES = (not_negative, sums_to_one)
