"""Weights that fall off with the distance between readings."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import not_negative, sums_to_one

from ._bells import BOX, FACTOR, IGNORED, TWICE, gauss, shares, softmax_of, wrong_exponents


def _kernel(exponent, *, keep_self=True, total=np.sum, center=lambda x, t: x[t]):
    """kernel_weights with another exponent(Δ, h), divisor or x_t, Δ being x_t - x_j."""

    def weights(x, t, bandwidth):
        raw = np.exp(exponent(center(x, t) - x, bandwidth))
        if not keep_self:
            raw[t] = 0.0
        return raw / total(raw)

    return weights


kernel_weights = _kernel(gauss)


def _by_position(x, t, bandwidth):
    return kernel_weights(np.arange(len(x), dtype=float), t, bandwidth)


def _then(after):
    """Does something after(w, x, t, h) with the right weights."""
    return lambda x, t, h: after(kernel_weights(x, t, h), x, t, h)


def _kernel_of_products(divisor):
    return lambda x, t, h: shares(np.exp(x[t] * x / divisor(h)))


def _in_place(x, t, bandwidth):
    x = x.copy()
    for j in range(len(x)):
        x[j] = np.exp(gauss(x[t] - x[j], bandwidth))
    return shares(x)


def _one_factor(power):
    """Recognises weights that are exp(-factor · Δ² / h^power), with one wrong factor in all."""

    def recognise(values, cases):
        factors = []
        for w, case in zip(values, cases):
            x, t, h = case.args
            if w.shape != x.shape or (w <= 0).any() or not np.isclose(w.sum(), 1):
                return False
            far = x != x[t]
            factors.append(np.log(w[t] / w[far]) / (x[t] - x[far]) ** 2 * h**power)
        f = np.concatenate(factors)
        right = power == 2 and np.isclose(f[0], 0.5)
        return bool(f[0] > 0.01 and not right and np.allclose(f, f[0]))

    return recognise


SIGNED = (
    "The difference is not squared, so it keeps its sign: readings above x_t and readings below "
    "it are treated differently. Only the distance should count."
)
NEIGHBOUR = (
    "The readings are compared with a neighbour of x_t instead of x_t itself. Positions count from "
    "0: the reading at position t is x[t]."
)
PRODUCT = (
    "You multiply x_t by x_j. That is large for high levels, not for similar ones. Take their "
    "difference: it is 0 for equal readings."
)
NOT_THE_SUM = (
    "The weights are divided by how many bells there are, or by their mean, instead of by their "
    "sum. Print weights.sum(): it should be 1."
)

EXERCISE = Exercise(
    signature="kernel_weights(x, t, bandwidth)",
    task="Write kernel_weights(x, t, bandwidth): one weight for each reading, proportional to "
    "exp(-(x_t - x_j)² / (2 · bandwidth²)).",
    returns="an array of shape (n,)",
    reference=kernel_weights,
    cases=(
        Case("a bandwidth of 1", (np.array([0.0, 0.5, 2.0]), 0, 1.0)),
        Case("a bandwidth other than 1", (np.array([0.0, 0.5, 2.0]), 1, 2.0)),
        Case("a position inside the signal", (np.array([2.0, 2.5, 0.0, 2.0, 1.5]), 3, 0.5)),
    ),
    mistakes=(
        *wrong_exponents(_kernel),
        Mistake(
            "not_normalised",
            _kernel(gauss, total=lambda raw: 1.0),
            "The weights are left as they come out of exp, or divided by the largest, which is 1 "
            "already. Either way they do not sum to 1: print weights.sum(), then divide by it.",
        ),
        Mistake(
            "self_left_out",
            _kernel(gauss, keep_self=False),
            "The reading at t itself gets weight 0. It is at distance 0 and counts like any "
            "other, with the largest weight of all.",
        ),
        Mistake(
            "positions",
            _by_position,
            "The weights compare positions, t - j, instead of levels, x_t - x_j. Change one "
            "reading in x: your weights stay as they were.",
        ),
        Mistake("keeps_the_sign", _kernel(lambda gap, h: -gap / (2 * h**2)), SIGNED),
        Mistake("keeps_the_sign_reversed", _kernel(lambda gap, h: gap / (2 * h**2)), SIGNED),
        Mistake("product", _kernel_of_products(lambda h: h**2), PRODUCT),
        Mistake("half_product", _kernel_of_products(lambda h: 2 * h**2), PRODUCT),
        Mistake(
            "bandwidth_ignored",
            _kernel(lambda gap, h: -(gap**2) / 2),
            IGNORED,
            _one_factor(power=0),
        ),
        Mistake(
            "wrong_factor",
            _kernel(lambda gap, h: np.log(2) * gauss(gap, h)),
            FACTOR,
            _one_factor(power=2),
        ),
        Mistake(
            "always_the_first",
            _kernel(gauss, center=lambda x, t: x[0]),
            "All readings are compared with x[0], whatever t is. The one that asks is the reading "
            "at position t.",
        ),
        Mistake("one_before", _kernel(gauss, center=lambda x, t: x[t - 1]), NEIGHBOUR),
        Mistake("one_after", _kernel(gauss, center=lambda x, t: x[t + 1]), NEIGHBOUR),
        Mistake(
            "place_for_value",
            _kernel(gauss, center=lambda x, t: t),
            "The number t itself is compared with the readings. t is a position; what stands "
            "there is x[t].",
        ),
        Mistake("divided_by_n", _kernel(gauss, total=len), NOT_THE_SUM),
        Mistake("divided_by_the_mean", _kernel(gauss, total=np.mean), NOT_THE_SUM),
        Mistake(
            "divided_by_the_norm",
            _kernel(gauss, total=np.linalg.norm),
            "The weights are divided by the root of the sum of their squares, as if a vector "
            "were to have length 1. Here the weights themselves should sum to 1.",
        ),
        Mistake(
            "density",
            lambda x, t, h: np.exp(gauss(x[t] - x, h)) / (h * np.sqrt(2 * np.pi)),
            "This is the density of the normal distribution, with its constant 1 / (h·√2π). That "
            "makes an area 1, not the sum of these few weights: divide by their sum.",
        ),
        Mistake("softmax_of_bells", lambda x, t, h: softmax_of(np.exp(gauss(x[t] - x, h))), TWICE),
        Mistake(
            "softmax_of_weights",
            lambda x, t, h: softmax_of(shares(np.exp(gauss(x[t] - x, h)))),
            TWICE,
        ),
        Mistake(
            "no_exp",
            lambda x, t, h: shares(gauss(x[t] - x, h)),
            "An exp is missing: the exponents themselves are divided by their sum. Then x_t weighs "
            "nothing and the farthest reading most; it should be the other way round.",
        ),
        Mistake(
            "window_of_values",
            lambda x, t, h: shares(1.0 * (np.abs(x[t] - x) <= h)),
            BOX,
        ),
        Mistake(
            "only_up_to_t",
            lambda x, t, h: shares(np.exp(gauss(x[t] - x[: t + 1], h))),
            "Only the readings up to t have a weight here. All readings are compared with x_t, "
            "also those that follow.",
        ),
        Mistake(
            "self_taken_out",
            lambda x, t, h: shares(np.delete(np.exp(gauss(x[t] - x, h)), t)),
            "The reading at t itself has no weight here: one is missing. It is at distance 0 and "
            "counts like any other.",
        ),
        Mistake(
            "output",
            _then(lambda w, x, t, h: w @ x),
            "A single number comes back, the output at t. The weights are asked for, one for each "
            "reading, before they meet x.",
        ),
        Mistake(
            "times_x",
            _then(lambda w, x, t, h: w * x),
            "The weights are already multiplied by the readings. Return the weights alone; for "
            "readings equal to 0 yours are lost.",
        ),
        Mistake(
            "all_moments",
            lambda x, t, h: np.array([kernel_weights(x, i, h) for i in range(len(x))]),
            "This is a table, (n, n): the weights of all positions. Only those of position t are "
            "asked for, one row.",
        ),
        Mistake(
            "column_of_the_table",
            lambda x, t, h: np.array([kernel_weights(x, i, h)[t] for i in range(len(x))]),
            "This is column t of the table, what x_t weighs in each output. The output at t takes "
            "its weights from row t, which sums to 1.",
        ),
        Mistake(
            "last_one_missing",
            lambda x, t, h: shares(np.exp(gauss(x[t] - x[:-1], h))),
            "The last reading has no weight: the loop stops too early. range(n) ends at n - 1 "
            "already.",
        ),
        Mistake(
            "returns_in_loop",
            lambda x, t, h: np.eye(len(x))[0],
            "All the weight is on the first reading: the others were not filled when the sum was "
            "taken. Does the division or the return stand inside the loop?",
        ),
        Mistake(
            "whole_numbers",
            lambda x, t, h: shares(1.0 * (x == x[t])),
            "Only readings equal to x_t have weight. The bells are stored as whole numbers, "
            "perhaps, in an array with dtype=int: then everything below 1 becomes 0.",
        ),
        Mistake(
            "overwrites_x",
            _in_place,
            "The argument x is overwritten with the bells while it is still needed: after j = t, "
            "x[t] is no longer the reading. Write the bells into another array.",
        ),
    ),
    properties=(
        not_negative,
        sums_to_one,
        lambda w, x, t, h: (
            "No reading is nearer to x_t than x_t itself, so no weight should exceed weights[t]."
            if (w > w[t] + 1e-9).any()
            else None
        ),
    ),
    definition="The ratio of two weights should be exp of the difference of their exponents, "
    "and the exponent of reading j is -(x_t - x_j)² / (2 · bandwidth²).",
    general="The weights do not follow the formula. Compute the exponent of one reading by hand "
    "and print yours next to it.",
    why="Readings that resemble x_t get the weight, wherever they stand: the weights now depend "
    "on the data.",
)
