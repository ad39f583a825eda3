"""A softmax that survives any finite scores."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import not_negative, sums_to_one


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

EXERCISE = Exercise(
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
