"""Attention for one query, in three steps."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import inside


def soft_lookup(q, K, V):
    """Values, mixed by how well their keys fit the query."""
    return softmax(K @ q) @ V


EXERCISE = Exercise(
    signature="soft_lookup(q, K, V)",
    task="Write soft_lookup(q, K, V): score every key by its dot product with q, turn the "
    "scores into weights by softmax, return the weighted sum of the values.",
    returns="an array of shape (d_v,)",
    reference=soft_lookup,
    cases=(
        Case(
            "values as long as keys",
            (np.array([1.0, 0.0]), np.eye(2), np.array([[4.0, 0.0], [1.0, 2.0]])),
        ),
        Case(
            "values of another length than keys",
            (
                np.array([1.0, -0.5]),
                np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
                np.array([[1.0, 0.0, 2.0], [0.0, 4.0, 1.0], [3.0, 1.0, 0.0]]),
            ),
        ),
        Case(
            "negative scores",
            (
                np.array([0.5, 1.0, -1.0]),
                np.array([[-1.0, 0.0, 2.0], [0.0, -1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.5]]),
                np.array([[1.0, 5.0], [2.0, -1.0], [0.0, 3.0], [4.0, 0.0]]),
            ),
        ),
    ),
    mistakes=(
        Mistake(
            "raw_scores",
            lambda q, K, V: (K @ q) @ V,
            "The raw scores are used as weights: softmax is missing. Scores can be negative and "
            "sum to anything, weights cannot.",
        ),
        Mistake(
            "no_division",
            lambda q, K, V: np.exp(K @ q) @ V,
            "The exponentials are not divided by their sum, so the weights do not sum to 1. With "
            "all values equal to one, the output should be one.",
        ),
        Mistake(
            "divided_by_scores",
            lambda q, K, V: (K @ q) / (K @ q).sum() @ V,
            "The scores are divided by their sum without exp. Negative scores then give negative "
            "weights: softmax takes exp first.",
        ),
        Mistake(
            "scaled",
            lambda q, K, V: softmax(K @ q / np.sqrt(len(q))) @ V,
            "The scores are divided by √d_k, which is not asked here: chapter 4 shows when and "
            "why. Use the dot products as they are.",
        ),
        Mistake(
            "hard",
            lambda q, K, V: V[np.argmax(K @ q)],
            "Only the value of the best key comes back: a hard lookup, as in a dict. In a soft "
            "one every value takes part, with the weight of its key.",
        ),
        Mistake(
            "mean",
            lambda q, K, V: V.mean(axis=0),
            "This is the plain mean of the values: the query has no influence. Change q and "
            "watch that nothing happens.",
        ),
        Mistake(
            "scores_from_values",
            lambda q, K, V: softmax(V @ q) @ V,
            "The query is compared with the values instead of the keys. That runs only where "
            "both have the same length, so try values of another length.",
        ),
        Mistake(
            "keys_and_values_exchanged",
            lambda q, K, V: softmax(V @ q) @ K,
            "K and V are exchanged: the query is compared with the values and the keys are summed. "
            "Keys are compared with q; values are what comes back.",
        ),
        Mistake(
            "wrong_axis",
            lambda q, K, V: V @ softmax(K @ q),
            "The sum runs over the wrong axis of V: V @ weights multiplies the columns by the "
            "weights. One weight belongs to each row of V, so sum over the rows.",
        ),
        Mistake(
            "returns_scores",
            lambda q, K, V: K @ q,
            "These are the raw scores, one for each key. Two steps are still to come: softmax "
            "turns them into weights, and the weights sum the values.",
        ),
        Mistake(
            "returns_weights",
            lambda q, K, V: softmax(K @ q),
            "These are the weights, one for each key. The last step is missing: sum the values, "
            "each times its weight.",
        ),
    ),
    properties=(
        inside(
            lambda q, K, V: V.min(axis=0),
            lambda q, K, V: V.max(axis=0),
            "the range of the values, column by column",
        ),
    ),
    definition="The output should be the sum of the values, each times its key's weight, and "
    "the ratio of two weights should be exp of the difference of their two scores.",
    general="The output is not the weighted sum of the values. Print scores, weights and output "
    "one after another, and check each by hand.",
    why="Score, normalise, sum: that is all of attention for one query. A dict returns one value, "
    "this returns a mixture that changes smoothly with q.",
)
