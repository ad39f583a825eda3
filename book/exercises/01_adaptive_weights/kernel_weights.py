"""Weights that fall off with the distance between readings."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.properties import not_negative, sums_to_one

from ._bells import gauss, shares, softmax_of, wrong_exponents


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


CASES = (
    Case("a bandwidth of 1", (np.array([0.0, 0.5, 2.0]), 0, 1.0)),
    Case("a bandwidth other than 1", (np.array([0.0, 0.5, 2.0]), 1, 2.0)),
    Case("a position inside the signal", (np.array([2.0, 2.5, 0.0, 2.0, 1.5]), 3, 0.5)),
)

PROPERTIES = (
    not_negative,
    sums_to_one,
    lambda w, x, t, h: (
        "No reading is nearer to x_t than x_t itself, so no weight should exceed weights[t]."
        if (w > w[t] + 1e-9).any()
        else None
    ),
)

MORE_0 = {m.name: m.answer for m in wrong_exponents(_kernel)}
