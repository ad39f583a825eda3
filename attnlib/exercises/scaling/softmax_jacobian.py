"""How every weight moves with every score."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.showing import show


def softmax_jacobian(w):
    """Derivatives of the weights by the scores, from the weights alone."""
    return np.diag(w) - np.outer(w, w)


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
    ),
    mistakes=(
        Mistake(
            "diagonal_only",
            lambda w: np.diag(w * (1 - w)),
            "Only the diagonal is filled. Raising one score takes weight from all the others, so "
            "the entries beside the diagonal are not 0: every column should sum to 0.",
        ),
        Mistake(
            "diagonal_vector",
            lambda w: w * (1 - w),
            "This is the diagonal alone, as a vector. Every weight depends on every score, which "
            "takes an (n, n) matrix.",
        ),
        Mistake(
            "plus",
            lambda w: np.diag(w) + np.outer(w, w),
            "The outer product is added where it should be subtracted. Raising score j lowers "
            "every other weight, so entries beside the diagonal are negative.",
        ),
        Mistake(
            "sign",
            lambda w: np.outer(w, w) - np.diag(w),
            "All signs are the wrong way round. Raising a score raises its own weight, so the "
            "diagonal is positive.",
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
            "One number is subtracted everywhere: w has one axis, so w.T is w and w @ w.T is the "
            "sum of the squares. The table of all products w_i w_j needs one w down, one across.",
        ),
        Mistake(
            "elementwise_square",
            lambda w: np.diag(w) - w * w,
            "The same row is subtracted everywhere: w * w holds the squares w_j² alone. The table "
            "of all products w_i w_j needs one w down and one across.",
        ),
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
    why="All entries vanish when one weight nears 1: a saturated softmax passes no gradient, and "
    "that is what the scale prevents.",
)
