"""Practice by name: how a problem is drawn until its answers can be told apart, and `practice`."""

import itertools
import math
import re
from dataclasses import dataclass, field, replace
from functools import cache
from zlib import crc32

import numpy as np

from .reading import collected, module, named
from .text import sections


def short(x):
    """A number as a pocket calculator's user writes it, or several: four significant digits.

    >>> short(2 / 3), short(-4.0), short([0.5, 20.0855])
    ('0.6667', '−4', '[0.5, 20.09]')
    """
    if np.ndim(x):
        return f"[{', '.join(map(short, x))}]"
    return f"{x:.4g}".replace("-", "−").removesuffix(".0")


def term(x):
    """A number in a sum or a product: in brackets where it is negative."""
    return f"({short(x)})" if x < 0 else short(x)


def plus(terms):
    """A sum as it is typed into a calculator."""
    return " + ".join(map(term, terms))


def products(a, b):
    """A dot product as it is typed into a calculator.

    >>> products([2, -1], [0.5, 3])
    '2 · 0.5 + (−1) · 3'
    """
    return " + ".join(f"{term(x)} · {term(y)}" for x, y in zip(a, b))


#: What every text of a practice may use; e and tau are numbers of problems.
WRITTEN = {name: x for name, x in vars(math).items() if name not in ("e", "tau")}
WRITTEN |= {function.__name__: function for function in (short, term, plus, products)}
TRIES = 200  # draws before a kind of practice is given up
DECIMALS = 9  # kept of an answer: the last digits differ from processor to processor
FRUITLESS = 20  # draws of problems that were drawn before, after which there are no others


class Unclear(ValueError):
    """Two answers of a problem cannot be told apart; other numbers have to be drawn."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One problem, in plain text with code in backticks.

    ``answer`` is a list of numbers, by `attnlib`; ``working`` the steps that lead to it, by pocket
    calculator; ``mistakes`` maps each reply to the numbers that this mistake gives.
    """

    question: str
    answer: list
    working: list
    mistakes: dict


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of practice: problems that differ in their numbers.

    ``draw`` takes a `numpy.random.Generator` and returns a `Problem`; ``fields`` labels the numbers
    that are asked for, and numbers within ``tolerance`` of an answer count as that answer; ``hint``
    is the reply to a wrong answer that is no known mistake.
    """

    title: str
    draw: object
    hint: str
    fields: list = field(default_factory=lambda: ["Answer"])
    tolerance: float = 0.006
    name: str = ""

    def problem(self, seed, number=0):
        """The first problem of a seed whose answers can all be told apart, of at most 200."""
        for attempt in range(TRIES):
            # The name is in it, so that two kinds do not draw the same numbers.
            source = [crc32(self.name.encode()), seed, number, attempt]
            try:
                return self._clear(self.draw(np.random.default_rng(source)))
            except Unclear as unclear:
                why = unclear
        raise Unclear(f"{self.name}: no clear problem in {TRIES} draws; the last: {why}")

    def _clear(self, problem):
        answers = {"the answer": problem.answer} | problem.mistakes
        for reply, value in answers.items():
            answers[reply] = np.round(np.atleast_1d(value).astype(float), DECIMALS).tolist()
            if not np.isfinite(value).all():
                raise Unclear(f"{reply!r} gives {value}")
        for (reply, value), (other, known) in itertools.combinations(answers.items(), 2):
            # What is typed may be off by the tolerance on either side.
            if np.abs(np.subtract(value, known)).max() <= 2 * self.tolerance:
                raise Unclear(f"{other!r} gives {known}, as {reply!r} does")
        return replace(problem, answer=answers.pop("the answer"), mistakes=answers)

    def problems(self, count, seed=0):
        """``count`` problems, as a `Practice` takes them; no two alike while there are others."""
        problems, asked, numbers = [], set(), itertools.count()
        while len(problems) < count:
            for _ in range(FRUITLESS):
                problem = self.problem(seed, next(numbers))
                if problem.question not in asked:
                    break
            asked.add(problem.question)
            mistakes = [{"value": v, "reply": reply} for reply, v in problem.mistakes.items()]
            problems.append(vars(problem) | {"mistakes": mistakes})
        return problems


EXPRESSION = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
STEP = rf"(?:if {EXPRESSION}: )?(.+)"
MISTAKE = rf"({EXPRESSION}(?:, {EXPRESSION})*)(?: if {EXPRESSION})?: (.+)"


def kinds(path):
    """The kinds of practice in a file: pairs of a name and a Kind.

    Each has a function of its name in the Python file beside the text. It takes a generator of
    random numbers and returns a dict of named numbers, and the answer. In the text ``{expression}``
    is computed from these names, the module's and those of `math`. A step may begin with
    ``if {condition}: ``, and the numbers of a mistake may end in `` if {condition}``.
    """
    python = module(path)
    for section in sections(path):
        name, title = section.heading.match(r"(\w+): (.+)", "'## name: title'")
        if not hasattr(python, name):
            raise section.heading.expected(f"a function {name} in {path.stem}.py")
        settings, mistakes = section.settings(("fields", "hint"), ("tolerance",))
        steps = [line.match(STEP, "a step") for line in section.steps]
        form = "'- {number}, {number}: reply'"
        wrong = [(m[0], *m[-2:]) for m in (line.match(MISTAKE, form) for line in mistakes)]
        draw = _drawing(getattr(python, name), vars(python), section, steps, wrong)
        fields, hint = settings["fields"].split(" | "), settings["hint"]
        tolerance = float(settings.get("tolerance", Kind.tolerance))
        yield name, Kind(title=title, draw=draw, hint=hint, fields=fields, tolerance=tolerance)


def _drawing(function, names, section, steps, mistakes):
    def draw(rng):
        given, answer = function(rng)
        scope = WRITTEN | names | given

        def number(expression):
            try:
                return eval(expression, scope)
            except NameError as error:
                lacking = f"{function.__name__} to return what {{{expression}}} uses ({error})"
                raise section.heading.expected(lacking) from None

        def numbers(text):
            return [number(expression) for expression in re.findall(EXPRESSION, text)]

        def filled(text):
            written = (v if isinstance(v, str) else short(v) for v in numbers(text))
            return re.sub(EXPRESSION, lambda _: next(written), text)

        def holds(condition):
            return condition is None or number(condition)

        return Problem(
            question=filled(section.text),
            answer=answer,
            working=[filled(step) for condition, step in steps if holds(condition)],
            mistakes={
                filled(reply): np.hstack(numbers(wrong))
                for wrong, condition, reply in mistakes
                if holds(condition)
            },
        )

    return draw


@cache
def all_practice():
    """Every kind of practice of the book: name -> Kind."""
    practice = collected(kinds, "practice.md")
    return {name: replace(kind, name=name) for name, kind in practice.items()}


def practice(name, problems=24, seed=0):
    """Practice of one kind, by its name: problems with numbers drawn anew.

    Parameters
    ----------
    name : str
        ``chapter.kind``; where there is none, a ValueError lists those that come near.
    problems : int
        How many to draw; the widget holds them all.
    seed : int
        Another seed draws other numbers.

    Returns
    -------
    Practice
        A widget that checks, names mistakes and shows the working.

    Examples
    --------
    >>> practice("query_key_value.weights").fields
    ['w₁', 'w₂', 'w₃']
    """
    from attnlib.widgets import Practice

    kind = named(name, all_practice(), "practice")
    shared = {part: getattr(kind, part) for part in ("name", "fields", "tolerance", "hint")}
    title, drawn = f"Practice: {kind.title}", kind.problems(problems, seed)
    return Practice(title=title, problems=drawn, **shared)
