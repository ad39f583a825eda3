"""From the derivatives by the weights to those by the scores."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.showing import show


def softmax_back(d_weights, weights):
    """Each derivative's distance from its row's weighted mean, times the weight."""
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * (d_weights - mean)


CASES = (
    Case("one row", ([[1.0, 0.0]], [[0.75, 0.25]])),
    Case("as many rows as columns", ([[1.5, -0.5], [2.0, 3.0]], [[0.6, 0.4], [0.1, 0.9]])),
    Case(
        "three rows of four",
        (
            [[0.3, -1.2, 0.8, 2.1], [1.4, 0.2, -0.7, 0.5], [-0.9, 1.1, 0.6, -1.6]],
            [[0.1, 0.2, 0.3, 0.4], [0.25, 0.05, 0.6, 0.1], [0.7, 0.1, 0.1, 0.1]],
        ),
    ),
    Case(
        "weights of 0 and of 1",
        ([[4.0, -3.0, 2.0], [1.0, 7.0, -5.0]], [[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]),
    ),
)


def nothing_from_a_weight_of_0(d_scores, d_weights, weights):
    if np.abs(d_scores[weights == 0]).max(initial=0) > 1e-7:
        return "A score whose weight is 0 moves nothing, so its derivative should be 0."


def rows_sum_to_0(d_scores, d_weights, weights):
    sums = d_scores.sum(axis=-1)
    if not np.allclose(sums, 0, atol=1e-7):
        return (
            "Raising all scores of a row together changes no weight, so each row should sum to 0; "
            f"these sum to {show(sums)}."
        )


PROPERTIES = (nothing_from_a_weight_of_0, rows_sum_to_0)


def jacobians(weights):
    """The Jacobian of softmax for each row of weights."""
    return np.stack([np.diag(w) - np.outer(w, w) for w in weights])
