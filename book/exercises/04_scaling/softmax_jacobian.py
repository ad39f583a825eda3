"""How every weight moves with every score."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
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


CASES = (
    Case("two weights", (np.array([0.75, 0.25]),)),
    Case("equal weights", (np.full(4, 0.25),)),
    Case("three weights", (np.array([0.2, 0.5, 0.3]),)),
    Case("all weight on one element", (np.array([0.0, 1.0, 0.0]),)),
    Case("a very small weight", (np.array([0.9, 0.095, 0.005]),)),
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
