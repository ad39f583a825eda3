"""Find the temperature at which the largest weight meets a target."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def temperature_for(scores, target):
    """Bisect: the largest weight falls from 1 to 1/n as T grows."""
    return bisected(lambda T: largest_weight(T, scores), target)


def largest_weight(T, scores, target=None):
    """The weight of the highest score at a temperature; NaN for T ≤ 0."""
    if not T > 0:
        return np.nan
    return 1 / np.exp((scores - scores.max()) / T).sum()


view = largest_weight

CASES = (
    Case("two scores", ([2.0, 0.0], 0.75)),
    Case("two scores", ([-1.0, 3.0], 0.9)),
    Case("several scores", ([2.1, -0.5, 3.8, 0.2], 0.6)),
    Case("a target near 1", ([0.3, 0.1, 0.2], 0.999)),
    Case("a target near 1/n", ([40.0, 10.0, 25.0, 0.0], 0.26)),
    Case("large scores", ([1000.0, 998.0], 0.9), rare=True),
    Case("a lowest score of the largest size", ([-5.0, 1.0, 0.0], 0.9), rare=True),
)


def its_weight(T, scores, target):
    if not T > 0:
        return "A temperature is a positive number."
    weight = float(largest_weight(T, scores))
    return f"At this temperature the largest weight is {weight:.7f}, not {target:g}."


PROPERTIES = (its_weight,)


def bisected(weight, target, *, rounds=80, low=-20.0, high=20.0, wrong_half=False):
    """The T, by its logarithm, at which weight(T), which falls as T grows, is the target."""
    for _ in range(rounds):
        middle = (low + high) / 2
        with np.errstate(all="ignore"):
            too_sharp = weight(np.exp(middle)) > target
        low, high = (middle, high) if too_sharp != wrong_half else (low, middle)
    return float(np.exp((low + high) / 2))


def share_one(weights, cases):
    """On which inputs, as many as can be, one and the same T has given the largest weight."""
    most = [False for _ in cases]
    for weight, case in zip(weights, cases):
        if 1 / len(case.args[0]) + 1e-6 < weight < 1 - 1e-6:  # else T cannot be told from it
            T = temperature_for(case.args[0], float(weight))
            others = [largest_weight(T, *other.args) for other in cases]
            most = max(most, [abs(w - o) < 1e-5 for w, o in zip(weights, others)], key=sum)
    return most


def one_for_all(weights, cases):
    even = all(w < 1 / len(case.args[0]) + 1e-3 for w, case in zip(weights, cases))
    return all(share_one(weights, cases)) and not even


def all_at_one(weights, cases):
    return all(w > 1 - 1e-9 for w in weights)


def towards_even(weights, cases):
    """Which weights lie at 1/n rather than at 1; empty if one lies at neither."""
    ends = []
    for weight, (scores, target) in zip(weights, (case.args for case in cases)):
        if weight < 0.1 * target + 0.9 / len(scores):
            ends.append(True)
        elif weight > 0.1 * target + 0.9:
            ends.append(False)
    return ends if len(ends) == len(cases) and not one_for_all(weights, cases) else []


def all_even(weights, cases):
    ends = towards_even(weights, cases)
    return bool(ends) and all(ends)


def away_from_one(weights, cases):
    """At 1/n where T should be above 1, at 1 where it should be below."""
    return towards_even(weights, cases) == [temperature_for(*case.args) > 1 for case in cases]


def at_the_ends(weights, cases):
    """Each weight far from its target, all but 1 or all but 1/n."""
    named = (all_at_one, all_even, away_from_one)
    return bool(towards_even(weights, cases)) and not any(f(weights, cases) for f in named)


def missed_by(weights, cases):
    """How far each weight lies from its target, in parts of what would take it to 1 or 1/n."""
    for weight, (scores, target) in zip(weights, (case.args for case in cases)):
        yield abs(weight - target) / min(1 - target, target - 1 / len(scores))


def search_too_narrow(weights, cases):
    """Right for some, and one T for two or more others; or right for all moderate targets."""
    misses = np.array([*missed_by(weights, cases)])
    moderate = np.array(["near" not in case.kind for case in cases])
    right = misses < 5e-6
    if right[moderate].all():
        return bool(misses.max() > 0.25)
    return bool(right.any() and np.array_equal(share_one(weights, cases), ~right))


def near_the_targets(weights, cases):
    """Not right, but near most targets; not right for one and far off for another."""
    misses = np.array([*missed_by(weights, cases)])
    moderate = misses[["near" not in case.kind for case in cases]]
    exact = np.allclose(weights, [case.args[1] for case in cases], rtol=0, atol=1.5e-6)
    mixed = moderate.min() < 5e-6 and moderate.max() > 0.25
    others = search_too_narrow(weights, cases) or one_for_all(weights, cases)
    return bool(np.median(misses) < 0.25 and not exact and not mixed and not others)


def stuck(weights, cases):
    """One T for three inputs or more, though it is right for none."""
    others = (one_for_all, towards_even, search_too_narrow, near_the_targets)
    if any(f(weights, cases) for f in others) or min(missed_by(weights, cases)) < 5e-6:
        return False
    return sum(share_one(weights, cases)) >= 3
