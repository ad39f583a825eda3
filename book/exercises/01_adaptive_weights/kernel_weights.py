"""Weights that fall off with the distance between readings."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def kernel_weights(x, t, bandwidth):
    """The bells round x_t over their sum."""
    return shares(np.exp(-((x[t] - x) ** 2) / (2 * bandwidth**2)))


CASES = (
    Case("a bandwidth of 1", ([0.0, 0.5, 2.0], 0, 1.0)),
    Case("a bandwidth other than 1", ([0.0, 0.5, 2.0], 1, 2.0)),
    Case("a position inside the signal", ([2.0, 2.5, -1.0, 2.0, 1.5], 3, 0.5)),
    Case("whole numbers", ([3, 1, 2, 1], 2, 1), rare=True),
    Case("a single reading", ([-0.7], 0, 0.5), rare=True),
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


def shares(raw):
    """Each number over the sum of its row."""
    return raw / raw.sum(axis=-1, keepdims=True)


def one_factor(power):
    """Recognises weights that are exp(-c · Δ² / h^power), with one wrong c in all cases."""

    def recognise(values, cases):
        factors = []
        for w, case in zip(values, cases):
            x, t, h = case.args
            if (w <= 0).any() or not np.isclose(w.sum(), 1):
                return False
            far = x != x[t]
            factors.extend(np.log(w[t] / w[far]) / (x[t] - x[far]) ** 2 * h**power)
        c = factors[0]
        right = power == 2 and np.isclose(c, 0.5)
        return bool(c > 0.01 and not right and np.allclose(factors, c))

    return recognise
