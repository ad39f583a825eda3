"""One query for each sequence of a batch."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def _scores(q, K):
    return np.einsum("bd,bnd->bn", q, K) / np.sqrt(K.shape[-1])


def _sum(w, V):
    return np.einsum("bn,bnv->bv", w, V)


def ask_each(q, K, V):
    """A matrix of one query for each sequence; its axis goes when the answers are there."""
    return _sum(softmax(_scores(q, K)), V)


def _scaled_by(divisor):
    """ask_each with another divisor of the dot products."""
    return lambda q, K, V: _sum(softmax(np.einsum("bd,bnd->bn", q, K) / divisor(q, K, V)), V)


def _everybody(q, K, V):
    """Every query asks every sequence: entry (i, j) is what query j gets from sequence i."""
    return softmax(q @ K.mT / np.sqrt(K.shape[-1])) @ V


def _pooled(q, K, V):
    rows = K.reshape(-1, K.shape[-1])
    return softmax(q @ rows.T / np.sqrt(K.shape[-1])) @ V.reshape(-1, V.shape[-1])


def _weighted(weigh):
    """ask_each with something else in the place of softmax."""
    return lambda q, K, V: _sum(weigh(_scores(q, K)), V)


def _mixed(mix):
    """ask_each with another last step."""
    return lambda q, K, V: mix(softmax(_scores(q, K)), V)


EVERYBODY = (
    "Every query asks every sequence: NumPy takes q for a matrix of queries and hands it to each "
    "sequence of the batch, so an axis too many comes back. Give each query an axis of its own: "
    "q[:, None]."
)
ROWS = (
    "The scores are divided by the root of a number of rows, of sequences or of keys. A dot "
    "product has d_k terms: d_k is the last axis of q and K."
)


EXERCISE = Exercise(
    signature="ask_each(q, K, V)",
    task="Write ask_each(q, K, V): query i, row i of q, asks sequence i of the batch, whose keys "
    "are K[i] and whose values are V[i], by scaled dot-product attention.",
    returns="an array of shape (b, d_v)",
    reference=ask_each,
    cases=(
        Case(
            "as many sequences as keys",
            (
                np.array([[1.0, 0.0], [2.0, 1.0]]),
                np.array([[[0.0, 1.0], [3.0, -1.0]], [[1.0, 1.0], [0.0, 2.0]]]),
                np.array([[[4.0, 0.0], [1.0, 2.0]], [[0.0, 6.0], [5.0, 3.0]]]),
            ),
        ),
        Case("all sizes different", draw((2, 4), (2, 5, 4), (2, 5, 3))),
        Case("a batch of one sequence", draw((1, 3), (1, 4, 3), (1, 4, 2))),
    ),
    mistakes=(
        Mistake("everybody_asks_everybody", _everybody, EVERYBODY),
        Mistake(
            "weights_meet_every_sequence",
            _mixed(lambda w, V: w @ V),
            "The weights are right, of shape (b, n_k). But w @ V takes them for a matrix and hands "
            "it to each sequence of V. Give them an axis, w[:, None] @ V, and take it away after.",
        ),
        Mistake(
            "first_sequence",
            lambda q, K, V: _everybody(q, K, V)[0],
            "All queries ask the first sequence: its keys and its values. Each should ask its own.",
        ),
        Mistake(
            "last_sequence",
            lambda q, K, V: _everybody(q, K, V)[-1],
            "All queries ask the last sequence. Each should ask its own. In a loop, look for what "
            "is overwritten.",
        ),
        Mistake(
            "first_query",
            lambda q, K, V: _everybody(q, K, V)[:, 0],
            "The first query asks all sequences. Each sequence has a query of its own, q[i].",
        ),
        Mistake(
            "mean_over_sequences",
            lambda q, K, V: _everybody(q, K, V).mean(axis=0),
            "Every query asks every sequence, and the answers are averaged over the sequences. The "
            "extra axis should never appear: give each query an axis of its own, q[:, None].",
        ),
        Mistake(
            "mean_over_queries",
            lambda q, K, V: _everybody(q, K, V).mean(axis=1),
            "Every query asks every sequence, and the answers are averaged over the queries. The "
            "extra axis should never appear: give each query an axis of its own, q[:, None].",
        ),
        Mistake(
            "sum_over_sequences",
            lambda q, K, V: _everybody(q, K, V).sum(axis=0),
            "Every query asks every sequence, and the answers are added. The extra axis should "
            "never appear: give each query an axis of its own, q[:, None].",
        ),
        Mistake(
            "pooled",
            _pooled,
            "The keys of all sequences are put together, so each query searches the whole batch. "
            "Sequences of a batch do not know of one another: softmax runs over one sequence's "
            "keys.",
        ),
        Mistake(
            "over_sequences",
            _weighted(lambda s: softmax(s, axis=0)),
            "Softmax runs along axis 0, over the sequences of the batch, so that sequences "
            "compete. It belongs along the keys, the last axis of the scores.",
        ),
        Mistake(
            "query_of_the_key",
            lambda q, K, V: _sum(softmax((K * q).sum(axis=-1) / np.sqrt(K.shape[-1])), V),
            "In K * q the axes are lined up from the end, so q's sequences meet the keys: key j of "
            "every sequence is scored with query j. Write q[:, None, :], so that sequences meet "
            "sequences.",
        ),
        Mistake(
            "kept_axis",
            lambda q, K, V: ask_each(q, K, V)[:, None],
            "The answers are right, but the axis that each query was given is still there, of size "
            "1. Take it away at the end: output[:, 0].",
        ),
        Mistake(
            "squeezed",
            lambda q, K, V: ask_each(q, K, V)[:, None].squeeze(),
            "NumPy's squeeze also removes an axis of size 1 that should stay: the batch, if it "
            "holds one sequence. Name the axis: output[:, 0], or squeeze(axis=1).",
        ),
        Mistake(
            "no_scale",
            _scaled_by(lambda q, K, V: 1.0),
            "The dot products are not divided, or divided by 1: the divisor is √d_k. After "
            "q = q[:, None] the axis 1 of q is the new one, of size 1, and d_k is q.shape[-1].",
        ),
        Mistake(
            "by_d",
            _scaled_by(lambda q, K, V: K.shape[-1]),
            "The scores are divided by d_k, not by its root.",
        ),
        Mistake(
            "by_root_d_v",
            _scaled_by(lambda q, K, V: V.shape[-1] ** 0.5),
            "The scores are divided by √d_v. Values take no part in the scores: the divisor is "
            "√d_k, the length of a query and of a key.",
        ),
        Mistake("by_root_b", _scaled_by(lambda q, K, V: len(q) ** 0.5), ROWS),
        Mistake("by_root_n_k", _scaled_by(lambda q, K, V: K.shape[1] ** 0.5), ROWS),
        Mistake(
            "raw_scores",
            _weighted(lambda s: s),
            "The scores are used as weights: softmax is missing.",
        ),
        Mistake(
            "values_added",
            lambda q, K, V: V.sum(axis=1),
            "The values of each sequence are added with weight 1. Softmax along an axis of size 1 "
            "gives ones: the keys are the last axis of the scores.",
        ),
        Mistake(
            "summed_over_sequences",
            _mixed(lambda w, V: (w[..., None] * V).sum(axis=0)),
            "The weighted values are summed over the sequences, axis 0: sequences are mixed, and a "
            "row comes back for each key. Sum over the keys, axis 1.",
        ),
    ),
    properties=(
        inside(
            lambda q, K, V: V.min(axis=1),
            lambda q, K, V: V.max(axis=1),
            "the range of its sequence's values, column by column",
        ),
    ),
    definition="Row i should be what query i gets from the keys and values of sequence i, and of "
    "no other.",
    general="Compute the first sequence by itself, from q[0], K[0] and V[0], and compare it with "
    "row 0. Then print the shape after each step.",
    why="Each query has met its own sequence. If you took these answers out of a table in which "
    "every query asks every sequence, b² were computed and b kept: with an axis of size 1, q[:, "
    "None], no others arise.",
)
