"""Check an answer: run it, compare it, name the mistake."""

import time
from dataclasses import replace
from importlib import import_module

import numpy as np

from .attempt import Attempt, Trial, as_numbers
from .exercise import Case, Misfit
from .finders import diagnose
from .forms import remedy, wrong_form
from .guarding import EXERCISES, LONG, Guard, closed_to_answers
from .reading import find
from .reply import Reply
from .running import Outcome, call
from .showing import assigned, describe, listed, show
from .symptoms import stub, taken, uncallable

TIME_LIMIT = 5.0
NUMBERS = (
    "The result would be right as 0 and 1, but the task asks for truth values: ~ and & do "
    "something else with numbers. End with a comparison, with bool(…), or with .astype(bool)."
)
DECIMALS = (
    "The numbers are right, but they are decimals, of type {dtype}, and an index has to be a whole "
    "number. An array made by np.zeros holds decimals; one made of whole numbers does not."
)
LIST = "You return a list; np.array(…) turns it into an array, which other code can calculate with."
ABSENT = {
    "torch": "This exercise needs PyTorch, which is not installed. In the book's repository, "
    "`make torch` installs it."
}
INSIDE = (
    "{name} calls the checker itself, so nothing was checked. If the line check(…) stands inside "
    "the function, let it begin at the left margin."
)
FLOAT32 = (
    "You compute in float32, which keeps about seven digits, and these agree. In float64, as NumPy "
    "computes unless you tell it otherwise, more digits would agree."
)
FLOAT16 = "Also, this is float16, which keeps about three digits and goes no higher than 65504."


def check(name, answer, *, time_limit=TIME_LIMIT):
    """Check an answer to an exercise and say what is right or wrong with it.

    Parameters
    ----------
    name : str
        ``chapter.exercise``; where there is none, a ValueError lists those that come near.
    answer : callable or value
        What the exercise asks for. ``None`` and ``...`` count as not attempted.
    time_limit : float, seconds
        For all calls of the answer together.

    Returns
    -------
    Reply
        With ``passed``, ``status`` and ``text``; shown as a box in a notebook. Whatever the answer
        does is reported, never raised.

    Examples
    --------
    >>> import numpy as np
    >>> check("scaling.score_std", lambda d, var_q, var_k: np.sqrt(d * var_q * var_k)).passed
    True
    >>> check("scaling.score_std", None).status
    'not attempted'
    """
    return examine(find(name), answer, time_limit=time_limit)


def use(name, answer=None, book=None):
    """Return an answer to an exercise if it is right, and else the book's, and say so.

    Parameters
    ----------
    name : str
        ``chapter.exercise``.
    answer : callable, optional
        The reader's own; without one the book's is returned, and nothing is said.
    book : callable, optional
        The book's answer.  An exercise on a class needs it, as its reference is a function of
        arrays; the others have it already.

    Examples
    --------
    >>> std = use("scaling.score_std", lambda d, var_q, var_k: d)
    score_std: the book's, as yours does not pass yet.
    >>> float(std(4, 1.0, 1.0))
    2.0
    """
    exercise = find(name)
    if exercise.adapt and book is None:
        raise TypeError(f"{name} is about a class: give the book's as the third argument.")
    if answer is not None:
        if check(name, answer).passed:
            return answer
        print(f"{exercise.short_name}: the book's, as yours does not pass yet.")
    return book or exercise.reference


def examine(exercise, answer, *, time_limit=TIME_LIMIT):
    """Check an answer to an Exercise that need not be in the book; see `check`."""
    closed_to_answers()
    if answer is None or answer is Ellipsis:
        return Reply("not attempted", f"{exercise.short_name} is still empty.")
    if exercise.needs:
        try:
            import_module(exercise.needs)
        except ModuleNotFoundError:
            return Reply("not attempted", ABSENT[exercise.needs], heading="Not checked.")
    if exercise.adapt and callable(answer) and not _home(answer).startswith(EXERCISES):
        reader, answer = answer, exercise.adapt(answer)
        answer.reader = getattr(reader, "forward", reader)  # whose lines the reply quotes
    with np.errstate(all="ignore"):  # an answer may hold anything, and the reply names it
        if exercise.judge:
            return _examine_numbers(exercise, answer)
        # What is private to this check, and the guard that watches what all checks share.
        cases = tuple(case.copied() for case in exercise.cases)
        mine = replace(_as_called(exercise, answer), cases=cases)
        return _examine_function(mine, answer, Guard(exercise), time_limit)


