"""The mean of what lies near, with fewer elements at the edges."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import inside


def _mean(window):
    return window.sum() / np.float64(len(window))  # of nothing: NaN, as np.mean gives


def _python_mean(window):
    return sum(window) / len(window)  # of nothing: ZeroDivisionError


def _averages(before, after, mean=_mean, first=0):
    """A moving average that reaches before(h) back and after(h) ahead, h being width // 2."""

    def average(x, width):
        back, ahead = before(width // 2), after(width // 2)
        windows = [x[max(first, t - back) : t + ahead + 1] for t in range(len(x))]
        return np.array([mean(w) for w in windows])

    return average


def _half(h):
    return h


moving_average = _averages(_half, _half)


def _around(mean_of_width):
    """A moving average over the right windows with another mean."""
    return lambda x, width: _averages(_half, _half, mean_of_width(width))(x, width)


LAST = (
    "The last element of each window is missing. A slice stops before its end, so the end has to "
    "be one further: print the length of one window in the middle."
)
NEGATIVE = (
    "Near the left edge t - width // 2 is negative, and a negative start counts from the end of "
    "the array: the window is empty or the wrong one. Start at 0 at the least."
)


EXERCISE = Exercise(
    signature="moving_average(x, width)",
    task="Write moving_average(x, width): at each t, the mean of the elements at most "
    "width // 2 places away that exist.",
    returns="an array of shape (n,)",
    reference=moving_average,
    cases=(
        Case("a width of 1", (np.array([2.0, 5.0, 3.0]), 1)),
        Case("a constant signal", (np.array([2.0, 2.0, 2.0]), 3)),
        Case("a width of 3", (np.array([0.0, 3.0, 9.0, 1.0]), 3)),
        Case("a larger width", (np.array([1.0, 0.0, 4.0, 2.0, 8.0, 5.0, 7.0]), 5)),
    ),
    mistakes=(
        Mistake(
            "divides_by_width",
            _around(lambda width: lambda w: w.sum() / width),
            "At the edges the sum is divided by width although fewer elements are there. The "
            "first and last outputs are pulled towards 0: try a signal of equal numbers.",
        ),
        Mistake(
            "reaches_too_far",
            _averages(lambda h: 2 * h + 1, lambda h: 2 * h + 1),
            "The window reaches width places to each side, so it holds 2 · width + 1 elements. "
            "Count them: width is the whole window, width // 2 what lies on one side.",
        ),
        Mistake(
            "only_past",
            _averages(lambda h: 2 * h, lambda h: 0),
            "The window ends at t: it holds the last width elements, none that follow. Where the "
            "signal jumps up, your output rises after the jump instead of around it.",
        ),
        Mistake("last_left_out", _averages(_half, lambda h: h - 1), LAST),
        Mistake("last_left_out_in_python", _averages(_half, lambda h: h - 1, _python_mean), LAST),
        Mistake("negative_start", _averages(_half, _half, first=-99), NEGATIVE),
        Mistake("negative_start_in_python", _averages(_half, _half, _python_mean, -99), NEGATIVE),
        Mistake(
            "sum",
            _around(lambda width: np.sum),
            "These are sums, not means: the division is missing. A signal of equal numbers "
            "should come back unchanged.",
        ),
    ),
    properties=(
        inside(lambda x, w: x.min(), lambda x, w: x.max(), "the range of its elements"),
        lambda y, x, w: (
            "Averaging equal numbers should give that number back."
            if np.ptp(x) == 0 and not np.allclose(y, x)
            else None
        ),
    ),
    definition="Each output should be the mean of the elements at most width // 2 places away, "
    "and of those alone; the input is short enough to do one t by hand.",
    general="The means are not those of the windows asked for. Take one t, print the elements "
    "in your window and what you divide their sum by.",
    why="The same weights serve at every moment, whatever the signal does: that is why a moving "
    "average blurs an edge.",
)
