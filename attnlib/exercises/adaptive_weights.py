"""Exercises of chapter 1: fixed weights, and weights that depend on the data."""

import numpy as np

from .exercise import Case, Exercise, Mistake
from .properties import inside, not_negative, sums_to_one


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


MOVING_AVERAGE = Exercise(
    name="adaptive_weights.moving_average",
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


def _kernel(exponent, *, keep_self=True, normalize=True):
    """kernel_weights with another exponent(Δ, h), Δ being x_t - x_j."""

    def weights(x, t, bandwidth):
        raw = np.exp(exponent(x[t] - x, bandwidth))
        if not keep_self:
            raw[t] = 0.0
        return raw / raw.sum() if normalize else raw

    return weights


def _gauss(gap, h):
    return -(gap**2) / (2 * h**2)


kernel_weights = _kernel(_gauss)


def _by_position(x, t, bandwidth):
    return kernel_weights(np.arange(len(x), dtype=float), t, bandwidth)


KERNEL_WEIGHTS = Exercise(
    name="adaptive_weights.kernel_weights",
    signature="kernel_weights(x, t, bandwidth)",
    task="Write kernel_weights(x, t, bandwidth): one weight for each element, proportional to "
    "exp(-(x_t - x_j)² / (2 · bandwidth²)).",
    returns="an array of shape (n,)",
    reference=kernel_weights,
    cases=(
        Case("a bandwidth of 1", (np.array([0.0, 0.5, 2.0]), 0, 1.0)),
        Case("a bandwidth other than 1", (np.array([0.0, 0.5, 2.0]), 0, 2.0)),
        Case("a moment inside the signal", (np.array([2.0, 2.5, 0.0, 2.0, 1.5]), 3, 0.5)),
    ),
    mistakes=(
        Mistake(
            "not_normalised",
            _kernel(_gauss, normalize=False),
            "The weights are left as they come out of exp, so they do not sum to 1. Print "
            "weights.sum(), then divide by it.",
        ),
        Mistake(
            "no_square",
            _kernel(lambda gap, h: -abs(gap) / (2 * h**2)),
            "The distance is not squared: you use |x_t - x_j|. Compare two elements, one twice "
            "as far from x_t as the other: the exponents should differ by a factor of 4.",
        ),
        Mistake(
            "sign_lost",
            _kernel(lambda gap, h: gap**2 / (2 * h**2)),
            "The minus sign in the exponent is lost, so elements far from x_t weigh more than "
            "near ones. The largest weight should be the one of x_t itself.",
        ),
        Mistake(
            "bandwidth_not_squared",
            _kernel(lambda gap, h: -(gap**2) / (2 * h)),
            "The bandwidth enters without its square. With a bandwidth of 1 that is invisible: "
            "try another one.",
        ),
        Mistake(
            "brackets_missing",
            _kernel(lambda gap, h: -(gap**2) / 2 * h**2),
            "Brackets are missing: / 2 * h**2 divides by 2 and then multiplies by h², so a larger "
            "bandwidth gives narrower weights. Put the whole divisor, 2 * h**2, in brackets.",
        ),
        Mistake(
            "no_half",
            _kernel(lambda gap, h: -(gap**2) / h**2),
            "The factor 2 under the squared distance is missing, so the weights fall off too "
            "fast. At a distance of one bandwidth, exp should see -1/2.",
        ),
        Mistake(
            "self_left_out",
            _kernel(_gauss, keep_self=False),
            "The element at t itself gets weight 0. It is at distance 0 and counts like any "
            "other, with the largest weight of all.",
        ),
        Mistake(
            "positions",
            _by_position,
            "The weights compare places, t - j, instead of values, x_t - x_j. Change one value "
            "of x: your weights stay as they were.",
        ),
    ),
    properties=(
        not_negative,
        sums_to_one,
        lambda w, x, t, h: (
            "No element is nearer to x_t than x_t itself, so no weight should exceed weights[t]."
            if (w > w[t] + 1e-9).any()
            else None
        ),
    ),
    definition="The ratio of two weights should be exp of the difference of their exponents, "
    "and the exponent of element j is -(x_t - x_j)² / (2 · bandwidth²).",
    general="The weights do not follow the formula. Compute the exponent of one element by hand "
    "and print yours next to it.",
    why="Elements that resemble x_t get the weight, wherever they stand: the weights now depend "
    "on the data.",
)


def _over_rows(raw):
    return raw.sum(axis=1, keepdims=True)


def _filter(exponent=_gauss, total=_over_rows, of=lambda x: x, times=lambda w, x: w @ x):
    """adaptive_filter with another exponent, divisor, distance or last step."""

    def outputs(x, bandwidth):
        gaps = of(x)[:, None] - of(x)[None, :]
        raw = np.exp(exponent(gaps, bandwidth))
        return times(raw / total(raw), x)

    return outputs


adaptive_filter = _filter()

ADAPTIVE_FILTER = Exercise(
    name="adaptive_weights.adaptive_filter",
    signature="adaptive_filter(x, bandwidth)",
    task="Write adaptive_filter(x, bandwidth): at each t, the sum of all elements with the "
    "kernel weights of x_t.",
    returns="an array of shape (n,)",
    reference=adaptive_filter,
    cases=(
        Case("a bandwidth of 1", (np.array([0.0, 1.0, 3.0]), 1.0)),
        Case("a bandwidth other than 1", (np.array([0.0, 1.0, 3.0]), 0.5)),
        Case("a longer signal", (np.array([0.2, -0.1, 0.1, 2.1, 1.8, 2.0, 0.3]), 0.7)),
    ),
    mistakes=(
        Mistake(
            "wrong_axis",
            _filter(total=lambda raw: raw.sum(axis=0)),
            "The weights are normalised over the wrong axis: for each element x_j instead of for "
            "each output t. In the matrix that multiplies x, every row should sum to 1.",
        ),
        Mistake(
            "positions",
            _filter(of=lambda x: np.arange(len(x), dtype=float)),
            "The weights compare places, t - j, instead of values, x_t - x_j. They are then the "
            "same for every signal, as in a moving average.",
        ),
        Mistake(
            "not_normalised",
            _filter(total=lambda raw: 1.0),
            "The weights are not normalised: each output is a sum, not a mean. Divide by the sum "
            "of the weights of that output.",
        ),
        Mistake(
            "whole_table",
            _filter(total=np.sum),
            "The weights are divided by the sum of the whole table, so all n² of them together sum "
            "to 1. Each row holds the weights of one output: every row should sum to 1.",
        ),
        Mistake(
            "returns_weights",
            _filter(times=lambda w, x: w),
            "This is the matrix of weights, (n, n). The last step is missing: multiply it by x "
            "to have one number for each moment.",
        ),
        Mistake(
            "bandwidth_not_squared",
            _filter(lambda gap, h: -(gap**2) / (2 * h)),
            "The bandwidth enters without its square. With a bandwidth of 1 that is invisible: "
            "try another one.",
        ),
        Mistake(
            "brackets_missing",
            _filter(lambda gap, h: -(gap**2) / 2 * h**2),
            "Brackets are missing: / 2 * h**2 divides by 2 and then multiplies by h², so a larger "
            "bandwidth gives narrower weights. Put the whole divisor, 2 * h**2, in brackets.",
        ),
    ),
    properties=(inside(lambda x, h: x.min(), lambda x, h: x.max(), "the range of x"),),
    definition="Output t should be the sum over j of weight (t, j) times x_j, with the weights "
    "of kernel_weights(x, t, bandwidth).",
    general="The outputs are not the weighted means. Compute one of them as "
    "kernel_weights(x, t, bandwidth) @ x and compare it with yours.",
    why="This is a filter whose weights come from the values: each reading asks, is compared and "
    "is summed, so query, key and value are the same reading, and an edge stays an edge.",
)

EXERCISES = (MOVING_AVERAGE, KERNEL_WEIGHTS, ADAPTIVE_FILTER)
