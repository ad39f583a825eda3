"""Weights that fall off with the distance between values."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def _kernel(exponent, *, keep_self=True, normalize=True):
    """kernel_weights with another exponent(Δ, h), Δ being x_t - x_j."""

    def weights(x, t, bandwidth):
        raw = np.exp(exponent(x[t] - x, bandwidth))
        if not keep_self:
            raw[t] = 0.0
        return raw / raw.sum() if normalize else raw

    return weights


def gauss(gap, h):
    return -(gap**2) / (2 * h**2)


kernel_weights = _kernel(gauss)


def _by_position(x, t, bandwidth):
    return kernel_weights(np.arange(len(x), dtype=float), t, bandwidth)


EXERCISE = Exercise(
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
            _kernel(gauss, normalize=False),
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
            _kernel(gauss, keep_self=False),
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
