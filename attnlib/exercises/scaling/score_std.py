"""How large a dot product of random vectors is."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def score_std(d, var_q, var_k):
    """Standard deviation of a dot product of independent zero-mean parts."""
    return float(np.sqrt(d * var_q * var_k))


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
            "The variances of q_i and k_i are added, as for a sum. They are multiplied here: with "
            "mean 0 and independence, Var(q_i k_i) = Var(q_i) Var(k_i).",
        ),
        Mistake(
            "linear_in_d",
            lambda d, a, b: d * np.sqrt(a * b),
            "Here d stands outside the root. Variances of independent terms add, standard "
            "deviations do not: four times as many terms only double the standard deviation.",
        ),
        Mistake(
            "root_d_only",
            lambda d, a, b: np.sqrt(d),
            "This is √d, which holds for unit variances. Both variances take part.",
        ),
        Mistake(
            "variances_outside",
            lambda d, a, b: np.sqrt(d) * a * b,
            "The variances stand outside the root. The variance of the score is "
            "d · var_q · var_k; the standard deviation is the root of all of it.",
        ),
    ),
    definition="Its square should be the variance of a sum of d independent products; draw a "
    "thousand q and k and compare with np.std.",
    general="Start with the variance of one product q_i k_i, then sum d of them, then take the "
    "root once.",
    why="The standard deviation of the scores grows with the root of d: that is the √d_k that "
    "scaling divides by.",
)
