"""What a decoder reads and has to write, in teacher forcing."""

import numpy as np

from attnlib.exercises import Case


def forced(words):
    """The start sign and the words; the words and the end sign."""
    return np.stack([np.append(0, words), np.append(words, 0)])


CASES = (
    Case("two words", (np.array([5, 7]),)),
    Case("one word", (np.array([3]),)),
    Case("five words with a repeat", (np.array([9, 6, 2, 9, 4]),)),
)


def another_sign(values, cases):
    """Whether the words are right, and something else than 0 begins or ends them."""
    right = [forced(*case.args) for case in cases]
    words = all((a[0, 1:] == w[0, 1:]).all() and (a[1, :-1] == w[1, :-1]).all()
                for a, w in zip(values, right))  # fmt: skip
    return words and not all(np.array_equal(a, w) for a, w in zip(values, right))
