"""Questions and practice: every problem of every kind is proven, and no answer lies open."""

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
    return [float(found.replace("−", "-")) for found in NUMBER.findall(text)]


def unproven(kind, problem):
    """What is wrong with a problem, in words; empty if nothing is."""
    found = []
    n = len(problem.answer)
    if n != len(kind.fields):
        found.append(f"{n} numbers for the fields {kind.fields}")
    ends = numbers(problem.working[-1])[-n:]
    if not np.abs(np.subtract(ends, problem.answer)).max() <= kind.tolerance:  # as on the page
        found.append(f"the working ends in {ends}, not in {problem.answer}")
    told = [("the answer", problem.answer), *problem.mistakes.items()]
    for position, (said, value) in enumerate(told):
        for other, known in told[:position]:
            if np.abs(np.subtract(value, known)).max() <= 2 * kind.tolerance:
                found.append(f"{said!r} and {other!r} give {value} and {known}")
    for text in [problem.question, *problem.working]:
        for number in NUMBER.findall(text):
            if len(re.sub(r"[−.]|^[−0.]+", "", number)) > 4:
                found.append(f"{number} has more than four digits: {text}")
    # Two decimals are enough, for the answer and for every mistake that is to be recognised.
    if np.abs(np.round(problem.answer, 2) - problem.answer).max() > kind.tolerance:
        found.append(f"{problem.answer} is not within the tolerance at two decimals")
    return found


@pytest.mark.parametrize("name", all_practice())
def test_every_problem_of_a_kind_is_proven(name):
    kind = all_practice()[name]
    problems = [kind.problem(seed) for seed in range(SEEDS)]
    for seed, problem in enumerate(problems):
        assert not unproven(kind, problem), f"seed {seed}: {problem.question}"
    assert len({problem.question for problem in problems}) > 40
    again = kind.problem(7)
    assert again == problems[7] and again != problems[8]
    texts = {said for problem in problems for said in problem.mistakes}
    assert len(texts) >= 4 and all(said[0].isupper() and said[-1] == "." for said in texts)


def simple(**parts):
    given = {"question": "Twice 3?", "answer": 6, "working": ["`3 + 3 = 6`"], "mistakes": {}}
    return Kind(title="two", draw=lambda rng: Problem(**given | parts), hint="Count.", name="a.b")


def test_a_problem_that_is_not_proven_is_seen():
    good = simple(mistakes={"That is the sum.": 5})
    assert unproven(good, good.problem(0)) == []
    for wrong, words in (
        ({"working": ["`3 + 3 = 7`"]}, "the working ends in"),
        ({"answer": [6, 7]}, "2 numbers for the fields"),
        ({"question": "Twice 3.00001?"}, "3.00001 has more than four digits"),
        ({"answer": 6.0066, "working": ["`6.007`"]}, "6.0066] is not within the tolerance"),
    ):
        kind = simple(**wrong)
        kind = Kind(**vars(kind) | {"tolerance": 0.001})
        assert any(words in said for said in unproven(kind, kind.problem(0))), wrong


@pytest.mark.parametrize("value", [6, 6.01, np.inf, np.nan])
def test_numbers_that_cannot_tell_a_mistake_are_drawn_anew(value):
    with np.errstate(invalid="ignore"), pytest.raises(Unclear, match=r"a\.b: no clear problem"):
        simple(mistakes={"That is the sum.": value}).problem(0)
    lucky = iter([6, 6, 5])

    def draw(rng):
        return Problem(question="?", answer=6, working=["6"], mistakes={"No.": next(lucky)})

    assert Kind(title="", draw=draw, hint="").problem(0).mistakes == {"No.": [5.0]}


@pytest.mark.parametrize("make, name", [*((ask, n) for n in all_questions()),
                                        *((practice, n) for n in all_practice())])  # fmt: skip
def test_no_answer_lies_open_in_what_is_stored(make, name):
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


def test_practice_holds_different_problems_and_another_seed_draws_others():
    name = next(iter(all_practice()))
    first, other = practice(name), practice(name, problems=5, seed=1)
    assert len({p["question"] for p in first.problems}) == 24 and len(other.problems) == 5
    assert not {p["question"] for p in first.problems} >= {p["question"] for p in other.problems}
    assert practice(name).state() == first.state()
    assert practice(name, problems=7).problems == first.problems[:7]
    kind = all_practice()[name]
    assert_allclose(first.problems[0]["answer"], kind.problem(0, 0).answer)


@pytest.mark.parametrize("make", [ask, practice])
def test_an_unknown_name_is_refused_with_those_near_it(make):
    known = next(iter(all_questions() if make is ask else all_practice()))
    with pytest.raises(ValueError, match=f"near it: '{known}'"):
        make(known[:-1])
    with pytest.raises(ValueError, match="there is no"):
        make(None)


def test_no_name_is_used_twice():
    assert not set(all_questions()) & set(all_practice())


def test_a_stored_problem_does_not_depend_on_the_processor():
    # One ulp is what two processors differ by; what is drawn at 1e-6 is another number.
    first, same, other = (
        simple(answer=x, mistakes={"No.": 2 * x}).problems(1)
        for x in (1 / 3, np.nextafter(1 / 3, 1), 1 / 3 + 1e-6)
    )
    assert first == same != other
