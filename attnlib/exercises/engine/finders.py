"""Which mistake a wrong answer shows: FINDERS look for one after the other."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from .attempt import equal, near
from .forms import exchanged, form
from .running import call
from .showing import listed, show
from .symptoms import caret, elsewhere, habit, not_finite, raised

DIGITS = {np.float16: "three", np.float32: "seven"}
SHORT = (
    "This is right to about {digits} digits: somewhere you use {name}, which keeps no more. "
    "Compute in float64, as NumPy does unless you tell it otherwise."
)
OVERFLOW = (
    "Something overflows on the way: the largest float16 is 65504, and anything larger becomes "
    "inf, then NaN. Compute in float64, as NumPy does unless you tell it otherwise."
)
CUT = (
    "These are whole numbers: the digits after the decimal point are cut off. Look for int, "
    "//, range, or an array of whole numbers that you fill."
)
WHOLE = (
    "These are whole numbers, and the right ones are not: look for int, //, or an array of whole "
    "numbers, such as np.zeros_like of one, that you fill."
)
NEARLY = (
    "These numbers are close but not exact. Look for rounding, a short number type such as "
    "float16, or something small that you add or cut off, and leave it out."
)
UNFILLED = (
    "Some of these numbers are {start}; the others are right. Look for a loop that does not reach "
    "all of them, a return inside it, or numbers that you replace because they are small or "
    "infinite."
)
TURNED = (
    "Every truth value is reversed: you return True where False is right, and False where True is."
)
REORDERED = (
    "These are the right numbers in another order: look for axes that change places, for "
    "something that you sort, or count from the other end."
)
COLUMNS = (
    "The columns of these weights sum to 1. A row belongs to one query: its weights over all keys "
    "sum to 1, so the sum runs over the last axis."
)
TABLE = (
    "The whole table sums to 1. Each row belongs to one query, and its weights sum to 1 by "
    "themselves: sum over the last axis, with keepdims=True."
)
UNDIVIDED = (
    "These have the right proportions, and should sum to 1, in each row if there are several: "
    "divide them by their sum."
)
KEEPDIMS = (
    "Each column is divided by the sum of another row. A sum without keepdims=True is laid along "
    "the last axis, so its first number divides the first column, not the first row."
)
POWERS = "These are powers of {base}. Softmax takes powers of e, np.exp, before it divides."
SCALED = (
    "These would be the right weights if all scores were {times}: look at what the scores are "
    "multiplied or divided by before softmax, and at how often."
)
#: What a step too many does to an array: to the right answer, or to an argument before it is used.
STEPS = {
    "multiplied by -1": np.negative,
    "doubled": lambda a: 2 * a,
    "halved": lambda a: a / 2,
    "subtracted from 1": lambda a: 1 - a,
    "divided into 1": lambda a: 1 / a,
    "squared": np.square,
    "replaced by its square root": np.sqrt,
    "replaced by its logarithm": np.log,
    "replaced by its exponential": np.exp,
    "without its signs": np.abs,
    "summed up along each row": lambda a: np.cumsum(a, axis=-1),
    "in reverse order": lambda a: a[::-1],
    "moved on by one place, the last to the front": lambda a: np.roll(a, 1, axis=0),
    "moved back by one place, the first to the end": lambda a: np.roll(a, -1, axis=0),
    "sorted": np.sort,
    "rounded to 2 decimals": lambda a: np.round(a, 2),
    "cut to whole numbers": np.trunc,
    "divided by its largest number": lambda a: a / np.max(a),
    "divided by its length": lambda a: a / np.linalg.norm(a),
}


def diagnose(attempt):
    """The status of a wrong answer and what to say of it."""
    common = [trial for trial in attempt.trials if not trial.case.rare]
    if not all(trial.right for trial in common):
        attempt = replace(attempt, trials=common)
    for find in FINDERS:
        if message := find(attempt):
            return "error" if find is raised else "wrong", message
    where, first = attempt.exercise.where, attempt.wrong[0].case.kind
    return "wrong", where.get(first, attempt.exercise.general)


def known(attempt):
    """A known mistake gives the same on every case."""
    return next((m.diagnosis for m in attempt.exercise.mistakes if attempt.makes(m)), None)


def recognised(attempt):
    """A known mistake that has many results recognises these."""
    return next((mistake.diagnosis for mistake in attempt.recognised()), None)


def partly(attempt):
    """A known mistake, and only one, gives the same wherever the answer is wrong."""
    if attempt.exercise.truth and not attempt.trials[0].shape:
        return None  # single truth values tell no mistake from another
    alike = [m for m in attempt.exercise.mistakes if attempt.makes(m, where_wrong=True)]
    off = [t.seen[t.seen != t.wanted.seen] for t in attempt.wrong if t.has_form]
    if len(attempt.wrong) == 1 and all(len(np.unique(numbers)) < 2 for numbers in off):
        # One number may be alike by chance.
        alike = [m for m in alike if not any(_spoils(attempt, m))]
    diagnoses = {mistake.diagnosis for mistake in alike}
    return diagnoses.pop() if len(diagnoses) == 1 else None


def _spoils(attempt, mistake):
    """For each case that the answer gets right: whether the mistake does not."""
    pairs = zip(attempt.trials, attempt.by(mistake))
    return (not trial.right for came, trial in pairs if came.right)


def imprecise(attempt):
    """Something is kept in float16 or float32, which is the only fault or hides a known one."""
    low = attempt.low_precision()
    if low is None or not attempt.comparable:
        return None
    if all(map(partial(near, low, each=True), attempt.came, attempt.wanted)):
        return SHORT.format(digits=DIGITS[low], name=low.__name__)
    for mistake in attempt.exercise.mistakes:
        if all(map(partial(near, low), attempt.came, [t.seen for t in attempt.by(mistake)])):
            return mistake.diagnosis
    lost = [np.isfinite(w) & ~np.isfinite(a) for a, w in zip(attempt.came, attempt.wanted)]
    return OVERFLOW if low is np.float16 and any(map(np.any, lost)) else None


def rounded(attempt):
    """All is right but for digits that are rounded or cut off."""
    if not all(trial.has_form for trial in attempt.trials):
        return None
    pairs = [(trial.array, trial.wanted.array) for trial in attempt.trials]
    # Between 0 and 1 whole numbers are more likely a choice than a rounding.
    large = max(np.abs(w).max(initial=0.0) for _, w in pairs) >= 2
    off = max(np.abs(a - w).max(initial=0.0) for a, w in pairs)
    broken = any((w != np.round(w)).any() for _, w in pairs)
    if broken and large and off < 2 and all(a.dtype.kind in "iu" for a, _ in pairs):
        return CUT if off < 1 else WHOLE
    for places in range(0 if large else 1, 6):
        same = all(np.allclose(a, np.round(a, places), rtol=0, atol=1e-12) for a, _ in pairs)
        if same and off <= 0.500001 * 10.0**-places:
            to = f"{places} decimal{'s' * (places > 1)}" if places else "whole numbers"
            return f"Right, but rounded to {to}. Keep all digits; round only when you print."
    cuts = (np.trunc, np.floor) if large else ()
    return CUT if any(all(np.array_equal(a, cut(w)) for a, w in pairs) for cut in cuts) else None


def nearly(attempt):
    """All numbers are off by little."""
    if attempt.exercise.view or not attempt.comparable:
        return None
    pairs = zip(attempt.came, attempt.wanted)
    off = [(np.abs(a - w).max(initial=0), np.abs(w).max(initial=0)) for a, w in pairs]
    return NEARLY if all(gap <= max(0.006, 0.02 * size) for gap, size in off) else None


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
            excess = "large by a multiple of {}. Is something counted twice?"
            lack = "small by a multiple of {}. Is something missing?"
            way = (excess if size > 0 else lack).format(factors)
            return f"All but one term is right: the result is too {way}"
    return None


def weights(attempt):
    """The right answer is weights that sum to 1, and softmax goes wrong by one of its slips."""
    if attempt.exercise.truth or not attempt.finite:
        return None
    pairs = list(zip(map(np.atleast_1d, attempt.came), map(np.atleast_1d, attempt.wanted)))
    if not all((w >= 0).all() and np.allclose(w.sum(axis=-1), 1) for _, w in pairs):
        return None
    if not all(((a > 0) == (w > 0)).all() and (a >= 0).all() for a, w in pairs):
        return None
    if all(np.allclose(a / a.sum(axis=-1, keepdims=True), w) for a, w in pairs):
        table = all(a.ndim == 2 and np.isclose(a.sum(), 1) for a, _ in pairs)
        return TABLE if table else UNDIVIDED
    by_columns, of_rows = zip(*(_by_columns(a, w) for a, w in pairs))
    if max(len(a) for a, _ in pairs) < 3:  # two rows fit nearly anything
        by_columns = of_rows = [False]
    if all(by_columns) and all(np.allclose(a.sum(axis=0), 1) for a, _ in pairs):
        return COLUMNS
    if all(of_rows):
        return KEEPDIMS
    wrong = [(a, w) for a, w in pairs if not np.allclose(a, w)]
    known = [slope for slope in (_slope(a, w) for a, w in wrong) if slope is not None]
    if not known or not all(np.allclose(a.sum(axis=-1), 1) for a, _ in pairs):
        return None
    if np.isnan(known).any():
        return None
    for base in (2, 10):
        if np.allclose(known, np.log(base)):
            return POWERS.format(base=base)
    if known[0] <= 0:
        return None
    times = (
        f"{show(known[0])} times as large" if np.allclose(known, known[0]) else "larger or smaller"
    )
    return SCALED.format(times=times)


def _by_columns(came, wanted):
    """Whether entry (i, j) is that of the right answer, times r_i / c_j; and whether c is r."""
    if came.ndim != 2:
        return False, False
    i, j = np.nonzero(wanted)
    rows, columns = np.eye(len(came))[i], np.eye(came.shape[1])[j]
    ratios = np.log(came[i, j] / wanted[i, j])

    def solvable(equations):
        solution = np.linalg.lstsq(equations, ratios, rcond=None)[0]
        return np.allclose(equations @ solution, ratios, atol=1e-6)

    square = rows.shape == columns.shape
    return solvable(np.hstack([rows, -columns])), square and solvable(rows - columns)


def _slope(came, wanted):
    """By what the scores are multiplied; NaN if by nothing, None if all weights are equal."""
    logs = [np.log(x, where=x > 0, out=np.full(x.shape, np.nan)) for x in (came, wanted)]
    a, w = (log - np.nanmean(log, axis=-1, keepdims=True) for log in logs)
    here = np.isfinite(w)
    a, w = a[here], w[here]
    if np.allclose(w, 0):
        return None if np.allclose(a, 0) else np.nan
    slope = (a @ w) / (w @ w)
    return slope if np.allclose(a, slope * w, atol=1e-6) else np.nan


def altered(attempt):
    """All is right but for one step: left out, one too many, on another input, in another order.

    Examples
    --------
    >>> from attnlib.exercises import examine, find
    >>> scores = find("scaling.scaled_scores")
    >>> examine(scores, lambda Q, K: -scores.reference(Q, K)).message
    'This is the right answer multiplied by -1. Find the step that does this, and leave it out.'
    """
    if not attempt.finite or not all(np.isfinite(array).all() for array in attempt.wanted):
        return None
    if attempt.exercise.truth:  # where there are two values, many are alike by chance
        return TURNED if attempt.gives(1 - array for array in attempt.wanted) else None
    alike = (sentence for sentence, arrays in _alterations(attempt) if attempt.gives(arrays))
    message = _unfilled(attempt) or next(alike, None) or _factor(attempt)
    in_order = (
        [np.sort(a, axis=None) for a in arrays] for arrays in (attempt.came, attempt.wanted)
    )
    same = all(equal(attempt.exercise, a, w) for a, w in zip(*in_order))
    return message or (REORDERED if same else None)


def _unfilled(attempt):
    came, wanted = attempt.came, attempt.wanted
    if not any(array.any() for array in came):
        return "Every number is 0. Is the result ever filled, and can it hold decimals?"
    wrong = [~np.isclose(a, w) for a, w in zip(came, wanted)]
    for name, before in ({"0": [0 * w for w in wanted]} | attempt.arguments()).items():
        if any(b.shape != w.shape for b, w in zip(before, wanted)):
            continue
        if attempt.gives(before):
            return f"This is {name} itself, unchanged."
        kept = [np.isclose(a, b)[w] for a, b, w in zip(came, before, wrong)]
        if not np.concatenate(kept).size or not all(map(np.all, kept)):
            continue
        if not any(w.all() for w in wrong if w.any()):  # in each wrong result some are right
            return UNFILLED.format(start=name if name == "0" else f"still those of {name}")
        if all(w.all() for w in wrong if w.any()) and name != "0":
            kinds = dict.fromkeys(trial.case.kind for trial in attempt.wrong)
            return f"For {listed([*kinds])} this is {name} itself, unchanged."
    return None


def _alterations(attempt):
    """What the answer would be if one step were another: a sentence, and arrays, one a case."""
    exercise, wanted = attempt.exercise, attempt.wanted
    reference, names = exercise.reference, exercise.parameters

    def by(function):
        return (trial.by(function).seen for trial in attempt.trials)

    for words, step in STEPS.items():
        sentence = (
            f"This is the right answer {words}. Find the step that does this, and leave it out."
        )
        yield sentence, (call(step, (w,)).value for w in wanted)
    for name, arrays in attempt.arguments().items():
        rows = [array[0] if array.ndim else array for array in arrays]
        for part, terms in ((name, arrays), (f"the first row of {name}", rows)):
            terms = [t if t.shape == w.shape else 0.0 for t, w in zip(terms, wanted)]
            if any(map(np.any, terms)):
                sentence = f"This is the right answer plus {part}. Start the sum at 0."
                yield sentence, map(np.add, wanted, terms)
    for i, name in enumerate(names):
        if all(isinstance(trial.case.args[i], int | float) for trial in attempt.trials):
            sentence = f"This would be right if {name} were always 1: {name} seems to be left out."
            yield sentence, by(lambda *a, i=i: reference(*a[:i], 1, *a[i + 1 :]))
        for words, step in STEPS.items():
            what = f"This is what you would get if {name} were {words}."
            sentence = f"{what} Look for a step that does this."
            yield sentence, by(lambda *a, i=i, f=step: reference(*a[:i], f(a[i]), *a[i + 1 :]))
        for j in range(i):
            order = [{i: j, j: i}.get(k, k) for k in range(len(names))]
            sentence = f"This is what you would get if {names[j]} and {name} were exchanged."
            yield sentence, by(lambda *a, order=order: reference(*(a[k] for k in order)))
    sentence = "You apply all the steps twice. Once is enough."
    yield sentence, by(lambda *a: reference(reference(*a), *a[1:]))


def _factor(attempt):
    factors, lengths, rows = [], [], 0
    for a, w in zip(map(np.atleast_1d, attempt.came), map(np.atleast_1d, attempt.wanted)):
        factor = (a * w).sum(axis=-1, keepdims=True) / (w * w).sum(axis=-1, keepdims=True)
        factor = np.where(np.isfinite(factor), factor, 1.0)
        if not equal(attempt.exercise, a, factor * w):
            return None
        wrong = ~np.isclose(factor, 1)
        factors.append(factor[wrong])
        lengths.append((w != 0).sum(axis=-1, keepdims=True)[wrong])
        rows += w.any(axis=-1).sum()
    every = np.concatenate(factors)
    if not every.size:
        return None
    constant = np.allclose(every, every[0]) and len(every) == rows
    if not constant and (np.isclose(every, 0).any() or min(np.concatenate(lengths)) < 2):
        return None
    here = next(factor for factor in factors if factor.size)
    here = here[0] if np.allclose(here, here[0]) else here
    return (
        f"Here each number is {show(here)} times what it should be: look at what you multiply or "
        "divide them all by."
    )


#: Each takes an Attempt and returns a sentence or two that are true of it, or nothing.
FINDERS = (
    known, raised, caret, form, exchanged, imprecise, not_finite, rounded, recognised, one_term,
    weights, altered, partly, elsewhere, habit, nearly,
)  # fmt: skip
