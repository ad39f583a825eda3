"""The way back through softmax, and the ways people get it wrong, which two exercises share."""

import numpy as np

from attnlib.exercises import Mistake


def back(d_weights, weights):
    """Each derivative's distance from its row's weighted mean, times the weight."""
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


def jacobians(weights):
    """A table for each row of weights."""
    return np.stack([np.diag(w) - np.outer(w, w) for w in weights])


def less(subtracted):
    """`back` with something else in the place of the weighted mean."""
    return lambda d, w: w * (d - subtracted(d, w))


#: Name -> the wrong step, and what to say of it.
WRONG = {
    "diagonal_only": (
        less(lambda d, w: w * d),
        "Only the diagonal of softmax's Jacobian is used, w (1 - w). Raising one score takes "
        "weight from all the others, and the loss feels them all: each row of derivatives by the "
        "scores sums to 0.",
    ),
    "no_mean": (
        less(lambda d, w: 0.0),
        "This is w * dw: what the denominator of softmax adds is missing. A score that rises "
        "lowers all other weights of its row. If all derivatives by the weights were alike, no "
        "score should matter.",
    ),
    "plain_mean": (
        less(lambda d, w: d.mean(axis=-1, keepdims=True)),
        "The plain mean of the row is subtracted. A weight gives to the others in proportion to "
        "what they have, so the mean is the one under the weights.",
    ),
    "plain_sum": (
        less(lambda d, w: d.sum(axis=-1, keepdims=True)),
        "The sum of the row's derivatives is subtracted. Each of them counts by its weight before "
        "they are added.",
    ),
    "divided_by_n_k": (
        less(lambda d, w: (w * d).mean(axis=-1, keepdims=True)),
        "The products of weights and derivatives are averaged, so they are divided by n_k as well. "
        "The weights sum to 1 already: add the products.",
    ),
    "columns": (
        less(lambda d, w: (w * d).sum(axis=0, keepdims=True)),
        "The products are summed down the columns, over the queries. Softmax ran along each row, "
        "so its derivative mixes a row and nothing else: axis=-1.",
    ),
    "everything": (
        less(lambda d, w: (w * d).sum()),
        "One sum over the whole matrix is subtracted. Each row has a softmax of its own, and so a "
        "mean of its own.",
    ),
    "mean_of_everything": (
        less(lambda d, w: (w * d).mean()),
        "One mean over the whole matrix is subtracted. Each row has a softmax of its own, and so a "
        "weighted mean of its own.",
    ),
    "keepdims": (
        less(lambda d, w: (w * d).sum(axis=-1)),
        "The sums of the rows have lost their axis, so NumPy lines them up with the columns, if it "
        "can: row i loses the means of other rows. Use keepdims=True.",
    ),
    "all_pairs": (
        less(lambda d, w: w @ d.T),
        "Weights @ dWᵀ meets every row with every other, where it runs at all. Row i needs its own "
        "alone: multiply entry by entry, and add along the row.",
    ),
    "first_rows_jacobian": (
        lambda d, w: d @ jacobians(w)[0],
        "Every row goes through the Jacobian of the first row. Each row has weights of its own, "
        "and so a Jacobian of its own.",
    ),
    "weight_forgotten": (
        lambda d, w: d - (w * d).sum(axis=-1, keepdims=True),
        "The outer factor is missing: the distance from the mean still has to be multiplied by the "
        "weight. A score whose weight is 0 moves nothing.",
    ),
    "weight_on_one_part": (
        lambda d, w: w * d - (w * d).sum(axis=-1, keepdims=True),
        "The weight multiplies the first part only. It multiplies the mean as well: brackets round "
        "the difference.",
    ),
    "weight_on_the_mean_alone": (
        lambda d, w: d - w * (w * d).sum(axis=-1, keepdims=True),
        "The weight multiplies the mean only. It multiplies the derivative as well: brackets round "
        "the difference.",
    ),
    "plus": (
        less(lambda d, w: -(w * d).sum(axis=-1, keepdims=True)),
        "The mean is added where it should be subtracted: what one weight gains the others lose, "
        "so each row of derivatives by the scores sums to 0.",
    ),
}


def softmax_mistakes(in_place=lambda step: step):
    """A `Mistake` for each, in an answer that `in_place` makes of the wrong step."""
    return [Mistake(name, in_place(step), says) for name, (step, says) in WRONG.items()]
