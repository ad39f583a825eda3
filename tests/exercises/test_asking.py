"""Questions and practice: every problem is clear and worked out, and no answer is visible."""

import itertools
import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib.exercises import Kind, Problem, all_practice, all_questions, ask, practice
from attnlib.exercises.engine.practising import Unclear
from attnlib.widgets.shared.question import Question

SEEDS = 300
NUMBER = re.compile(r"(?<![\w₀-₉.])[-−]?\d+(?:\.\d+)?")


def numbers(text):
    return [float(number.replace("−", "-")) for number in NUMBER.findall(text)]


def faults(kind, problem):
    """What is wrong with a problem, in words; empty if nothing is."""
    faults = []
    n = len(problem.answer)
    if n != len(kind.fields):
        faults.append(f"{n} numbers for the fields {kind.fields}")
    ends = numbers(problem.working[-1])[-n:]
    if not np.abs(np.subtract(ends, problem.answer)).max() <= kind.tolerance:  # as on the page
        faults.append(f"the working ends in {ends}, not in {problem.answer}")
    answers = {"the answer": problem.answer} | problem.mistakes
    for (reply, value), (other, known) in itertools.combinations(answers.items(), 2):
        if np.abs(np.subtract(value, known)).max() <= 2 * kind.tolerance:
            faults.append(f"{reply!r} and {other!r} give {value} and {known}")
    for text in [problem.question, *problem.working]:
        for number in NUMBER.findall(text):
            if len(re.sub(r"[−.]|^[−0.]+", "", number)) > 4:
                faults.append(f"{number} has more than four digits: {text}")
    # Two decimals are enough, for the answer and for every mistake that is to be recognised.
    if np.abs(np.round(problem.answer, 2) - problem.answer).max() > kind.tolerance:
        faults.append(f"{problem.answer} is not within the tolerance at two decimals")
    return faults


@pytest.mark.parametrize("name", all_practice())
def test_every_problem_is_clear_and_worked_out(name):
    kind = all_practice()[name]
    problems = [kind.problem(seed) for seed in range(SEEDS)]
    for seed, problem in enumerate(problems):
        assert not faults(kind, problem), f"seed {seed}: {problem.question}"
    assert len({problem.question for problem in problems}) > 40
    again = kind.problem(7)
    assert again == problems[7] and again != problems[8]
    replies = {reply for problem in problems for reply in problem.mistakes}
    assert replies and all(r[0].isupper() and r[-1] == "." for r in replies)


def simple(**parts):
    good = {"question": "Twice 3?", "answer": 6, "working": ["`3 + 3 = 6`"], "mistakes": {}}
    return Kind(title="two", draw=lambda rng: Problem(**good | parts), hint="Count.", name="a.b")


def test_faulty_problems_are_noticed():
    good = simple(mistakes={"That is the sum.": 5})
    assert faults(good, good.problem(0)) == []
    for wrong, words in (
        ({"working": ["`3 + 3 = 7`"]}, "the working ends in"),
        ({"answer": [6, 7]}, "2 numbers for the fields"),
        ({"question": "Twice 3.00001?"}, "3.00001 has more than four digits"),
        ({"answer": 6.0066, "working": ["`6.007`"]}, "6.0066] is not within the tolerance"),
    ):
        kind = simple(**wrong)
        kind = Kind(**vars(kind) | {"tolerance": 0.001})
        assert any(words in fault for fault in faults(kind, kind.problem(0))), wrong


@pytest.mark.parametrize("value", [6, 6.01, np.inf, np.nan])
def test_unclear_numbers_are_drawn_again(value):
    with np.errstate(invalid="ignore"), pytest.raises(Unclear, match=r"a\.b: no clear problem"):
        simple(mistakes={"That is the sum.": value}).problem(0)
    lucky = iter([6, 6, 5])

    def draw(rng):
        return Problem(question="?", answer=6, working=["6"], mistakes={"No.": next(lucky)})

    assert Kind(title="", draw=draw, hint="").problem(0).mistakes == {"No.": [5.0]}


@pytest.mark.parametrize("make, name", [*((ask, n) for n in all_questions()),
                                        *((practice, n) for n in all_practice())])  # fmt: skip
def test_stored_widgets_show_no_answer(make, name):
    widget = make(name)
    assert isinstance(widget, Question) and widget.name == name
    stored = json.dumps(widget._repr_mimebundle_()[0], ensure_ascii=False)
    for trait in widget.traits(to_json=lambda f: f is not None):
        value = getattr(widget, trait)
        texts = [value] if isinstance(value, str) else re.findall(r"'(?:why|reply)': '(.*?)'",
                                                                  str(value))  # fmt: skip
        assert not any(text and text in stored for text in texts)
    assert '"correct"' not in stored and widget.answered() not in stored
    assert type(widget)(**widget.state()).state() == widget.state()


def test_problems_differ_and_depend_on_the_seed():
    name = next(iter(all_practice()))
    first, other = practice(name), practice(name, problems=5, seed=1)
    assert len({p["question"] for p in first.problems}) == 24 and len(other.problems) == 5
    assert not {p["question"] for p in first.problems} >= {p["question"] for p in other.problems}
    assert practice(name).state() == first.state()
    assert practice(name, problems=7).problems == first.problems[:7]
    kind = all_practice()[name]
    assert_allclose(first.problems[0]["answer"], kind.problem(0, 0).answer)


@pytest.mark.parametrize("make", [ask, practice])
def test_unknown_names_get_suggestions(make):
    known = next(iter(all_questions() if make is ask else all_practice()))
    with pytest.raises(ValueError, match=f"near it: '{known}'"):
        make(known[:-1])
    with pytest.raises(ValueError, match="there is no"):
        make(None)


def test_questions_and_practice_have_different_names():
    assert not set(all_questions()) & set(all_practice())


def test_stored_problems_do_not_depend_on_processors():
    # One ulp is what two processors differ by; what is drawn at 1e-6 is another number.
    first, same, other = (
        simple(answer=x, mistakes={"No.": 2 * x}).problems(1)
        for x in (1 / 3, np.nextafter(1 / 3, 1), 1 / 3 + 1e-6)
    )
    assert first == same != other
