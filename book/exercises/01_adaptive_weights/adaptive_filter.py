"""Those weights at every moment, as one matrix."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.properties import inside

from ._bells import gauss, shares, softmax_of, wrong_exponents


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


CASES = (
    Case("a bandwidth of 1", (np.array([0.0, 1.0, 3.0]), 1.0)),
    Case("a bandwidth other than 1", (np.array([0.0, 1.0, 3.0]), 0.5)),
    Case("a longer signal", (np.array([0.2, -0.1, 0.1, 2.1, 1.8, 2.0, 0.3]), 0.7)),
)

PROPERTIES = (inside(lambda x, h: x.min(), lambda x, h: x.max(), "the range of x"),)

MORE_0 = {m.name: m.answer for m in wrong_exponents(_filter)}
