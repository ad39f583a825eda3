"""The mean of what lies near, with fewer readings at the edges."""

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


TOO_FAR = (
    "The window reaches width positions to each side, or width - 1, so it holds about twice as "
    "many readings as it should. width is the whole window, width // 2 what lies on one side."
)
LAST = (
    "The last reading of each window is missing. A slice stops before its end, so the end has to "
    "be one further: print the length of one window in the middle."
)
LOPSIDED = (
    "The window is not centred on t: it reaches further on one side than on the other. Print the "
    "positions in one window in the middle: as many should come before t as after it."
)
NEGATIVE = (
    "Near the left edge t - width // 2 is negative, and a negative start counts from the end of "
    "the array: the window is empty or the wrong one. No start should be below 0."
)
COPIES = (
    "The signal is continued beyond its ends, so that the readings there count more than once. "
    "Average only those that exist: at an end the window is shorter."
)
WRAPS = (
    "The window runs round from one end to the other: at t = 0 it takes the last reading, which "
    "x[-1] gives without complaint. Nothing exists before x[0]; the window is shorter there."
)
NO_ABS = (
    "The window is bounded on one side only: without abs, t - j is negative, hence small enough, "
    "for every reading on the other side. Print the window of one t in the middle."
)
BEFORE = (
    "The window ends at t: nothing that follows is in it. Where the signal jumps up, your output "
    "rises after the jump. One half of the window should lie on each side of t."
)
AFTER = (
    "The window starts at t: it holds nothing that came before. One half of it should lie on each "
    "side of t."
)
SELF = (
    "The reading at t itself is left out of its window. It is 0 positions away, so it counts like "
    "its neighbours; with a width of 1 it is the only one."
)
ONE_END = (
    "At one end the sum is divided by more readings than the window holds, so the output is too "
    "small there. Count what was summed: try a signal of equal numbers."
)
OUTSIDE = (
    "A reading at one end of the signal is in no window, not even in its own: the slice is cut one "
    "position too early. With a width of 1 its window is empty."
)

