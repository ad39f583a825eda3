"""How every weight moves with every score."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.showing import show


def softmax_jacobian(w):
    """Derivatives of the weights by the scores, from the weights alone."""
    return np.diag(w) - np.outer(w, w)


def _parts(J, w):
    """Whether the diagonal is right, and whether what is beside it is."""
    off = np.abs(J - softmax_jacobian(w)) > 1e-7
    return not np.diag(off).any(), not (off & ~np.eye(len(w), dtype=bool)).any()


def _wrong_beside(values, cases):
    parts = [_parts(J, *case.args) for J, case in zip(values, cases)]
    nothing = _nothing_beside(values, cases)
    right = all(diagonal and beside for diagonal, beside in parts)
    return all(diagonal for diagonal, _ in parts) and not right and not nothing


def _wrong_on_diagonal(values, cases):
    parts = [_parts(J, *case.args) for J, case in zip(values, cases)]
    return all(beside for _, beside in parts) and not all(diagonal for diagonal, _ in parts)


def _nothing_beside(values, cases):
    """A filled diagonal and zeros beside it."""
    empty = all(np.array_equal(J, np.diag(np.diag(J))) for J in values)
    return empty and any(J.any() for J in values)


def _one_number_subtracted(values, cases):
    """One number, the sum of the weights or of their products, in the place of the table."""
    off = [np.diag(*case.args) - J for J, case in zip(values, cases)]
    return all(np.ptp(o) < 1e-9 and o.min() > 1e-9 for o in off)


def _differences(values, cases):
    """Near the derivatives, but as far off as differences with a large step are."""
    right = [softmax_jacobian(*case.args) for case in cases]
    off = [np.abs(J - R).max() for J, R in zip(values, right) if R.any()]
    parts = _wrong_beside(values, cases) or _wrong_on_diagonal(values, cases)
    return 1e-9 < min(off) and 1e-7 < max(off) < 0.02 and not parts


def _steps(w, step=0.05):
    """Differences of softmax for a step of each score, in columns."""
    with np.errstate(divide="ignore"):
        scores = np.log(w)
    moved = [softmax(scores + step * e) - softmax(scores) for e in np.eye(len(w))]
    return np.stack(moved, axis=1) / step


def _for_three(w):
    J = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            J[i, j] = w[i] * ((i == j) - w[j])
    return J


LOG_SOFTMAX = (
    "A factor is missing: 1 - w_i and -w_j are the derivatives of log w_i. A weight itself moves "
    "the less, the smaller it is."
)
W_FOR_PRODUCTS = (
    "The weight itself is subtracted, the same in every row or column. What one weight loses by "
    "another's score depends on both: products w_i w_j, for all pairs."
)
SQUARES = (
    "The same row or column is subtracted everywhere: w * w holds only the squares. The table of "
    "all products w_i w_j needs one w down and one across."
)
HALF_A_TABLE = (
    "One triangle of the table is empty. Weight i moves with score j and weight j with score i: "
    "fill both sides of the diagonal."
)

EXERCISE = Exercise(
    signature="softmax_jacobian(w)",
    task="Write softmax_jacobian(w): from the weights w, the matrix whose entry (i, j) is the "
    "derivative of weight i by score j.",
    returns="an array of shape (n, n)",
    reference=softmax_jacobian,
    cases=(
        Case("two weights", (np.array([0.75, 0.25]),)),
        Case("equal weights", (np.full(4, 0.25),)),
        Case("three weights", (np.array([0.2, 0.5, 0.3]),)),
        Case("all weight on one element", (np.array([0.0, 1.0, 0.0]),)),
        Case("a very small weight", (np.array([0.9, 0.095, 0.005]),)),
    ),
    mistakes=(
        Mistake(
            "diagonal_only",
            lambda w: np.diag(w * (1 - w)),
            "Only the diagonal is filled. Raising one score takes weight from all the others, so "
            "the entries beside the diagonal are not 0: every column should sum to 0.",
            recognise=_nothing_beside,
        ),
        Mistake(
            "plus",
            lambda w: np.diag(w) + np.outer(w, w),
            "The outer product is added where it should be subtracted. Raising score j lowers "
            "every other weight, so entries beside the diagonal are negative.",
        ),
        Mistake(
            "no_diagonal",
            lambda w: -np.outer(w, w),
            "The term for i = j is missing: this is -w wᵀ alone, by which a weight would fall "
            "when its own score rises.",
        ),
        Mistake(
            "one_minus_outer",
            lambda w: np.outer(w, 1 - w),
            "Beside the diagonal this has w_i (1 - w_j), the formula that holds on the diagonal "
            "only. There should be no 1 where i and j differ.",
        ),
        Mistake(
            "dot_instead_of_outer",
            lambda w: np.diag(w) - w @ w.T,
            "One number is subtracted everywhere, a sum. w has one axis, so w.T is w, and w @ w.T "
            "is a single number. The table of all products w_i w_j needs one w down, one across.",
            recognise=_one_number_subtracted,
        ),
        Mistake(
            "outer_taken_twice",
            lambda w: np.diag(w) - 2 * np.outer(w, w),
            "The products w_i w_j are subtracted twice. Every column should sum to 0: a weight "
            "gains just what the others lose.",
        ),
        Mistake("elementwise_square", lambda w: np.diag(w) - w * w, SQUARES),
        Mistake(
            "ones_on_the_diagonal",
            lambda w: np.eye(len(w)) - np.outer(w, w),
            "The diagonal starts from 1 instead of w_i: np.eye(n) is not np.diag(w). A weight "
            "near 0 hardly moves with its own score, yet here its entry is near 1.",
        ),
        Mistake(
            "softmax_again",
            lambda w: softmax_jacobian(softmax(w)),
            "Softmax is taken of w once more. The argument holds weights already, not scores: "
            "use them as they are.",
        ),
        Mistake(
            "diag_alone",
            lambda w: np.diag(w),
            "This is diag(w): the derivative of the sum in softmax's denominator is missing. "
            "Every score also moves the normalisation.",
        ),
        Mistake("elementwise_square_down", lambda w: np.diag(w) - (w * w)[:, None], SQUARES),
        Mistake(
            "w_in_every_row",
            lambda w: w - np.outer(w, w),
            "The weight is added to every row, so beside the diagonal stands w_j (1 - w_i). Only "
            "where i and j are the same does more than the product remain.",
        ),
        Mistake(
            "w_instead_of_products",
            lambda w: np.diag(w) - w,
            W_FOR_PRODUCTS,
        ),
        Mistake(
            "w_instead_of_products_down",
            lambda w: np.diag(w) - w[:, None],
            W_FOR_PRODUCTS,
        ),
        Mistake("log_softmax", lambda w: np.eye(len(w)) - w, LOG_SOFTMAX),
        Mistake(
            "of_the_division_alone",
            lambda w: np.eye(len(w)) - w[:, None],
            "A factor w_j is missing: these are, up to their sum, the derivatives by the "
            "exponentials. How each exponential moves with its own score belongs to it as well.",
        ),
        Mistake(
            "positive_beside",
            lambda w: np.abs(softmax_jacobian(w)),
            "Beside the diagonal the sign is wrong. Raising one score takes weight from all "
            "others, so there the entries are negative: every column should sum to 0.",
        ),
        Mistake(
            "w_i_beside",
            lambda w: np.diag(w) - w[:, None] * (1 - np.eye(len(w))) - np.diag(w * w),
            "Beside the diagonal stands -w_i alone. How far weight i falls depends on the rival's "
            "weight as well: a factor w_j is missing.",
        ),
        Mistake(
            "w_j_beside",
            lambda w: np.diag(w) - w * (1 - np.eye(len(w))) - np.diag(w * w),
            "Beside the diagonal stands -w_j alone. A weight near 0 has little to lose: a factor "
            "w_i is missing.",
        ),
        Mistake("upper_triangle", lambda w: np.triu(softmax_jacobian(w)), HALF_A_TABLE),
        Mistake("lower_triangle", lambda w: np.tril(softmax_jacobian(w)), HALF_A_TABLE),
        Mistake(
            "wrong_beside",
            lambda w: softmax_jacobian(w) + 0.1 * (1 - np.eye(len(w))),
            "The diagonal is right, what stands beside it is not. Take i and j that differ: score "
            "j enters weight i through the sum in the denominator only.",
            recognise=_wrong_beside,
        ),
        Mistake(
            "w_on_the_diagonal",
            lambda w: np.diag(w + w * w) - np.outer(w, w),
            "The diagonal holds w_i alone. A weight's own score is in the denominator too, so the "
            "weight rises by less: every column should sum to 0.",
        ),
        Mistake(
            "square_taken_twice",
            lambda w: np.diag(w * (1 - w)) - np.outer(w, w),
            "On the diagonal w_i² is subtracted twice: once in w (1 - w), once more with the outer "
            "product, which covers the diagonal as well.",
        ),
        Mistake(
            "wrong_on_the_diagonal",
            lambda w: softmax_jacobian(w) + 0.1 * np.eye(len(w)),
            "What stands beside the diagonal is right, the diagonal is not. Every column should "
            "sum to 0: a weight gains what the others lose.",
            recognise=_wrong_on_diagonal,
        ),
        Mistake(
            "weighted_twice",
            lambda w: w * (np.eye(len(w)) - np.outer(w, w)),
            "The products are multiplied by w once more, so beside the diagonal stands a square "
            "too many. Each entry there has two factors, one of either weight.",
        ),
        Mistake(
            "for_three_only",
            _for_three,
            "This is written for three weights. There can be any number: take it from len(w).",
        ),
        Mistake(
            "uniform",
            lambda w: softmax_jacobian(np.full(len(w), 1 / len(w))),
            "This holds for equal weights only: just the length of w is used, not its numbers.",
        ),
        Mistake(
            "large_step",
            _steps,
            "Close but not exact: this looks like a finite difference. The derivative follows from "
            "the weights alone, without a step: write its formula.",
            recognise=_differences,
        ),
    ),
    properties=(
        lambda J, w: (
            "Raising a score never lowers its own weight: the diagonal should not be negative."
            if (np.diag(J) < -1e-9).any()
            else None
        ),
        lambda J, w: (
            "The weights keep their sum when a score moves, so every column should sum to 0; "
            f"these sum to {show(J.sum(axis=0))}."
            if not np.allclose(J.sum(axis=0), 0, atol=1e-7)
            else None
        ),
    ),
    definition="Entry (i, j) should say how much weight i moves for a small step of score j: try "
    "a step of 0.001 with softmax itself.",
    general="The matrix is not the Jacobian. Take scores np.log(w), raise one of them by 0.001 "
    "and see how softmax moves.",
    why="All entries vanish when one weight nears 1: a saturated row answers no small change of "
    "its scores.",
)