def _examine_numbers(exercise, answer):
    trial = Trial(exercise, Case("", ()), Outcome(answer))
    expected = f"{exercise.short_name} should be {exercise.returns};"
    if not trial.has_form:
        fix = remedy(Attempt(exercise, answer, [trial]))
        return Reply("wrong", f"{expected} {describe(answer)} was given. {fix}".strip())
    if not np.isfinite(trial.array).all():
        return Reply("wrong", f"{expected} NaN or an infinite number was given.")
    diagnosis = exercise.judge(trial.array)
    if diagnosis is None:
        return Reply("passed", exercise.why)
    value = assigned(exercise.short_name, trial.array)
    return Reply("wrong", diagnosis, value, (_broken_property(trial),))


def _as_called(exercise, answer):
    """The exercise in the words of the reader, who may have given the function another name."""
    try:
        name = answer.__name__ if callable(answer) else None
    except Exception:  # a partial has no name, and an object may answer with anything
        return exercise
    if type(name) is str and name.isidentifier() and len(name) <= 60:
        return exercise.called(name)
    return exercise  # a lambda


def _examine_function(exercise, answer, guard, time_limit):
    if problem := uncallable(exercise, answer):
        return Reply("wrong", problem)
    # Before the answer runs, which could change what is wanted.
    wanted = [Trial(exercise, case, call(exercise.reference, case.args)) for case in exercise.cases]
    deadline = time.monotonic() + time_limit

    def run(*trials, **how):
        """What the answer makes of the arguments of these trials, up to one that does not end."""
        outcomes = []
        with guard:
            for trial in trials:
                left = max(deadline - time.monotonic(), 0.01)
                outcomes.append(call(answer, trial.case.args, left, **how))
                if not outcomes[-1].finished:
                    break
        pairs = zip(trials, outcomes)
        return [replace(t, outcome=outcome, wanted=t.wanted or t) for t, outcome in pairs]

    trials = run(*wanted)
    missing = stub(answer, trials[0].outcome)
    misfits = [t.outcome.failure for t in trials if t.outcome.failure]
    misfits = [failure for failure in misfits if failure.kind == Misfit.__name__]
    if not trials[-1].outcome.finished:
        reply = _unfinished(trials[-1], time_limit)
    elif misfits:
        reply = Reply("wrong", misfits[0].message)
    elif missing is not None:
        reply = Reply("not attempted", missing)
    else:
        attempt = Attempt(exercise, answer, trials, lambda trial, **how: run(trial, **how)[0])
        reply = _wrong(attempt) if attempt.wrong else _right(attempt)
    if guard.asked:
        return Reply("wrong", INSIDE.format(name=exercise.short_name))
    if blame := guard.blame():
        if reply.passed:
            reply = Reply("wrong", f"The result is right, but {blame}")
        else:
            reply = replace(reply, notes=(*reply.notes, f"Also, {blame}"))
    return replace(reply, notes=(*reply.notes, LONG)) if guard.left < 0 else reply


def _unfinished(trial, limit):
    advice = " It could not be stopped: restart the kernel before you go on."
    message = (
        f"{trial.exercise.short_name} was still running after {limit:g} seconds, on the small "
        "input below. Either a loop's condition never becomes false, or its steps are too "
        f"small.{'' if trial.outcome.stopped else advice}"
    )
    return Reply("error", message, _inputs(trial), heading="Did not finish.")


