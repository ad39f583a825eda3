"""The folder ``book/exercises/``; exercises read from it, and found by their names.

In an installed package it is ``attnlib/exercises/chapters/``.
"""

import difflib
import re
import sys
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from .exercise import Exercise, Mistake
from .guarding import closed_to_answers
from .text import sections

ROOT = "book_exercises"  # what the chapters' modules are called in `sys.modules`
NO_EXERCISE = {"practice", "questions"}

REQUIRED = {"minutes": int, "returns": str, "definition": str, "general": str, "why": str}
OPTIONAL = {"own": bool, "truth": bool, "rtol": float, "atol": float}
OPTIONAL |= {"needs": str, "before": lambda names: tuple(names.split(", "))}
NUMBER = r"\d+(\.\d+)?(e-?\d+)?"
FORMS = {"minutes": "5|10|15|20", "own": "yes", "truth": "yes", "rtol": NUMBER, "atol": NUMBER}
FORMS |= {"needs": "torch", "before": r"\w+\.\w+(, \w+\.\w+)*"}
COMPUTED = ("CASES", "PROPERTIES", "adapt", "judge", "view")
LET = r"let: `((\w+) = .+)`"
WHERE = r"where (.+?): (.+)"
CODES = r"(`[^`]+`(?:, `[^`]+`)*)"
MISTAKE = rf"{CODES}(?:, recognised by `([^`]+)`)?(?:, such as {CODES})?: (.+)"


@cache
def folder():
    """The exercises' folder: the book's in its repository, or the installed package's own."""
    here = Path(__file__)
    for place in (here.parents[3] / "book" / "exercises", here.parents[1] / "chapters"):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"the exercises are not here: there is no folder {place}")


def chapters():
    """The folders of all chapters in their order, and then of an appendix: name -> path."""
    return {chapter_of(path): path for path in sorted(folder().glob("[0-9a-z]*"))}


def chapter_of(place):
    """The name of the chapter, or the appendix, that a folder belongs to.

    >>> chapter_of(Path("04_scaling")), chapter_of(Path("slips"))
    ('scaling', 'slips')
    """
    return re.sub(r"^\d\d_", "", place.name)


def module(path):
    """The Python beside a text: ``scaling/score_std.py`` for ``scaling/score_std.md``."""
    chapter = chapter_of(path.parent)
    for name, place in ((ROOT, path.parents[1]), (f"{ROOT}.{chapter}", path.parent)):
        package = sys.modules.setdefault(name, ModuleType(name))
        package.__path__ = [str(place)]  # so that one file can import from its neighbours
    return import_module(f"{ROOT}.{chapter}.{path.stem}")


def texts():
    """The text of every exercise: ``chapter.exercise`` -> path."""
    return {
        f"{chapter}.{path.stem}": path
        for chapter, place in chapters().items()
        for path in sorted(place.glob("*.md"))
        if path.stem not in NO_EXERCISE
    }


def collected(read, file):
    """What ``read(path)`` finds in each chapter's file of this name: ``chapter.entry`` -> entry."""
    return {
        f"{chapter}.{name}": entry
        for chapter, place in chapters().items()
        if (place / file).exists()
        for name, entry in read(place / file)
    }


def named(name, known, what):
    """The entry of that name, or a ValueError with the names that come near.

    >>> named("scaling.score_sdt", texts(), "exercise")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: there is no exercise 'scaling.score_sdt'; near it: 'scaling.score_std', ...
    """
    wanted = str(name)
    if wanted in known:
        return known[wanted]
    chapter, _, last = wanted.rpartition(".")
    near = difflib.get_close_matches(wanted, known, n=3)
    near += [n for n in known if n.endswith("." + last) or n.startswith(chapter + ".")]
    listed = ", ".join(map(repr, dict.fromkeys(near or known)))
    raise ValueError(f"there is no {what} {wanted!r}; near it: {listed}")


