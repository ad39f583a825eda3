"""The mean of what lies near, with fewer readings at the edges."""

import numpy as np

from attnlib.exercises import Case
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


def _picked(place):
    """A moving average of x[place(j, n)] for the j of each window, without those that are None."""

    def average(x, width):
        h, n = width // 2, len(x)
        windows = [[place(j, n) for j in range(t - h, t + h + 1)] for t in range(n)]
        return np.array([_mean(x[[j for j in w if j is not None]]) for w in windows])

    return average


def _table(inside, axis=1):
    """A moving average by a table of weights, true where inside(t - j, h, x_t - x_j) says so."""

    def average(x, width):
        t = np.arange(len(x))
        table = inside(t[:, None] - t, width // 2, x[:, None] - x)
        return table / table.sum(axis=axis, keepdims=True) @ x

    return average


def _weights(x, width):
    t = np.arange(len(x))
    table = np.abs(t[:, None] - t) <= width // 2
    return table / table.sum(axis=1, keepdims=True)


def _continued(mode):
    """A moving average of the signal continued on both sides, as np.pad does it."""

    def average(x, width):
        long = np.pad(x, width // 2, mode=mode)
        return np.array([long[t : t + width].mean() for t in range(len(x))])

    return average


def _filled(fill, first=_half, last=_half):
    """Outputs from first(h) on, last(h) fewer at the end; the others are fill(x)."""

    def average(x, width):
        y, h = fill(x), width // 2
        inner = slice(first(h), len(x) - last(h))
        y[inner] = moving_average(x, width)[inner]
        return y

    return average


def _in_place(x, width):
    y = x.copy()
    for t in range(len(x)):
        y[t] = y[max(t - width // 2, 0) : t + width // 2 + 1].mean()
    return y


_without_self = _table(lambda gap, h, _: (np.abs(gap) <= h) & (gap != 0))


def _symmetric(x, width):
    reach = [min(width // 2, t, len(x) - 1 - t) for t in range(len(x))]
    return np.array([x[t - r : t + r + 1].mean() for t, r in enumerate(reach)])


def _slid(x, width):
    starts = [min(max(t - width // 2, 0), len(x) - width) for t in range(len(x))]
    return np.array([x[s : s + width].mean() for s in starts])


def _right_at_one_end(count):
    """The right sums, divided by count(t, h, n)."""

    def average(x, width):
        h, n = width // 2, len(x)
        sums = [x[max(t - h, 0) : t + h + 1].sum() / count(t, h, n) for t in range(n)]
        return np.array(sums)

    return average


CASES = (
    Case("a width of 1", (np.array([2.0, 5.0, 3.0]), 1)),
    Case("a constant signal", (np.array([2.0, 2.0, 2.0]), 3)),
    Case("a width of 3", (np.array([0.0, 3.0, 9.0, 1.0]), 3)),
    Case("a larger width", (np.array([1.0, 0.0, 4.5, 2.0, 8.1, 5.0, 7.0]), 5)),
    Case("a width beyond the signal", (np.array([1.5, 0.5]), 5), rare=True),
)

PROPERTIES = (
    inside(lambda x, w: x.min(), lambda x, w: x.max(), "the range of its readings"),
    lambda y, x, w: (
        "Averaging equal numbers should give that number back."
        if np.ptp(x) == 0 and not np.allclose(y, x)
        else None
    ),
)
