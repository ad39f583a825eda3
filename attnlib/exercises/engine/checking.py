"""Check an answer: run it, compare it, name the mistake."""

import inspect
import time
from dataclasses import replace

import numpy as np

from . import wording
from .comparing import as_numbers, counted, equal, has_form, outcomes_of, seen
from .diagnosing import diagnose
from .forms import remedy
from .habits import taken_from
from .nearly import BESIDES, HALF, kept_in
from .reading import find
from .reply import Reply
from .running import call, has_gap
from .showing import assigned, describe, listed

TIME_LIMIT = 5.0
NUMBERS = (
    "As 0 and 1 the result is right, but truth values are wanted: ~ and & take numbers for "
    "something else. End with a comparison, with bool(…), or with .astype(bool)."
)


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

        def right(change, part=None):
            return not part and _judged_right_after(change, exercise, answer)

        came = f"{describe(answer)} was given"
        fix = remedy(answer, exercise.shape, right, otherwise=exercise.general)
        return wording.unexpected(exercise, came, fix)
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
    outcomes, numbers = [], False
    deadline = time.monotonic() + time_limit

    def once(case, **how):
        return call(answer, case.args, max(deadline - time.monotonic(), 0.01), **how)

    def again(case, **how):
        outcome = once(case, **how)
        return replace(outcome, value=counted(outcome.value)) if exercise.truth else outcome

    for case in exercise.cases:
        outcome = once(case)
        if not outcome.finished:
            return wording.unfinished(exercise, case, time_limit, outcome.stopped)
        hint = _stub(answer, outcome) if not outcomes else None
        if hint is not None:
            return wording.not_attempted(exercise, hint)
        if exercise.truth:
            numbers = numbers or as_numbers(outcome.value) is not None
            outcome = replace(outcome, value=counted(outcome.value))
        outcomes.append(outcome)
    reply = _verdict(exercise, answer, outcomes, again)
    return Reply("wrong", NUMBERS) if reply.passed and numbers else reply


def _verdict(exercise, answer, outcomes, again):
    cases = exercise.cases
    references = outcomes_of(exercise.reference, cases)
    right = [
        not o.failure
        and has_form(o.value, as_numbers(ref.value))
        and equal(seen(exercise, case, o), seen(exercise, case, ref), exercise)
        for case, o, ref in zip(cases, outcomes, references)
    ]
    changed = sorted({i for o in outcomes for i in o.changed})
    borrowed = taken_from("attnlib", answer) if exercise.own else []
    if all(right) and borrowed:
        comes = f"{listed(borrowed)} come{'s' * (len(borrowed) == 1)}"
        return Reply("wrong", f"The result is right, but {comes} from attnlib: write it yourself.")
    if all(right) and changed:
        return Reply("wrong", f"The result is right, but {wording.in_place(exercise, changed)}")
    if all(right):
        n = len(cases)
        agreement = f"{exercise.short_name} is right on {n} case{'s' if n > 1 else ''}."
        return wording.passed(exercise, agreement)
    status, message = diagnose(exercise, answer, outcomes, references, right, again)
    first, brief = right.index(False), status == "error"
    expected = as_numbers(references[first].value)
    details = list(
        wording.counter_example(exercise, cases[first], outcomes[first], expected, brief=brief)
    )
    details.append(("p", wording.which_kinds(cases, right)))
    if kept_in(outcomes) is HALF and "float16" not in message:
        details.append(("p", BESIDES))
    if changed:
        details.append(("p", f"Besides, {wording.in_place(exercise, changed)}"))
    return Reply(status, message, tuple(d for d in details if d[1] and d[1] not in message))


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
