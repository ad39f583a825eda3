"""How large a dot product of random vectors is."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def score_std(d, var_q, var_k):
    """Standard deviation of a dot product of independent zero-mean parts."""
    return float(np.sqrt(d * var_q * var_k))


def _exponents(values, cases):
    """x, y and z if every value is d^x · var_q^y · var_k^z; NaN otherwise."""
    table = np.log([case.args for case in cases])
    if min(values) <= 0:
        return np.full(3, np.nan)
    logs = np.log(np.array(values))
    found = np.linalg.lstsq(table, logs, rcond=None)[0]
    return found.round(6) if np.allclose(table @ found, logs, atol=1e-5) else np.full(3, np.nan)


def _one_left_out(values, cases):
    powers = _exponents(values, cases)
    return bool(np.isin(powers, (0.0, 0.5)).all() and 0 in powers and powers.any())


def _part_outside_the_root(values, cases):
    powers = _exponents(values, cases)
    return bool(np.isin(powers, (0.5, 1.0)).all() and len(set(powers)) == 2)


def _root_twice(values, cases):
    powers = _exponents(values, cases)
    return bool(np.isin(powers, (0.25, 0.5)).all() and 0.25 in powers)


def _same_for_all(values, cases):
    return np.allclose(values, values[0])


def _d_hard_coded(values, cases):
    per_term = [value / score_std(1, *case.args[1:]) for value, case in zip(values, cases)]
    same = np.allclose(per_term, per_term[0]) and per_term[0] > 0
    return bool(same) and not _one_left_out(values, cases)


def _near(power):
    """Within 5 %, as a simulation is, but nowhere exact; of the variance for power 2."""

    def near(values, cases):
        ratios = np.array([v / score_std(*case.args) ** power for v, case in zip(values, cases)])
        spread = np.ptp(ratios) > 1e-4 and np.abs(ratios - 1).min() > 1e-6
        places = [np.isclose(v, np.round(v, 4), rtol=0, atol=1e-12) for v in values]
        return bool(spread and np.abs(ratios - 1).max() < 0.05 and not all(places))

    return near


def _simulated(d, var_q, var_k):
    rng = np.random.default_rng(d)
    q = rng.normal(0, np.sqrt(var_q), (2500, d))
    return float((q * rng.normal(0, np.sqrt(var_k), (2500, d))).sum(axis=1).std())


def _variances_added(values, cases):
    """Whatever is then done with the sum."""
    sums = (lambda d, a, b: a + b, lambda d, a, b: d * a + b, lambda d, a, b: a + d * b,
            lambda d, a, b: d * (a + b), lambda d, a, b: d * (a + b) / 2,
            lambda d, a, b: d * (a**0.5 + b**0.5) ** 2)  # fmt: skip
    return any(
        np.allclose([v**power for v in values], [total(*case.args) for case in cases])
        for total in sums
        for power in (1, 2)
    )


EXERCISE = Exercise(
    signature="score_std(d, var_q, var_k)",
    task="Write score_std(d, var_q, var_k): the standard deviation of q·k, with d independent "
    "components of mean 0 and variances var_q and var_k.",
    returns="a single number",
    reference=score_std,
    cases=(
        Case("one component of unit variance", (1, 1.0, 1.0)),
        Case("several components of unit variance", (7, 1.0, 1.0)),
        Case("other variances", (3, 4.0, 0.5)),
        Case("many components", (512, 0.3, 2.0)),
    ),
    mistakes=(
        Mistake(
            "variance",
            lambda d, a, b: d * a * b,
            "This is the variance. The variance of the score is d · var_q · var_k; the standard "
            "deviation is its root.",
        ),
        Mistake(
            "no_d",
            lambda d, a, b: np.sqrt(a * b),
            "This is the standard deviation of a single product q_i k_i. A score sums d of them, "
            "and their variances add.",
        ),
        Mistake(
            "adds_variances",
            lambda d, a, b: np.sqrt(d * (a + b)),
            "The variances of q_i and k_i, or their roots, are added, as for a sum. They are "
            "multiplied here: with mean 0 and independence, Var(q_i k_i) = Var(q_i) Var(k_i).",
            recognise=_variances_added,
        ),
        Mistake(
            "linear_in_d",
            lambda d, a, b: d * np.sqrt(a * b),
            "Here d stands outside the root, or twice inside it. Variances of independent terms "
            "add, standard deviations do not: four times as many terms only double the standard "
            "deviation.",
        ),
        Mistake(
            "root_d_only",
            lambda d, a, b: np.sqrt(d),
            "This is √d, which holds for unit variances. Both variances take part.",
        ),
        Mistake(
            "variances_outside",
            lambda d, a, b: np.sqrt(d) * a * b,
            "The variances stand outside the root, or are squared inside it. var_q and var_k are "
            "variances already: the standard deviation is the root of d · var_q · var_k.",
        ),
        Mistake(
            "part_outside",
            lambda d, a, b: np.sqrt(d * a) * b,
            "The root covers a part only: some of d, var_q and var_k stand outside it. Build the "
            "whole variance first, then take one root of all of it.",
            recognise=_part_outside_the_root,
        ),
        Mistake(
            "one_left_out",
            lambda d, a, b: np.sqrt(d * a),
            "Not all three arguments take part. Change one at a time and look at the result: d, "
            "var_q and var_k should each make it larger.",
            recognise=_one_left_out,
        ),
        Mistake(
            "half_of_the_variance",
            lambda d, a, b: (d * a * b) ** 1 / 2,
            "This is half of the variance, not its root. x ** 1/2 means (x ** 1) / 2: the power "
            "needs brackets, or write sqrt.",
        ),
        Mistake(
            "root_twice",
            lambda d, a, b: np.sqrt(np.sqrt(d * a * b)),
            "The root is taken twice, of all or of a part. The variance has been passed to two "
            "roots, or the standard deviation to one more.",
            recognise=_root_twice,
        ),
        Mistake(
            "d_added",
            lambda d, a, b: np.sqrt(d + a * b),
            "You add d, but it counts terms of the same variance: a sum of d of them has d times "
            "that variance.",
        ),
        Mistake(
            "mean_of_the_products",
            lambda d, a, b: np.sqrt(a * b / d),
            "This is the standard deviation of the mean of d products. A dot product is their sum, "
            "which spreads the more, the more terms it has.",
        ),
        Mistake(
            "one_fewer",
            lambda d, a, b: np.sqrt((d - 1) * a * b),
            "Here d - 1 stands for d. That is for estimating a variance from d samples; here the "
            "variances are known, and all d terms count.",
        ),
        Mistake(
            "quotient",
            lambda d, a, b: np.sqrt(d * a / b),
            "The variances are divided by one another. Query and key are multiplied, and a larger "
            "spread of the key makes the product spread more too.",
        ),
        Mistake(
            "larger_variance",
            lambda d, a, b: np.sqrt(d * np.maximum(a, b)),
            "Only the larger of the two variances takes part. Both do: a product spreads more when "
            "either of its factors does.",
        ),
        Mistake(
            "squares",
            lambda d, a, b: np.sqrt(d) * (a * b) ** 2,
            "The variances are squared, where a root belongs. var_q is a square already: the "
            "standard deviation of the query is its root.",
        ),
        Mistake(
            "same_for_all",
            lambda d, a, b: 0.0,
            "The same number comes back for every input. Either the arguments play no part, or "
            "the power is 0: 1 // 2 is 0, and anything to the power 0 is 1.",
            recognise=_same_for_all,
        ),
        Mistake(
            "d_hard_coded",
            lambda d, a, b: np.sqrt(64 * a * b),
            "The variances are right, but a fixed number stands where d belongs: the result does "
            "not change with d.",
            recognise=_d_hard_coded,
        ),
        Mistake(
            "simulated",
            _simulated,
            "Close, as a simulation would be. It shows that the idea is right, but another draw "
            "gives another number: the exact one follows from d, var_q and var_k.",
            recognise=_near(1),
        ),
        Mistake(
            "simulated_variance",
            lambda d, a, b: _simulated(d, a, b) ** 2,
            "Close to the variance, as a simulation would be: std takes the root, var does not. "
            "The exact number follows from d, var_q and var_k without drawing.",
            recognise=_near(2),
        ),
    ),
    definition="Its square should be the variance of a sum of d independent products; draw a "
    "thousand q and k and compare with np.std.",
    general="Start with the variance of one product q_i k_i, then sum d of them, then take the "
    "root once.",
    why="Each variance goes into every product once, and d products add. With both variances 1 it "
    "is √d, and dividing by √d is right; with others the divisor is another.",
)
