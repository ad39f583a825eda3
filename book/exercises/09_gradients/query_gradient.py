"""From the derivatives by the outputs all the way back to the queries."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def masked_softmax(scores, mask):
    return softmax(np.where(mask, scores, -np.inf))


def query_gradient(d_output, Q, K, V, mask):
    """Outputs to weights, weights to scores, scores to queries."""
    root = np.sqrt(K.shape[1])
    weights = masked_softmax(Q @ K.T / root, mask)
    return back(weights, d_output @ V.T) @ K / root


def back(weights, d_weights):
    """The derivatives by the scores."""
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


CASES = (
    Case(
        "one query and two keys",
        (
            [[1.0, 0.0]],
            [[1.0, 2.0]],
            [[1.0, 0.0], [0.0, 1.0]],
            [[3.0, 1.0], [0.0, 2.0]],
            [[True, True]],
        ),
    ),
    Case("all sizes equal", (*draw(*[(3, 3)] * 4), np.ones((3, 3), bool))),
    Case("all sizes different", (*draw((3, 5), (3, 2), (4, 2), (4, 5)), np.ones((3, 4), bool))),
    Case(
        "some pairs masked",
        (
            *draw((4, 2), (4, 5), (3, 5), (3, 2)),
            np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]], bool),
        ),
    ),
)


def bare_softmax(scores):
    """Softmax without any checks: a row of -inf becomes nan."""
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)


def by_covariance(d_output, W, K, V):
    """Each query alone, by the covariance of values and keys under its weights."""
    rows = []
    for d, w in zip(d_output, W):
        covariance = (V.T * w) @ K - np.outer(w @ V, w @ K)
        rows.append(d @ covariance / np.sqrt(K.shape[1]))
    return np.array(rows)
