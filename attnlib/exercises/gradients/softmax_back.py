"""From the derivatives by the weights to those by the scores."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.showing import show

from ._softmax import jacobians, less, softmax_mistakes


def softmax_back(d_weights, weights):
    """Each derivative's distance from its row's weighted mean, times the weight."""
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * (d_weights - mean)


MEAN_ALONE = (
    "Only the part with the mean is there, which comes from softmax's denominator. Its numerator "
    "has a part too: each weight also rises with its own score, by w dw."
)

EXERCISE = Exercise(
    signature="softmax_back(d_weights, weights)",
    task="Write softmax_back(d_weights, weights): from the derivatives of the loss by the weights, "
    "rows of softmax, the derivatives by the scores that the weights were made of.",
    returns="an array of shape (n_q, n_k)",
    reference=softmax_back,
    own=True,
    cases=(
        Case("one row", (np.array([[1.0, 0.0]]), np.array([[0.75, 0.25]]))),
        Case(
            "as many rows as columns",
            (np.array([[1.5, -0.5], [2.0, 3.0]]), np.array([[0.6, 0.4], [0.1, 0.9]])),
        ),
        Case(
            "three rows of four",
            (
                np.array([[0.3, -1.2, 0.8, 2.1], [1.4, 0.2, -0.7, 0.5], [-0.9, 1.1, 0.6, -1.6]]),
                np.array([[0.1, 0.2, 0.3, 0.4], [0.25, 0.05, 0.6, 0.1], [0.7, 0.1, 0.1, 0.1]]),
            ),
        ),
        Case(
            "weights of 0 and of 1",
            (
                np.array([[4.0, -3.0, 2.0], [1.0, 7.0, -5.0]]),
                np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]),
            ),
        ),
    ),
    mistakes=(
        *softmax_mistakes(),
        Mistake(
            "log_softmax",
            lambda d, w: d - w * d.sum(axis=-1, keepdims=True),
            "This goes back through the logarithm of softmax. Here the derivatives are those by "
            "the weights themselves, so each score's is multiplied by its weight.",
        ),
        Mistake(
            "cross_entropy",
            lambda d, w: w - d,
            "Weights minus something: that is the derivative of softmax with cross-entropy on top. "
            "Here the loss can be any, and all that is known of it is d_weights.",
        ),
        Mistake(
            "mean_alone",
            lambda d, w: -w * (w * d).sum(axis=-1, keepdims=True),
            MEAN_ALONE,
        ),
        Mistake(
            "mean_alone_upwards",
            lambda d, w: w * (w * d).sum(axis=-1, keepdims=True),
            MEAN_ALONE,
        ),
        Mistake(
            "weight_squared",
            lambda d, w: w * softmax_back(d, w),
            "There is one factor w too many. The distance from the mean is multiplied by the "
            "weight once.",
        ),
        Mistake(
            "diagonal_and_mean",
            lambda d, w: (1 - w) * softmax_back(d, w),
            "Both w (1 - w) and the mean are there. The 1 - w belongs to the diagonal alone; the "
            "mean says all of it: w times the distance.",
        ),
        Mistake(
            "centred_products",
            lambda d, w: w * d - (w * d).mean(axis=-1, keepdims=True),
            "From w * dw its plain mean is subtracted, the same from all. What a score takes from "
            "the others goes with its own weight: w times the mean of dw under the weights.",
        ),
        Mistake(
            "mean_weight",
            less(lambda d, w: (w * w).sum(axis=-1, keepdims=True)),
            "The mean of the weights is subtracted, w times w. What is averaged under the weights "
            "are the derivatives: w times d_weights.",
        ),
        Mistake(
            "one",
            less(lambda d, w: 1.0),
            "A 1 is subtracted: the sum of the weights. Each weight meets its derivative before "
            "the row is added up.",
        ),
        Mistake(
            "softmax_again",
            lambda d, w: softmax_back(d, softmax(w)),
            "Softmax is taken of the weights once more. They are weights already: use them as "
            "they are.",
        ),
        Mistake(
            "softmax_of_derivatives",
            lambda d, w: softmax(d),
            "This is softmax of the derivatives: forwards. Backwards nothing is normalised; what "
            "comes out may be negative, and a row sums to 0.",
        ),
        Mistake(
            "jacobians",
            lambda d, w: jacobians(w),
            "These are the Jacobians, a table for each row. The derivatives by the weights still "
            "have to be multiplied into them, one row of d_weights with each.",
        ),
        Mistake(
            "jacobian_entry_by_entry",
            lambda d, w: (jacobians(w) * d[:, :, None]).sum(axis=-1),
            "The Jacobian's rows are added up after each was multiplied by one derivative. The "
            "rows of J sum to 0. Multiply J with the vector: J @ dw, a sum over its columns.",
        ),
    ),
    properties=(
        lambda found, d, w: (
            "A score whose weight is 0 moves nothing, so its derivative should be 0."
            if np.abs(found[w == 0]).max(initial=0) > 1e-7
            else None
        ),
        lambda found, d, w: (
            "Raising all scores of a row together changes no weight, so each row should sum to 0; "
            f"these sum to {show(found.sum(axis=-1))}."
            if not np.allclose(found.sum(axis=-1), 0, atol=1e-7)
            else None
        ),
    ),
    definition="Raise one score by 0.001, take softmax anew, and add up each derivative times what "
    "its weight changed: a thousandth of the derivative by that score.",
    general="Take one row. Each score moves every weight of it; write down by how much, multiply "
    "by that weight's derivative, and add.",
    why="No n × n table was needed. Its entries are w_m δ_mj − w_m w_j. The first part gives "
    "w_j dw_j. The second, on the diagonal too, gives w_j times one number for each row: the mean "
    "of the derivatives under the weights.",
)
