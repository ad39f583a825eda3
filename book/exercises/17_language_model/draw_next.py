"""Draw the next character at a temperature."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def draw_next(logits, temperature, u):
    """How many of the running sums of chances are not larger than u."""
    p = softmax(logits / temperature)
    return int((np.cumsum(p) <= u).sum())


# But for the rare ones, some chance is larger than u: whoever forgets to add them up finds one.
CASES = (
    Case("temperature 1", ([0.0, -0.7, 1.0], 1.0, 0.3)),
    Case("low temperatures", ([-1.3, -0.6, 1.3, 1.5, -0.4], 0.5, 0.55)),
    Case("low temperatures", ([0.7, 1.4, -0.7, 1.7], 0.4, 0.2)),
    Case("high temperatures", ([2.2, 0.2, 1.5, 6.8, 0.9], 2.0, 0.2)),
    Case("high temperatures", ([1.2, -1.6, 2.6, -0.9], 2.5, 0.35)),
    Case("high temperatures", ([1.2, -1.5, -3.4, 2.1, -1.1, -4.0], 3.0, 0.3)),
    Case("high temperatures", ([2.9, -2.1, 0.5, 0.2], 5.0, 0.35)),
    Case("a sum equal to u", ([0.0, 0.0, 0.0, 0.0], 2.0, 0.5), rare=True),
    Case("a draw of 0", ([-0.8, 0.4, 1.1, 0.3], 0.8, 0.0), rare=True),
    Case("a temperature near 0", ([1.0, 3.0, 2.5], 0.001, 0.5), rare=True),
    Case("the last character", ([0.3, 0.9, -0.2, 0.6, 0.1], 1.5, 0.95), rare=True),
)
