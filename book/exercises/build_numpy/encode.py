"""Text into ids: the place of each character in a list of all."""

import numpy as np

from attnlib.exercises import Case


def encode(text, characters):
    """For each character of the text, where it stands among all characters."""
    return np.array([characters.index(c) for c in text])


CASES = (
    Case("a word", ("cab", "abc")),
    Case("characters that do not all occur", ("added", "abcdefg")),
    Case("characters in another order", ("tea at ten", "x tane")),
    Case("signs and line breaks", ("No, no!\nOn it?", "\n !,?NOinot")),
    Case("a text of one character", ("d", "abcde")),
)


def numbered(text, characters):
    """The ids, if these are all characters, in this order."""
    return np.array([list(characters).index(c) for c in text])
