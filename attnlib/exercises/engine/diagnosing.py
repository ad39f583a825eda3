"""Which mistake a wrong answer shows: a known one, an error, another form, or one step too many."""

from dataclasses import replace

import numpy as np

from . import wording
from .altered import altered, partly
from .comparing import (
    as_numbers,
    equal,
    has_form,
    outcomes_of,
    recognised,
    same_everywhere,
    seen,
)  # fmt: skip
from .forms import exchanged, remedy
from .habits import habits
from .nearly import imprecise, nearly, rounded
from .raising import not_finite
from .running import Outcome


def diagnose(exercise, answer, outcomes, references, right, again):
    """The status of a wrong answer and what to say of it.

    ``right`` says of each outcome whether it is; ``again`` calls the answer once more on a case,
    with the keywords of `call`.
    """
    common = [not case.rare for case in exercise.cases]
    if not all(r for r, c in zip(right, common) if c):
        outcomes, references, right, cases = (
            [x for x, c in zip(given, common) if c]
            for given in (outcomes, references, right, exercise.cases)
        )
        exercise = replace(exercise, cases=tuple(cases))
    others = []
    for mistake in exercise.mistakes:
        others.append(outcomes_of(mistake.answer, exercise.cases))
        if same_everywhere(exercise, outcomes, others[-1], references):
            return "wrong", mistake.diagnosis

    def would_be_right(change, part=None):
        return _right_after(change, part, exercise, outcomes, references)

    first = right.index(False)
    case, outcome, expected = exercise.cases[first], outcomes[first], references[first].value
    once_more = again(exercise.cases[0])
    code = answer if exercise.truth else exercise.reference  # to try something one may draw
    notice = habits(exercise.short_name, answer, outcomes[0], once_more, code)
    if outcome.failure:
        return "error", f"{wording.raised(exercise, outcome.failure)} {notice}".strip()
    if not has_form(outcome.value, as_numbers(expected)):
        form = wording.wrong_form(exercise, outcome.value, as_numbers(expected))
        fix = remedy(outcome.value, np.shape(expected), would_be_right)
        return "wrong", " ".join(filter(None, (form, fix, notice)))
    given = exercise, outcomes, references
    if exchanged(would_be_right):
        return "wrong", wording.exchanged(*given)
    hidden = imprecise(*given)
    if hidden:
        return "wrong", hidden
    if not np.isfinite(as_numbers(outcome.value)).all():
        return "wrong", not_finite(again(case, floats="raise"))
    alike = [mistake.diagnosis for mistake in recognised(exercise, outcomes)]
    said = rounded(outcomes, references) or (alike and alike[0]) or altered(*given)
    said = said or partly(*given, right, others) or notice or nearly(*given)
    return "wrong", said or exercise.general


def _right_after(change, part, exercise, outcomes, references):
    """Whether a change of what came, which takes it and the shape wanted, makes all right.

    With ``part``, a function of what is wanted: or makes it that part.
    """

    def right(case, outcome, reference):
        changed, wanted = change(outcome.value, np.shape(reference.value)), reference.value
        if part and equal(as_numbers(changed), as_numbers(part(wanted)), exercise):
            return True
        return has_form(changed, as_numbers(wanted)) and equal(
            seen(exercise, case, Outcome(changed)), seen(exercise, case, reference), exercise
        )

    try:
        return not any(outcome.failure for outcome in outcomes) and all(
            map(right, exercise.cases, outcomes, references)
        )
    except Exception:  # what came, or what is wanted, has no such element or axis
        return False
