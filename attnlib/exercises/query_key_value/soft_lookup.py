"""Attention for one query, in three steps."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import inside


def soft_lookup(q, K, V):
    """Values, mixed by how well their keys fit the query."""
    return softmax(K @ q) @ V


def _scored(score):
    """soft_lookup with other scores."""
    return lambda q, K, V: softmax(score(q, K)) @ V


def _weighted(weigh):
    """soft_lookup with something else in the place of softmax."""
    return lambda q, K, V: weigh(K @ q) @ V


def _mixed(mix):
    """soft_lookup with another last step."""
    return lambda q, K, V: mix(softmax(K @ q), V)


def _looped(size):
    """soft_lookup by a loop over an output of size(q) numbers."""

    def lookup(q, K, V):
        output = np.zeros(size(q))
        for w, v in zip(softmax(K @ q), V):
            output += w * v
        return output

    return lookup


def _lengths(x):
    return np.linalg.norm(x, axis=-1)


def _sigmoid(s):
    return 1 / (1 + np.exp(-s))


def _three_elements(q, K, V):
    scores = np.array([q @ K[i] for i in range(3)])
    return softmax(scores) @ V[:3]


def _to_sum_one(x):
    return x / x.sum()


SIGNS_LOST = (
    "Negative scores are made positive or 0 before softmax, so a very bad match counts as a good "
    "one, or as a middling one. Softmax takes them with their signs."
)
RESCALED = (
    "The scores are multiplied or divided by a root before softmax: by √d_k, √n or √d_v. "
    "Nothing of the kind is asked for. Use the dot products as they are."
)
NO_EXP = (
    "Negative scores are made positive or 0 and divided by their sum. Then a very bad match can "
    "count as a good one, or not at all: softmax takes exp first, which keeps the order."
)
SOFTMAX_LAST = (
    "Softmax is applied to the output, so it sums to 1 whatever the values are. It belongs between "
    "the scores and the sum: it turns scores into weights."
)
DISTANCE = (
    "The keys are scored by their distance from q, as in chapter 1. The dot product is asked for: "
    "it depends on direction and on length."
)
NORMED = (
    "The vectors are divided by their lengths, so only directions count. Plain dot products are "
    "asked for: a longer key scores more."
)
NOT_ALL = (
    "The loop does not reach every element: one value is left out of the sum. Print i inside the "
    "loop: it should run over all rows of V, from 0 to n - 1."
)
SIGMOID = (
    "Each score goes through a sigmoid of its own, so the elements do not compete. The ratio of "
    "two weights should be exp of the difference of their scores: use softmax."
)
TWO = (
    "Only the first two components of q and the keys enter the scores, which fits this chapter's "
    "example alone. Vectors may be longer: K @ q takes all components."
)
THREE = (
    "The number of elements is fixed at 3, which fits this chapter's example alone. With fewer "
    "that fails, with more the others are forgotten: take it from len(K)."
)
COLUMNS = (
    "The shapes only fit by chance: weights * V multiplies the columns of V by the weights, not "
    "its rows. One weight belongs to each row. Try values of another length than keys."
)
KEYS_TRANSPOSED = (
    "K is multiplied from the wrong side: q meets its columns. A key is a row of K, and its score "
    "is the dot product of that row with q. Try one with more keys than components."
)

EXERCISE = Exercise(
    signature="soft_lookup(q, K, V)",
    task="Write soft_lookup(q, K, V): score every key by its dot product with q, turn the "
    "scores into weights by softmax, return the weighted sum of the values.",
    returns="an array of shape (d_v,)",
    reference=soft_lookup,
    cases=(
        Case(
            "values as long as keys",
            (
                np.array([1.0, 0.0]),
                np.array([[1.0, 0.0], [3.0, 1.0]]),
                np.array([[4.0, 0.0], [1.0, 2.0]]),
            ),
        ),
        Case(
            "values of another length than keys",
            (
                np.array([1.0, -0.5]),
                np.array([[1.1, 0.0], [0.0, 1.0], [1.0, 1.0]]),
                np.array([[1.0, 0.0, 2.3], [0.0, 4.0, 1.0], [3.0, 1.0, 0.0]]),
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
            "The scores are divided by √d_k, which is not asked for here: chapter 4 shows when and "
            "why. Use the dot products as they are.",
        ),
        Mistake(
            "hard",
            lambda q, K, V: V[np.argmax(K @ q)],
            "Only the value of the best key comes back: a hard lookup, as in a dict. In a soft "
            "one every value takes part, with the weight of its key.",
        ),
        Mistake("absolute_first", _weighted(lambda s: softmax(np.abs(s))), SIGNS_LOST),
        Mistake("positive_part_first", _weighted(lambda s: softmax(np.maximum(s, 0))), SIGNS_LOST),
        Mistake(
            "softmax_of_single_scores",
            lambda q, K, V: V.sum(axis=0),
            "The values are summed without weights, so every weight is 1. If softmax is taken, it "
            "goes along an axis of size 1, where a score meets no other.",
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
            "K and V are exchanged: the query is compared with the values and the keys are mixed. "
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
        Mistake(
            "divided_by_d",
            _scored(lambda q, K: K @ q / len(q)),
            "The scores are divided by d_k, as if the products were averaged. A dot product is "
            "their sum; nothing is divided here.",
        ),
        Mistake("times_root_d", _scored(lambda q, K: K @ q * np.sqrt(len(q))), RESCALED),
        Mistake("over_root_n", _scored(lambda q, K: K @ q / np.sqrt(len(K))), RESCALED),
        Mistake("over_root_dv", lambda q, K, V: softmax(K @ q / V.shape[1] ** 0.5) @ V, RESCALED),
        Mistake(
            "sign_turned",
            _scored(lambda q, K: -K @ q),
            "The scores have the wrong sign: the key that fits worst gets the largest weight. "
            "Print scores and weights side by side; they should have the same order.",
        ),
        Mistake("cosine", _scored(lambda q, K: K @ q / _lengths(K) / _lengths(q)), NORMED),
        Mistake("unit_keys", _scored(lambda q, K: K @ q / _lengths(K)), NORMED),
        Mistake("closeness", _scored(lambda q, K: -((K - q) ** 2).sum(axis=1) / 2), DISTANCE),
        Mistake("squared_distance", _scored(lambda q, K: -((K - q) ** 2).sum(axis=1)), DISTANCE),
        Mistake("distance", _scored(lambda q, K: -_lengths(K - q)), DISTANCE),
        Mistake("two_components", _scored(lambda q, K: K[:, :2] @ q[:2]), TWO),
        Mistake("keys_transposed", _scored(lambda q, K: q @ K), KEYS_TRANSPOSED),
        Mistake(
            "products_not_summed",
            lambda q, K, V: (softmax(K * q) * V).sum(axis=0),
            "K * q multiplies component by component but does not sum, so there is no single score "
            "for a key. A dot product is the sum of these products along each row.",
        ),
        Mistake(
            "products_summed_over_keys",
            _scored(lambda q, K: (K * q).sum(axis=0)),
            "The products K * q are summed over the wrong axis, down the columns: that gives one "
            "number for each component. A score belongs to a key, so sum along each row.",
        ),
        Mistake("absolute", _weighted(lambda s: _to_sum_one(np.abs(s))), NO_EXP),
        Mistake("positive_part", _weighted(lambda s: _to_sum_one(np.maximum(s, 0))), NO_EXP),
        Mistake("squares", _weighted(lambda s: _to_sum_one(s**2)), NO_EXP),
        Mistake("sigmoid", _weighted(_sigmoid), SIGMOID),
        Mistake("sigmoid_to_sum_one", _weighted(lambda s: _to_sum_one(_sigmoid(s))), SIGMOID),
        Mistake(
            "divided_by_the_largest",
            _weighted(lambda s: np.exp(s - s.max())),
            "The exponentials are divided by the largest one instead of their sum, or not at all "
            "after the shift. Print weights.sum(): it should be 1.",
        ),
        Mistake(
            "divided_by_the_norm",
            _weighted(lambda s: np.exp(s) / _lengths(np.exp(s))),
            "The exponentials are divided by the root of the sum of their squares, as if a vector "
            "were to have length 1. The weights themselves should sum to 1.",
        ),
        Mistake(
            "another_base",
            _weighted(lambda s: _to_sum_one(2.0**s)),
            "The powers are of 2, not of e. Softmax takes np.exp of the scores: a score that is "
            "larger by 1 should have a weight about 2.718 times as large.",
        ),
        Mistake(
            "softmax_twice",
            _weighted(lambda s: softmax(softmax(s))),
            "Softmax is applied twice: the weights go through it again and come out nearly equal. "
            "Once is enough; they sum to 1 already.",
        ),
        Mistake("softmax_last", lambda q, K, V: softmax((K @ q) @ V), SOFTMAX_LAST),
        Mistake("softmax_at_the_end_too", _mixed(lambda w, V: softmax(w @ V)), SOFTMAX_LAST),
        Mistake(
            "softmax_of_values",
            _mixed(lambda w, V: w @ softmax(V)),
            "The values go through softmax too. They are what is returned, mixed but otherwise as "
            "they are; only the scores become weights.",
        ),
        Mistake(
            "sums_the_keys",
            lambda q, K, V: softmax(K @ q) @ K,
            "The weights are right, but they mix the keys: the last product is with K. It is the "
            "values that should be mixed.",
        ),
        Mistake(
            "query_unused",
            lambda q, K, V: softmax(K @ K.T) @ V,
            "Every key is compared with every key: q is not used, and a row comes back for each "
            "element. Compare the keys with q.",
        ),
        Mistake(
            "not_summed",
            _mixed(lambda w, V: w[:, None] * V),
            "These are the values, each times its weight, one row for each element. The last step "
            "is missing: sum the rows.",
        ),
        Mistake(
            "averaged",
            _mixed(lambda w, V: w @ V / len(w)),
            "The weighted values are averaged, so they are divided by n once more. The weights sum "
            "to 1 already: take the sum, not the mean.",
        ),
        Mistake(
            "summed_to_a_number",
            _mixed(lambda w, V: (w @ V).sum()),
            "A single number comes back: everything is summed, the components too. Sum over the "
            "elements only, axis 0, so that d_v numbers are left.",
        ),
        Mistake(
            "components_summed",
            _mixed(lambda w, V: w * V.sum(axis=1)),
            "The sum runs along each value, so one number for each element is left. Sum over the "
            "elements, axis 0: the output has as many components as a value.",
        ),
        Mistake("columns_weighted", _mixed(lambda w, V: (w * V).sum(axis=0)), COLUMNS),
        Mistake("last_left_out", _mixed(lambda w, V: w[:-1] @ V[:-1]), NOT_ALL),
        Mistake("first_left_out", _mixed(lambda w, V: w[1:] @ V[1:]), NOT_ALL),
        Mistake(
            "overwritten",
            _mixed(lambda w, V: w[-1] * V[-1]),
            "Only the last value is in the output, times its weight: each round of the loop "
            "overwrites the one before. Add to the output with +=, starting at 0.",
        ),
        Mistake(
            "returns_in_loop",
            _mixed(lambda w, V: w[0] * V[0]),
            "Only the first value is in the output, times its weight: return stands inside the "
            "loop and ends it in the first round. Move it out, below the loop.",
        ),
        Mistake("three_elements", _three_elements, THREE),
        Mistake(
            "as_long_as_a_key",
            _looped(len),
            "The output is made as long as q, but it is a mixture of values, so it is as long as a "
            "value. Keys and values need not have the same length.",
        ),
        Mistake(
            "of_two_numbers",
            _looped(lambda q: 2),
            "The output is made with two components, which fits this chapter's example only. It is "
            "as long as a value, V.shape[1].",
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
