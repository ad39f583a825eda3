"""The matrix that moves every sinusoidal description on by the same number of positions."""

import numpy as np

from attnlib.exercises import Case

from .sinusoids import frequencies, waves


def shift_matrix(k, d, base):
    """A rotation for each pair of columns, by k times its frequency."""
    return blocks(k * frequencies(d, base))


def blocks(angles, block=lambda cos, sin: [[cos, -sin], [sin, cos]]):
    """A matrix with a block on its diagonal for each angle."""
    R = np.zeros((2 * len(angles), 2 * len(angles)))
    for i, angle in enumerate(angles):
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(np.cos(angle), np.sin(angle))
    return R


CASES = (
    Case("one pair", (1, 2, 10.0)),
    Case("two pairs", (3, 4, 100.0)),
    Case("a shift back", (-2, 4, 16.0)),
    Case("a fraction of a position", (2.5, 6, 10000.0)),
    Case("no shift", (0, 4, 100.0)),
)


def keeps_lengths(R, k, d, base):
    if np.shape(R) == (d, d) and not np.allclose(R @ R.T, np.eye(d)):
        return (
            "R @ R.T is not the identity, so lengths change. All descriptions are equally long, "
            "and so is what a shift makes of them."
        )


PROPERTIES = (keeps_lengths,)


def fitted(k, d, base):
    """By least squares, from many positions to those k further on."""
    t = np.arange(4 * d)
    before, after = (waves(np.outer(s, frequencies(d, base))) for s in (t, t + k))
    return np.linalg.lstsq(before, after, rcond=None)[0]
