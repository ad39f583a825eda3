"""How large a dot product of random vectors is."""

import numpy as np

from attnlib.exercises import Case


def score_std(d, var_q, var_k):
    """Standard deviation of a dot product of independent zero-mean parts."""
    return float(np.sqrt(d * var_q * var_k))


CASES = (
    Case("one component of unit variance", (1, 1.0, 1.0)),
    Case("several components of unit variance", (7, 1.0, 1.0)),
    Case("other variances", (3, 4.0, 0.5)),
    Case("many components", (512, 0.3, 2.0)),
)


def exponents(values, cases):
    """x, y and z if every value is d^x · var_q^y · var_k^z; NaN otherwise."""
    table = np.log([case.args for case in cases])
    if min(values) <= 0:
        return np.full(3, np.nan)
    logs = np.log(np.array(values))
    powers = np.linalg.lstsq(table, logs, rcond=None)[0]
    return powers.round(6) if np.allclose(table @ powers, logs, atol=1e-5) else np.full(3, np.nan)


def one_left_out(values, cases):
    powers = exponents(values, cases)
    return bool(np.isin(powers, (0.0, 0.5)).all() and 0 in powers and powers.any())


def part_outside_the_root(values, cases):
    powers = exponents(values, cases)
    return bool(np.isin(powers, (0.5, 1.0)).all() and len(set(powers)) == 2)


def same_for_all(values, cases):
    return np.allclose(values, values[0])


def d_hard_coded(values, cases):
    per_term = [value / score_std(1, *case.args[1:]) for value, case in zip(values, cases)]
    same = np.allclose(per_term, per_term[0]) and per_term[0] > 0
    return bool(same) and not one_left_out(values, cases)


def close(values, cases):
    """Within 5 %, as a simulation is, but nowhere exact."""
    ratios = np.array([value / score_std(*case.args) for value, case in zip(values, cases)])
    spread = np.ptp(ratios) > 1e-4 and np.abs(ratios - 1).min() > 1e-6
    rounded = all(np.isclose(v, np.round(v, 4), rtol=0, atol=1e-12) for v in values)
    return bool(spread and np.abs(ratios - 1).max() < 0.05 and not rounded)


def simulated(d, var_q, var_k):
    rng = np.random.default_rng(d)
    q = rng.normal(0, np.sqrt(var_q), (2500, d))
    return float((q * rng.normal(0, np.sqrt(var_k), (2500, d))).sum(axis=1).std())


def variances_added(values, cases):
    """Whatever is then done with the sum."""
    sums = (lambda d, a, b: a + b, lambda d, a, b: d * a + b, lambda d, a, b: a + d * b,
            lambda d, a, b: d * (a + b), lambda d, a, b: d * (a + b) / 2,
            lambda d, a, b: d * (a**0.5 + b**0.5) ** 2)  # fmt: skip
    return any(
        np.allclose([v**power for v in values], [total(*case.args) for case in cases])
        for total in sums
        for power in (1, 2)
    )
