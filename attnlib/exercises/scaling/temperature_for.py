"""Find the temperature at which the largest weight meets a target."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


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


def _closed_form(gap_of, rivals_of):
    """The temperature if all ``rivals_of`` other scores lay ``gap_of`` below the highest."""
    return lambda scores, target: (
        gap_of(_gaps(scores)) / np.log(rivals_of(scores) * target / (1 - target))
    )


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


def _at_the_ends(weights, cases):
    """Each weight far from its target, all but 1 or all but 1/n."""
    return all(
        w > 0.1 * target + 0.9 or w < 0.1 * target + 0.9 / len(scores)
        for w, (scores, target) in zip(weights, (case.args for case in cases))
    )


def _misses(weights, cases):
    """How far each weight lies from its target, in parts of what would take it to 1 or 1/n."""
    for weight, (scores, target) in zip(weights, (case.args for case in cases)):
        yield abs(weight - target) / min(1 - target, target - 1 / len(scores))


def _search_too_narrow(weights, cases):
    """Right for moderate targets, and far off for one of the others."""
    moderate = [miss for miss, c in zip(_misses(weights, cases), cases) if "near" not in c.kind]
    return max(moderate) < 5e-6 and max(_misses(weights, cases)) > 0.25


def _near_the_targets(weights, cases):
    """Not right, but near most targets."""
    misses = np.array([*_misses(weights, cases)])
    exact = np.allclose(weights, [case.args[1] for case in cases], rtol=0, atol=1.5e-6)
    return np.median(misses) < 0.25 and not exact and not _search_too_narrow(weights, cases)


def _said_weight(temperature, scores, target):
    if not temperature > 0:
        return "A temperature is a positive number."
    weight = float(_largest_weight(temperature, scores))
    return f"At this temperature the largest weight is {weight:.7f}, not {target:g}."


EXERCISE = Exercise(
    signature="temperature_for(scores, target)",
    task="Write temperature_for(scores, target): a T for which the largest weight of "
    "softmax(scores / T) equals target to within 0.000001.",
    returns="a single number",
    reference=temperature_for,
    view=_largest_weight,
    rtol=0.0,
    atol=1.5e-6,
    cases=(
        Case("two scores", (np.array([2.0, 0.0]), 0.75)),
        Case("two scores", (np.array([-1.0, 3.0]), 0.9)),
        Case("several scores", (np.array([2.1, -0.5, 3.8, 0.2]), 0.6)),
        Case("a target near 1", (np.array([0.3, 0.1, 0.2]), 0.999)),
        Case("a target near 1/n", (np.array([40.0, 10.0, 25.0, 0.0]), 0.26)),
    ),
    mistakes=(
        Mistake(
            "inverse",
            lambda scores, target: 1 / temperature_for(scores, target),
            "This is 1/T. A temperature divides the scores, so a higher one makes the weights "
            "more even.",
        ),
        Mistake(
            "best_rival_only",
            _closed_form(np.min, lambda scores: 1),
            "Only the two highest scores are taken into account. The others hold weight as well, "
            "so the largest weight stays below the target.",
        ),
        Mistake(
            "rivals_alike",
            _closed_form(np.mean, lambda scores: len(scores) - 1),
            "All scores but the highest are replaced by their mean. exp is not linear, so that is "
            "exact for equal rivals only: search for T instead.",
        ),
        Mistake(
            "loose",
            lambda scores, target: round(temperature_for(scores, target), 2),
            "T is right to two decimals only. The largest weight has to meet the target to "
            "0.000001: search on, or round later.",
        ),
        Mistake(
            "wrong_half",
            _bisected(80, reversed_=True),
            "Each search runs to one end of its interval, where the largest weight is near 1 or "
            "near 1/n: most likely it keeps the wrong half. Where the largest weight exceeds the "
            "target, T is too low, so keep the half above.",
            recognise=_at_the_ends,
        ),
        Mistake(
            "too_narrow",
            _bisected(60, -3.0, 3.0),
            "Moderate targets are met, one near 1 or near 1/n is not: most likely the T asked for "
            "lies outside the interval that you search. Start with a wider one; halving makes that "
            "cheap.",
            recognise=_search_too_narrow,
        ),
        Mistake(
            "too_few_rounds",
            _bisected(12),
            "The right idea, not near enough: the largest weight must equal the target to within "
            "0.000001. More rounds of halving come nearer; a fixed grid would need far too many "
            "points.",
            recognise=_near_the_targets,
        ),
    ),
    properties=(_said_weight,),
    definition="The largest weight of softmax(scores / T) should be the target.",
    general="Put your T into softmax and look at the largest weight: too large means T is too "
    "low. Halving an interval that holds the right T finds it in some 40 steps.",
    why="The largest weight falls steadily from 1 to 1/n as T grows, so one T fits: √d_k is one "
    "choice of temperature among many.",
)
