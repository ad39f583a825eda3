"""Counts after one context, mixed with the chances that a shorter one gives."""

import numpy as np

from attnlib.exercises import Case


def witten_bell(counts, shorter):
    """Counts, and T more that are shared out as the shorter context says."""
    N, T = counts.sum(), (counts > 0).sum()
    if N == 0:
        return shorter
    return (counts + T * shorter) / (N + T)


CASES = (
    Case("two characters", ([3.0, 0.0], [0.2, 0.8])),
    Case("four characters", ([6.0, 1.0, 0.0, 1.0], [0.1, 0.25, 0.35, 0.3])),
    Case("characters that have all been counted", ([5.0, 2.0, 2.0], [0.6, 0.3, 0.1])),
    Case("five characters", ([0.0, 9.0, 1.0, 0.0, 2.0], [0.3, 0.1, 0.05, 0.4, 0.15])),
    Case(
        "counts that are integers",
        (np.array([4, 1, 0, 2, 2, 0]), [0.05, 0.1, 0.25, 0.3, 0.2, 0.1]),
    ),
    Case("a context that was never seen", ([0.0, 0.0, 0.0], [0.2, 0.3, 0.5]), rare=True),
)
