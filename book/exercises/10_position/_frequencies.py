"""What the exercises on sinusoids, shifts and rotary share: frequencies, right and wrong."""

import numpy as np

from attnlib.exercises import Mistake


def falling(d, base):
    """The frequency of each pair, in radians a position."""
    return float(base) ** (-np.arange(0, d, 2) / d)


def side_by_side(first, second):
    """The two components of each pair in neighbouring columns."""
    return np.stack([first, second], axis=-1).reshape(len(first), -1)


#: Wrong frequencies by the name of the mistake, each with what is said of it.
WRONG = {
    "half_the_exponent": (
        lambda d, base: np.sqrt(falling(d, base)),
        "The exponent is −i/d, half of what it should be. The first component of pair i is in "
        "column 2i, and −2i/d is meant.",
    ),
    "twice_the_exponent": (
        lambda d, base: falling(d, base) ** 2,
        "The exponent is twice what it should be: −2i/d for pair i, counted from 0. "
        "np.arange(0, d, 2) holds 2i already.",
    ),
    "rising": (
        lambda d, base: 1 / falling(d, base),
        "The minus in the exponent is missing: the frequencies rise from pair to pair, where they "
        "should fall. Multiply by base^(−2i/d), or divide by base^(2i/d).",
    ),
    "slowest_first": (
        lambda d, base: falling(d, base)[::-1],
        "The frequencies stand in reversed order, the slowest first. Pair 0 has the largest, 1.",
    ),
    "pairs_from_1": (
        lambda d, base: falling(d, base) * float(base) ** (-2 / d),
        "The pairs are counted from 1, −2(i + 1)/d. Pair 0 has the exponent 0, so its frequency "
        "is 1.",
    ),
    "base_reached": (
        lambda d, base: float(base) ** -np.linspace(0, 1, d // 2),
        "The last frequency is 1/base. The formula never gets there: with −2i/d and the largest "
        "i, d/2 − 1, the exponent ends at −1 + 2/d.",
    ),
    "one_frequency": (
        lambda d, base: np.ones(d // 2),
        "All pairs turn with the same frequency, 1. That of pair i is base^(−2i/d).",
    ),
    "base_10000": (
        lambda d, base: falling(d, 10000),
        "The base is always 10000. Take the one that is given.",
    ),
    "degrees": (
        lambda d, base: np.deg2rad(falling(d, base)),
        "The angles are taken for degrees. NumPy's sine takes radians, and radians are meant.",
    ),
    "whole_turns": (
        lambda d, base: 2 * np.pi * falling(d, base),
        "There is a factor 2π too many. The frequencies are radians a position, not turns: the "
        "first pair needs 2π positions for a whole turn.",
    ),
}


def wrong_frequencies(made):
    """A mistake for each; `made` takes the frequencies and gives the answer that has them."""
    return tuple(
        Mistake(name, made(frequencies=frequencies), said)
        for name, (frequencies, said) in WRONG.items()
    )
