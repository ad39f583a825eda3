"""The sentences of a reply, and the counter-example under them."""

import numpy as np

from .comparing import as_numbers
from .forms import EXCHANGED
from .raising import hint
from .reply import Reply
from .showing import assigned, describe, listed, show


def not_attempted(exercise, hint=""):
    """The reply to an unfinished stub."""
    return Reply("not attempted", f"{exercise.task} {hint}".strip())


def passed(exercise, agreement=""):
    """The reply to a right answer."""
    return Reply("passed", f"{agreement} {exercise.why}".strip())


def unexpected(exercise, came, remedy=""):
    """The reply to an answer of the wrong type."""
    message = f"{exercise.short_name} should be {exercise.returns}; {came}. {remedy}"
    return Reply("wrong", message.strip())


def unfinished(exercise, case, limit, stopped):
    """The reply to a call that took too long."""
    message = (
        f"{exercise.short_name} was still running after {limit:g} seconds, on the small input "
        "below. Either the condition of a loop never becomes false, or its steps are too small."
    )
    if not stopped:
        message += " It could not be stopped: restart the kernel before you go on."
    return Reply("error", message, (("pre", inputs(exercise, case)),), heading="Did not finish.")


def raised(exercise, failure):
    """The message for an answer that raises."""
    where = f" (in {failure.line})" if failure.line else ""
    return f"{exercise.short_name} raised {failure}{where}. {hint(failure)}".strip()


def inputs(exercise, case):
    """The arguments of a case, one under another."""
    return "\n".join(assigned(n, a) for n, a in zip(exercise.parameters, case.args))


def counter_example(exercise, case, outcome, expected, *, brief=False):
    """The details of a wrong reply: the input, what came back, the property it breaks.

    ``brief`` names an exception by its type only, where the message has the rest already.
    """
    array = as_numbers(outcome.value)
    if outcome.failure:
        came = f"raised {outcome.failure.kind if brief else outcome.failure}"
    elif array is None:
        came = f"returned {describe(outcome.value)}"
    else:
        answered = exercise.truth and array.ndim == 0 and array in (0, 1)
        came = f"returned\n{bool(array) if answered else show(array)}"
    block = f"{inputs(exercise, case)}\n{exercise.signature} {came}"
    details = [("p", "The smallest input on which it goes wrong:"), ("pre", block)]
    broken = None if outcome.failure else broken_property(exercise, case, outcome, expected)
    return (*details, ("p", broken)) if broken else tuple(details)


def broken_property(exercise, case, outcome, expected):
    """The first property that an answer lacks: type, shape, finite numbers, then its meaning."""
    array = as_numbers(outcome.value)
    if array is None or array.shape != expected.shape:
        return wrong_form(exercise, outcome.value, expected)
    if np.isnan(array).any():
        return "The answer holds NaN (not a number)."
    if np.isinf(array).any():
        return "The answer holds an infinite number."
    return first_broken(exercise, array, *case.args)


def first_broken(exercise, array, *args):
    """The exercise's first property that the answer lacks; its definition if it has them all."""
    with np.errstate(all="ignore"):
        said = (prop(array, *args) for prop in exercise.properties)
        return next((sentence for sentence in said if sentence), exercise.definition)


def wrong_form(exercise, value, expected):
    """What came back, against the type and shape that were expected."""
    here = f", here {expected.shape}" if expected.ndim else ""
    return f"It should return {exercise.returns}{here}; {describe(value)} came back."


def exchanged(exercise, outcomes, references):
    """That an answer would be right if it were transposed, with the first shape that shows it."""
    for case, outcome, reference in zip(exercise.cases, outcomes, references):
        came, wanted = np.shape(outcome.value), np.shape(reference.value)
        if came != wanted:
            shapes = f" For {case.kind} shape {came} came back where {wanted} is wanted."
            return EXCHANGED + shapes
    return EXCHANGED


def which_kinds(cases, right):
    """Which kinds of input pass and which fail, as one sentence; empty if all fail."""
    kinds = list(dict.fromkeys(case.kind for case in cases))
    bad = [k for k in kinds if not all(r for c, r in zip(cases, right) if c.kind == k)]
    good = [k for k in kinds if k not in bad]
    return f"It is right for {listed(good)}, wrong for {listed(bad)}." if good else ""


def in_place(exercise, changed):
    """That arguments were changed, and what to do."""
    names = listed([exercise.parameters[i] for i in changed])
    return (
        f"{exercise.short_name} changes its argument {names} in place, so whoever calls it loses "
        f"the original. Work on a copy, or write x = x + 1 where x += 1 stands."
    )
