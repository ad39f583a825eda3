"""Which mistake a wrong answer shows: FINDERS look for one after the other."""

from dataclasses import replace
from itertools import product

import numpy as np

from .attempt import equal
from .errors import elsewhere, not_finite, raised
from .forms import exchanged, form
from .habits import habit
from .showing import show

DIGITS = {np.float16: "three", np.float32: "seven"}
SHORT = (
    "Right to about {digits} digits: something is {name}, which keeps no more. Compute in "
    "float64, as NumPy does unless it is told otherwise."
)
OVERFLOW = (
    "Something overflows on the way: float16 ends at 65504, and beyond it comes inf, then NaN. "
    "Compute in float64, as NumPy does unless it is told otherwise."
)
CUT = (
    "These are whole numbers: the digits after the decimal point are cut off. Look for int, for "
    "//, for range, or for an array of whole numbers that is filled."
)
NEARLY = (
    "These numbers are close but not exact. Look for a rounding, a short number type such as "
    "float16, or something small that is added or cut off, and leave it out."
)
UNFILLED = (
    "Some of these numbers are {start}, the others are right. Look for a loop that does not reach "
    "all of them, a return inside it, or numbers that are replaced because they are small or "
    "infinite."
)
TURNED = "Every truth value is turned round: True stands where False is right."
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


def diagnose(attempt):
    """The status of a wrong answer and what to say of it."""
    common = [trial for trial in attempt.trials if not trial.case.rare]
    if not all(trial.right for trial in common):
        attempt = replace(attempt, trials=common)
    for find in FINDERS:
        message = find(attempt)
        if message:
            return "error" if find is raised else "wrong", message
    return "wrong", attempt.exercise.general


def known(attempt):
    """A known mistake gives the same on every case."""
    for mistake in attempt.exercise.mistakes:
        if attempt.makes(mistake):
            return mistake.diagnosis
    return None


def recognised(attempt):
    """A known mistake that has many results recognises these."""
    return next((mistake.diagnosis for mistake in attempt.recognised()), None)


def partly(attempt):
    """A known mistake, and only one, gives the same wherever the answer is wrong."""
    if attempt.exercise.truth and not attempt.trials[0].shape:
        return None  # single truth values tell no mistake from another
    mistakes = attempt.exercise.mistakes
    alike = {m.diagnosis for m in mistakes if attempt.makes(m, where_wrong=True)}
    return alike.pop() if len(alike) == 1 else None


def imprecise(attempt):
    """Something is kept in float16 or float32, which is the only fault or hides a known one."""
    if not attempt.comparable:
        return None
    low, came, wanted = attempt.low_precision(), attempt.came, attempt.wanted
    for kind, digits in DIGITS.items():
        if all(_near(kind, a, w) for a, w in zip(came, wanted)):
            if low is kind or all(_stored(kind, a, w) for a, w in zip(came, wanted)):
                return SHORT.format(digits=digits, name=kind.__name__)
    if low is None:
        return None
    for mistake in attempt.exercise.mistakes:
        others = attempt.by(mistake)
        if all(_near(low, a, other.seen) for a, other in zip(came, others)):
            return mistake.diagnosis
    finite = [np.isfinite(array) for array in came]
    near = all(_near(np.float16, a[f], w[f]) for a, w, f in zip(came, wanted, finite))
    return OVERFLOW if low is np.float16 and near else None


def rounded(attempt):
    """All is right but for digits that are rounded or cut off."""
    if not all(trial.has_form for trial in attempt.trials):
        return None
    pairs = [(trial.array, trial.wanted.array) for trial in attempt.trials]
    # Between 0 and 1 whole numbers are more likely a choice than a rounding.
    large = max(np.abs(w).max(initial=0.0) for _, w in pairs) >= 2
    off = max(np.abs(a - w).max(initial=0.0) for a, w in pairs)
    if large and off < 2 and all(a.dtype.kind in "iu" for a, _ in pairs):
        return CUT
    for places in range(0 if large else 1, 6):
        if off <= 0.500001 * 10.0**-places:
            if all(np.allclose(a, np.round(a, places), rtol=0, atol=1e-12) for a, _ in pairs):
                to = f"{places} decimal{'s' * (places > 1)}" if places else "whole numbers"
                return f"Right, but rounded to {to}. Keep all digits; round for print only."
    cuts = (np.trunc, np.floor) if large else ()
    return CUT if any(all(np.array_equal(a, cut(w)) for a, w in pairs) for cut in cuts) else None


