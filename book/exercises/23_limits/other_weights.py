"""Other weights with the same output."""

import numpy as np

VALUES = np.array([[0.0, 0], [4, 0], [0, 4], [4, 4]])
GIVEN = np.array([0.4, 0.3, 0.2, 0.1])

weights = np.array([0.45, 0.25, 0.15, 0.15])


def judge(weights):
    """None if these are other weights with the output of those given, else why not."""
    if not np.isclose(weights.sum(), 1, atol=1e-6):
        return SUM
    first, second = np.isclose(weights @ VALUES, GIVEN @ VALUES, atol=1e-6)
    if not (first and second):
        return SECOND if first else FIRST if second else BOTH
    if (weights < -1e-9).any():
        return NEGATIVE
    moved = abs(weights - GIVEN).max()
    if moved > 0.05 - 1e-9:
        return None
    return SHORT if moved > 1e-6 else SAME


SUM = "Your weights do not sum to 1. What some lose, the others have to get."
FIRST = (
    "The first component of the output has changed, the second has not. It is 4 times the second "
    "and the fourth weight together."
)
SECOND = (
    "The second component of the output has changed, the first has not. It is 4 times the third "
    "and the fourth weight together."
)
BOTH = (
    "Both components of the output have changed. Look for a change that leaves the second and the "
    "fourth weight together as they are, and the third and the fourth."
)
NEGATIVE = (
    "One of your weights is negative. The output is right, but softmax never gives such weights."
)
SHORT = "You move in the right direction, but no weight by 0.05. Go further."
SAME = (
    "These are the given weights. Move at least one of them by 0.05 or more, and let the others "
    "make up for it."
)
