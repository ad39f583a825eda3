"""Chances at a temperature, over the k largest logits."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def next_chances(logits, temperature, k):
    """Softmax over what is kept."""
    kept = logits >= np.sort(logits)[-k]
    return softmax(np.where(kept, logits, -np.inf) / temperature)


def bare(z):
    """Softmax that does not take off the largest."""
    e = np.exp(z)
    return e / e.sum()


CASES = (
    Case("three logits", ([2.0, -0.75, 0.5], 2.0, 2)),
    Case("low temperatures", ([0.4, 1.7, -0.3, 2.6, 1.1], 0.5, 3)),
    Case("high temperatures", ([-1.2, 3.1, -4.6, 0.7, 2.2, 1.3], 1.5, 4)),
    Case("negative logits", ([-2.1, -0.8, -3.4, -1.9, -5.0, -0.2, -4.3], 0.8, 2)),
    Case("equal logits", ([2.3, 0.6, 2.3, -0.4, 1.2], 1.25, 3)),
    Case("chances that are small", ([0.9, 15.0, 0.2, -1.0, -1.3], 1.0, 3)),
    Case("all kept", ([1.6, -0.9, 0.2, 2.3], 3.0, 4), rare=True),
    Case("one kept", ([0.3, 1.4, -2.2, 1.2, 0.9], 2.5, 1), rare=True),
    Case("a temperature near 0", ([5.002, 3.0, 5.0, 4.1], 0.002, 3), rare=True),
)


def sums_to_1(chances, logits, temperature, k):
    if not np.isclose(chances.sum(), 1):
        return f"The chances should sum to 1; these sum to {chances.sum():.4g}."


def k_are_left(chances, logits, temperature, k):
    if (n := (chances > 0).sum()) > k:
        return f"{n} chances are above 0, and k is {k}."


PROPERTIES = (sums_to_1, k_are_left)