def nearly(attempt):
    """All numbers are off by little."""
    if attempt.exercise.view or not attempt.comparable:
        return None
    for a, w in zip(attempt.came, attempt.wanted):
        if not np.abs(a - w).max(initial=0) <= max(0.006, 0.02 * np.abs(w).max(initial=0)):
            return None
    return NEARLY


def _near(kind, answer, expected):
    """Whether two arrays agree as well as they can after a few steps in this kind of float."""
    if answer is None or expected is None or answer.shape != expected.shape:
        return False
    size = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    limits = np.finfo(kind)
    slack = 32 * float(max(limits.eps * float(size), limits.smallest_subnormal))
    return np.allclose(answer, expected, rtol=0, atol=slack, equal_nan=True)


def _stored(kind, answer, expected):
    """Whether an array of float64 looks like one that was kept in this kind of float before."""
    if not np.array_equal(answer, answer.astype(kind)):
        return False
    return np.allclose(answer, expected, rtol=4 * float(np.finfo(kind).eps), atol=1e-12)


def one_term(attempt):
    """A number is off by a multiple of one product of the arguments, such as a term of a cost."""
    names, cases = attempt.exercise.parameters, [trial.case.args for trial in attempt.trials]
    numbers = all(isinstance(a, bool | int | float) for case in cases for a in case)
    if attempt.exercise.truth or not (attempt.finite and numbers) or np.ndim(attempt.wanted[0]):
        return None
    arguments, wanted = np.array(cases, dtype=float), np.array(attempt.wanted)
    off = np.array(attempt.came) - wanted
    for powers in sorted(product(range(4), repeat=len(names)), key=sum)[1:]:
        term = np.prod(arguments**powers, axis=1)
        here = term != 0
        size = (off[here] / term[here])[:1]
        scaled = here.sum() > 2 and np.allclose(off, size * term, rtol=1e-9, atol=0)
        if scaled and not np.allclose(wanted * term[0], wanted[0] * term):
            factors = " · ".join(f"{n}{'  ²³'[p].strip()}" for n, p in zip(names, powers) if p)
            way, why = ("large", "counted twice") if size > 0 else ("small", "missing")
            return (
                f"Right but for one term: what comes back is too {way} by a multiple of {factors}. "
                f"Is something {why}?"
            )
    return None


def altered(attempt):
    """All is right but for one step: left out, one too many, on another input, in another order.

    Examples
    --------
    >>> from attnlib.exercises import examine, find
    >>> scores = find("scaling.scaled_scores")
    >>> examine(scores, lambda Q, K: -scores.reference(Q, K)).message
    'What comes back is minus the right answer: find the step that does this, and leave it out.'
    """
    if not attempt.finite or not all(np.isfinite(array).all() for array in attempt.wanted):
        return None
    if attempt.exercise.truth:  # where there are two values, many are alike by chance
        return TURNED if attempt.gives(1 - array for array in attempt.wanted) else None
    alike = (sentence for sentence, arrays in _alterations(attempt) if attempt.gives(arrays))
    return _unfilled(attempt) or next(alike, None) or _factor(attempt) or _reordered(attempt)


def _unfilled(attempt):
    came, wanted = attempt.came, attempt.wanted
    if not any(array.any() for array in came):
        return "Every number is 0. Is the result ever filled, and can it hold decimals?"
    wrong = [~np.isclose(a, w) for a, w in zip(came, wanted)]
    for name, before in ({"0": [0 * w for w in wanted]} | attempt.arguments()).items():
        if any(b.shape != w.shape for b, w in zip(before, wanted)):
            continue
        if attempt.gives(before):
            return f"This is {name} itself, just as it came in."
        kept = [np.isclose(a, b)[w] for a, b, w in zip(came, before, wrong)]
        if np.concatenate(kept).size and all(map(np.all, kept)) and not all(map(np.all, wrong)):
            return UNFILLED.format(start=name if name == "0" else f"still those of {name}")
    return None


