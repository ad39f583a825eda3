"""A rate that warms up in a line and falls like a cosine."""

import math

from attnlib.exercises import Case


def rate_at(step, steps, warm_up, peak):
    """A line up to the peak, then half a wave down."""
    if step < warm_up:
        return peak * (step + 1) / warm_up
    return peak * (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up))) / 2


def gaps(came, cases):
    """By how much of the peak the rates are off, in the warm-up and after it."""
    halves = [], []
    for rate, case in zip(came, cases):
        step, _, warm_up, peak = case.args
        halves[step >= warm_up].append(abs(float(rate) - rate_at(*case.args)) / peak)
    return [max(half, default=0) for half in halves]


def only_the_fall(came, cases):
    line, fall = gaps(came, cases)
    return line < 1e-6 and fall > 0.02


def only_the_warm_up(came, cases):
    line, fall = gaps(came, cases)
    return line > 0.02 and fall < 1e-6


CASES = (
    Case("the first step", (0, 50, 5, 0.8)),
    Case("within the warm-up", (6, 11, 8, 3.0)),
    Case("the last step of the warm-up", (5, 40, 6, 0.02)),
    Case("the first step of the fall", (7, 70, 7, 0.6)),
    Case("after the warm-up", (33, 60, 12, 2.0)),
    Case("after the warm-up", (80, 120, 20, 0.01)),
    Case("the last step", (29, 30, 4, 3.0)),
    Case("near the end", (199, 200, 20, 0.5)),
)