EXERCISE = Exercise(
    signature="moving_average(x, width)",
    task="Write moving_average(x, width): at each position t, the mean of the readings at most "
    "width // 2 positions away that exist.",
    returns="an array of shape (n,)",
    reference=moving_average,
    cases=(
        Case("a width of 1", (np.array([2.0, 5.0, 3.0]), 1)),
        Case("a constant signal", (np.array([2.0, 2.0, 2.0]), 3)),
        Case("a width of 3", (np.array([0.0, 3.0, 9.0, 1.0]), 3)),
        Case("a larger width", (np.array([1.0, 0.0, 4.5, 2.0, 8.1, 5.0, 7.0]), 5)),
        Case("a width beyond the signal", (np.array([1.5, 0.5]), 5), rare=True),
    ),
    mistakes=(
        Mistake(
            "divides_by_width",
            _around(lambda width: lambda w: w.sum() / width),
            "At the edges the sum is divided by width although fewer readings are there. The "
            "first and last outputs are pulled towards 0: try a signal of equal numbers.",
        ),
        Mistake("reaches_too_far", _averages(lambda h: 2 * h + 1, lambda h: 2 * h + 1), TOO_FAR),
        Mistake("reaches_nearly_so_far", _averages(lambda h: 2 * h, lambda h: 2 * h), TOO_FAR),
        Mistake("only_past", _averages(lambda h: 2 * h, lambda h: 0), BEFORE),
        Mistake("last_left_out", _averages(_half, lambda h: h - 1), LAST),
        Mistake("last_left_out_in_python", _averages(_half, lambda h: h - 1, _python_mean), LAST),
        Mistake("one_further_back", _averages(lambda h: h + 1, _half), LOPSIDED),
        Mistake("one_further_ahead", _averages(_half, lambda h: h + 1), LOPSIDED),
        Mistake("shifted_back", _averages(lambda h: h + 1, lambda h: h - 1), LOPSIDED),
        Mistake("shifted_ahead", _averages(lambda h: h - 1, lambda h: h + 1), LOPSIDED),
        Mistake(
            "first_left_out",
            _averages(_half, _half, lambda w: w[1:].sum() / len(w)),
            "The first reading of each window is counted but not summed. If you subtract running "
            "sums, take the one just before the window begins, which is 0 at x[0].",
        ),
        Mistake("negative_start", _averages(_half, _half, first=-99), NEGATIVE),
        Mistake("negative_start_in_python", _averages(_half, _half, _python_mean, -99), NEGATIVE),
        Mistake(
            "sum",
            _around(lambda width: np.sum),
            "These are sums, not means: the division is missing. A signal of equal numbers "
            "should come back unchanged.",
        ),
        Mistake(
            "divided_by_n",
            _right_at_one_end(lambda t, h, n: n),
            "Each sum is divided by the length of the signal, as a mean of products does where 0 "
            "stands for what is outside. Divide by how many readings the window holds.",
        ),
        Mistake("repeats_the_end", _continued("edge"), COPIES),
        Mistake("mirrors_the_end", _continued("symmetric"), COPIES),
        Mistake("mirrors_about_the_end", _continued("reflect"), COPIES),
        Mistake("wraps", _continued("wrap"), WRAPS),
        Mistake("wraps_on_the_left", _picked(lambda j, n: j if j < n else None), WRAPS),
        Mistake("wraps_and_repeats", _picked(lambda j, n: min(j, n - 1)), WRAPS),
        Mistake(
            "past_the_end",
            _picked(lambda j, n: j),
            "Near the right end t + width // 2 is past the last reading, and x[j] raises an "
            "IndexError. Near the left end a negative j wraps round in silence. Use only the j "
            "from 0 to n - 1.",
        ),
        Mistake(
            "only_whole_windows",
            lambda x, width: np.convolve(x, np.ones(width) / width, mode="valid"),
            "Only windows that fit whole into the signal are averaged, so outputs are missing at "
            "both ends. There should be one for each reading.",
        ),
        Mistake(
            "also_from_outside",
            lambda x, width: np.convolve(x, np.ones(width) / width, mode="full"),
            "There are more outputs than readings: the window is also centred beyond both ends. "
            "There should be one output for each reading.",
        ),
        Mistake(
            "border_left_out",
            _table(lambda gap, h, _: np.abs(gap) < h),
            "Readings exactly width // 2 positions away are left out, on both sides: < stands "
            "where they should be let in. With a width of 1 the window is empty.",
        ),
        Mistake(
            "one_too_far",
            _table(lambda gap, h, _: np.abs(gap) <= h + 1),
            "The window reaches one position too far on each side: it holds width + 2 readings. "
            "With a width of 1 only x[t] itself should be in it.",
        ),
        Mistake("no_end_on_the_right", _table(lambda gap, h, _: gap <= h), NO_ABS),
        Mistake("no_end_on_the_left", _table(lambda gap, h, _: -gap <= h), NO_ABS),
        Mistake("half_the_past", _averages(_half, lambda h: 0), BEFORE),
        Mistake("only_ahead", _averages(lambda h: 0, lambda h: 2 * h), AFTER),
        Mistake("half_ahead", _averages(lambda h: 0, _half), AFTER),
        Mistake(
            "width_ignored",
            _averages(lambda h: 1, lambda h: 1),
            "Each window holds x[t] and its two neighbours, whatever width is. That is "
            "right for a width of 3 alone.",
        ),
        Mistake("self_left_out", _without_self, SELF),
        Mistake("self_left_out_else_0", lambda *given: np.nan_to_num(_without_self(*given)), SELF),
        Mistake(
            "near_in_value",
            _table(lambda _, h, gap: np.abs(gap) <= h),
            "You average readings that are alike, by x_t - x_j. Here the positions decide: "
            "t - j, whatever the levels there.",
        ),
        Mistake(
            "softmax_of_true",
            _table(lambda gap, h, _: np.exp(1.0 * (np.abs(gap) <= h))),
            "Readings outside the window still get weight: exp(0) is 1, not 0. A table of true "
            "and false needs no exp; divide each row by its sum.",
        ),
        Mistake(
            "wrong_axis",
            _table(lambda gap, h, _: np.abs(gap) <= h, axis=0),
            "Rows and columns are mixed up. Print weights.sum(axis=1). If that is not all ones, "
            "each row needs its own sum: axis=1 with keepdims=True. If it is, the product is the "
            "wrong way round: each output is a row times x.",
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
            "readings, and their sum is one output.",
        ),
        Mistake(
            "not_summed",
            lambda x, width: _weights(x, width) * x,
            "Every weight meets its reading, but * leaves a table of products, (n, n). Each row "
            "still has to be summed.",
        ),
        Mistake(
            "ends_nan",
            _filled(lambda x: np.full(len(x), np.nan)),
            "Where an end cuts the window off, NaN comes back: either nothing is averaged there, "
            "or the signal is padded with NaN. These outputs are means too, of what exists.",
        ),
        Mistake(
            "reads_its_own_outputs",
            _in_place,
            "Outputs are averaged again: they are written over the readings, in x or in a copy of "
            "it, while later windows still need those. Write them into another array.",
        ),
        Mistake(
            "stays_symmetric",
            _symmetric,
            "Near an end you shorten the window on both sides, to keep t in the middle. Only what "
            "does not exist is left out: the other side keeps all its readings.",
        ),
        Mistake(
            "slides_inwards",
            _slid,
            "Near an end the window is moved inwards so that it stays full, and reaches readings "
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
            _picked(lambda j, n: j if 0 <= j < n - 1 else None),
            OUTSIDE,
        ),
        Mistake(
            "mean_of_all",
            lambda x, width: np.full(len(x), x.mean()),
            "Every output is the mean of the whole signal: width has no influence. Only readings "
            "at most width // 2 positions from t belong to the window.",
        ),
    ),
    properties=(
        inside(lambda x, w: x.min(), lambda x, w: x.max(), "the range of its readings"),
        lambda y, x, w: (
            "Averaging equal numbers should give that number back."
            if np.ptp(x) == 0 and not np.allclose(y, x)
            else None
        ),
    ),
    definition="Each output should be the mean of the readings at most width // 2 positions away, "
    "and of those alone; the input is short enough to do one t by hand.",
    general="The means are not those of the windows asked for. Take one t, print the readings "
    "in your window and what you divide their sum by.",
    why="The same weights serve at every moment, whatever the signal does: that is why a moving "
    "average blurs an edge.",
)