def _alterations(attempt):
    """What the answer would be if one step were another: a sentence, and arrays, one a case."""
    wanted = attempt.wanted
    for result, step in STEPS.items():
        way_out = "find the step that does this, and leave it out"
        yield f"What comes back is {result}: {way_out}.", (_tried(step, w) for w in wanted)
    for name, arrays in attempt.arguments().items():
        rows = [array[0] if array.ndim else array for array in arrays]
        for part, terms in ((name, arrays), (f"the first row of {name}", rows)):
            terms = [t if t.shape == w.shape else 0.0 for t, w in zip(terms, wanted)]
            if any(map(np.any, terms)):
                plus = f"the right answer plus {part}. Let the sum start at 0."
                yield f"What comes back is {plus}", map(np.add, wanted, terms)
    for sentence, function in _on_other_arguments(attempt.exercise):
        yield sentence, (trial.by(function).seen for trial in attempt.trials)


def _on_other_arguments(exercise):
    """The reference with its arguments changed: a sentence, and a function of the old ones."""
    reference, names = exercise.reference, exercise.parameters
    for i, name in enumerate(names):
        for words, change in INPUTS.items():
            sentence = f"This would be right if {name} were {words}. Use {name} as it comes."
            yield sentence, lambda *a, i=i, f=change: reference(*a[:i], f(a[i]), *a[i + 1 :])
        for j in range(i):
            order = [{i: j, j: i}.get(k, k) for k in range(len(names))]
            sentence = f"This would be right if {names[j]} and {name} were exchanged."
            yield sentence, lambda *a, order=order: reference(*(a[k] for k in order))
    sentence = "All steps are done twice: the result goes through them again. Once is enough."
    yield sentence, lambda *a: reference(reference(*a), *a[1:])


def _tried(function, value):
    try:
        return function(value)
    except (ValueError, IndexError):  # a single number has no order, for one
        return None


def _factor(attempt):
    factors, lengths = [], []
    for a, w in zip(map(np.atleast_1d, attempt.came), map(np.atleast_1d, attempt.wanted)):
        factor = (a * w).sum(axis=-1, keepdims=True) / (w * w).sum(axis=-1, keepdims=True)
        factor = np.where(np.isfinite(factor), factor, 1.0)
        if not equal(attempt.exercise, a, factor * w):
            return None
        wrong = ~np.isclose(factor, 1)
        factors.append(factor[wrong])
        lengths.append((w != 0).sum(axis=-1, keepdims=True)[wrong])
    every = np.concatenate(factors)
    if not every.size:
        return None
    here = next(f for f in factors if f.size)
    here = here[0] if np.allclose(here, here[0]) else here
    rows = sum(w.any(axis=-1).sum() for w in attempt.wanted)
    if np.allclose(every, every[0]) and len(every) == rows:
        return f"Every number is {show(every[0])} times what it should be: look for a factor."
    if np.isclose(every, 0).any() or min(np.concatenate(lengths)) < 2:
        return None
    return (
        f"The proportions are right, but not the size: here each number is {show(here)} times what "
        "it should be. Look at what all of them are multiplied or divided by."
    )


def _reordered(attempt):
    pairs = zip(attempt.came, attempt.wanted)
    if all(equal(attempt.exercise, *(np.sort(a, axis=None) for a in pair)) for pair in pairs):
        return (
            "These are the right numbers in another order: look for something that is sorted, or "
            "counted from the other end."
        )
    return None


#: Each takes an Attempt and returns a sentence or two that are true of it, or nothing.
FINDERS = (
    known, raised, form, exchanged, imprecise, not_finite, rounded, recognised, one_term,
    altered, partly, elsewhere, habit, nearly,
)  # fmt: skip
