"""What a decoder reads and has to write, in teacher forcing."""

import numpy as np

from attnlib.exercises import Case


def forced(words):
    """The start sign and the words; the words and the end sign."""
    return np.stack([np.append(0, words), np.append(words, 0)])


CASES = (
    Case("two words", (np.array([5, 7]),)),
    Case("one word", (np.array([3]),)),
    Case("five words, one of them twice", (np.array([9, 6, 2, 9, 4]),)),
)
