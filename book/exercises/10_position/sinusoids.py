"""The sinusoidal description of each position, by hand."""

import numpy as np

from attnlib.exercises import Case

from ._frequencies import falling, side_by_side, wrong_frequencies


def sinusoids(
    n,
    d,
    base,
    *,
    places=np.arange,
    frequencies=falling,
    functions=(np.sin, np.cos),
    join=side_by_side,
):
    """Sines in the columns 2i, cosines in the columns 2i + 1."""
    angles = np.outer(places(n), frequencies(d, base))
    return join(*(function(angles) for function in functions))


def _made(**changed):
    """Sinusoids with one part replaced."""
    return lambda n, d, base: sinusoids(n, d, base, **changed)


def _own_exponents(n, d, base):
    angles = np.arange(n)[:, None] * base ** (-np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


def _made_of_columns(n, d, base):
    return _own_exponents(n, d, base * base)


CASES = (
    Case("two positions, one pair", (2, 2, 10.0)),
    Case("two pairs", (3, 4, 100.0)),
    Case("as many positions as components", (6, 6, 16.0)),
    Case("more components than positions", (3, 8, 10000.0)),
    Case("the first position alone", (1, 4, 100.0)),
)

MORE_0 = {m.name: m.answer for m in wrong_frequencies(_made)}
