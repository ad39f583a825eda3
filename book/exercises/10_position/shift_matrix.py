"""The matrix that moves every sinusoidal description on by the same number of positions."""

import numpy as np

from attnlib.exercises import Case

from ._frequencies import falling, wrong_frequencies


def _block(cos, sin):
    return [[cos, -sin], [sin, cos]]


def shift_matrix(
    k,
    d,
    base,
    *,
    places=lambda k: k,
    frequencies=falling,
    block=_block,
    columns=lambda i, d: [2 * i, 2 * i + 1],
):
    """A rotation for each pair of columns, by k times its frequency."""
    R = np.zeros((d, d))
    for i, angle in enumerate(places(k) * frequencies(d, base)):
        R[np.ix_(columns(i, d), columns(i, d))] = block(np.cos(angle), np.sin(angle))
    return R


def _made(**changed):
    """shift_matrix with one part replaced."""
    return lambda k, d, base: shift_matrix(k, d, base, **changed)


CASES = (
    Case("one pair", (1, 2, 10.0)),
    Case("two pairs", (3, 4, 100.0)),
    Case("a shift back", (-2, 4, 16.0)),
    Case("a fraction of a position", (2.5, 6, 10000.0)),
    Case("no shift", (0, 4, 100.0)),
)

PROPERTIES = (
    lambda R, k, d, base: (
        None
        if np.shape(R) != (d, d) or np.allclose(R @ R.T, np.eye(d))
        else "R @ R.T is not the identity, so lengths change. All descriptions are equally "
        "long, and so is what a shift makes of them."
    ),
)

MORE_0 = {m.name: m.answer for m in wrong_frequencies(_made)}
