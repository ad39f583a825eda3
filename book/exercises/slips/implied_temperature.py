"""Which temperature two weights and their scores imply."""

import numpy as np

from attnlib.exercises import Case


def implied_temperature(w, s):
    """The gap of the scores over the logarithm of the ratio of the weights."""
    return (s[0] - s[1]) / np.log(w[0] / w[1])


CASES = (
    Case("two weights", ([0.6, 0.4], [1.0, 0.5])),
    Case("two weights", ([0.9, 0.1], [0.3, -1.9])),
    Case("more weights", ([0.15, 0.3], [-0.4, 0.8])),
    Case("more weights", ([0.05, 0.65], [0.7, 2.3])),
)
