"""Dot products over √d, for any leading axes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def scaled_scores(Q, K):
    """Dot products of all queries with all keys, over the root of their length."""
    return Q @ K.mT / np.sqrt(K.shape[-1])


def _scores(factor):
    """Dot products of all queries with all keys, times factor(d_k)."""
    return lambda Q, K: Q @ K.mT * factor(np.float64(K.shape[-1]))


def _scaled_by(number):
    """Dot products of all queries with all keys over the root of a number taken of the arrays."""
    return lambda Q, K: Q @ K.mT / np.sqrt(number(Q, K))


def _by_loops(Q, K):
    return np.array([[q @ k for k in K] for q in Q]) / np.sqrt(Q.shape[-1])


def _ratios(values, cases):
    """For every case, what each score is of its dot product."""
    for S, case in zip(values, cases):
        plain = _scores(lambda d: 1.0)(*case.args)
        yield (S[np.abs(plain) > 1e-9] / plain[np.abs(plain) > 1e-9]).ravel()


def _one_factor(values, cases):
    """The factor of each case if it is one and above 0, else NaN."""
    factors = [r[0] if np.allclose(r, r[0], rtol=1e-5) else np.nan for r in _ratios(values, cases)]
    return np.where(np.array(factors) > 0, factors, np.nan)


def _same_factor(values, cases):
    factors = _one_factor(values, cases)
    return np.allclose(factors, factors[0], rtol=1e-5)


def _another_factor(values, cases):
    factors = _one_factor(values, cases)
    right = [case.args[0].shape[-1] ** -0.5 for case in cases]
    known = _same_factor(values, cases) or np.allclose(factors, right, rtol=1e-5)
    return bool(np.isfinite(factors).all()) and not known


ROWS = (
    "The scale comes from the number of queries or keys. A dot product has d_k terms, however many "
    "rows there are: d_k is the last axis of Q and K, not the one before."
)
WEIGHTS = (
    "Softmax is applied: these are weights, positive and with a sum of 1 in every row. The scaled "
    "scores are asked for, as they stand before softmax."
)
FIRST_AXIS = (
    "The scale comes from the first axis, which counts queries or keys, or in a batch the items. "
    "A dot product has d_k terms, however many rows there are: d_k is the last axis."
)
SECOND_AXIS = (
    "The scale comes from axis 1. Without a batch that is the last axis, in a batch it is not: "
    "d_k is always the last, counted from the end."
)
FIRST_TWO = (
    "The first two axes of K are exchanged. For a matrix they are the last two as well, in a batch "
    "they are not: count from the end, with -1 and -2."
)


EXERCISE = Exercise(
    signature="scaled_scores(Q, K)",
    task="Write scaled_scores(Q, K): the dot product of every query with every key, divided by "
    "√d_k, for any leading axes.",
    returns="an array of shape (..., n_q, n_k)",
    reference=scaled_scores,
    cases=(
        Case("as many keys as queries", (np.array([[1.0, 2.0], [0.0, 1.0]]), *draw((2, 2)))),
        Case("more keys than queries", draw((1, 4), (3, 4))),
        Case("a batch", draw((5, 2, 3), (5, 4, 3))),
        Case("a batch with heads", draw((2, 3, 4, 5), (2, 3, 2, 5))),
    ),
    mistakes=(
        Mistake(
            "no_scale",
            _scores(lambda d: 1.0),
            "The scale is missing: these are the plain dot products. Divide them by √d_k.",
        ),
        Mistake(
            "by_d",
            _scores(lambda d: 1 / d),
            "The scores are divided by d_k, not by its root. Their spread then shrinks as d_k "
            "grows, where it should stay the same.",
        ),
        Mistake("by_root_n_k", _scaled_by(lambda Q, K: K.shape[-2]), ROWS),
        Mistake("by_root_n_q", _scaled_by(lambda Q, K: Q.shape[-2]), ROWS),
        Mistake("softmaxed", lambda Q, K: softmax(scaled_scores(Q, K)), WEIGHTS),
        Mistake("softmaxed_unscaled", lambda Q, K: softmax(_scores(lambda d: 1.0)(Q, K)), WEIGHTS),
        Mistake("by_root_first_of_Q", _scaled_by(lambda Q, K: Q.shape[0]), FIRST_AXIS),
        Mistake("by_root_first_of_K", _scaled_by(lambda Q, K: K.shape[0]), FIRST_AXIS),
        Mistake(
            "times_root_d",
            _scores(lambda d: np.sqrt(d)),
            "The scores are multiplied by √d_k instead of divided, so they grow even faster with "
            "d_k. Divide by √d_k.",
        ),
        Mistake(
            "root_of_all",
            lambda Q, K: np.sqrt(Q @ K.mT / K.shape[-1]),
            "The root is taken of the whole fraction, and negative scores become NaN. Only d_k "
            "stands under the root.",
        ),
        Mistake(
            "reversed_axes",
            lambda Q, K: Q @ K.T / np.sqrt(K.shape[-1]),
            "K.T reverses all axes, so it serves matrices only. In a batch exchange the last "
            "two: np.swapaxes(K, -1, -2).",
        ),
        Mistake("by_root_second_of_Q", _scaled_by(lambda Q, K: Q.shape[1]), SECOND_AXIS),
        Mistake("by_root_second_of_K", _scaled_by(lambda Q, K: K.shape[1]), SECOND_AXIS),
        Mistake(
            "by_root_size",
            _scaled_by(lambda Q, K: Q.size),
            "The scale comes from Q.size, which counts all numbers in Q. One dot product sums d_k "
            "terms only: the length of one row.",
        ),
        Mistake(
            "by_whole_root",
            lambda Q, K: Q @ K.mT / int(np.sqrt(Q.shape[-1])),
            "The root is cut to a whole number: √2 becomes 1, √5 becomes 2. Look for int, isqrt or "
            "//, and leave the root as it is.",
        ),
        Mistake(
            "by_own_spread",
            lambda Q, K: Q @ K.mT / (Q @ K.mT).std(),
            "The scores are divided by their own standard deviation. The scale should depend on "
            "the length of a row alone, not on the numbers in it.",
        ),
        Mistake(
            "by_the_same_number",
            _scores(lambda d: 1 / 8),
            "The dot products are divided by the same number on every input. It has to be read off "
            "the arrays, as the rows here have lengths 2, 3, 4 and 5.",
            recognise=_same_factor,
        ),
        Mistake(
            "by_another_number",
            _scores(lambda d: 1 / (np.sqrt(d) + 0.001)),
            "The dot products are right, but what divides them is not √d_k. Print the divisor: its "
            "square should be the length of a row.",
            recognise=_another_factor,
        ),
        Mistake(
            "cosines",
            lambda Q, K: _scores(lambda d: 1.0)(
                Q / np.linalg.norm(Q, axis=-1, keepdims=True),
                K / np.linalg.norm(K, axis=-1, keepdims=True),
            ),
            "Each dot product is divided by the lengths of its own query and key. These are "
            "cosines, between -1 and 1: the scale should be one number for all pairs.",
        ),
        Mistake(
            "not_transposed",
            lambda Q, K: Q @ K / np.sqrt(K.shape[-1]),
            "K is not transposed: Q @ K multiplies the rows of Q with the columns of K. The keys "
            "are the rows of K, and unless K is square the shapes do not fit.",
        ),
        Mistake(
            "queries_transposed",
            lambda Q, K: Q.mT @ K / np.sqrt(K.shape[-1]),
            "The queries are transposed, not the keys, so columns meet columns. A query is a row "
            "of Q and a key a row of K: unless both are square, the shapes do not fit.",
        ),
        Mistake(
            "reshaped",
            lambda Q, K: (
                Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2]) / np.sqrt(K.shape[-1])
            ),
            "K is reshaped, not transposed. reshape keeps all numbers in their order and only cuts "
            "the rows anew, so the keys are torn apart: try it on [[1, 2], [3, 4]].",
        ),
        Mistake(
            "first_two_swapped",
            lambda Q, K: Q @ np.swapaxes(K, 0, 1) / np.sqrt(K.shape[-1]),
            FIRST_TWO,
        ),
        Mistake(
            "first_two_transposed",
            lambda Q, K: Q @ np.transpose(K, (1, 0)) / np.sqrt(K.shape[-1]),
            "NumPy's transpose takes a new order of all axes, so with two numbers it serves "
            "matrices only. The last two are exchanged by swapaxes(-1, -2), which PyTorch calls "
            "transpose.",
        ),
        Mistake(
            "loops_over_matrices",
            _by_loops,
            "A loop over Q takes the rows of a matrix, but the items of a batch. What is to hold "
            "for any leading axes should work on the last two only.",
        ),
        Mistake(
            "dot_in_a_batch",
            lambda Q, K: np.dot(Q, K.mT) / np.sqrt(K.shape[-1]),
            "With a batch np.dot multiplies every item of Q with every item of K, which adds axes. "
            "@ goes item by item, on the last two axes.",
        ),
        Mistake(
            "pairs_of_equal_rows",
            lambda Q, K: (Q * K).sum(axis=-1) / np.sqrt(K.shape[-1]),
            "Query i is multiplied by key i alone: that is one score for each query. Every query "
            "meets every key, which makes a table.",
        ),
        Mistake(
            "queries_with_queries",
            lambda Q, K: Q @ Q.mT / np.sqrt(K.shape[-1]),
            "The queries are multiplied by one another, Q Qᵀ. The keys are in K.",
        ),
        Mistake(
            "largest_subtracted",
            lambda Q, K: scaled_scores(Q, K) - scaled_scores(Q, K).max(axis=-1, keepdims=True),
            "The largest score of each row is subtracted. That step belongs to softmax, where it "
            "prevents overflow; the scores are asked for as they stand before.",
        ),
    ),
    properties=(
        lambda S, Q, K: (
            "A scaled score should have the sign of its dot product; some of these do not."
            if (np.sign(np.round(S, 9)) != np.sign(np.round(Q @ K.mT, 9))).any()
            else None
        ),
    ),
    definition="Entry (i, j) should be the dot product of query i and key j over the root of "
    "their length.",
    general="The scores are not the scaled dot products. Take one query and one key, multiply "
    "and sum by hand, then look at the scale.",
    why="One factor keeps the spread of the scores the same for every d_k, if all "
    "components are independent, of mean 0 and variance 1.",
)
