"""A rate that warms up in a line and falls like a cosine."""

import math

from attnlib.exercises import Case


def rate_at(step, steps, warm_up, peak):
    """A line up to the peak, then half a wave down."""
    if step < warm_up:
        return peak * (step + 1) / warm_up
    return peak * (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up))) / 2


CASES = (
    Case("the first step", (0, 50, 5, 0.8)),
    Case("within the warm-up", (3, 90, 8, 0.3)),
    Case("the last step of the warm-up", (5, 40, 6, 0.02)),
    Case("the first step of the fall", (7, 70, 7, 0.6)),
    Case("after the warm-up", (33, 60, 12, 2.0)),
    Case("after the warm-up", (80, 120, 20, 0.01)),
    Case("the last step", (29, 30, 4, 3.0)),
    Case("no warm-up", (6, 25, 0, 0.5)),
)
