"""What is left of a table of weights when an item goes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def without(W, j):
    """The others' weights, each row divided by what is left of it."""
    left = np.delete(np.delete(W, j, axis=0), j, axis=1)
    return left / left.sum(axis=1, keepdims=True)


def _left(W, j):
    """Row and column of the item taken away, and nothing else done."""
    keep = np.arange(len(W)) != j
    return W[keep][:, keep]


def _share(W, j):
    """What each of the others gave the item, as a column."""
    return W[np.arange(len(W)) != j, j][:, None]


def _divided(divisor):
    """What is left, divided by a function of it, of W and of j."""
    return lambda W, j: _left(W, j) / divisor(_left(W, j), W, j)


def _column_only(W, j):
    kept = np.delete(W, j, axis=1)
    return kept / kept.sum(axis=1, keepdims=True)


def _zeroed(W, j):
    W = W.copy()
    W[j], W[:, j] = 0, 0
    return W / np.where(W.sum(axis=1, keepdims=True) == 0, 1, W.sum(axis=1, keepdims=True))


def _table(n):
    """Weights of n items with each other."""
    (scores,) = draw((n, n))
    return softmax(2 * scores)


EXERCISE = Exercise(
    signature="without(W, j)",
    task="Write without(W, j): W[i, k] is the weight that item i gives to item k, by softmax. "
    "Return the weights of the others once item j (counted from 0) is removed, from W alone.",
    returns="an array of shape (n − 1, n − 1)",
    reference=without,
    cases=(
        Case(
            "the middle one of three",
            (np.array([[0.5, 0.25, 0.25], [0.2, 0.6, 0.2], [0.3, 0.6, 0.1]]), 1),
        ),
        Case("the first of four", (_table(4), 0)),
        Case("the last of five", (_table(5), 4)),
        Case("one of two", (np.array([[0.7, 0.3], [0.4, 0.6]]), 1)),
    ),
    mistakes=(
        Mistake(
            "not_divided",
            _left,
            "The row and the column of the item are gone, but each row has lost the weight that "
            "the item had, and no longer sums to 1. The sum that softmax divides by has lost a "
            "term as well.",
        ),
        Mistake(
            "shared_equally",
            lambda W, j: _left(W, j) + _share(W, j) / (len(W) - 1),
            "The freed weight is shared out equally. In softmax each of the others "
            "keeps its exponential and all have the same new sum, so they share in proportion to "
            "what they have.",
        ),
        Mistake(
            "softmax_again",
            lambda W, j: softmax(_left(W, j)),
            "What is left goes through softmax again. Weights are not scores: softmax has already "
            "been applied, and only the sum has changed.",
        ),
        Mistake(
            "down_the_columns",
            _divided(lambda left, W, j: left.sum(axis=0)),
            "The columns are divided by their sums. Row i has the weights of item i, so it is the "
            "rows that sum to 1: axis=1.",
        ),
        Mistake(
            "no_keepdims",
            _divided(lambda left, W, j: left.sum(axis=1)),
            "The sums of the rows have lost their axis, so NumPy divides column k by the sum of "
            "row k. Use keepdims=True.",
        ),
        Mistake(
            "one_sum",
            _divided(lambda left, W, j: left.sum()),
            "Everything is divided by one sum, so that all weights together are 1. Each row has a "
            "sum of its own.",
        ),
        Mistake(
            "by_the_row_of_the_item",
            _divided(lambda left, W, j: 1 - np.delete(W[j], j)[:, None]),
            "Row i is divided by 1 − W[j, i], what the item gave to i. What row i has lost is what "
            "i gave to the item: W[i, j].",
        ),
        Mistake(
            "times_more",
            lambda W, j: _left(W, j) * (1 + _share(W, j)),
            "Each weight is raised by the share that is free. With the share s taken away the "
            "others are 1 − s together, and have to be 1: divide by that.",
        ),
        Mistake(
            "times_what_is_left",
            lambda W, j: _left(W, j) * (1 - _share(W, j)),
            "Each weight is multiplied by what is left of its row. To make the row 1 again, divide "
            "by it.",
        ),
        Mistake(
            "to_the_largest",
            lambda W, j: (
                _left(W, j) + _share(W, j) * (_left(W, j) == _left(W, j).max(axis=1, keepdims=True))
            ),
            "The freed weight goes to the largest of each row. In softmax every other "
            "weight grows by the same factor.",
        ),
        Mistake(
            "column_only",
            _column_only,
            "The item is no longer found, but it still asks: its row is there. An item that is "
            "removed takes its query along.",
        ),
        Mistake(
            "row_only",
            lambda W, j: np.delete(W, j, axis=0),
            "The item no longer asks, but it is still found: its column is there. An item that is "
            "removed takes its key along, and each row has to sum to 1 without it.",
        ),
        Mistake(
            "zeroed",
            _zeroed,
            "The item's row and column are 0, but still there. Take them away: np.delete with an "
            "axis, or a mask of the rows that stay.",
        ),
        Mistake(
            "counted_from_1",
            lambda W, j: without(W, j - 1),
            "The item before j is removed (before the first, the last): j is counted from 0, as "
            "NumPy does.",
        ),
    ),
    properties=(not_negative, sums_to_one),
    definition="Row i should be the weights that item i gives to the others if softmax runs over "
    "their scores alone.",
    general="Take a row [0.5, 0.3, 0.2] and remove the last. Write each weight as an exponential "
    "over their sum: which of these change?",
    why="No score is needed: softmax keeps the proportions of those that stay. The "
    "less an item was looked at, the less the other weights change when it is removed.",
)
