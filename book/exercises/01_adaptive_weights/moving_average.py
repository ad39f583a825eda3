"""The mean of what lies near, with fewer readings at the edges."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.properties import inside

from .kernel_weights import shares


def moving_average(x, width):
    """The mean of each window, of as much of it as there is."""
    return means(x, width // 2, width // 2)


CASES = (
    Case("a width of 1", ([2.0, 5.0, 3.0], 1)),
    Case("a constant signal", ([2.0, 2.0, 2.0], 3)),
    Case("a width of 3", ([0.0, 3.0, 9.0, 1.0], 3)),
    Case("a larger width", ([1.0, 0.0, 4.5, -2.0, 8.1, 5.0, 7.0], 5)),
    Case("whole numbers", ([3, 1, 1], 3), rare=True),
    Case("a width beyond the signal", ([1.5, 0.5], 5), rare=True),
)

PROPERTIES = (
    inside(lambda x, w: x.min(), lambda x, w: x.max(), "the range of its readings"),
    lambda y, x, w: (
        "Averaging equal numbers should give that number back."
        if np.ptp(x) == 0 and not np.allclose(y, x)
        else None
    ),
)


def mean_of(window):
    return window.sum() / np.float64(len(window))  # of nothing: NaN, as np.mean gives


def python_mean(window):
    return sum(window) / len(window)  # of nothing: ZeroDivisionError


def means(x, before, after, mean=mean_of, first=0):
    """The means of windows that reach so far back and ahead, none from before ``first``."""
    return np.array([mean(x[max(first, t - before) : t + after + 1]) for t in range(len(x))])


def padded(x, width, mode):
    """A moving average of the signal continued on both sides, as np.pad does it."""
    long = np.pad(x, width // 2, mode=mode)
    return np.array([long[t : t + width].mean() for t in range(len(x))])


def overwritten(x, h):
    """A moving average that writes each output over its reading."""
    y = x.copy()
    for t in range(len(x)):
        y[t] = y[max(t - h, 0) : t + h + 1].mean()
    return y
