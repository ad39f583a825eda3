"""Those weights at every moment, as one matrix."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import inside
from attnlib.exercises.engine.recognising import NEARLY, UNFILLED, nearly, unfilled

from ._bells import BOX, FACTOR, IGNORED, TWICE, gauss, shares, softmax_of, wrong_exponents


def _over_rows(raw):
    return raw.sum(axis=1, keepdims=True)


def _filter(exponent=gauss, total=_over_rows, of=lambda x: x, times=lambda w, x: w @ x):
    """adaptive_filter with another exponent, divisor, distance or last step."""

    def outputs(x, bandwidth):
        gaps = of(x)[:, None] - of(x)[None, :]
        raw = np.exp(exponent(gaps, bandwidth))
        return times(raw / total(raw), x)

    return outputs


adaptive_filter = _filter()


def _product(divisor):
    """The weights of a softmax of products x_t · x_j / divisor(h)."""

    def outputs(x, bandwidth):
        raw = np.exp(x[:, None] * x / divisor(bandwidth))
        return shares(raw) @ x

    return outputs


def _masked(allowed):
    """The filter in which t sees j only where allowed(t - j, x_t - x_j, h)."""

    def outputs(x, bandwidth):
        t = np.arange(len(x))
        gaps = x[:, None] - x
        raw = np.exp(gauss(gaps, bandwidth)) * allowed(t[:, None] - t, gaps, bandwidth)
        return shares(raw) @ x

    return outputs


def _in_place(x, bandwidth):
    y = x.copy()
    for t in range(len(y)):
        raw = np.exp(gauss(y[t] - y, bandwidth))
        y[t] = raw @ y / raw.sum()
    return y


def _one_factor(power):
    """Recognises the filter with weights exp(-c · Δ² / h^power), one wrong c in all cases."""

    def recognise(values, cases):
        if any(v.shape != c.args[0].shape for v, c in zip(values, cases)):
            return False
        low, high = 1e-3, 1e3
        first = cases[0].args  # its first element is the smallest, so a larger c lowers y[0]
        for _ in range(60):
            middle = (low * high) ** 0.5
            above = _scaled(middle, power)(*first)[0] > values[0][0]
            low, high = (middle, high) if above else (low, middle)
        right = power == 2 and np.isclose(low, 0.5)
        found = [_scaled(low, power)(*c.args) for c in cases]
        return not right and all(np.allclose(v, f) for v, f in zip(values, found))

    return recognise


def _scaled(c, power):
    return _filter(lambda gap, h: -c * gap**2 / h**power)


PRODUCT = (
    "You multiply x_t by x_j. That is large for large elements, not for similar ones: the "
    "outputs lean towards the largest. Take the difference, which is 0 for equal elements."
)
DIFFERENCES = (
    "What is summed are the differences x_t - x_j, so this is what the filter takes away from x. "
    "The weights compare, but the elements themselves, x_j, are summed."
)
ONE_SIDE = (
    "Each output uses the elements on one side of t only. All elements are compared with x_t, "
    "before it and after it."
)

EXERCISE = Exercise(
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
        *wrong_exponents(_filter),
        Mistake(
            "wrong_axis",
            _filter(total=lambda raw: raw.sum(axis=0)),
            "The weights are normalised over the wrong axis: for each element x_j instead of for "
            "each output t. In the matrix that multiplies x, every row should sum to 1.",
        ),
        Mistake(
            "positions",
            _filter(of=lambda x: np.arange(len(x), dtype=float)),
            "The weights compare places, t - j, instead of elements, x_t - x_j. They are then the "
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
            "divided_by_n",
            _filter(total=len),
            "The sums are divided by the number of elements, not by the sum of their weights. In "
            "the matrix that multiplies x, every row should sum to 1.",
        ),
        Mistake(
            "divided_once_more",
            _filter(times=lambda w, x: w @ x / len(x)),
            "The weighted elements are averaged, so they are divided by n once more. The weights "
            "sum to 1 already: take the sum, not the mean.",
        ),
        Mistake(
            "density",
            lambda x, h: np.exp(gauss(x[:, None] - x, h)) @ x / (h * np.sqrt(2 * np.pi)),
            "The bells have the constant of the normal distribution, 1 / (h·√2π), but are not "
            "divided by their sum. In the matrix that multiplies x, every row should sum to 1.",
        ),
        Mistake(
            "keeps_the_sign",
            _filter(lambda gap, h: -gap / (2 * h**2)),
            "The differences are not squared, so they keep their sign, and x_t cancels: all "
            "outputs are the same. Only the distance should count.",
        ),
        Mistake(
            "keeps_the_sign_reversed",
            _filter(lambda gap, h: gap / (2 * h**2)),
            "The differences are not squared and keep their sign, so x_t cancels: all outputs are "
            "the same. Only the distance should count.",
        ),
        Mistake("bandwidth_ignored", _scaled(0.5, 0), IGNORED, _one_factor(power=0)),
        Mistake(
            "wrong_factor",
            _scaled(0.4, 2),
            FACTOR,
            _one_factor(power=2),
        ),
        Mistake("product", _product(lambda h: h**2), PRODUCT),
        Mistake("half_product", _product(lambda h: 2 * h**2), PRODUCT),
        Mistake("plain_product", _product(lambda h: 1.0), PRODUCT),
        Mistake(
            "softmax_of_bells", lambda x, h: softmax_of(np.exp(gauss(x[:, None] - x, h))) @ x, TWICE
        ),
        Mistake(
            "softmax_of_weights",
            lambda x, h: softmax_of(shares(np.exp(gauss(x[:, None] - x, h)))) @ x,
            TWICE,
        ),
        Mistake(
            "no_exp",
            lambda x, h: shares(gauss(x[:, None] - x, h)) @ x,
            "An exp is missing: the exponents themselves are divided by their sum. Then x_t weighs "
            "nothing in its own output and the element farthest from it most.",
        ),
        Mistake(
            "window_of_values",
            lambda x, h: shares(1.0 * (np.abs(x[:, None] - x) <= h)) @ x,
            BOX,
        ),
        Mistake(
            "places_too",
            _masked(lambda gap, _, h: np.exp(gauss(gap, h))),
            "The weights compare places as well as elements. Only the elements decide: a far "
            "one that is like x_t counts as much as a near one.",
        ),
        Mistake(
            "neighbours_only",
            _masked(lambda gap, *_: abs(gap) <= 1),
            "Only x_t and its two neighbours are compared. All elements are, however far away: "
            "how like x_t they are decides what they weigh.",
        ),
        Mistake("only_the_past", _masked(lambda gap, *_: gap >= 0), ONE_SIDE),
        Mistake("only_the_future", _masked(lambda gap, *_: gap <= 0), ONE_SIDE),
        Mistake(
            "self_left_out",
            _masked(lambda gap, *_: gap != 0),
            "The element at t itself is left out of its output. It is at distance 0 and counts "
            "like any other, with the largest weight of all.",
        ),
        Mistake(
            "not_summed",
            _filter(times=lambda w, x: w * x),
            "Every weight meets its element, but * leaves a table of products, (n, n). Each row "
            "still has to be summed.",
        ),
        Mistake(
            "columns_summed",
            _filter(times=lambda w, x: (w * x).sum(axis=0)),
            "The products are summed over the wrong axis: down the columns, where the element "
            "stays the same. Each output is the sum along a row.",
        ),
        Mistake(
            "signal_itself",
            lambda x, h: x.copy(),
            "This is x again. Either nothing is averaged, or every weight of a row multiplies x_t "
            "instead of x_j: their sum is 1, so x_t comes back.",
        ),
        Mistake(
            "sum_of_weights",
            _filter(times=lambda w, x: w.sum(axis=1)),
            "These are the sums of the weights, which are always 1. The elements are missing: "
            "each weight multiplies its x_j before the sum.",
        ),
        Mistake("differences", _filter(times=lambda w, x: x - w @ x), DIFFERENCES),
        Mistake("differences_reversed", _filter(times=lambda w, x: w @ x - x), DIFFERENCES),
        Mistake(
            "one_number",
            _filter(times=lambda w, x: (w @ x).sum()),
            "A single number comes back: the outputs of all moments are added. Sum along each row "
            "only, so that one number is left for each t.",
        ),
        Mistake(
            "returns_in_loop",
            _filter(times=lambda w, x: (w @ x)[0]),
            "A single number comes back, the first output: return stands inside the loop and ends "
            "it in the first round. Move it out, below the loop.",
        ),
        Mistake(
            "last_output_missing",
            _filter(times=lambda w, x: (w @ x)[:-1]),
            "One output is missing: the loop stops before the last element. range(n) already ends "
            "at n - 1.",
        ),
        Mistake(
            "unfilled",
            _filter(times=lambda w, x: (w @ x) * (np.arange(len(x)) < len(x) - 1)),
            UNFILLED,
            unfilled(adaptive_filter),
        ),
        Mistake(
            "overwrites_x",
            _in_place,
            "The argument x is overwritten while later outputs still need it: they compare and sum "
            "outputs. Write the outputs into another array.",
        ),
        Mistake(
            "filtered_twice",
            lambda x, h: adaptive_filter(adaptive_filter(x, h), h),
            "The filter runs twice: its output is filtered again. Compare and sum the elements of "
            "x itself, once.",
        ),
        Mistake(
            "in_bandwidths",
            lambda x, h: adaptive_filter(x, h) / h,
            "What is summed is x / bandwidth, so the outputs are in units of the bandwidth. "
            "Divide for the comparison only and sum the elements of x.",
        ),
        Mistake(
            "mean_of_all",
            lambda x, h: np.full(len(x), x.mean()),
            "Every output is the mean of the whole signal: all elements weigh the same. Print a "
            "row of your weights: those of elements like x_t should be larger.",
        ),
        Mistake(
            "whole_numbers",
            _filter(times=lambda w, x: (w @ x).astype(int)),
            "The decimals are cut off: the outputs are stored as whole numbers, as in an array "
            "made with dtype=int. Make it with np.zeros(n).",
        ),
        Mistake(
            "rounded",
            _filter(times=lambda w, x: (w @ x).round(2)),
            NEARLY,
            nearly(adaptive_filter),
        ),
    ),
    properties=(inside(lambda x, h: x.min(), lambda x, h: x.max(), "the range of x"),),
    definition="Output t should be the sum over j of weight (t, j) times x_j, with the weights "
    "of kernel_weights(x, t, bandwidth).",
    general="The outputs are not the weighted means. Compute one of them as "
    "kernel_weights(x, t, bandwidth) @ x and compare it with yours.",
    why="This is a filter whose weights come from the signal: each reading asks, is compared and "
    "is summed, so query, key and value are the same reading, and an edge stays an edge.",
)
