"""Answers that are right but for one step, which can happen in every exercise.

Each function takes what was compared on every case, ``came`` and ``wanted``, both finite and of
the same shapes, and returns a sentence that holds on all of them, or None.
"""

from dataclasses import replace

import numpy as np

from .comparing import equal, outcomes_of, same_everywhere, seen_everywhere
from .showing import show

UNFILLED = (
    "Some of these numbers are {start}, the others are right. Look for a loop that does not reach "
    "all of them, a return inside it, or numbers that are replaced because they are small or "
    "infinite."
)
STEPS = {
    "minus the right answer": np.negative,
    "twice the right answer": lambda w: 2 * w,
    "half of the right answer": lambda w: w / 2,
    "1 minus the right answer": lambda w: 1 - w,
    "1 over the right answer": lambda w: 1 / w,
    "the right answer squared": np.square,
    "the root of the right answer": np.sqrt,
    "the logarithm of the right answer": np.log,
    "exp of the right answer": np.exp,
    "the right answer without its signs": np.abs,
    "the right answer, each number with all before it added": lambda w: np.cumsum(w, axis=-1),
    "the right answer in reverse order": lambda w: w[::-1],
}
INPUTS = {
    "sorted": np.sort,
    "in reverse order": lambda a: a[::-1],
    "without its signs": np.abs,
    "multiplied by -1": np.negative,
    "rounded to 2 decimals": lambda a: np.round(a, 2),
    "cut to whole numbers": np.trunc,
    "squared": np.square,
    "replaced by its root": np.sqrt,
    "doubled": lambda a: 2 * a,
    "divided by its largest number": lambda a: a / np.max(a),
    "divided by its length": lambda a: a / np.linalg.norm(a),
}


def altered(exercise, outcomes, references):
    """The sentence for an answer that is right but for one step; None if it is not.

    Examples
    --------
    >>> from attnlib.exercises import examine, find
    >>> scores = find("scaling.scaled_scores")
    >>> examine(scores, lambda Q, K: -scores.reference(Q, K)).message
    'What comes back is minus the right answer: find the step that does this, and leave it out.'
    """
    came = seen_everywhere(exercise, outcomes)
    wanted = seen_everywhere(exercise, references)
    for a, w in zip(came, wanted):
        if a is None or a.shape != w.shape or not (np.isfinite(a) & np.isfinite(w)).all():
            return None
    steps = (_unfilled, _last_step, _more_added, _another_input, _factor, _reordered)
    if exercise.truth:  # where there are two values, many are alike by chance
        steps = (_turned_round,)
    return next((said for s in steps if (said := s(exercise, came, wanted))), None)


def partly(exercise, outcomes, references, right, others):
    """The diagnosis of the mistake that is made wherever the answer is wrong, if it is only one.

    ``others`` are the outcomes of each mistake. Single truth values tell no mistake from another.
    """
    if exercise.truth and not np.ndim(references[0].value):
        return None

    def of_wrong(given):
        return [one for one, passes in zip(given, right) if not passes]

    part = replace(exercise, cases=tuple(of_wrong(exercise.cases)))
    here, wanted = of_wrong(outcomes), of_wrong(references)
    said = {
        mistake.diagnosis
        for mistake, theirs in zip(exercise.mistakes, others)
        if same_everywhere(part, here, of_wrong(theirs), wanted)
    }
    return said.pop() if len(said) == 1 else None


def _turned_round(exercise, came, wanted):
    if all(equal(a, 1 - w, exercise) for a, w in zip(came, wanted)):
        return "Every truth value is turned round: True stands where False is right."
    return None


def _unfilled(exercise, came, wanted):
    if not any(a.any() for a in came):
        return "Every number is 0. Is the result ever filled, and can it hold decimals?"
    wrong = [~np.isclose(a, w) for a, w in zip(came, wanted)]
    for name, before in ({"0": [0 * w for w in wanted]} | _given(exercise)).items():
        if any(b.shape != w.shape for b, w in zip(before, wanted)):
            continue
        if all(equal(a, b, exercise) for a, b in zip(came, before)):
            return f"This is {name} itself, just as it came in."
        kept = [np.isclose(a, b)[w] for a, b, w in zip(came, before, wrong)]
        if np.concatenate(kept).size and all(map(np.all, kept)) and not all(map(np.all, wrong)):
            return UNFILLED.format(start=name if name == "0" else f"still those of {name}")
    return None


