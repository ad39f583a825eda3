"""One head on numbers: what it can make of them, and what it cannot."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def one_head(x, a, b):
    """Weights from products of the numbers, values b times the numbers."""
    return softmax(a * np.outer(x, x)) @ (b * x)


CASES = (
    Case("two items", ([0.0, 1.0], 0.7, 3.0)),
    Case("three items", ([1.0, -0.5, 2.0], 0.4, 1.5)),
    Case("four items", ([0.3, 1.1, -0.8, 0.6], -0.9, 2.5)),
)
