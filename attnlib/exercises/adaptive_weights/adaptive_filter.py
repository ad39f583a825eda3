"""Those weights at every moment, as one matrix."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.properties import inside

from .kernel_weights import gauss


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
