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
    Case("spaces and line breaks at its ends", (" to a toad \n", "\n adot")),
    Case("letters beyond ASCII", ("“é, à…” é", "à,é …“”"), rare=True),
)


def numbered(text, characters):
    """The ids, if these are all characters, in this order."""
    return np.array([list(characters).index(c) for c in text])


def by_table(text, characters, size):
    """The ids from a table with a place for each number below size."""
    table = np.zeros(size, dtype=int)
    for i, c in enumerate(characters):
        table[ord(c)] = i
    return np.array([table[ord(c)] for c in text])
