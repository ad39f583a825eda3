"""Scaled dot-product attention of many queries, for any leading axes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def _scores(Q, K):
    return Q @ K.mT / np.sqrt(K.shape[-1])


def attend_all(Q, K, V):
    """Scores, weights along the keys, output."""
    return softmax(_scores(Q, K)) @ V


def _scaled_by(divisor):
    """attend_all with another divisor of the dot products."""
    return lambda Q, K, V: softmax(Q @ K.mT / divisor(Q, K, V)) @ V


def _weighted(weigh):
    """attend_all with something else in the place of softmax."""
    return lambda Q, K, V: weigh(_scores(Q, K)) @ V


def _mixed(mix):
    """attend_all with another last step."""
    return lambda Q, K, V: mix(softmax(_scores(Q, K)), V)


def _scored(score):
    """attend_all with other scores."""
    return lambda Q, K, V: softmax(score(Q, K, V)) @ V


def _sums(largest, keepdims=False):
    """Softmax written out: what is subtracted from the scores, and whether sums keep their axis."""

    def weigh(s):
        e = np.exp(s - largest(s))
        return e / e.sum(axis=-1, keepdims=keepdims)

    return weigh


def _from_the_front(turn):
    """attend_all as for matrices, with d_k and the keys counted from the front."""
    return lambda Q, K, V: softmax(Q @ turn(K) / Q.shape[1] ** 0.5, axis=1) @ V


def _of_all(s):
    e = np.exp(s - s.max())
    return e / e.sum()


def _by_rows(Q, K, V):
    return np.array([softmax(K @ q / np.sqrt(len(q))) @ V for q in Q])


WRONG_AXIS = (
    "Softmax runs down the columns of the scores, so queries compete for a key. A row holds one "
    "query's scores: take softmax along the last axis. Print the sums of the rows."
)
ROWS = (
    "The scores are divided by the root of a number of rows: of queries, keys or sequences. A dot "
    "product has d_k terms, however many rows there are: d_k is the last axis of Q and K."
)
NOT_SCALED = (
    "The scale is missing: the scores are plain dot products, as in chapter 2. Divide them by √d_k."
)
WEIGHTS_TURNED = (
    "The weights are transposed before they meet the values. Row i of the weights belongs to query "
    "i and has a weight for each value: W @ V as it stands."
)
NO_KEEPDIMS = (
    "The sums of the rows have lost their axis, so NumPy lines them up with the columns, if it "
    "can: row i is divided by the sums of other rows. Use keepdims=True."
)
FROM_THE_FRONT = "Axes are counted from the front, which serves matrices only. In a batch"
ROOT_AND_AXIS = (
    "Q.shape[1] is n_q (d_k is Q.shape[-1]), and axis 1 runs over the queries (axis -1 over the "
    "keys)."
)
MATRICES_ONLY = (
    "K.T reverses all axes, so it serves matrices only. In a batch exchange the last two: "
    "K.swapaxes(-1, -2), or K.mT."
)


SHARP = draw((3, 4), (5, 4), (5, 2))

EXERCISE = Exercise(
    signature="attend_all(Q, K, V)",
    task="Write attend_all(Q, K, V): scaled dot-product attention of every row of Q, for any "
    "leading axes, best without a loop.",
    returns="an array of shape (..., n_q, d_v)",
    reference=attend_all,
    cases=(
        Case(
            "all sizes equal",
            (
                np.array([[1.0, 0.0], [2.0, 1.0]]),
                np.array([[0.0, 1.0], [3.0, -1.0]]),
                np.array([[4.0, 0.0], [1.0, 2.0]]),
            ),
        ),
        Case("all sizes different", draw((2, 4), (5, 4), (5, 3))),
        Case("one query", draw((1, 3), (4, 3), (4, 2))),
        Case("a batch", draw((3, 2, 4), (3, 5, 4), (3, 5, 6))),
        Case("a batch that shares its keys and values", draw((4, 2, 3), (5, 3), (5, 1))),
        Case("a batch with heads", draw((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))),
        Case("scores above a thousand", (900 * SHARP[0], *SHARP[1:]), rare=True),
    ),
    mistakes=(
        Mistake("wrong_axis", _weighted(lambda s: softmax(s, axis=-2)), WRONG_AXIS),
        Mistake(
            "axis_0",
            _weighted(lambda s: softmax(s, axis=0)),
            "Softmax runs along the first axis: over the queries of a matrix, over the sequences "
            "of a batch. The keys are the last axis, axis=-1.",
        ),
        Mistake(
            "axis_1",
            _weighted(lambda s: softmax(s, axis=1)),
            "Softmax runs along axis 1. In a matrix these are the keys, in a batch the queries. "
            "The keys are the last axis, axis=-1, however many stand before.",
        ),
        Mistake("keepdims", _weighted(_sums(lambda s: s.max(axis=-1, keepdims=True))), NO_KEEPDIMS),
        Mistake("keepdims_plain", _weighted(_sums(lambda s: 0)), NO_KEEPDIMS),
        Mistake(
            "keepdims_twice",
            _weighted(_sums(lambda s: s.max(axis=-1))),
            "Both the largest scores of the rows and the sums have lost their axis, so NumPy lines "
            "them up with the columns, if it can. Use keepdims=True in max and in sum.",
        ),
        Mistake(
            "keepdims_of_the_largest",
            _weighted(_sums(lambda s: s.max(axis=-1), keepdims=True)),
            "The largest scores of the rows have lost their axis, so NumPy subtracts them from the "
            "columns, if it can, which changes the weights. Use keepdims=True in max too.",
        ),
        Mistake(
            "one_sum",
            _weighted(_of_all),
            "All exponentials are divided by one sum, so all weights together are 1. Each query "
            "has a row of its own, and each row its own sum.",
        ),
        Mistake("weights_turned", _mixed(lambda w, V: w.mT @ V), WEIGHTS_TURNED),
        Mistake(
            "scores_turned",
            _scored(lambda Q, K, V: K @ Q.mT / np.sqrt(K.shape[-1])),
            "Rows and columns of the scores are exchanged: a row belongs to a key. It should "
            "belong to a query, so that n_q rows come out: Q times the keys transposed.",
        ),
        Mistake("no_scale", _scaled_by(lambda Q, K, V: 1.0), NOT_SCALED),
        Mistake(
            "by_d",
            _scaled_by(lambda Q, K, V: K.shape[-1]),
            "The scores are divided by d_k, not by its root.",
        ),
        Mistake(
            "by_root_d_v",
            _scaled_by(lambda Q, K, V: V.shape[-1] ** 0.5),
            "The divisor is taken from the values. Values take no part in the scores: it is √d_k, "
            "the root of the length of a query and of a key.",
        ),
        Mistake("by_root_n_k", _scaled_by(lambda Q, K, V: K.shape[-2] ** 0.5), ROWS),
        Mistake("by_root_n_q", _scaled_by(lambda Q, K, V: Q.shape[-2] ** 0.5), ROWS),
        Mistake("by_root_first_of_Q", _scaled_by(lambda Q, K, V: len(Q) ** 0.5), ROWS),
        Mistake("by_root_first_of_K", _scaled_by(lambda Q, K, V: len(K) ** 0.5), ROWS),
        Mistake(
            "by_root_axis_1",
            _scaled_by(lambda Q, K, V: Q.shape[1] ** 0.5),
            "The divisor comes from axis 1. In a matrix that is d_k, in a batch it is the number "
            "of rows. d_k is the last axis, counted from the end: -1.",
        ),
        Mistake(
            "by_root_axis_1_of_K",
            _scaled_by(lambda Q, K, V: K.shape[1] ** 0.5),
            "The divisor comes from axis 1 of K. In a matrix that is d_k, in a batch it is the "
            "number of keys. d_k is the last axis, counted from the end: -1.",
        ),
        Mistake(
            "by_root_two",
            _scaled_by(lambda Q, K, V: 2**0.5),
            "The divisor is the same on every input. It should be the root of d_k, which is read "
            "off the arrays: the last axis of Q, or of K.",
        ),
        Mistake(
            "times_root_d",
            _scaled_by(lambda Q, K, V: K.shape[-1] ** -0.5),
            "The scores are multiplied by √d_k instead of divided.",
        ),
        Mistake(
            "weights_divided",
            lambda Q, K, V: softmax(Q @ K.mT) @ V / np.sqrt(K.shape[-1]),
            "The division by √d_k comes after softmax, so the weights of a row sum to 1/√d_k. "
            "Divide the scores, before softmax.",
        ),
        Mistake(
            "reversed_axes", _scored(lambda Q, K, V: Q @ K.T / K.shape[-1] ** 0.5), MATRICES_ONLY
        ),
        Mistake(
            "by_matrix",
            _from_the_front(lambda K: K.T),
            f"{FROM_THE_FRONT} K.T reverses all axes (K.mT exchanges the last two), "
            f"{ROOT_AND_AXIS}",
        ),
        Mistake(
            "front_root_and_axis",
            _from_the_front(lambda K: K.mT),
            f"{FROM_THE_FRONT} {ROOT_AND_AXIS}",
        ),
        Mistake(
            "not_turned",
            _scored(lambda Q, K, V: Q @ K / np.sqrt(K.shape[-1])),
            "K is not transposed: rows of Q meet columns of K. A key is a row of K, and unless K "
            "is square the shapes do not fit.",
        ),
        Mistake(
            "reshaped",
            _scored(
                lambda Q, K, V: (
                    Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2]) / K.shape[-1] ** 0.5
                )
            ),
            "K is reshaped, not transposed. reshape keeps all numbers in their order and only cuts "
            "the rows anew, so the keys are torn apart.",
        ),
        Mistake(
            "loops_over_matrices",
            _by_rows,
            "A loop over Q takes the rows of a matrix, but the sequences of a batch. Matrix "
            "products on the last two axes serve both.",
        ),
        Mistake(
            "dot_in_a_batch",
            lambda Q, K, V: softmax(np.dot(Q, K.mT) / K.shape[-1] ** 0.5) @ V,
            "With a batch np.dot multiplies every sequence of Q with every sequence of K, which "
            "adds axes. @ goes sequence by sequence, on the last two axes.",
        ),
        Mistake(
            "raw_scores",
            _weighted(lambda s: s),
            "The scores are used as weights: softmax is missing.",
        ),
        Mistake(
            "no_division",
            _weighted(np.exp),
            "The exponentials are not divided by the sum of their row, so the weights do not sum "
            "to 1.",
        ),
        Mistake(
            "shares_of_scores",
            _weighted(lambda s: s / s.sum(axis=-1, keepdims=True)),
            "The scores are divided by the sum of their row without exp. Negative scores then give "
            "negative weights: softmax takes exp first.",
        ),
        Mistake(
            "softmax_twice",
            _weighted(lambda s: softmax(softmax(s))),
            "Softmax is applied twice, which makes the weights nearly equal. Once is enough.",
        ),
        Mistake(
            "softmax_of_output",
            lambda Q, K, V: softmax(_scores(Q, K) @ V),
            "Softmax is applied to the product with the values. It belongs between the scores and "
            "that product: it makes the weights.",
        ),
        Mistake(
            "pairs_of_equal_rows",
            lambda Q, K, V: softmax((Q * K).sum(axis=-1)[..., None] / K.shape[-1] ** 0.5) * V,
            "Query i meets key i alone, so each row has a single score. Every query should meet "
            "every key, which makes a table.",
        ),
        Mistake(
            "values_turned",
            _mixed(lambda w, V: w @ V.mT),
            "The values are transposed in the last product. A value is a row of V, and the columns "
            "of the weights stand for these rows: W @ V as it stands.",
        ),
        Mistake(
            "averaged",
            _mixed(lambda w, V: w @ V / V.shape[-2]),
            "The sum over the values is divided by n_k once more. The weights of a row sum to 1 "
            "already: take the sum, not the mean.",
        ),
        Mistake(
            "wrong_axis_no_scale",
            lambda Q, K, V: softmax(Q @ K.mT, axis=-2) @ V,
            "Two things: the scores are not divided by √d_k, and softmax runs down the columns. A "
            "row holds one query's scores, and its weights should sum to 1.",
        ),
        Mistake(
            "no_products",
            lambda Q, K, V: softmax(Q * K / np.sqrt(K.shape[-1])) * V,
            "The sign * multiplies entry by entry, and runs only where arrays are alike. A matrix "
            "product, @, makes the table in which every query meets every key.",
        ),
    ),
    properties=(
        inside(
            lambda Q, K, V: V.min(axis=-2, keepdims=True),
            lambda Q, K, V: V.max(axis=-2, keepdims=True),
            "the range of the values, column by column",
        ),
    ),
    definition="Row i of the output should be what query i gets when it asks alone.",
    general="Take one row of Q by itself, compute its scores, weights and output by hand, and "
    "compare each with its row. The first stage that differs has the mistake.",
    why="Each query is answered as if it were alone. If there is a loop in your code: two matrix "
    "products and a softmax along each row do the same without one.",
)
