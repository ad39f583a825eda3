"""The effects of all patches, from logits."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def drops(whole, covered):
    """The lead of the whole picture's answer, less its lead with each patch covered."""
    answer = whole.argmax()
    others = np.arange(len(whole)) != answer
    before = whole[answer] - whole[others].max()
    return before - (covered[:, answer] - covered[:, others].max(axis=1))


CASES = (
    Case("two patches, three digits", ([9.0, 4, 2], [[6.0, 3, 5], [2, 3, 7]])),
    Case(
        "a cover that helps", ([3.5, 5.0, 4.5, 1.0], [[4.0, 7.0, 3.0, 2.0], [1.5, 5.5, 4.0, 3.0]])
    ),
    Case(
        "negative logits", ([-6.0, -5.0, -2.0, -3.5], [[-4.0, -7.0, -2.5, -5.5], [-8, -6, -7, -9]])
    ),
    Case("a tie after the covering", ([4.0, 1.0, 6.0], [[5.0, 2.0, 5.0], [3.0, 0.5, 4.5]])),
    Case("four patches, seven digits", draw((7,), (4, 7))),
    Case("seven patches, ten digits", tuple(3 * x for x in draw((10,), (7, 10)))),
)
