"""Exercises of chapter 2: look up softly, make scores into weights, aim a query."""

import numpy as np

from .exercise import Case, Exercise, Mistake
from .properties import inside, not_negative, sums_to_one
from .showing import show


def _plain_softmax(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()


def soft_lookup(q, K, V):
    """Values, mixed by how well their keys fit the query."""
    return _plain_softmax(K @ q) @ V


SOFT_LOOKUP = Exercise(
    name="query_key_value.soft_lookup",
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
            lambda q, K, V: _plain_softmax(K @ q / np.sqrt(len(q))) @ V,
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
            lambda q, K, V: _plain_softmax(V @ q) @ V,
            "The query is compared with the values instead of the keys. That runs only where "
            "both have the same length, so try values of another length.",
        ),
        Mistake(
            "keys_and_values_exchanged",
            lambda q, K, V: _plain_softmax(V @ q) @ K,
            "K and V are exchanged: the query is compared with the values and the keys are summed. "
            "Keys are compared with q; values are what comes back.",
        ),
        Mistake(
            "wrong_axis",
            lambda q, K, V: V @ _plain_softmax(K @ q),
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
            lambda q, K, V: _plain_softmax(K @ q),
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


def _softmax(shift=lambda s: s.max(axis=-1, keepdims=True), axis=-1, keepdims=True):
    """stable_softmax with another shift, another axis, or a sum whose axis is dropped."""

    def softmax(scores):
        e = np.exp(scores - shift(scores))
        return e / e.sum(axis=axis, keepdims=keepdims)

    return softmax


stable_softmax = _softmax()


def _over_max(scores):
    e = np.exp(scores / scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


AXIS_0 = (
    "A matrix is normalised over its first axis, down the columns. Each row is one query's "
    "scores, so each row should sum to 1: sum over the last axis."
)
NO_SUM = (
    "These are the exponentials alone: they are not divided by their sum. Print the sum of a row; "
    "the weights of every row should sum to 1."
)
KEEPDIMS = (
    "The rows' sums lost their axis, so NumPy lines them up with the columns: row i is divided by "
    "the wrong sum, or the shapes do not fit. Use keepdims=True for maximum and sum."
)

STABLE_SOFTMAX = Exercise(
    name="query_key_value.stable_softmax",
    signature="stable_softmax(scores)",
    task="Write stable_softmax(scores): softmax over the last axis that also survives scores of "
    "10000 and -10000.",
    returns="an array of the shape of scores",
    reference=stable_softmax,
    cases=(
        Case("a row of moderate scores", (np.array([1.0, 0.0]),)),
        Case("a row of moderate scores", (np.array([2.1, -0.5, 3.8, 0.2]),)),
        Case("a row of huge scores", (np.array([1e4, 1e4 - 1.0]),)),
        Case("a row of huge negative scores", (np.array([-1e4, 1.0 - 1e4]),)),
        Case("a row with a huge gap", (np.array([-1e4, 0.5, 1e4]),)),
        Case("a matrix", (np.array([[1.0, 0.0], [2.0, 3.0]]),)),
        Case("a matrix", (np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]),)),
        Case("a matrix whose rows lie far apart", (np.array([[1e4, 1e4 - 1], [0, 1], [-1e4, 2]]),)),
    ),
    mistakes=(
        Mistake(
            "no_shift",
            _softmax(shift=lambda s: 0.0),
            "Without a shift exp overflows or vanishes: exp(10000) is inf, exp(-10000) is 0, and "
            "dividing then gives NaN. Subtract the largest score of the row first; the weights "
            "stay the same.",
        ),
        Mistake(
            "minus_mean",
            _softmax(shift=lambda s: s.mean(axis=-1, keepdims=True)),
            "The mean is subtracted instead of the maximum. Where scores lie far apart the "
            "largest one still overflows; after subtracting the maximum no score exceeds 0.",
        ),
        Mistake("no_sum", lambda s: np.exp(s - s.max(axis=-1, keepdims=True)), NO_SUM),
        Mistake("no_sum_no_shift", np.exp, NO_SUM),
        Mistake("axis_0", _softmax(lambda s: s.max(axis=0), axis=0), AXIS_0),
        Mistake("axis_0_in_sum", _softmax(axis=0), AXIS_0),
        Mistake("no_keepdims", _softmax(lambda s: s.max(axis=-1), keepdims=False), KEEPDIMS),
        Mistake("no_keepdims_in_sum", _softmax(keepdims=False), KEEPDIMS),
        Mistake(
            "over_max",
            _over_max,
            "The scores are divided by the maximum instead of having it subtracted. Division "
            "changes the differences between scores, and with them the weights.",
        ),
        Mistake(
            "one_shift_for_all",
            _softmax(shift=lambda s: s.max()),
            "The maximum of the whole array is subtracted. A row far below it underflows to 0/0: "
            "every row needs its own maximum, max(axis=-1, keepdims=True).",
        ),
        Mistake(
            "whole_array",
            _softmax(axis=None),
            "The whole matrix sums to 1 instead of each row. Sum over the last axis only.",
        ),
    ),
    properties=(not_negative, sums_to_one),
    definition="In each row the ratio of two weights should be exp of the difference of their "
    "scores.",
    general="These are not softmax weights. Print the sum of each row, which should be 1; then "
    "take two scores of a row and print the ratio of their weights and exp of their difference.",
    why="Softmax sees only differences of scores, so shifting a row costs nothing and keeps exp "
    "in range.",
)


TOY_KEYS = np.array([[1.0, 0.0], [0.5, 0.5], [-1.0, -1.0]])
TIE = (
    "This q points along k_2 = [0.5, 0.5] itself, and k_1 = [1, 0] then scores the same: a key "
    "need not be the best query for itself. Make q's second number larger than its first."
)
TIE_WITH_THIRD = (
    "Elements 2 and 3 tie: k_2 and k_3 lie on one line through the origin, and q is at a right "
    "angle to it, so both score 0. Add some “up”, a larger second number: that raises the score of "
    "k_2 and lowers that of k_3."
)
ZERO = "The zero query scores every key 0, so all weights are equal. Give q a direction."
SHORT = (
    "The direction is right, element 2 gets most weight, but the scores lie too close together. "
    "A longer q in the same direction spreads them."
)
FIRST = (
    "This q favours element 1. Only q's first number meets k_1 = [1, 0], while k_2 takes half of "
    "each: make the first smaller, the second larger."
)
THIRD = (
    "This q favours element 3: k_3 = [-1, -1] wins when q's two numbers have a negative sum. "
    "Turn q to the side where the sum is positive."
)


def judge_aim(q):
    """None if q gives element 2 of the toy more than 0.9 of the weight, else why not."""
    scores = TOY_KEYS @ q
    if _plain_softmax(scores)[1] > 0.9:
        return None
    if not q.any():
        return ZERO
    if q[0] < 0 and abs(q.sum()) <= 1e-12 * abs(q[0]):
        return TIE_WITH_THIRD
    if scores[2] >= scores.max():
        return THIRD
    if np.isclose(scores[0], scores[1], rtol=1e-9, atol=0):
        return TIE
    return FIRST if scores[0] > scores[1] else SHORT


def _weights_of_aim(q):
    return f"It gives the three elements the weights {show(_plain_softmax(TOY_KEYS @ q))}."


AIM = Exercise(
    name="query_key_value.aim",
    signature="q",
    task="Find a query q, two numbers, that gives element 2 of the toy example more than 0.9 of "
    "the weight.",
    returns="two numbers, an array of shape (2,)",
    reference=np.array([0.0, 10.0]),
    judge=judge_aim,
    shape=(2,),
    mistakes=(
        Mistake("along_its_key", np.array([4.0, 4.0]), TIE),
        Mistake("across_its_key", np.array([-5.0, 5.0]), TIE_WITH_THIRD),
        Mistake("zero", np.array([0.0, 0.0]), ZERO),
        Mistake("too_short", np.array([-0.5, 1.0]), SHORT),
        Mistake("favours_first", np.array([3.0, 0.0]), FIRST),
        Mistake("favours_third", np.array([-3.0, 1.0]), THIRD),
    ),
    properties=(_weights_of_aim,),
    definition="Element 2 should get more than 0.9 of the weight.",
    general="Print the three scores and look which key wins.",
    why="The best query for a key need not be the key itself: what counts is what sets the key "
    "apart from its rivals.",
)

EXERCISES = (SOFT_LOOKUP, STABLE_SOFTMAX, AIM)
