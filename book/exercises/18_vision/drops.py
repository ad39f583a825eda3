"""The effects of all patches, from logits."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def drops(whole, covered):
    """The lead of the whole picture's answer, less its lead with each patch covered."""
    answer = whole.argmax()
    others = np.arange(len(whole)) != answer
    before = whole[answer] - whole[others].max()
    return before - (covered[:, answer] - covered[:, others].max(axis=1))


THREE = np.array([[6.0, 3, 5], [9, 5, 2], [2, 3, 7]])

CASES = (
    Case("three patches, three digits", (np.array([9.0, 4, 2]), THREE)),
    Case("four patches, five digits", draw((5,), (4, 5))),
    Case("six patches, ten digits", tuple(3 * x for x in draw((10,), (6, 10)))),
)
