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


PLACED = (
    "The weight of the first or of the last score is searched, not the largest. They are the same "
    "only where the highest score stands there."
)
LOG = (
    "This is the logarithm of T. A search for it has to end with exp, or with 10 to its power: a "
    "temperature is never negative, and this number can be."
)

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
        Case("large scores", (np.array([1000.0, 998.0]), 0.9), rare=True),
        Case("a lowest score of the largest size", (np.array([-5.0, 1.0, 0.0]), 0.9), rare=True),
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
            "Each search runs to one end of its interval. Either it keeps the wrong half: where "
            "the largest weight exceeds the target, T is too low. Or it compares something else, "
            "such as argmax, which is a position: print what is compared.",
            recognise=_at_the_ends,
        ),
        Mistake("first_weight", _searched(lambda T, s: _weights(s / T)[0]), PLACED),
        Mistake("last_weight", _searched(lambda T, s: _weights(s / T)[-1]), PLACED),
        Mistake(
            "lowest_score",
            _searched(lambda T, scores: _weights(-scores / T).max()),
            "The sign of the scores is reversed, so the weight of the lowest score is searched. "
            "With two scores that is the same number; with more it is another.",
        ),
        Mistake(
            "sizes_of_scores",
            _searched(lambda T, scores: _weights(abs(scores) / T).max()),
            "The scores are taken without their signs. A score of -1 should count for less than "
            "one of 0, not for as much as one of 1.",
        ),
        Mistake(
            "weights_divided",
            lambda scores, target: _weights(scores).max() / target,
            "The weights are divided by T. A temperature divides the scores, before softmax: that "
            "changes how far apart they are.",
        ),
        Mistake(
            "the_weight_itself",
            lambda scores, target: target,
            "This is the target, or the weight that meets it. What is asked for is the T at which "
            "that weight comes about.",
        ),
        Mistake(
            "weights",
            lambda scores, target: _weights(scores / temperature_for(scores, target)),
            "These are the weights that belong to the T that you have found, one for each score. "
            "Return T itself, a single number.",
        ),
        Mistake(
            "highest_score",
            lambda scores, target: scores.max() / target,
            "Here the highest score over T is the target, not the largest weight: softmax is "
            "missing. Scores become weights before they are compared.",
        ),
        Mistake(
            "squared",
            lambda scores, target: temperature_for(scores, target) ** 2,
            "This is T². The scores are to be divided by the number that you return, not by its "
            "root.",
        ),
        Mistake(
            "root",
            lambda scores, target: temperature_for(scores, target) ** 0.5,
            "This is the root of T. The scores are to be divided by the number that you return, "
            "not by its square.",
        ),
        Mistake("logarithm", lambda *given: np.log(temperature_for(*given)), LOG),
        Mistake("logarithm_of_base_10", lambda *given: np.log10(temperature_for(*given)), LOG),
        Mistake(
            "the_rest",
            _searched(_largest_weight, lambda target: 1 - target),
            "The largest weight is compared with 1 - target, which is what the others should hold "
            "together.",
        ),
        Mistake(
            "mean_of_all",
            lambda scores, target: (
                (scores.max() - scores.mean()) / np.log(target * (len(scores) - 1) / (1 - target))
            ),
            "All scores are replaced by their mean, the highest too. exp is not linear, so no mean "
            "can stand for them: search for T instead.",
        ),
        Mistake(
            "without_target",
            lambda scores, target: np.sqrt(len(scores)),
            "T is computed from the number of scores alone. It depends on the target, and on how "
            "far the scores lie apart.",
        ),
        Mistake(
            "from_the_spread",
            lambda scores, target: scores.std() / target,
            "T is computed from the standard deviation of the scores. It gives the right order of "
            "size, but the weight depends on every score: search for T.",
        ),
        Mistake(
            "one_for_all",
            lambda scores, target: 1.0,
            "The same T comes back for every input. Are low and high ever changed, and is the "
            "return below the loop? Or is scores overwritten, so that each round divides what the "
            "one before has divided already?",
            recognise=_one_for_all,
        ),
        Mistake(
            "not_positive",
            lambda scores, target: scores.max() / np.log(target),
            "On no input is T a positive number. A temperature is: look for a logarithm of "
            "something below 1, a difference the wrong way round, or 0 / 0.",
        ),
        Mistake(
            "nearly_zero",
            _searched(lambda T, scores: _weights(scores / T).min()),
            "On every input the highest score gets all the weight: T is next to 0. Does the search "
            "compare the largest weight, not another one, and return T?",
            recognise=_all_at_one,
        ),
        Mistake(
            "always_even",
            _searched(lambda T, scores: np.exp(scores / T).max()),
            "On every input the weights are all but even: T is very large. What is compared seems "
            "to lie above the target for every T: is it a weight, divided by the sum?",
            recognise=_all_even,
        ),
        Mistake(
            "multiplied",
            _searched(lambda T, scores: _weights(scores * T).max()),
            "Each search runs to one end of its interval. Print the largest weight for T = 1 and "
            "for T = 2. If it grows, T multiplies the scores; it should divide them. If it stays, "
            "T is not used, or only added or subtracted, which changes no weight.",
            recognise=_away_from_one,
        ),
        Mistake(
            "stuck",
            lambda scores, target: max(1.0, 2 * temperature_for(scores, target) // 5 * 5),
            "Several inputs that need different temperatures get the same: the search stops there. "
            "Are both of its ends moved, can it go either way, and are the rounds enough?",
            recognise=_stuck,
        ),
        Mistake(
            "too_narrow",
            _bisected(60, -3.0, 3.0),
            "Some targets are met, another is not, most likely one near 1 or near 1/n: the T asked "
            "for lies outside the interval that you search. Start with a wider one; halving makes "
            "that cheap.",
            recognise=_search_too_narrow,
        ),
        Mistake(
            "too_few_rounds",
            _bisected(12),
            "The idea is right, but 0.000001 is not reached. Search on; a grid or random numbers "
            "are too coarse. If low and high have met already, is something rounded on the way, "
            "or does middle not always lie between them?",
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
