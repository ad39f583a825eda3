"""Exercises, questions and practice are read from text, and a malformed text is refused."""

import sys

import pytest

from attnlib.exercises import check, examine
from attnlib.exercises.engine import reading
from attnlib.exercises.engine.asking import questions
from attnlib.exercises.engine.practising import kinds
from attnlib.exercises.engine.reading import read
from attnlib.exercises.engine.text import Malformed, sections

HALF = """# half(x)

Divide x by two. This line
belongs to the task.

- minutes: 5
- returns: a number
- definition: Twice it is x.
- general: Try x = 2.
- why: Halving is linear.
- where another: Try x = 4.
- let: `y = 2 * x`
- let: `z = y + x`

## Mistakes

- `y`, `double`: You multiplied.
- `x + z`, recognised by `large`, such as `9 * x`: That is
  too large.

## Also right

- `0.5 * x`
"""
CODE = """from attnlib.exercises import Case

def half(x):
    return x / 2

def double(x):
    return 2 * x

def large(values, cases):
    return all(value > 3 * case.args[0] for value, case in zip(values, cases))

CASES = (Case("a number", (3.0,)), Case("another", (4.0,)))
"""
ASK = """## two

Twice 3?

- answer: 6 ± 0.1
- why: It is.
- hint: Add.
- 9: That is the square.

## which

Which is even?

```python
# half of x
def half(x):

    return x / 2
```
See `half`.

- [ ] 3
  - It is odd.
- [x] 4
  - It is twice 2.
"""
DRAW = """## double: twice a number

What is twice `{x}`?

- fields: first | second
- hint: Add it to itself.
- {x}, {x * x} if {x < 99}: That is the square.
- {0} if {x > 99}: Never.

1. `{x} + {x} = {2 * x}`
2. if {x > 99}: Never.
"""
DRAWN = """def double(rng):
    x = int(rng.integers(3, 9))
    return dict(x=x), [2 * x, 2 * x]
"""


@pytest.fixture
def write(tmp_path):
    """`write("half.md", text)` is the path of a new file in a folder of exercises."""
    sys.modules.pop(f"{reading.ROOT}.new.half", None)
    sys.modules.pop(f"{reading.ROOT}.new.practice", None)

    def write(name, text):
        path = tmp_path / "99_new" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_an_exercise_is_read(write):
    write("half.py", CODE)
    exercise = read(write("half.md", HALF))
    assert exercise.name == "new.half"
    assert exercise.task == "Write half(x): divide x by two. This line belongs to the task."
    assert [m.name for m in exercise.mistakes] == ["y", "double", "x + z"]
    replies = [examine(exercise, m.answer).message for m in exercise.mistakes]
    assert replies == ["You multiplied."] * 2 + ["That is too large."]
    assert examine(exercise, exercise.mistakes[2].such_as[0]).message == "That is too large."
    assert examine(exercise, exercise.also_right[0]).passed
    # What is said where nothing is recognised belongs to the smallest case that goes wrong.
    assert examine(exercise, lambda x: x / 2 - 1).message == "Try x = 2."
    assert examine(exercise, lambda x: x / 2 - (x > 3)).message == "Try x = 4."


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("# half(x)", "half(x)", "line 1: expected a heading, '# …', got 'half(x)'"),
        ("Divide x by two. This line\nbelongs to the task.\n", "", "line 1: expected a paragraph"),
        ("- minutes: 5\n", "", "line 1: expected '- minutes: …' below the heading"),
        ("- minutes: 5", "- minutes: five", "line 6: expected '- …: 5, 10, 15, 20', got"),
        ("- minutes: 5", "- minutes: 5\n- rtol: tiny", "line 7: expected '- …: number', got"),
        ("- why: Halving is linear.\n", "", "line 1: expected '- why: …' below the heading"),
        (
            "- let: `y =",
            "- reason: `y =",
            "line 12: expected '- let: `name = expression`' or one of",
        ),
        ("- general: Try x = 2.", "- why: So.", "line 10: expected 'why' once"),
        ("where another:", "where none:", "line 11: expected a kind of CASES: a number, another"),
        ("## Mistakes", "## Errors", "line 15: expected '## Mistakes' or '## Also right'"),
        ("`double`:", "double:", "line 17: expected '- `code`: diagnosis', got '`y`, double"),
        ("  too large.", "\ntoo large.", "line 20: expected an item, '- …', or an indented line"),
        ("`z = y + x`", "z", "line 13: expected '- let: `name = expression`' or"),
        ("`y`, `double`", "`y +`", "line 17: expected Python in backticks"),
        ("`large`", "`larger`", "line 18: expected Python in backticks (name 'larger' is not"),
        ("- let: `y", "- own: true\n- let: `y", "line 12: expected '- …: yes', got 'own: true'"),
        ("## Also right", "## Mistakes", "line 21: expected a heading that is not in the file yet"),
    ],
)
def test_a_malformed_exercise_names_its_line(write, old, new, words):
    write("half.py", CODE)
    assert old in HALF
    with pytest.raises(Malformed) as error:
        read(write("half.md", HALF.replace(old, new)))
    assert str(error.value).startswith(f"99_new/half.md, {words}")