def _last_step(exercise, came, wanted):
    def same(step):
        return all(equal(a, _tried(step, w), exercise) for a, w in zip(came, wanted))

    found = next((what for what, step in STEPS.items() if same(step)), None)
    return found and f"What comes back is {found}: find the step that does this, and leave it out."


def _more_added(exercise, came, wanted):
    for name, given in _given(exercise).items():
        rows = [g[0] if g.ndim else g for g in given]
        for what, parts in ((name, given), (f"the first row of {name}", rows)):
            added = [p if p.shape == w.shape else 0.0 for p, w in zip(parts, wanted)]
            if any(np.any(p) for p in added) and all(
                equal(a, w + p, exercise) for a, w, p in zip(came, wanted, added)
            ):
                return f"What comes back is the right answer plus {what}. Let the sum start at 0."
    return None


def _another_input(exercise, came, wanted):
    for said, arguments in _changes(exercise):
        cases = [replace(case, args=args) for case, args in zip(exercise.cases, arguments)]
        others = seen_everywhere(exercise, outcomes_of(exercise.reference, cases))
        if all(equal(a, other, exercise) for a, other in zip(came, others)):
            return said
    return None


def _changes(exercise):
    """Sentences, each with the arguments on every case for which it would be right."""
    names, given = exercise.parameters, [case.args for case in exercise.cases]
    for i, name in enumerate(names):
        for what, change in INPUTS.items():
            said = f"This would be right if {name} were {what}. Use {name} as it comes."
            changed = [_tried(change, a[i]) for a in given]
            if all(c is not None for c in changed):
                yield said, [(*a[:i], c, *a[i + 1 :]) for a, c in zip(given, changed)]
        for j in range(i):
            said = f"This would be right if {names[j]} and {name} were exchanged."
            yield said, [(*a[:j], a[i], *a[j + 1 : i], a[j], *a[i + 1 :]) for a in given]
    said = "All steps are done twice: the result goes through them again. Once is enough."
    yield said, [(_tried(lambda a: exercise.reference(*a), a), *a[1:]) for a in given]


def _factor(exercise, came, wanted):
    factors, lengths = [], []
    for a, w in zip(map(np.atleast_1d, came), map(np.atleast_1d, wanted)):
        factor = (a * w).sum(axis=-1, keepdims=True) / (w * w).sum(axis=-1, keepdims=True)
        factor = np.where(np.isfinite(factor), factor, 1.0)
        if not equal(a, factor * w, exercise):
            return None
        wrong = ~np.isclose(factor, 1)
        factors.append(factor[wrong])
        lengths.append((w != 0).sum(axis=-1, keepdims=True)[wrong])
    every = np.concatenate(factors)
    if not every.size:
        return None
    here = next(f for f in factors if f.size)
    here = here[0] if np.allclose(here, here[0]) else here
    if np.allclose(every, every[0]) and len(every) == sum(w.any(axis=-1).sum() for w in wanted):
        return f"Every number is {show(every[0])} times what it should be: look for a factor."
    if np.isclose(every, 0).any() or min(np.concatenate(lengths)) < 2:
        return None
    return (
        f"The proportions are right, but not the size: here each number is {show(here)} times what "
        "it should be. Look at what all of them are multiplied or divided by."
    )


def _reordered(exercise, came, wanted):
    came, wanted = ([np.sort(a, axis=None) for a in arrays] for arrays in (came, wanted))
    if all(equal(a, w, exercise) for a, w in zip(came, wanted)):
        return (
            "These are the right numbers in another order: look for something that is sorted, or "
            "counted from the other end."
        )
    return None


def _given(exercise):
    """The arguments by name, each on all cases, but for functions."""
    return {
        name: [np.asarray(case.args[i]) for case in exercise.cases]
        for i, name in enumerate(exercise.parameters)
        if not callable(exercise.cases[0].args[i])
    }


def _tried(function, value):
    try:
        return function(value)
    except Exception:  # a single number has no order, for one
        return None
