"""Practice by name: how a problem is drawn until its answers can be told apart, and `practice`."""

import itertools
import math
import re
from dataclasses import dataclass, field, replace
from functools import cache
from zlib import crc32

import numpy as np

from .catalogue import collected, module, named
from .text import sections


def short(x):
    """A number as a pocket calculator's user writes it, or several: four digits that count.

    >>> short(2 / 3), short(-4.0), short([0.5, 20.0855])
    ('0.6667', '−4', '[0.5, 20.09]')
    """
    if np.ndim(x):
        return f"[{', '.join(map(short, x))}]"
    return f"{x:.4g}".replace("-", "−").removesuffix(".0")


#: How often numbers are drawn anew before a kind of practice is given up.
TRIES = 200
#: Answers are kept to so many, far more than anybody types.
DECIMALS = 9
#: So many problems in a row that were drawn before, and there are no others.
FRUITLESS = 20


class Unclear(ValueError):
    """Two answers of a problem cannot be told apart; other numbers have to be drawn."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One problem: what is asked, the right answer, the way to it, and known wrong answers.

    Parameters
    ----------
    question : str
        Plain text with code in backticks.
    answer : float or list of float
        By `attnlib`, a number for each field of its kind.
    working : list of str
        Steps that a reader can follow with a pocket calculator, computed without `attnlib`; the
        last ends in the answer.
    mistakes : dict of str to float or list of float
        Reply -> the answer that this mistake gives, with the same numbers.
    """

    question: str
    answer: list
    working: list
    mistakes: dict


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of practice: problems that differ in their numbers.

    Parameters
    ----------
    title : str
    draw : callable
        Takes a `numpy.random.Generator`, returns a `Problem`.
    fields : list of str
        What is asked for, a label for each number.
    tolerance : float
        Numbers as near as this to an answer count as that answer.
    hint : str
        The reply to a wrong answer that is no known mistake.
    """

    title: str
    draw: object
    fields: list = field(default_factory=lambda: ["Answer"])
    tolerance: float = 0.006
    hint: str
    name: str = ""

    def problem(self, seed, number=0):
        """A problem of a seed: the first drawn whose answers can all be told apart.

        Raises
        ------
        Unclear
            If none of 200 is clear; the message says of the last which two answers are alike.
        """
        for attempt in range(TRIES):
            # The name is in it, so that two kinds do not draw the same numbers.
            source = [crc32(self.name.encode()), seed, number, attempt]
            problem = self.draw(np.random.default_rng(source))
            try:
                return self._clear(problem)
            except Unclear as unclear:
                why = unclear
        raise Unclear(f"{self.name}: no clear problem in {TRIES} draws; the last: {why}")

    def _clear(self, problem):
        numbers = {
            # The last digits differ from processor to processor; a stored problem must not.
            said: np.round(np.atleast_1d(np.asarray(value, dtype=float)), DECIMALS).tolist()
            for said, value in ({"the answer": problem.answer} | problem.mistakes).items()
        }
        told = list(numbers.items())
        for position, (said, value) in enumerate(told):
            if not np.isfinite(value).all():
                raise Unclear(f"{said!r} gives {value}")
            for other, known in told[:position]:
                # What is typed may be off by the tolerance on either side.
                if np.abs(np.subtract(value, known)).max() <= 2 * self.tolerance:
                    raise Unclear(f"{said!r} gives {value}, as {other!r} does")
        answer = numbers.pop("the answer")
        return replace(problem, answer=answer, mistakes=numbers)

    def problems(self, count, seed=0):
        """So many problems, as a `Practice` takes them; no two alike while there are others."""
        found, asked, numbers = [], set(), itertools.count()
        while len(found) < count:
            for _ in range(FRUITLESS):
                problem = self.problem(seed, next(numbers))
                if problem.question not in asked:
                    break
            asked.add(problem.question)
            mistakes = [{"value": v, "reply": said} for said, v in problem.mistakes.items()]
            parts = {"question": problem.question, "answer": problem.answer}
            found.append(parts | {"working": problem.working, "mistakes": mistakes})
        return found


PLACE = re.compile(r"\{((?:[^{}]|\{[^{}]*\})*)\}")
FORM = "'- {number}, {number}: reply'"


def kinds(path):
    """The kinds of practice in a file: pairs of a name and a Kind.

    Each has a function of its name in the Python file beside the text. It takes a generator of
    random numbers and returns its variables, a dict, and the answer. In the text ``{expression}``
    is computed from these variables, with the module's names and those of `math`. A step whose
    text comes out empty is left out, and so is a mistake whose numbers do.
    """
    python = module(path)
    for section in sections(path):
        name, title = section.heading.match(r"(\w+): (.+)", "'## name: title'")
        settings, mistakes = section.settings(("fields", "hint"), ("tolerance",))
        fields, hint = settings["fields"].split(" | "), settings["hint"]
        replies = [m.match(r"((?:\{.*?\}(?:, (?=\{))?)+): (.+)", FORM) for m in mistakes]
        draw = _drawing(getattr(python, name), vars(python), section, replies)
        tolerance = float(settings.get("tolerance", 0.006))
        yield name, Kind(title=title, draw=draw, fields=fields, tolerance=tolerance, hint=hint)


def _drawing(function, names, section, replies):
    def draw(rng):
        variables, answer = function(rng)
        scope = vars(math) | names | {"short": short} | variables

        def value(expression):
            return eval(expression, scope)

        def filled(text):
            return PLACE.sub(lambda place: _written(value(place[1])), text)

        return Problem(
            question=filled(section.text),
            answer=answer,
            working=[text for step in section.steps if (text := filled(step.text))],
            mistakes={
                filled(reply): wrong
                for numbers, reply in replies
                if (wrong := np.hstack([value(e) for e in PLACE.findall(numbers)])).size
            },
        )

    return draw


def _written(value):
    return value if isinstance(value, str) else short(value)


@cache
def all_practice():
    """Every kind of practice of the book: name -> Kind."""
    found = collected(kinds, "practice.md")
    return {name: replace(kind, name=name) for name, kind in found.items()}


def practice(name, problems=24, seed=0):
    """Practice of one kind, by its name: problems with numbers drawn anew.

    Parameters
    ----------
    name : str
        ``chapter.kind``.
    problems : int
        How many to draw; the widget holds them all.
    seed : int
        Another seed draws other numbers.

    Returns
    -------
    Practice
        A widget that checks, names mistakes and shows the working.

    Raises
    ------
    ValueError
        If there is no kind of that name, with those that come near.

    Examples
    --------
    >>> practice("query_key_value.weights").fields
    ['w₁', 'w₂', 'w₃']
    """
    from attnlib.widgets import Practice

    kind = named(name, all_practice(), "practice")
    return Practice(
        name=name,
        problems=kind.problems(problems, seed),
        fields=kind.fields,
        tolerance=kind.tolerance,
        hint=kind.hint,
        title=f"Practice: {kind.title}",
    )
