"""Check an answer: run it, compare it, name the mistake."""

import inspect
import time

import numpy as np

from . import wording
from .catalogue import find
from .comparing import as_numbers, equal, outcomes_of, recognised, same_everywhere, seen
from .forms import exchanged, remedy
from .nearly import BESIDES, HALF, imprecise, kept_in, multiple, rounded
from .reply import Reply
from .running import Outcome, call, has_gap
from .showing import assigned, describe

TIME_LIMIT = 5.0


def check(name, answer, *, time_limit=TIME_LIMIT):
    """Check an answer to an exercise and say what is right or wrong with it.

    Parameters
    ----------
    name : str
        The exercise, ``chapter.exercise``.
    answer : callable or value
        What the exercise asks for. ``None`` and ``...`` count as not attempted.
    time_limit : float, seconds
        For all calls of the answer together.

    Returns
    -------
    Reply
        With ``passed``, ``status`` and ``text``; shown as a box in a notebook.

    Raises
    ------
    ValueError
        If there is no exercise of that name. Whatever the answer does is reported, never raised.

    Examples
    --------
    >>> import numpy as np
    >>> check("scaling.score_std", lambda d, var_q, var_k: np.sqrt(d * var_q * var_k)).passed
    True
    >>> check("scaling.score_std", None).status
    'not attempted'
    """
    return examine(find(name), answer, time_limit=time_limit)


def examine(exercise, answer, *, time_limit=TIME_LIMIT):
    """Check an answer to an Exercise that need not be in the catalogue; see `check`."""
    if answer is None or answer is Ellipsis:
        return wording.not_attempted(exercise)
    with np.errstate(all="ignore"):  # an answer may hold anything, and the reply names it
        if exercise.kind == "function":
            return _examine_function(_as_called(exercise, answer), answer, time_limit)
        return _examine_numbers(exercise, answer)


def _as_called(exercise, answer):
    """The exercise in the words of the reader, who may have given the function another name."""
    try:
        name = answer.__name__ if callable(answer) else None
    except Exception:  # a partial has no name, and an object may answer with anything
        return exercise
    if type(name) is str and name.isidentifier() and len(name) <= 60:
        return exercise.called(name)
    return exercise  # a lambda


def _examine_numbers(exercise, answer):
    array = as_numbers(answer, lists=True)
    if array is None or array.shape != exercise.shape:

        def right(change):
            return _judged_right_after(change, exercise, answer)

        came = f"{describe(answer)} was given"
        return wording.unexpected(exercise, came, remedy(answer, exercise.shape, right))
    if not np.isfinite(array).all():
        return wording.unexpected(exercise, "NaN or an infinite number was given")
    diagnosis = exercise.judge(array)
    if diagnosis is None:
        return wording.passed(exercise)
    broken = wording.first_broken(exercise, array)
    details = (("pre", assigned(exercise.short_name, array)), ("p", broken))
    return Reply("wrong", diagnosis, details)


def _judged_right_after(change, exercise, answer):
    try:
        array = as_numbers(change(answer, exercise.shape), lists=True)
    except Exception:  # it has no such element or axis
        return False
    if array is None or array.shape != exercise.shape or not np.isfinite(array).all():
        return False
    return exercise.judge(array) is None


def _examine_function(exercise, answer, time_limit):
    problem = _uncallable(exercise, answer)
    if problem:
        return Reply("wrong", problem)
    outcomes = []
    deadline = time.monotonic() + time_limit
    for case in exercise.cases:
        outcome = call(answer, case.args, max(deadline - time.monotonic(), 0.01))
        if not outcome.finished:
            return wording.unfinished(exercise, case, time_limit, outcome.stopped)
        hint = _stub(answer, outcome) if not outcomes else None
        if hint is not None:
            return wording.not_attempted(exercise, hint)
        outcomes.append(outcome)
    return _verdict(exercise, outcomes)


