"""The sinusoidal description of each position, by hand."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake

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


EXERCISE = Exercise(
    signature="sinusoids(n, d, base)",
    task="Write sinusoids(n, d, base): the descriptions of the positions 0 to n − 1, a row each. "
    "Pair i, counted from 0, has the frequency base^(−2i/d), in radians; its sine stands in column "
    "2i, its cosine in column 2i + 1.",
    returns="an array of shape (n, d)",
    reference=sinusoids,
    own=True,
    cases=(
        Case("two positions, one pair", (2, 2, 10.0)),
        Case("two pairs", (3, 4, 100.0)),
        Case("as many positions as components", (6, 6, 16.0)),
        Case("more components than positions", (3, 8, 10000.0)),
        Case("the first position alone", (1, 4, 100.0)),
    ),
    mistakes=(
        *wrong_frequencies(_made),
        Mistake(
            "exchanged",
            _made(functions=(np.cos, np.sin)),
            "Sine and cosine are exchanged. Position 0 should read 0, 1, 0, 1: the sine is first.",
        ),
        Mistake(
            "from_1",
            _made(places=lambda n: np.arange(1, n + 1)),
            "Positions are counted from 1. The first row describes position 0: every sine in it is "
            "0, every cosine 1.",
        ),
        Mistake(
            "in_halves",
            _made(join=lambda first, second: np.concatenate([first, second], axis=1)),
            "All sines come first, and then all cosines. Sine and cosine of a pair should stand "
            "side by side: fill P[:, 0::2] and P[:, 1::2].",
        ),
        Mistake(
            "own_exponents",
            _own_exponents,
            "Every column has an exponent of its own, −j/d for column j. The two of a pair share "
            "one frequency, that of the even column; or they are no sine and cosine of one angle.",
        ),
        Mistake(
            "column_for_pair",
            _made_of_columns,
            "The number of the column is taken for that of the pair, −2j/d for column j. The "
            "columns 2i and 2i + 1 share the frequency of pair i, base^(−2i/d): j // 2 is the pair "
            "of column j.",
        ),
        Mistake(
            "part_of_the_length",
            _made(places=lambda n: np.arange(n) / n),
            "Positions are divided by n. Then the same place reads differently in a longer text.",
        ),
        Mistake(
            "sines_only",
            _made(functions=(np.sin, np.sin)),
            "Both columns of a pair hold the sine. The second is the cosine of the same angle.",
        ),
        Mistake(
            "cosines_only",
            _made(functions=(np.cos, np.cos)),
            "Both columns of a pair hold the cosine. The first is the sine of the same angle.",
        ),
    ),
    definition="Row t, pair i should be sin(t ω) and cos(t ω), side by side, with ω = base^(−2i/d) "
    "and t from 0.",
    general="Take d = 4 and base 100: the frequencies are 1 and 0.1, and row 1 is sin 1, cos 1, "
    "sin 0.1, cos 0.1.",
    why="No length of a text stands in the formula: a position reads the same in any of them.",
)
