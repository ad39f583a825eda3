"""Dot products that pass through a matrix."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake


def bilinear_scores(Q, K, W):
    """Every query, taken through W, with every key."""
    return Q @ W @ K.T


def _through(change):
    """bilinear_scores with another matrix in the place of W."""
    return lambda Q, K, W: Q @ change(W) @ K.T


def _then(after):
    """Does something after(scores, d_k) with the right scores."""
    return lambda Q, K, W: after(bilinear_scores(Q, K, W), K.shape[1])


SCALED = (
    "The scores are divided by d_k or its root. Nothing of the kind is asked for here: W can hold "
    "any factor that is wanted."
)

EXERCISE = Exercise(
    signature="bilinear_scores(Q, K, W)",
    task="Write bilinear_scores(Q, K, W): the bilinear score of every query with every key, for W "
    "of shape (d_q, d_k).",
    returns="an array of shape (n_q, n_k)",
    reference=bilinear_scores,
    cases=(
        Case(
            "one query",
            (np.array([[1.0, 2.0]]), np.eye(2), np.array([[0.0, 1.0], [0.0, 0.0]])),
        ),
        Case(
            "queries as long as keys",
            (
                np.array([[2.0, -1.0], [0.5, 3.0]]),
                np.array([[1.0, 0.0], [2.0, 1.0], [-1.0, 4.0]]),
                np.array([[1.5, 2.0], [-0.5, 0.3]]),
            ),
        ),
        Case(
            "queries longer than keys",
            (
                np.array([[1.0, 0.0, 2.0], [-1.0, 0.5, 0.3]]),
                np.array([[0.4, 1.0], [2.0, -1.0], [0.0, 3.0], [1.0, 1.0]]),
                np.array([[1.0, -1.0], [0.0, 2.0], [0.7, 0.1]]),
            ),
        ),
    ),
    mistakes=(
        Mistake(
            "transposed",
            _through(np.transpose),
            "W is transposed: its rows meet the keys and its columns the queries. Row a of W "
            "belongs to component a of a query. With d_q different from d_k the shapes would not "
            "even fit.",
        ),
        Mistake(
            "keys_first",
            lambda Q, K, W: K @ W @ Q.T,
            "Keys and queries have changed places: K stands where Q belongs, so W meets the keys "
            "with its rows, and the table has a row for each key.",
        ),
        Mistake(
            "no_matrix",
            lambda Q, K, W: Q @ K.T,
            "W takes no part: these are plain dot products, which is the special case W = I.",
        ),
        Mistake(
            "both_through_W",
            lambda Q, K, W: (Q @ W) @ (K @ W).T,
            "Queries and keys both go through W, so it counts twice: that is the matrix W Wᵀ, "
            "which is always symmetric. Only one of the two is multiplied by W.",
        ),
        Mistake(
            "symmetric",
            _through(lambda W: (W + W.T) / 2),
            "W is made symmetric first. Then the score would stay the same if query and key "
            "changed places; W may tell the two apart.",
        ),
        Mistake(
            "entry_by_entry",
            lambda Q, K, W: (Q * W) @ K.T,
            "Q * W multiplies entry by entry. Every component of a query has to meet every "
            "component of a key: that is a matrix product, Q @ W.",
        ),
        Mistake(
            "projected_queries",
            lambda Q, K, W: Q @ W,
            "These are the queries after W, each now as long as a key. The last step is missing: "
            "their dot products with the keys.",
        ),
        Mistake(
            "with_tanh",
            lambda Q, K, W: np.tanh(Q @ W) @ K.T,
            "A tanh bends the projected queries. A bilinear score has no bend in it: doubling a "
            "query doubles its scores.",
        ),
        Mistake(
            "tanh_of_scores",
            _then(lambda S, d: np.tanh(S)),
            "The scores go through tanh, so they end at −1 and 1. Leave them as they are.",
        ),
        Mistake("over_root_d", _then(lambda S, d: S / np.sqrt(d)), SCALED),
        Mistake("over_d", _then(lambda S, d: S / d), SCALED),
        Mistake(
            "weights",
            _then(lambda S, d: softmax(S)),
            "Softmax is applied: these are weights. The scores are asked for, as they stand "
            "before it.",
        ),
        Mistake(
            "absolute_matrix",
            _through(np.abs),
            "The entries of W are taken without their signs. A negative entry says that two "
            "components speak against each other.",
        ),
        Mistake(
            "diagonal_only",
            lambda Q, K, W: Q[:, : min(W.shape)] * np.diag(W) @ K.T,
            "Only the diagonal of W takes part, so each component of a query meets the one of the "
            "same number in the key. The other entries let different components meet.",
        ),
    ),
    definition="Entry (i, j) should be the sum of q_a W_ab k_b over all a and b, for query i and "
    "key j.",
    general="Write the score of one query and one key as a double sum over a and b, and compare it "
    "with entry (0, 0) of what comes back.",
    why="With d_q and d_k different there is only one order in which the three fit.",
)
