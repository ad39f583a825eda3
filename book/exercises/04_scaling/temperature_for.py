"""Find the temperature at which the largest weight meets a target."""

import numpy as np

from attnlib.exercises import Case


def _largest_weight(temperature, scores, target=None):
    """What a temperature does to the highest score: its weight; NaN for T ≤ 0."""
    if not temperature > 0:
        return np.nan
    return 1 / np.exp((scores - scores.max()) / temperature).sum()


def temperature_for(scores, target):
    """Bisect on log T: the largest weight falls from 1 to 1/n as T grows."""
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        too_sharp = _largest_weight(np.exp(middle), scores) > target
        low, high = (middle, high) if too_sharp else (low, middle)
    return float(np.exp(low))


def _gaps(scores):
    return scores.max() - np.delete(scores, scores.argmax())


def _bisected(rounds, low=-20.0, high=20.0, *, reversed_=False):
    """temperature_for with few rounds, a narrow interval of log T, or the wrong half kept."""

    def temperature(scores, target):
        a, b = low, high
        for _ in range(rounds):
            middle = (a + b) / 2
            too_sharp = _largest_weight(np.exp(middle), scores) > target
            a, b = (a, middle) if too_sharp == reversed_ else (middle, b)
        return float(np.exp((a + b) / 2))

    return temperature


def _searched(measure, target_of=lambda target: target):
    """A search for the T at which ``measure``, a function of T and the scores, is the target."""

    def temperature(scores, target):
        a, b = -20.0, 20.0
        for _ in range(80):
            middle = (a + b) / 2
            with np.errstate(all="ignore"):
                too_sharp = measure(np.exp(middle), scores) > target_of(target)
            a, b = (middle, b) if too_sharp else (a, middle)
        return float(np.exp((a + b) / 2))

    return temperature


def _weights(scores):
    """Softmax."""
    terms = np.exp(scores - scores.max())
    return terms / terms.sum()


def _share_one(weights, cases):
    """On which inputs, as many as can be, one and the same T has given the largest weight."""
    most = [False for _ in cases]
    for weight, case in zip(weights, cases):
        if 1 / len(case.args[0]) + 1e-6 < weight < 1 - 1e-6:  # else T cannot be told from it
            T = temperature_for(case.args[0], float(weight))
            others = [_largest_weight(T, *other.args) for other in cases]
            most = max(most, [abs(w - o) < 1e-5 for w, o in zip(weights, others)], key=sum)
    return most


def _one_for_all(weights, cases):
    even = all(w < 1 / len(case.args[0]) + 1e-3 for w, case in zip(weights, cases))
    return all(_share_one(weights, cases)) and not even


def _all_at_one(weights, cases):
    return all(w > 1 - 1e-9 for w in weights)


def _towards_even(weights, cases):
    """Which weights lie at 1/n rather than at 1; empty if one lies at neither."""
    ends = []
    for weight, (scores, target) in zip(weights, (case.args for case in cases)):
        if weight < 0.1 * target + 0.9 / len(scores):
            ends.append(True)
        elif weight > 0.1 * target + 0.9:
            ends.append(False)
    return ends if len(ends) == len(cases) and not _one_for_all(weights, cases) else []


def _all_even(weights, cases):
    ends = _towards_even(weights, cases)
    return bool(ends) and all(ends)


def _away_from_one(weights, cases):
    """At 1/n where T should be above 1, at 1 where it should be below."""
    return _towards_even(weights, cases) == [temperature_for(*case.args) > 1 for case in cases]


def _at_the_ends(weights, cases):
    """Each weight far from its target, all but 1 or all but 1/n."""
    named = (_all_at_one, _all_even, _away_from_one)
    return bool(_towards_even(weights, cases)) and not any(f(weights, cases) for f in named)


def _misses(weights, cases):
    """How far each weight lies from its target, in parts of what would take it to 1 or 1/n."""
    for weight, (scores, target) in zip(weights, (case.args for case in cases)):
        yield abs(weight - target) / min(1 - target, target - 1 / len(scores))


def _search_too_narrow(weights, cases):
    """Right for some, and one T for two or more others; or right for all moderate targets."""
    misses = np.array([*_misses(weights, cases)])
    moderate = np.array(["near" not in case.kind for case in cases])
    right = misses < 5e-6
    if right[moderate].all():
        return bool(misses.max() > 0.25)
    return bool(right.any() and np.array_equal(_share_one(weights, cases), ~right))


def _near_the_targets(weights, cases):
    """Not right, but near most targets; not right for one and far off for another."""
    misses = np.array([*_misses(weights, cases)])
    moderate = misses[["near" not in case.kind for case in cases]]
    exact = np.allclose(weights, [case.args[1] for case in cases], rtol=0, atol=1.5e-6)
    mixed = moderate.min() < 5e-6 and moderate.max() > 0.25
    others = _search_too_narrow(weights, cases) or _one_for_all(weights, cases)
    return bool(np.median(misses) < 0.25 and not exact and not mixed and not others)


def _stuck(weights, cases):
    """One T for three inputs or more, though it is right for none."""
    others = (_one_for_all, _towards_even, _search_too_narrow, _near_the_targets)
    if any(f(weights, cases) for f in others) or min(_misses(weights, cases)) < 5e-6:
        return False
    return sum(_share_one(weights, cases)) >= 3


def _said_weight(temperature, scores, target):
    if not temperature > 0:
        return "A temperature is a positive number."
    weight = float(_largest_weight(temperature, scores))
    return f"At this temperature the largest weight is {weight:.7f}, not {target:g}."


CASES = (
    Case("two scores", (np.array([2.0, 0.0]), 0.75)),
    Case("two scores", (np.array([-1.0, 3.0]), 0.9)),
    Case("several scores", (np.array([2.1, -0.5, 3.8, 0.2]), 0.6)),
    Case("a target near 1", (np.array([0.3, 0.1, 0.2]), 0.999)),
    Case("a target near 1/n", (np.array([40.0, 10.0, 25.0, 0.0]), 0.26)),
    Case("large scores", (np.array([1000.0, 998.0]), 0.9), rare=True),
    Case("a lowest score of the largest size", (np.array([-5.0, 1.0, 0.0]), 0.9), rare=True),
)

PROPERTIES = (_said_weight,)

view = _largest_weight
