"""Every exercise of the book: its checker accepts what is right and names what is wrong."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest

from attnlib.exercises import all_exercises, check, examine
from attnlib.exercises.engine.showing import show
from tests.helpers.exercise_faults import faults, trusted_attempt

#: What is adapted is answered here by functions of arrays, as its mistakes are.
EXERCISES = {name: replace(e, adapt=None) for name, e in all_exercises().items()}
FUNCTIONS = [e for e in EXERCISES.values() if e.cases]
MISTAKES = {f"{e.name}-{n}": (e, m) for e in FUNCTIONS for n, m in enumerate(e.mistakes, 1)}

each_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
each_function = pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.name)


@each_exercise
def test_reference_passes_and_mistakes_get_their_diagnosis(exercise):
    assert faults(exercise) == []
    assert check(exercise.name, exercise.reference).text.endswith(exercise.why)


@each_exercise
def test_right_answers_in_other_forms_pass(exercise):
    for answer in exercise.also_right:
        reply = examine(exercise, answer)
        assert reply.passed, reply.text


@each_exercise
def test_variants_of_a_mistake_get_its_diagnosis(exercise):
    for mistake in exercise.mistakes:
        for answer in mistake.such_as:
            assert examine(exercise, answer).message == mistake.diagnosis


@pytest.mark.parametrize("exercise, mistake", MISTAKES.values(), ids=MISTAKES)
def test_replies_never_show_the_right_answer(exercise, mistake):
    reply = check(exercise.name, mistake.answer)
    assert repr(reply) == repr(check(exercise.name, mistake.answer))
    trial = trusted_attempt(exercise, mistake.answer).wrong[0]  # the smallest
    case, expected, value, block = trial.case, trial.wanted.value, trial.value, reply.case
    for name, arg in zip(exercise.parameters, case.args):
        assert f"{name} = {show(arg).splitlines()[0]}" in block
    failure = trial.outcome.failure
    raw = trial.outcome.value
    came = failure.kind if failure else show(raw if np.asarray(raw).dtype == bool else value)
    assert came in block
    shown = "\n".join([*map(show, case.args), came])
    rows = [line.strip(" []") for line in show(expected).splitlines()]
    assert not [row for row in rows if len(row) > 3 and row not in shown and row in reply.text]


@each_function
def test_every_case_counts(exercise):
    """An answer that is wrong on one case only, whichever, is refused."""
    for spoiled, case in enumerate(exercise.cases):
        calls = iter(range(len(exercise.cases)))

        def answer(*args, calls=calls, spoiled=spoiled):
            value = exercise.reference(*args)
            return value + 0.25 if next(calls) == spoiled else value

        reply = examine(exercise, answer)
        assert reply.status == "wrong"
        assert show(case.args[0]).splitlines()[0] in reply.text


@each_function
def test_arrays_of_cases_hold_different_numbers(exercise):
    """Whole numbers aside, which may be counted through, so that each can be found again."""
    arrays = [np.ravel(arg) for case in exercise.cases for arg in case.args]
    drawn = [a for a in arrays if a.size > 3 and (a != np.round(a)).any()]
    for a, b in itertools.combinations(drawn, 2):
        assert (a[: b.size] != b[: a.size]).any()


@pytest.mark.parametrize("exercise", [e for e in FUNCTIONS if not e.truth], ids=lambda e: e.name)
def test_small_errors_fail_and_rounding_passes(exercise):
    for factor, passes in [(1 + 1e-9, True), (1 - 1e-9, True), (1.001, False), (0.999, False),
                           (0, False), (-1, False), (10, False)]:  # fmt: skip
        reply = examine(exercise, lambda *args, factor=factor: exercise.reference(*args) * factor)
        # An index has to be a whole number: a decimal one is refused, however near it is.
        assert reply.passed == (passes and not exercise.indices), factor


SIZES = [1, 1e-9, 1e-5, 3e3, 6.5e4, 1e30, np.inf, np.nan]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize(
    "exercise", [e for e in EXERCISES.values() if not e.truth], ids=lambda e: e.name
)
def test_low_precision_is_named_without_warnings(exercise, dtype):
    def low(reference, size):
        with np.errstate(all="ignore"):
            return (np.asarray(reference) * size).astype(dtype)[()]

    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for size in SIZES:
            if exercise.judge:
                assert repr(examine(exercise, low(exercise.reference, size)))
                continue
            reply = examine(exercise, lambda *args, size=size: low(exercise.reference(*args), size))
            assert reply.passed <= (size == 1)
            if dtype == np.float16 and not reply.passed:
                assert "float16" in (reply.message if size == 1 else reply.text)


JUNK = ["", "<b>", 3, 2.5, np.nan, [], ["a", 1.0], True, b"x", {"a": 1}, 1j, object(),
        np.array(["<b>"], dtype=object), np.zeros((0, 3))]  # fmt: skip


@each_exercise
def test_junk_gets_a_reply(exercise):
    for junk in JUNK:
        assert check(exercise.name, junk).status == "wrong", junk
        if exercise.cases:
            reply = examine(exercise, lambda *args, junk=junk: junk)
            assert reply.status == "wrong", junk
