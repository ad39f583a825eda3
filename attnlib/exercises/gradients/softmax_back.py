"""From the derivatives by the weights to those by the scores."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.showing import show


def softmax_back(d_weights, weights):
    """Each derivative's distance from its row's weighted mean, times the weight."""
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * (d_weights - mean)


def _less(subtracted):
    """softmax_back with something else in the place of the weighted mean."""
    return lambda d_weights, weights: weights * (d_weights - subtracted(d_weights, weights))


def _jacobians(d_weights, weights):
    return np.stack([np.diag(w) - np.outer(w, w) for w in weights])


MEAN_LOST = (
    "The sums of the rows have lost their axis, so NumPy lines them up with the columns, if it "
    "can: row i loses the means of other rows. Use keepdims=True."
)

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
        Mistake(
            "diagonal_only",
            _less(lambda d, w: w * d),
            "Only the diagonal of softmax's Jacobian is used, w (1 - w). Raising one score takes "
            "weight from all the others, and the loss feels them all: a row of the answer sums "
            "to 0.",
        ),
        Mistake(
            "no_mean",
            _less(lambda d, w: 0.0),
            "This is w * dw: what the denominator of softmax adds is missing. A score that rises "
            "lowers all other weights of its row. If all derivatives by the weights were alike, "
            "no score should matter.",
        ),
        Mistake(
            "plain_mean",
            _less(lambda d, w: d.mean(axis=-1, keepdims=True)),
            "The plain mean of the row is subtracted. A weight gives to the others in proportion "
            "to what they have, so the mean is the one under the weights.",
        ),
        Mistake(
            "plain_sum",
            _less(lambda d, w: d.sum(axis=-1, keepdims=True)),
            "The sum of the row's derivatives is subtracted. Each of them counts by its weight "
            "before they are added.",
        ),
        Mistake(
            "divided_by_n",
            _less(lambda d, w: (w * d).mean(axis=-1, keepdims=True)),
            "The products of weights and derivatives are averaged, so they are divided by n_k as "
            "well. The weights sum to 1 already: add the products.",
        ),
        Mistake(
            "columns",
            _less(lambda d, w: (w * d).sum(axis=0, keepdims=True)),
            "The products are summed down the columns, over the queries. Softmax ran along each "
            "row, so its derivative mixes a row and nothing else: axis=-1.",
        ),
        Mistake(
            "everything",
            _less(lambda d, w: (w * d).sum()),
            "One sum over the whole matrix is subtracted. Each row has a softmax of its own, and "
            "so a mean of its own.",
        ),
        Mistake(
            "mean_of_everything",
            _less(lambda d, w: (w * d).mean()),
            "One mean over the whole matrix is subtracted. Each row has a softmax of its own, and "
            "so a weighted mean of its own.",
        ),
        Mistake("keepdims", _less(lambda d, w: (w * d).sum(axis=-1)), MEAN_LOST),
        Mistake(
            "all_pairs",
            _less(lambda d, w: w @ d.T),
            "Weights @ d_weights.T meets every row with every other, where it runs at all. Row i "
            "needs its own alone: multiply entry by entry, and add along the row.",
        ),
        Mistake(
            "first_rows_jacobian",
            lambda d, w: d @ _jacobians(d, w)[0],
            "Every row goes through the Jacobian of the first row. Each row has weights of its "
            "own, and so a Jacobian of its own.",
        ),
        Mistake(
            "weight_forgotten",
            lambda d, w: d - (w * d).sum(axis=-1, keepdims=True),
            "The outer factor is missing: the distance from the mean still has to be multiplied "
            "by the weight. A score whose weight is 0 moves nothing.",
        ),
        Mistake(
            "weight_on_one_part",
            lambda d, w: w * d - (w * d).sum(axis=-1, keepdims=True),
            "The weight multiplies the first part only. It multiplies the mean as well: brackets "
            "round the difference.",
        ),
        Mistake(
            "weight_on_the_mean_alone",
            lambda d, w: d - w * (w * d).sum(axis=-1, keepdims=True),
            "The weight multiplies the mean only. It multiplies the derivative as well: brackets "
            "round the difference.",
        ),
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
            "plus",
            lambda d, w: w * (d + (w * d).sum(axis=-1, keepdims=True)),
            "The mean is added where it should be subtracted: what one weight gains the others "
            "lose, so a row of the answer sums to 0.",
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
            _less(lambda d, w: (w * w).sum(axis=-1, keepdims=True)),
            "The mean of the weights is subtracted, w times w. What is averaged under the weights "
            "are the derivatives: w times d_weights.",
        ),
        Mistake(
            "one",
            _less(lambda d, w: 1.0),
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
            _jacobians,
            "These are the Jacobians, a table for each row. The derivatives by the weights still "
            "have to be multiplied into them, one row of d_weights with each.",
        ),
        Mistake(
            "jacobian_entry_by_entry",
            lambda d, w: (_jacobians(d, w) * d[:, :, None]).sum(axis=-1),
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
    why="No n × n table was needed: one number for each row, the mean of the derivatives under the "
    "weights, stands for all that lies beside the diagonal.",
)
