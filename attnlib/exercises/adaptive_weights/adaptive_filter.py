"""Those weights at every moment, as one matrix."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import inside

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


def _running(reset):
    """The filter in loops whose weighted sums run on, and the sums of weights as reset(them)."""

    def outputs(x, bandwidth):
        raw = np.exp(gauss(x[:, None] - x, bandwidth))
        return (raw @ x).cumsum() / reset(raw.sum(axis=1))

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
    "You multiply x_t by x_j. That is large for high levels, not for similar ones: the "
    "outputs lean towards the highest. Take the difference, which is 0 for equal readings."
)
DIFFERENCES = (
    "What is summed are the differences x_t - x_j, so this is what the filter takes away from x. "
    "The weights compare, but it is the readings themselves, x_j, that are summed."
)
NOT_RESET = (
    "The first output is right, but a sum then runs on from output to output. Both sums, of the "
    "weighted readings and of the weights, start anew at 0 for each t, inside the outer loop."
)
SIGNED = (
    "The differences are not squared, so they keep their sign, and x_t cancels: all outputs are "
    "the same. Only the distance should count."
)
ONE_SIDE = (
    "Each output uses the readings on one side of t only. All readings are compared with x_t, "
    "before it and after it."
)

EXERCISE = Exercise(
    signature="adaptive_filter(x, bandwidth)",
    task="Write adaptive_filter(x, bandwidth): at each position t, the sum of all readings with "
    "the kernel weights of x_t.",
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
            "Rows and columns are mixed up. Print weights.sum(axis=1). If that is not all ones, "
            "each row needs its own sum: axis=1 with keepdims=True. If it is, the product is the "
            "wrong way round: each output is a row times x.",
        ),
        Mistake(
            "positions",
            _filter(of=lambda x: np.arange(len(x), dtype=float)),
            "The weights compare positions, t - j, instead of levels, x_t - x_j. They are then the "
            "same for every signal, as in a moving average.",
        ),
        Mistake(
            "not_normalised",
            _filter(total=lambda raw: 1.0),
            "The weights are not normalised, or only divided by the largest, which is 1 already: "
            "each output is a sum, not a mean. Divide by the sum of the weights of that output.",
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
            "to have one number for each position.",
        ),
        Mistake(
            "divided_by_n",
            _filter(total=len),
            "The sums are divided by the number of readings, not by the sum of their weights. In "
            "the matrix that multiplies x, every row should sum to 1.",
        ),
        Mistake(
            "divided_once_more",
            _filter(times=lambda w, x: w @ x / len(x)),
            "The weighted readings are averaged, so they are divided by n once more. The weights "
            "sum to 1 already: take the sum, not the mean.",
        ),
        Mistake(
            "density",
            lambda x, h: np.exp(gauss(x[:, None] - x, h)) @ x / (h * np.sqrt(2 * np.pi)),
            "The bells have the constant of the normal distribution, 1 / (h·√2π), but are not "
            "divided by their sum. In the matrix that multiplies x, every row should sum to 1.",
        ),
        Mistake("keeps_the_sign", _filter(lambda gap, h: -gap / (2 * h**2)), SIGNED),
        Mistake("keeps_the_sign_reversed", _filter(lambda gap, h: gap / (2 * h**2)), SIGNED),
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
            "nothing in its own output and the reading farthest from it most.",
        ),
        Mistake(
            "window_of_values",
            lambda x, h: shares(1.0 * (np.abs(x[:, None] - x) <= h)) @ x,
            BOX,
        ),
        Mistake(
            "places_too",
            _masked(lambda gap, _, h: np.exp(gauss(gap, h))),
            "The weights compare positions as well as levels. Only the levels count: a far reading "
            "that is like x_t weighs as much as a near one.",
        ),
        Mistake(
            "neighbours_only",
            _masked(lambda gap, *_: abs(gap) <= 1),
            "Only x_t and its two neighbours are compared. All readings are, however far away: "
            "how like x_t they are decides what they weigh.",
        ),
        Mistake("only_the_past", _masked(lambda gap, *_: gap >= 0), ONE_SIDE),
        Mistake("only_the_future", _masked(lambda gap, *_: gap <= 0), ONE_SIDE),
        Mistake(
            "self_left_out",
            _masked(lambda gap, *_: gap != 0),
            "The reading at t itself is left out of its output. It is at distance 0 and counts "
            "like any other, with the largest weight of all.",
        ),
        Mistake(
            "not_summed",
            _filter(times=lambda w, x: w * x),
            "Every weight meets its reading, but * leaves a table of products, (n, n). Each row "
            "still has to be summed.",
        ),
        Mistake(
            "columns_summed",
            _filter(times=lambda w, x: (w * x).sum(axis=0)),
            "The products are summed over the wrong axis: down the columns, where the reading "
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
            "These are the sums of the weights, which are always 1. The readings are missing: "
            "each weight multiplies its x_j before the sum.",
        ),
        Mistake("differences", _filter(times=lambda w, x: x - w @ x), DIFFERENCES),
        Mistake("differences_reversed", _filter(times=lambda w, x: w @ x - x), DIFFERENCES),
        Mistake(
            "overwrites_x",
            _in_place,
            "The outputs are written over the readings, in x or in a copy of it, while later ones "
            "still need those: they compare and sum outputs. Write them into another array.",
        ),
        Mistake(
            "in_bandwidths",
            lambda x, h: adaptive_filter(x, h) / h,
            "What is summed is x / bandwidth, so the outputs are in units of the bandwidth. "
            "Divide for the comparison only and sum the readings in x.",
        ),
        Mistake(
            "mean_of_all",
            lambda x, h: np.full(len(x), x.mean()),
            "Every output is the mean of the whole signal: all readings weigh the same. Print a "
            "row of your weights: those of readings like x_t should be larger.",
        ),
        Mistake(
            "weighted_twice",
            _filter(times=lambda w, x: w @ w @ x),
            "The weights are applied twice, W W x: what one product gives is weighted once more. "
            "Each output is one weighted sum of the readings.",
        ),
        Mistake("sums_not_reset", _running(lambda sums: sums.cumsum()), NOT_RESET),
        Mistake("only_one_sum_reset", _running(lambda sums: sums), NOT_RESET),
        Mistake(
            "only_itself",
            _filter(times=lambda w, x: np.diag(w) * x),
            "Each output holds x_t alone, times its own weight. All readings belong to it, each "
            "times what it weighs in that output: sum along the row.",
        ),
        Mistake(
            "no_table",
            lambda x, h: x / len(x),
            "All of x - x is 0, so all weights are 1/n, and each output is x_t times that. "
            "Every reading should meet every other: that takes a table, or two loops.",
        ),
        Mistake(
            "first_weights_for_all",
            _filter(times=lambda w, x: np.full(len(x), (w @ x)[0])),
            "Every output is the one of the first position: the weights of x_0 serve for all. Each "
            "position has weights of its own.",
        ),
        Mistake(
            "one_number",
            _filter(times=lambda w, x: (w @ x).sum()),
            "A single number comes back: the outputs of all positions are added. Sum along each "
            "row only, so that one number is left for each t.",
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