def _verdict(exercise, outcomes):
    cases = exercise.cases
    references = outcomes_of(exercise.reference, cases)
    right = [
        not o.failure
        and _has_form(o.value, as_numbers(ref.value))
        and equal(seen(exercise, case, o), seen(exercise, case, ref), exercise)
        for case, o, ref in zip(cases, outcomes, references)
    ]
    changed = sorted({i for o in outcomes for i in o.changed})
    if all(right) and changed:
        return Reply("wrong", f"The result is right, but {wording.in_place(exercise, changed)}")
    if all(right):
        n = len(cases)
        agreement = f"{exercise.short_name} is right on {n} case{'s' if n > 1 else ''}."
        return wording.passed(exercise, agreement)
    first = right.index(False)
    outcome, expected = outcomes[first], as_numbers(references[first].value)
    status, message = _diagnosis(exercise, outcomes, references, first)
    brief = status == "error"
    details = list(wording.counter_example(exercise, cases[first], outcome, expected, brief=brief))
    details.append(("p", wording.which_kinds(cases, right)))
    if kept_in(outcomes) is HALF and "float16" not in message:
        details.append(("p", BESIDES))
    if changed:
        details.append(("p", f"Besides, {wording.in_place(exercise, changed)}"))
    return Reply(status, message, tuple(d for d in details if d[1] and d[1] not in message))


def _diagnosis(exercise, outcomes, references, first):
    for mistake in exercise.mistakes:
        others = outcomes_of(mistake.answer, exercise.cases)
        if same_everywhere(exercise, outcomes, others, references):
            return "wrong", mistake.diagnosis
    outcome, expected = outcomes[first], as_numbers(references[first].value)
    if outcome.failure:
        return "error", wording.raised(exercise, outcome.failure)

    def right(change):
        return _right_after(change, exercise, outcomes, references)

    if not _has_form(outcome.value, expected):
        form = wording.wrong_form(exercise, outcome.value, expected)
        return "wrong", f"{form} {remedy(outcome.value, expected.shape, right)}".strip()
    if exchanged(right):
        return "wrong", wording.exchanged(exercise, outcomes, references)
    hidden = imprecise(exercise, outcomes, references)
    if hidden:
        return "wrong", hidden
    if not np.isfinite(as_numbers(outcome.value)).all():
        return "wrong", "Something overflows or is 0/0 on the way: look for the first NaN or inf."
    cut = rounded(outcomes, references)
    if cut:
        return "wrong", cut
    alike = [mistake.diagnosis for mistake in recognised(exercise, outcomes)]
    alike.append(multiple(exercise, outcomes, references) or exercise.general)
    return "wrong", alike[0]


def _right_after(change, exercise, outcomes, references):
    """Whether a change of what came, which takes it and the shape wanted, makes all right."""
    for case, outcome, reference in zip(exercise.cases, outcomes, references):
        try:
            changed = change(outcome.value, np.shape(reference.value))
        except Exception:  # what came has no such element or axis
            return False
        wanted = seen(exercise, case, reference)
        if outcome.failure or not _has_form(changed, as_numbers(reference.value)):
            return False
        if not equal(seen(exercise, case, Outcome(changed)), wanted, exercise):
            return False
    return True


def _has_form(value, expected):
    array = as_numbers(value)
    return array is not None and array.shape == expected.shape


def _uncallable(exercise, answer):
    """Why the answer cannot be called as the exercise does, or None if it can."""
    if not callable(answer):
        return (
            f"A function {exercise.signature} was expected; {describe(answer)} was given. "
            f"Pass the function itself: its name, without brackets."
        )
    try:
        signature = inspect.signature(answer)
    except Exception:  # a function written in C, or an odd object: the call will tell
        return None
    names = tuple(signature.parameters)
    as_given = f"is called as {exercise.signature}, but its arguments are ({', '.join(names)})."
    try:
        signature.bind(*exercise.parameters)
    except TypeError:
        return f"{exercise.short_name} {as_given}"
    if names != exercise.parameters and sorted(names) == sorted(exercise.parameters):
        return f"{exercise.short_name} {as_given} The order matters."
    return None


def _stub(answer, outcome):
    """A hint if the first call shows an unfinished stub, else None."""
    if outcome.failure:
        if outcome.failure.is_stub:
            return ""
        return "Replace the ... that is still in it." if has_gap(answer) else None
    if outcome.value is Ellipsis:
        return "Replace the ... that it returns."
    if outcome.value is None and not outcome.changed:
        return "It returns None so far: if the body is written, the return is missing."
    return None
