"""The sinusoidal description of each position, by hand."""

import numpy as np

from attnlib.exercises import Case


def sinusoids(n, d, base):
    """Sines in the columns 2i, cosines in the columns 2i + 1."""
    return waves(np.outer(np.arange(n), frequencies(d, base)))


def frequencies(d, base):
    """The frequency of each pair, in radians a position."""
    return base ** (-np.arange(0, d, 2) / d)


def side_by_side(first, second):
    """The two components of each pair in neighbouring columns."""
    return np.stack([first, second], axis=-1).reshape(len(first), -1)


def waves(angles):
    return side_by_side(np.sin(angles), np.cos(angles))


CASES = (
    Case("two positions, one pair", (2, 2, 10.0)),
    Case("two pairs", (3, 4, 100)),
    Case("as many positions as components", (6, 6, 16.0)),
    Case("more components than positions", (3, 8, 10000.0)),
    Case("the first position alone", (1, 4, 100.0)),
)


def by_column(angles):
    """The sine of each even column's angle, the cosine of each odd column's."""
    return np.where(np.arange(angles.shape[1]) % 2, np.cos(angles), np.sin(angles))
