"""How every weight moves with every score."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.showing import show


def softmax_jacobian(w):
    """Derivatives of the weights by the scores, from the weights alone."""
    return np.diag(w) - np.outer(w, w)


CASES = (
    Case("two weights", ([0.75, 0.25],)),
    Case("equal weights", ([0.25, 0.25, 0.25, 0.25],)),
    Case("three weights", ([0.2, 0.5, 0.3],)),
    Case("all weight on one element", ([0.0, 1.0, 0.0],)),
    Case("a very small weight", ([0.9, 0.095, 0.005],)),
    Case("a single weight", ([1.0],), rare=True),
)

PROPERTIES = (
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
)


def right_parts(values, cases):
    """Whether every diagonal is right, and whether all that is beside them is."""
    diagonal = beside = True
    for J, case in zip(values, cases):
        wrong = abs(J - softmax_jacobian(*case.args)) > 1e-7
        diagonal &= not np.diag(wrong).any()
        beside &= not (wrong & ~np.eye(len(J), dtype=bool)).any()
    return diagonal, beside


def wrong_beside(values, cases):
    return right_parts(values, cases) == (True, False) and not nothing_beside(values, cases)


def wrong_on_diagonal(values, cases):
    return right_parts(values, cases) == (False, True)


def nothing_beside(values, cases):
    """A filled diagonal and zeros beside it."""
    empty = all(np.array_equal(J, np.diag(np.diag(J))) for J in values)
    return empty and any(J.any() for J in values)


def one_number_subtracted(values, cases):
    """One number, the sum of the weights or of their products, instead of the table."""
    off = [np.diag(*case.args) - J for J, case in zip(values, cases)]
    return all(np.ptp(o) < 1e-9 and o.min() > 1e-9 for o in off)


def nearly_right(values, cases):
    """Near the derivatives, but as far off as differences with a large step are."""
    right = [softmax_jacobian(*case.args) for case in cases]
    off = [np.abs(J - R).max() for J, R in zip(values, right) if R.any()]
    return 1e-9 < min(off) and max(off) < 0.02 and not any(right_parts(values, cases))


def differences(w, step):
    """Differences of softmax for a step of each score, in columns."""
    with np.errstate(divide="ignore"):
        scores = np.log(w)
    moved = [softmax(scores + step * e) - softmax(scores) for e in np.eye(len(w))]
    return np.stack(moved, axis=1) / step
