"""The slowest hand of sinusoidal positions."""

import numpy as np

from attnlib.exercises import Case


def longest_wavelength(d, base):
    """A whole turn over what the last hand turns in one step."""
    return 2 * np.pi * base ** ((d - 2) / d)


CASES = (
    Case("two hands", (4, 10_000)),
    Case("four hands", (8, 500)),
    Case("many hands", (64, 20_000)),
    Case("one hand", (2, 300), rare=True),
)
