"""The weights of a head that avoids what was lost."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def weigh(seen, gap, slope):
    """Softmax of a gap for what was seen, less a slope for its age."""
    lag = np.arange(len(seen))[::-1]
    return softmax(gap * seen - slope * lag)


CASES = (
    Case("one of three is lost", (np.array([True, False, True]), 4.0, 1.0)),
    Case("the present view is lost", (np.array([True, True, True, False]), 3.0, 0.5)),
    Case("most are lost", (np.array([False, True, False, False, True, False]), 2.0, 0.7)),
)