def read(path):
    """The exercise in a Markdown file, with what it computes in the Python file beside it.

    That file defines the reference answer under the exercise's name, and ``CASES`` for a function
    or ``judge`` for numbers; ``PROPERTIES``, ``adapt`` and ``view`` where there are any.

    A Malformed text is refused, with the line and what was expected there.
    """
    head, *parts = sections(path)
    signature, task = head.heading.text, head.text
    name, bracket, parameters = signature.rstrip(")").partition("(")
    settings, others = head.settings(REQUIRED, OPTIONAL)
    for bullet in head.bullets:
        if form := FORMS.get(bullet.text.partition(": ")[0]):
            words = form.replace("|", ", ") if form != NUMBER else "number"
            bullet.match(rf"\w+: ({form})", f"'- …: {words}'")
    python = module(path)
    kinds = {case.kind for case in getattr(python, "CASES", ())}
    hints = [bullet for bullet in others if re.match(WHERE, bullet.text)]
    where = dict(bullet.match(WHERE, "'- where kind: hint'") for bullet in hints)
    for bullet in hints:
        if re.match(WHERE, bullet.text)[1] not in kinds:
            raise bullet.expected(f"a kind of CASES: {', '.join(sorted(kinds))}")
    form = f"'- let: `name = expression`' or one of {', '.join((*REQUIRED, *OPTIONAL))}"
    lets = [bullet.match(LET, form) for bullet in others if bullet not in hints]

    def answers(codes, line, value=not bracket):
        """What each code in backticks is, by the code: a function of the arguments or a value."""
        make = (lambda code, *_: eval(code, dict(vars(python)))) if value else _function
        try:
            return {
                code: make(code, parameters.split(", "), lets, vars(python))
                for code in re.findall("`([^`]+)`", codes or "")
            }
        except (SyntaxError, NameError) as error:
            raise line.expected(f"Python in backticks ({error})") from None

    mistakes, also_right = [], []
    for part in parts:
        part.heading.match("Mistakes|Also right", "'## Mistakes' or '## Also right'")
        for line in part.bullets:
            if part.heading.text == "Also right":
                also_right += answers(*line.match(CODES, "code in backticks"), line).values()
                continue
            codes, recognise, variants, diagnosis = line.match(MISTAKE, "'- `code`: diagnosis'")
            made = [Mistake(c, a, diagnosis) for c, a in answers(codes, line).items()]
            recognise = recognise and answers(f"`{recognise}`", line, value=True)[recognise]
            such_as = tuple(answers(variants, line).values())
            mistakes += [replace(made[0], recognise=recognise, such_as=such_as), *made[1:]]
    if bracket:
        first = task.partition(" ")[0].rstrip(",:")
        lower = first.isalpha() and first != "True"
        task = f"Write {signature}: {task[0].lower() if lower else task[0]}{task[1:]}"
    reference = getattr(python, name)
    return Exercise(
        name=f"{chapter_of(path.parent)}.{path.stem}",
        signature=signature,
        task=task,
        reference=reference,
        mistakes=tuple(mistakes),
        also_right=tuple(also_right),
        where=where,
        shape=() if bracket else np.shape(reference),
        **{n.lower(): getattr(python, n) for n in COMPUTED if hasattr(python, n)},
        **{key: (REQUIRED | OPTIONAL)[key](text) for key, text in settings.items()},
    )


def _function(code, parameters, lets, names):
    """A wrong answer from its code, an expression of the arguments or a function of them."""
    steps = [f"answer_ = ({code})"]
    for step, variable in reversed(lets):
        if re.search(rf"\b{variable}\b", "\n".join(steps)):
            steps.insert(0, step)
    compiled = compile("\n".join(steps), f"<{code}>", "exec")

    def answer(*args):
        scope = names | dict(zip(parameters, args))
        exec(compiled, scope)
        value = scope["answer_"]
        return value(*args) if callable(value) else value

    # Replies do not call the reader's function by this name, nor is it taken from attnlib.
    answer.__name__, answer.__module__ = "<lambda>", ROOT
    return answer


def find(name):
    """The exercise of that name, ``chapter.exercise``; a ValueError lists those that come near."""
    closed_to_answers()
    return _found(name)


@cache
def _found(name):
    return read(named(name, texts(), "exercise"))


def all_exercises():
    """Every exercise of the book: name -> Exercise, in the order of the chapters."""
    return {name: find(name) for name in texts()}