def test_wrapped_lines_are_joined(write):
    text = "## a\n\nOne\ntwo.\n\n- x: one\n  two\n  - three\n    four\n- y: one\n\n1. one\n   two\n"
    (section,) = sections(write("questions.md", text))
    assert section.text == "One two."
    first, second = [(bullet.text, bullet.reply) for bullet in section.bullets]
    assert first == ("x: one two", "three four") and second == ("y: one", "")
    assert [step.text for step in section.steps] == ["one two"]


@pytest.mark.parametrize("chapter", reading.chapters())
def test_lines_are_at_most_200_characters(chapter):
    for path in reading.chapters()[chapter].glob("*.md"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            remedy = "break it after a sentence; below an item indent what follows by two spaces"
            assert len(line) <= 200, f"{path.name}, line {number}: {remedy}"


def test_questions_are_read(write):
    two, which = (question for _, question in questions(write("questions.md", ASK)))
    assert two["answer"] == 6 and two["mistakes"] == [{"value": 9, "reply": "That is the square."}]
    assert [option["correct"] for option in which["options"]] == [False, True]
    code = "```python\n# half of x\ndef half(x):\n\n    return x / 2\n```"
    assert which["question"] == f"Which is even?\n\n{code}\n\nSee `half`."


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("- [x] 4", "- [ ] 4", "line 10: expected a right option"),
        ("- [x] 4", "- 4", "line 24: expected an option, '- [ ] …' or '- [x] …', got '4'"),
        ("  - It is odd.\n", "", "line 22: expected the reply to this option"),
        ("- hint: Add.\n", "", "line 1: expected '- hint: …'"),
        ("- 9: That", "- nine: That", "line 8: expected a wrong number and its reply"),
        ("- 9: That", "- 1-2: That", "line 8: expected a wrong number and its reply"),
        ("## which", "## two", "line 10: expected a heading that is not in the file yet"),
        ("2\n```", "2\n", "line 14: expected a line '```' below, where the code ends"),
        ("Which is even?\n\n", "", "line 10: expected a paragraph below the heading"),
        ("  - It is odd.", "```", "line 23: expected an item, '- …'"),
        ("6 ± 0.1", "6", "line 1: expected '- answer: number ± tolerance'"),
    ],
)
def test_a_malformed_question_names_its_line(write, old, new, words):
    with pytest.raises(Malformed, match=f"^99_new/questions.md, {words.replace('[', '.')}"):
        list(questions(write("questions.md", ASK.replace(old, new))))


def test_practice_is_read(write):
    write("practice.py", DRAWN)
    ((name, kind),) = kinds(write("practice.md", DRAW))
    problem = kind.problem(1)
    x = int(problem.answer[0] / 2)
    assert (name, kind.fields) == ("double", ["first", "second"])
    assert problem.question == f"What is twice `{x}`?"
    assert problem.working == [f"`{x} + {x} = {2 * x}`"]
    assert problem.mistakes == {"That is the square.": [x, x * x]}


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("double: twice", "twice", "line 1: expected '## name: title'"),
        ("- {x}, {", "- {x}, ", "line 7: expected '- {number}, {number}: reply'"),
        ("double: twice", "triple: twice", "line 1: expected a function triple in practice.py"),
    ],
)
def test_malformed_practice_names_its_line(write, old, new, words):
    write("practice.py", DRAWN)
    with pytest.raises(Malformed) as error:
        list(kinds(write("practice.md", DRAW.replace(old, new))))
    assert str(error.value).startswith(f"99_new/practice.md, {words}")


@pytest.mark.parametrize("text", ["What is twice `{e}`?", "Twice `{x}`?\n\n1. if {e}: So."])
def test_a_text_uses_only_what_its_function_returns(write, text):
    write("practice.py", DRAWN.replace("x = int", "e = x = int"))
    path = write("practice.md", DRAW.replace("What is twice `{x}`?", text))
    ((_, kind),) = kinds(path)
    with pytest.raises(Malformed) as error:
        kind.problem(1)
    words = "line 1: expected double to return what {e} uses (name 'e' is not defined), got 'double"
    assert str(error.value).startswith(f"99_new/practice.md, {words}")


def test_a_missing_folder_is_said_with_its_place(monkeypatch, tmp_path):
    monkeypatch.setattr(reading, "__file__", str(tmp_path / "a/b/c/d.py"))
    reading.folder.cache_clear()
    try:
        with pytest.raises(FileNotFoundError, match=r"there is no folder .*chapters"):
            check("no.such", None)
        for place in ("a/b/chapters", "book/exercises"):
            reading.folder.cache_clear()
            (tmp_path / place).mkdir(parents=True)
            assert reading.folder() == tmp_path / place
    finally:
        reading.folder.cache_clear()
