"""Dot products over √d, for any leading axes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake


def _scores(factor):
    """Dot products of all queries with all keys, times factor(d_k, n_k)."""
    return lambda Q, K: (
        Q @ np.swapaxes(K, -1, -2) * factor(np.float64(K.shape[-1]), np.float64(K.shape[-2]))
    )


scaled_scores = _scores(lambda d, n: 1 / np.sqrt(d))


def _scaled_by(number):
    """Dot products of all queries with all keys over the root of a number taken of the arrays."""
    return lambda Q, K: Q @ np.swapaxes(K, -1, -2) / np.sqrt(number(Q, K))


FIRST_AXIS = (
    "The scale comes from the first axis, which counts queries or keys, or in a batch the items. "
    "A dot product has d_k terms, however many rows there are: d_k is the last axis."
)


def _draw(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).round(1)


EXERCISE = Exercise(
    signature="scaled_scores(Q, K)",
    task="Write scaled_scores(Q, K): the dot product of every query with every key, divided by "
    "√d_k, for any leading axes.",
    returns="an array of shape (..., n_q, n_k)",
    reference=scaled_scores,
    cases=(
        Case("as many keys as queries", (np.array([[1.0, 2.0], [0.0, 1.0]]), _draw(2, 2))),
        Case("more keys than queries", (_draw(2, 4), _draw(3, 4))),
        Case("a batch", (_draw(2, 2, 3), _draw(2, 4, 3))),
        Case("a batch with heads", (_draw(2, 3, 2, 5), _draw(2, 3, 4, 5))),
    ),
    mistakes=(
        Mistake(
            "no_scale",
            _scores(lambda d, n: 1.0),
            "The scale is missing: these are the plain dot products. Divide them by √d_k.",
        ),
        Mistake(
            "by_d",
            _scores(lambda d, n: 1 / d),
            "The scores are divided by d_k, not by its root. Their spread then shrinks as d_k "
            "grows, where it should stay the same.",
        ),
        Mistake(
            "by_root_n",
            _scores(lambda d, n: 1 / np.sqrt(n)),
            "The scale comes from the number of keys. A dot product has d_k terms, however many "
            "keys there are: d_k is the last axis of K, not the one before.",
        ),
        Mistake("by_root_first_of_Q", _scaled_by(lambda Q, K: Q.shape[0]), FIRST_AXIS),
        Mistake("by_root_first_of_K", _scaled_by(lambda Q, K: K.shape[0]), FIRST_AXIS),
        Mistake(
            "softmaxed",
            lambda Q, K: softmax(scaled_scores(Q, K)),
            "Softmax is applied as well: these are weights, positive and with a sum of 1 in every "
            "row. The scores are asked for, as they stand before softmax.",
        ),
        Mistake(
            "times_root_d",
            _scores(lambda d, n: np.sqrt(d)),
            "The scores are multiplied by √d_k instead of divided, so they grow twice over with "
            "d_k. Look where the brackets end.",
        ),
        Mistake(
            "transposed",
            lambda Q, K: K @ np.swapaxes(Q, -1, -2) / np.sqrt(K.shape[-1]),
            "Rows and columns are exchanged: this is K Qᵀ. Queries go down and keys across, so "
            "the shape is (n_q, n_k).",
        ),
        Mistake(
            "root_of_all",
            lambda Q, K: np.sqrt(Q @ np.swapaxes(K, -1, -2) / K.shape[-1]),
            "The root is taken of the whole fraction, and negative scores become NaN. Only d_k "
            "stands under the root.",
        ),
        Mistake(
            "reversed_axes",
            lambda Q, K: Q @ K.T / np.sqrt(K.shape[-1]),
            "K.T reverses all axes, so it serves matrices only. In a batch exchange the last "
            "two: np.swapaxes(K, -1, -2).",
        ),
    ),
    properties=(
        lambda S, Q, K: (
            "A scaled score should have the sign of its dot product; some here have not."
            if (np.sign(np.round(S, 9)) != np.sign(np.round(Q @ np.swapaxes(K, -1, -2), 9))).any()
            else None
        ),
    ),
    definition="Entry (i, j) should be the dot product of query i and key j over the root of "
    "their length.",
    general="The scores are not the scaled dot products. Take one query and one key, multiply "
    "and sum by hand, then look at the scale.",
    why="One factor keeps the spread of the scores the same for every d_k, if queries and keys "
    "are independent.",
)
