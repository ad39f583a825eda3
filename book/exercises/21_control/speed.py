"""The speed of a pole from a mixture of views."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def speed(theta, weights):
    """The present less the mixture, over the time between them."""
    lag = np.arange(len(theta))[::-1]
    return (theta[-1] - weights @ theta) / (0.02 * (weights @ lag))


def uneven(n, seed):
    """Angles of a pole that does not turn evenly, and weights."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.05, 0.08, n), softmax(rng.normal(size=n))


CASES = (
    Case("all weight on the oldest view", ([0.01, 0.06, 0.03], [1.0, 0.0, 0.0])),
    Case("a view without weight", ([0.02, -0.05, 0.5, 0.04], [0.5, 0.25, 0.0, 0.25])),
    Case("five views with weights", uneven(5, 7)),
    Case("eight views with weights", uneven(8, 2)),
)
