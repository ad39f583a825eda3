"""Exercises read from their text in ``book/exercises/``, and found by their names."""

import re
from functools import cache

import numpy as np

from .catalogue import module, named, texts
from .exercise import Exercise, Mistake
from .text import sections

REQUIRED = ("returns", "definition", "general", "why")
OPTIONAL = ("own", "truth", "rtol", "atol")
LET = r"let: `((\w+) = .+)`"
CODES = r"(`[^`]+`(?:, `[^`]+`)*)"
MISTAKE = rf"{CODES}(?:, recognised by `([^`]+)`)?(?:, such as {CODES})?: (.+)"


def read(path):
    """The exercise in a Markdown file, with what it computes in the Python file beside it.

    That file defines the reference answer under the exercise's name, and ``CASES`` for a function
    or ``judge`` for numbers; ``PROPERTIES`` and ``view`` where there are any.

    A Malformed text is refused, with the line and what was expected there.
    """
    head, *parts = sections(path)
    signature, task = head.heading.text, head.text
    name, bracket, parameters = signature.rstrip(")").partition("(")
    settings, others = head.settings(REQUIRED, OPTIONAL)
    form = f"'- let: `name = expression`' or one of {', '.join((*REQUIRED, *OPTIONAL))}"
    lets = [bullet.match(LET, form) for bullet in others]
    python = module(path)

    def answers(codes, line):
        """What each code in backticks computes, by the code."""
        make = _function if bracket else lambda code, *_: eval(code, dict(vars(python)))
        try:
            return {
                code: make(code, parameters.split(", "), lets, vars(python))
                for code in re.findall("`([^`]+)`", codes or "")
            }
        except SyntaxError:
            raise line.expected("Python in backticks") from None

    mistakes, also_right = [], []
    for part in parts:
        part.heading.match("Mistakes|Also right", "'## Mistakes' or '## Also right'")
        for line in part.bullets:
            if part.heading.text == "Also right":
                also_right += answers(*line.match(CODES, "code in backticks"), line).values()
                continue
            codes, recognise, variants, diagnosis = line.match(MISTAKE, "'- `code`: diagnosis'")
            recognise = recognise and eval(recognise, dict(vars(python)))
            such_as = tuple(answers(variants, line).values())
            made = answers(codes, line).items()
            mistakes += (Mistake(c, answer, diagnosis, recognise, such_as) for c, answer in made)
    if bracket:
        first = task.partition(" ")[0].rstrip(",:")
        lower = first.isalpha() and first != "True"
        task = f"Write {signature}: {task[0].lower() if lower else task[0]}{task[1:]}"
    reference = getattr(python, name)
    return Exercise(
        name=f"{path.parent.name.partition('_')[2]}.{path.stem}",
        signature=signature,
        task=task,
        reference=reference,
        cases=tuple(getattr(python, "CASES", ())),
        mistakes=tuple(mistakes),
        also_right=tuple(also_right),
        properties=getattr(python, "PROPERTIES", ()),
        judge=getattr(python, "judge", None),
        view=getattr(python, "view", None),
        shape=() if bracket else np.shape(reference),
        **{key: settings[key] for key in REQUIRED},
        **{key: float(settings[key]) for key in ("rtol", "atol") if key in settings},
        **{key: settings[key] == "yes" for key in ("own", "truth") if key in settings},
    )


def _function(code, parameters, lets, names):
    """A wrong answer from its code, an expression of the arguments or a function of them."""
    steps = [f"answer_ = ({code})"]
    for step, variable in reversed(lets):
        if any(re.search(rf"\b{variable}\b", later) for later in steps):
            steps.insert(0, step)
    compiled = compile("\n".join(steps), f"<{code}>", "exec")

    def answer(*args):
        scope = names | dict(zip(parameters, args))
        exec(compiled, scope)
        value = scope["answer_"]
        return value(*args) if callable(value) else value

    answer.__name__ = "<lambda>"  # so that replies do not call the reader's function by it
    return answer


@cache
def find(name):
    """The exercise of that name, ``chapter.exercise``; a ValueError lists those that come near."""
    return read(named(name, texts(), "exercise"))


def all_exercises():
    """Every exercise of the book: name -> Exercise, in the order of the chapters."""
    return {name: find(name) for name in texts()}
