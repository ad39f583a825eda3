"""Weights from a score that is a small network."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def _sums(Q, K, W_q, W_k):
    """What every hidden unit gets from every pair, shape (n_q, n_k, d_a)."""
    return (Q @ W_q)[:, None, :] + (K @ W_k)[None, :, :]


def _scored(score):
    """Softmax along the keys of score(hidden sums, v)."""
    return lambda Q, K, W_q, W_k, v: softmax(score(_sums(Q, K, W_q, W_k), v))


def _from_parts(score):
    """Softmax along the keys of score(projected queries, projected keys, v)."""
    return lambda Q, K, W_q, W_k, v: softmax(score((Q @ W_q)[:, None], (K @ W_k)[None], v))


def _scores(Q, K, W_q, W_k, v):
    return np.tanh(_sums(Q, K, W_q, W_k)) @ v


def additive_weights(Q, K, W_q, W_k, v):
    """A row of weights for each query."""
    return softmax(_scores(Q, K, W_q, W_k, v))


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


OTHER_BEND = (
    "There is a bend, but another than tanh. tanh is 0 at 0, and ends at −1 and 1: np.tanh."
)
NO_V = (
    "All hidden units count alike: v takes no part. A unit with a negative v speaks against a "
    "key; multiply by v, then sum."
)
SCALED = (
    "The scores are divided by a root before softmax. That belongs to dot products; here v sets "
    "the size."
)

EXERCISE = Exercise(
    signature="additive_weights(Q, K, W_q, W_k, v)",
    task="Write additive_weights(Q, K, W_q, W_k, v): the additive score of every query with every "
    "key, made into weights by softmax.",
    returns="an array of shape (n_q, n_k)",
    reference=additive_weights,
    cases=(
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
    ),
    mistakes=(
        Mistake(
            "no_tanh",
            _scored(lambda sums, v: sums @ v),
            "The tanh is missing. Then the query adds the same number to the scores of all keys, "
            "softmax does not see it, and every query gets the same weights.",
        ),
        Mistake(
            "tanh_last",
            _scored(lambda sums, v: np.tanh(sums @ v)),
            "The tanh comes after v: the hidden units are summed first, so there is one bend for "
            "the score instead of one in each unit. First tanh, then v.",
        ),
        Mistake(
            "query_without_a_say",
            _from_parts(lambda q, k, v: (np.tanh(q) + np.tanh(k)) @ v),
            "Every row has the same weights: the query adds the same number to all keys, or none. "
            "That happens if tanh is taken of query and key separately, or if Q is left out. "
            "Add first, then tanh.",
        ),
        Mistake(
            "wrong_axis",
            lambda *given: softmax(_scores(*given), axis=0),
            "Softmax runs along the queries, axis 0: each column sums to 1. A query shares its "
            "weight among the keys, so each row should sum to 1: axis -1.",
        ),
        Mistake(
            "whole_table",
            lambda *given: softmax(_scores(*given).ravel()).reshape(len(given[0]), -1),
            "The whole table sums to 1 instead of each row. Every query has a weight of 1 to "
            "share: divide each row by its own sum.",
        ),
        Mistake(
            "scores",
            _scores,
            "These are the scores. Softmax along the keys is still to come.",
        ),
        Mistake(
            "exponentials",
            lambda *given: np.exp(_scores(*given)),
            "These are the exponentials of the scores. Divide each row by its sum.",
        ),
        Mistake("no_v", _scored(lambda sums, v: np.tanh(sums).sum(axis=-1)), NO_V),
        Mistake("mean_of_units", _scored(lambda sums, v: np.tanh(sums).mean(axis=-1)), NO_V),
        Mistake(
            "v_inside",
            _scored(lambda sums, v: np.tanh(sums * v).sum(axis=-1)),
            "The tanh is taken after v is multiplied in. But v says what a unit contributes to the "
            "score after its bend: multiply the result of tanh by v, then sum.",
        ),
        Mistake(
            "product",
            _from_parts(lambda q, k, v: np.tanh(q * k) @ v),
            "The projected query and key are multiplied. In an additive score they are added, and "
            "tanh makes them interact.",
        ),
        Mistake(
            "difference",
            _from_parts(lambda q, k, v: np.tanh(q - k) @ v),
            "The projected key is subtracted. The score adds the two; W_k can hold a minus sign "
            "where one is wanted.",
        ),
        Mistake(
            "dot_of_hidden",
            _from_parts(lambda q, k, v: (np.tanh(q) * np.tanh(k)) @ v),
            "The tanh is taken of query and key separately, and then they are multiplied, as in a "
            "dot product. An additive score adds them first, and bends the sum.",
        ),
        Mistake(
            "key_left_out",
            _from_parts(lambda q, k, v: np.tanh(q + 0 * k) @ v),
            "The key takes no part, so all scores of a row are equal, and so are the weights. Add "
            "K @ W_k before tanh.",
        ),
        Mistake(
            "matrices_exchanged",
            lambda Q, K, W_q, W_k, v: additive_weights(Q, K, W_k, W_q, v),
            "W_q and W_k are exchanged: the queries go through W_k. That runs only where queries "
            "are as long as keys.",
        ),
        Mistake(
            "queries_and_keys_exchanged",
            lambda Q, K, W_q, W_k, v: softmax(_scores(Q, K, W_q, W_k, v).T),
            "The table has a row for each key, and each key shares its weight among the queries. "
            "Queries go down the rows: (Q @ W_q)[:, None] + (K @ W_k)[None].",
        ),
        Mistake("sigmoid", _scored(lambda sums, v: _sigmoid(sums) @ v), OTHER_BEND),
        Mistake("relu", _scored(lambda sums, v: np.maximum(sums, 0) @ v), OTHER_BEND),
        Mistake("arctangent", _scored(lambda sums, v: np.arctan(sums) @ v), OTHER_BEND),
        Mistake("sine", _scored(lambda sums, v: np.sin(sums) @ v), OTHER_BEND),
        Mistake(
            "tanh_of_scores_too",
            _scored(lambda sums, v: np.tanh(np.tanh(sums) @ v)),
            "There is a second tanh, of the scores. One in each hidden unit is enough: the scores "
            "go to softmax as v makes them.",
        ),
        Mistake(
            "averaged_units",
            _scored(lambda sums, v: (np.tanh(sums) * v).mean(axis=-1)),
            "The hidden units are averaged, so the scores are divided by their number. Sum them: "
            "that is what @ v does.",
        ),
        Mistake("over_root_d", _scored(lambda h, v: np.tanh(h) @ v / np.sqrt(len(v))), SCALED),
        Mistake(
            "softmax_of_units",
            _scored(lambda sums, v: softmax(sums) @ v),
            "Softmax stands where tanh belongs, over the hidden units, so that they compete. Each "
            "unit bends by itself; the keys compete, later.",
        ),
        Mistake(
            "softmax_twice",
            lambda *given: softmax(additive_weights(*given)),
            "Softmax is applied twice: the weights go through it again and come out nearly equal. "
            "Once is enough.",
        ),
        Mistake(
            "one_shift_for_all",
            lambda *given: np.exp(_scores(*given)) / np.exp(_scores(*given)).max(axis=-1)[:, None],
            "The exponentials are divided by the largest of their row. Divide by the sum of the "
            "row: print weights.sum(axis=-1).",
        ),
    ),
    properties=(not_negative, sums_to_one),
    definition="In each row the ratio of two weights should be exp of the difference of their "
    "scores, each a sum over the units of v times tanh.",
    general="Write the score of the first query and the first key as a sum over the hidden units, "
    "and compare; then print the sum of each row of weights.",
    why="It is the tanh that lets the query have a say: without it softmax would not see it.",
)
