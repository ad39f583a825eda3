"""The mean surprisal of what followed, from logits."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def chances(logits, axis=1):
    """Softmax of each row; of each column with axis 0, of the whole table with None."""
    e = np.exp(logits - logits.max())
    return e / e.sum(axis=axis, keepdims=True)


def bits_per_character(logits, following):
    """Minus the mean logarithm, to the base 2, of the chances of what followed."""
    p = chances(logits)
    return -np.log2(p[np.arange(len(following)), following]).mean()


LOGITS = draw((5, 4), (7, 3))

CASES = (
    Case("two places, three characters", ([[0.0, 0.7, 0.0], [1.4, 0.0, 0.0]], np.array([1, 2]))),
    Case("five places", (2 * LOGITS[0], np.array([3, 0, 1, 1, 2]))),
    Case("seven places", (LOGITS[1] + 1, np.array([0, 2, 2, 1, 0, 1, 2]))),
)
