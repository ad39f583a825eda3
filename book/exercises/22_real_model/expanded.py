"""Numbers from a block of four bits each."""

import numpy as np

from attnlib.exercises import Case


def expanded(scale, least, packed):
    """Levels, low halves first, times the scale, plus the least number."""
    return scale * np.concatenate([packed % 16, packed // 16]) + least


CASES = (
    Case("one entry", (0.5, -2.0, np.array([69]))),
    Case("two entries", (0.25, -1.5, np.array([135, 64]))),
    Case("a block of eight", (0.1, 0.3, np.array([101, 64, 111, 22]))),
    Case("the lowest and the highest levels", (2.0, -7.0, np.array([0, 255, 15, 240]))),
)
