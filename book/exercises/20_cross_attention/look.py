"""Words look at patches, of which some are padding."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def look(Q, K, V, there):
    """Hide padding from every query, and nothing else."""
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    return softmax(np.where(there, scores, -np.inf)) @ V


CASES = (
    Case(
        "one word, one of two patches is there",
        ([[1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [[3.0], [5.0]], np.array([False, True])),
    ),
    Case(
        "two words, three patches, the last is padding",
        (*draw((2, 3), (3, 3), (3, 2)), np.array([True, True, False])),
    ),
    Case(
        "four words, five patches, all of them there",
        (*draw((4, 2), (5, 2), (5, 3)), np.array([True] * 5)),
    ),
    Case(
        "three words, six patches, two gaps",
        (*draw((3, 4), (6, 4), (6, 5)), np.array([True, False, True, True, False, True])),
    ),
)
