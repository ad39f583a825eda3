"""The weights of a head that avoids what was lost."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def weigh(seen, gap, slope):
    """Softmax of a gap for what was seen, less a slope for its age."""
    lag = np.arange(len(seen))[::-1]
    return softmax(gap * seen - slope * lag)


def flags(text):
    """Which views were seen, from 1 and 0."""
    return np.array([letter == "1" for letter in text])


CASES = (
    Case("one lost view", (flags("1011"), 2.5, 0.7)),
    Case("a lost present view", (flags("1010"), 3.0, 0.4)),
    Case("a window with most views lost", (flags("0100100"), 2.0, 0.3)),
    Case("a window without losses", (flags("1111"), 1.5, 0.6)),
    Case("a window with all views lost", (flags("00000"), 2.2, 0.8)),
    Case("a gap of 900", (flags("0101"), 900.0, 0.5), rare=True),
)
