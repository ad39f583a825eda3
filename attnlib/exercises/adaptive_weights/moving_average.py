"""The mean of what lies near, with fewer elements at the edges."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import inside
from attnlib.exercises.engine.recognising import NEARLY, UNFILLED, nearly, unfilled


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


LAST = (
    "The last element of each window is missing. A slice stops before its end, so the end has to "
    "be one further: print the length of one window in the middle."
)
NEGATIVE = (
    "Near the left edge t - width // 2 is negative, and a negative start counts from the end of "
    "the array: the window is empty or the wrong one. Start at 0 at the least."
)
COPIES = (
    "The signal is continued beyond its ends, so that the elements there count more than once. "
    "Average only those that exist: at an end the window is shorter."
)
WRAPS = (
    "The window runs round from one end to the other: at t = 0 it takes the last element, which "
    "x[-1] gives without complaint. Nothing exists before x[0]; the window is shorter there."
)
NO_ABS = (
    "The window is bounded on one side only: without its absolute value t - j is small for all "
    "elements on the other side too. Print the window of one t in the middle."
)
AFTER = (
    "The window starts at t: it holds nothing that came before. Half of it should lie on either "
    "side of t."
)
IN_LOOP = (
    "A single number comes back, the first output: return stands inside the loop and ends it in "
    "the first round. Move it out, below the loop."
)
ENDS = (
    "Where the window is cut off by an end, nothing is averaged: your outputs there are still what "
    "they were at the start. They are means too, of the elements that exist."
)
ONE_END = (
    "At one end the sum is divided by more elements than the window holds, so the output is too "
    "small there. Count what was summed: try a signal of equal numbers."
)
OUTSIDE = (
    "An element at one end of the signal is in no window, not even in its own: the slice is cut "
    "one place too early. With a width of 1 its window is empty."
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
        Mistake("repeats_the_end", _continued("edge"), COPIES),
        Mistake("mirrors_the_end", _continued("symmetric"), COPIES),
        Mistake("mirrors_about_the_end", _continued("reflect"), COPIES),
        Mistake("wraps", _continued("wrap"), WRAPS),
        Mistake(
            "wraps_on_the_left",
            lambda x, width: np.array(
                [
                    x[[j for j in range(t - width // 2, t + width // 2 + 1) if j < len(x)]].mean()
                    for t in range(len(x))
                ]
            ),
            WRAPS,
        ),
        Mistake(
            "past_the_end",
            lambda x, width: np.array(
                [
                    _mean(np.array([x[j] for j in range(t - width // 2, t + width // 2 + 1)]))
                    for t in range(len(x))
                ]
            ),
            "Near the right end t + width // 2 is past the last element, and x[j] raises an "
            "IndexError. Near the left end a negative j wraps round in silence. Use only the j "
            "from 0 to n - 1.",
        ),
        Mistake(
            "only_whole_windows",
            lambda x, width: np.convolve(x, np.ones(width) / width, mode="valid"),
            "Only windows that fit whole into the signal are averaged, so outputs are missing at "
            "both ends. There should be one for each element.",
        ),
        Mistake(
            "also_from_outside",
            lambda x, width: np.convolve(x, np.ones(width) / width, mode="full"),
            "There are more outputs than elements: the window is also centred beyond both ends. "
            "There should be one output for each element.",
        ),
        Mistake(
            "border_left_out",
            _table(lambda gap, h, _: np.abs(gap) < h),
            "Elements exactly width // 2 places away are left out, on both sides: < stands where "
            "they should be let in. With a width of 1 the window is empty.",
        ),
        Mistake(
            "one_too_far",
            _table(lambda gap, h, _: np.abs(gap) <= h + 1),
            "The window reaches one place too far on either side, so it holds width + 2 elements. "
            "With a width of 1 only x[t] itself should be in it.",
        ),
        Mistake("no_end_on_the_right", _table(lambda gap, h, _: gap <= h), NO_ABS),
        Mistake("no_end_on_the_left", _table(lambda gap, h, _: -gap <= h), NO_ABS),
        Mistake(
            "half_the_past",
            _averages(_half, lambda h: 0),
            "The window ends at t: nothing that follows is in it. Half of it should lie on either "
            "side of t.",
        ),
        Mistake("only_ahead", _averages(lambda h: 0, lambda h: 2 * h), AFTER),
        Mistake("half_ahead", _averages(lambda h: 0, _half), AFTER),
        Mistake(
            "width_ignored",
            _averages(lambda h: 1, lambda h: 1),
            "Each window holds the element and its two neighbours, whatever width is. That is "
            "right for a width of 3 alone.",
        ),
        Mistake(
            "self_left_out",
            _table(lambda gap, h, _: (np.abs(gap) <= h) & (gap != 0)),
            "The element at t itself is left out of its window. It is 0 places away, so it counts "
            "like its neighbours; with a width of 1 it is the only one.",
        ),
        Mistake(
            "near_in_value",
            _table(lambda _, h, gap: np.abs(gap) <= h),
            "You average elements that are alike, by x_t - x_j. Here the places decide: "
            "t - j, whatever stands there.",
        ),
        Mistake(
            "softmax_of_true",
            _table(lambda gap, h, _: np.exp(1.0 * (np.abs(gap) <= h))),
            "Elements outside the window still get weight: exp(0) is 1, not 0. A table of true "
            "and false needs no exp; divide each row by its sum.",
        ),
        Mistake(
            "wrong_axis",
            _table(lambda gap, h, _: np.abs(gap) <= h, axis=0),
            "The table is divided by the sums of its columns, or by row sums that lie along the "
            "columns. Print weights.sum(axis=1) of your matrix: each row should sum to 1.",
        ),
        Mistake(
            "whole_table",
            _table(lambda gap, h, _: np.abs(gap) <= h, axis=None),
            "The table is divided by the sum of all its entries. Each row holds the weights of one "
            "output, so each row should sum to 1 by itself.",
        ),
        Mistake(
            "returns_weights",
            _weights,
            "This is the matrix of weights, (n, n). A step is missing: each row weighs the "
            "elements of x, and their sum is one output.",
        ),
        Mistake(
            "not_summed",
            lambda x, width: _weights(x, width) * x,
            "Every weight meets its element, but * leaves a table of products, (n, n). Each row "
            "still has to be summed.",
        ),
        Mistake(
            "ends_untouched",
            _filled(np.copy),
            ENDS,
            unfilled(moving_average, start=lambda x, width: x),
        ),
        Mistake("ends_nan", _filled(lambda x: np.full(len(x), np.nan)), ENDS),
        Mistake("ends_unfilled", _filled(np.zeros_like), UNFILLED, unfilled(moving_average)),
        Mistake("returns_in_loop", lambda x, width: moving_average(x, width)[0], IN_LOOP),
        Mistake(
            "last_output_missing",
            lambda x, width: moving_average(x, width)[:-1],
            "One output is missing: the loop stops before the last element. range(n) already ends "
            "at n - 1.",
        ),
        Mistake(
            "reads_its_own_outputs",
            _in_place,
            "Outputs are averaged again: x is overwritten while later windows still need the old "
            "elements. Write the means into another array.",
        ),
        Mistake(
            "stays_symmetric",
            _symmetric,
            "Near an end you shorten the window on both sides, to keep t in the middle. Only what "
            "does not exist is left out: the other side keeps all its elements.",
        ),
        Mistake(
            "slides_inwards",
            _slid,
            "Near an end the window is moved inwards so that it stays full, and reaches elements "
            "more than width // 2 away from t. It should stay in place and be shorter.",
        ),
        Mistake(
            "count_too_large_right",
            _right_at_one_end(lambda t, h, n: t + h + 1 - max(t - h, 0)),
            ONE_END,
        ),
        Mistake(
            "count_too_large_left",
            _right_at_one_end(lambda t, h, n: min(t + h + 1, n) - t + h),
            ONE_END,
        ),
        Mistake("first_in_no_window", _averages(_half, _half, first=1), OUTSIDE),
        Mistake(
            "last_in_no_window",
            lambda x, width: np.array(
                [
                    _mean(x[max(t - width // 2, 0) : min(t + width // 2 + 1, len(x) - 1)])
                    for t in range(len(x))
                ]
            ),
            OUTSIDE,
        ),
        Mistake(
            "mean_of_all",
            lambda x, width: np.full(len(x), x.mean()),
            "Every output is the mean of the whole signal: width has no influence. Only elements "
            "at most width // 2 places from t belong to the window.",
        ),
        Mistake(
            "whole_numbers",
            lambda x, width: moving_average(x, width).astype(int),
            "The decimals are cut off: the outputs are stored as whole numbers, as in an array "
            "made with dtype=int. A mean of whole numbers need not be one.",
        ),
        Mistake(
            "rounded",
            lambda x, width: moving_average(x, width).round(2),
            NEARLY,
            nearly(moving_average),
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