def _right(attempt):
    """The reply where every result is right, which need not be enough."""
    exercise, n = attempt.exercise, len(attempt.trials)
    used = {exercise.short_name: attempt.answer} | taken(attempt.answer)
    borrowed = [name for name, value in used.items() if _home(value).startswith("attnlib")]
    borrowed = borrowed[:1] if exercise.short_name in borrowed else borrowed
    if exercise.own and borrowed:
        comes = f"{listed(borrowed)} come{'s' * (len(borrowed) == 1)}"
        return Reply("wrong", f"The result is right, but {comes} from attnlib: write it yourself.")
    if changes := _changes(attempt):
        return Reply("wrong", f"The result is right, but {changes}")
    if exercise.truth and any(as_numbers(t.outcome.value) is not None for t in attempt.trials):
        return Reply("wrong", NUMBERS)
    kinds = {getattr(t.outcome.value, "dtype", np.dtype(int)) for t in attempt.trials}
    if exercise.indices and (decimals := [kind for kind in kinds if kind.kind not in "iu"]):
        return Reply("wrong", DECIMALS.format(dtype=decimals[0]))
    agreement = f"{exercise.short_name} is right on {n} case{'s' * (n > 1)}."
    notes = [LIST] * any(type(t.value) is list for t in attempt.trials)
    notes += [FLOAT32] * any(trial.short for trial in attempt.trials)
    return Reply("passed", f"{agreement} {exercise.why}", notes=tuple(notes))


def _wrong(attempt):
    """The reply to a wrong answer: the mistake, the smallest case, what can be said besides."""
    status, message = diagnose(attempt)
    bad = dict.fromkeys(trial.case.kind for trial in attempt.wrong)
    good = dict.fromkeys(t.case.kind for t in attempt.trials if t.case.kind not in bad)
    changes, float16 = _changes(attempt), attempt.low_precision() is np.float16
    notes = (
        _broken_property(attempt.wrong[0]),
        good and f"It is right for {listed([*good])}, wrong for {listed([*bad])}.",
        float16 and "float16" not in message and FLOAT16,
        changes and f"Also, {changes}",
    )
    return Reply(
        status,
        message,
        _example(attempt.wrong[0], brief=status == "error"),
        tuple(note for note in notes if note and note not in message),
        about_case="The smallest input on which it goes wrong:",
    )


def _inputs(trial):
    return "\n".join(map(assigned, trial.exercise.parameters, trial.case.args))


def _example(trial, brief):
    """The arguments and what came; brief names an exception that the message has told of."""
    failure, array = trial.outcome.failure, trial.array
    if failure:
        came = f"raised {failure.kind if brief else failure}"
    elif array is None:
        came = f"returned {describe(trial.value)}"
    else:
        value = trial.outcome.value
        came = f"returned\n{show(value if np.asarray(value).dtype == bool else array)}"
    return f"{_inputs(trial)}\n{trial.exercise.signature} {came}"


def _broken_property(trial):
    """The first property that an answer lacks: type, shape, finite numbers, then its meaning."""
    if trial.outcome.failure:
        return None
    if not trial.has_form:
        return wrong_form(trial)
    if not np.isfinite(trial.array).all():
        return "The answer holds NaN (not a number) or an infinite number."
    sentences = (lacks(trial.array, *trial.case.args) for lacks in trial.exercise.properties)
    return next(filter(None, sentences), trial.exercise.definition)


def _changes(attempt):
    """That arguments are changed in place, and what to do; empty if none is."""
    places = sorted({place for trial in attempt.trials for place in trial.outcome.changed})
    names = listed([attempt.exercise.parameters[place] for place in places])
    return names and (
        f"{attempt.exercise.short_name} changes its argument {names} in place, so whoever calls it "
        "loses the original. Work on a copy, or write x = x + 1 instead of x += 1, and "
        "np.sort(x) instead of x.sort()."
    )


def _home(value):
    """The module that a function comes from, or the name of a module."""
    return str(getattr(value, "__module__", None) or getattr(value, "__name__", ""))
