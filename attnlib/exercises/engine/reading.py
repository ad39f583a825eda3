"""Exercises read from their text in ``book/exercises/``, and found by their names."""

import re
from dataclasses import replace
from functools import cache

import numpy as np

from .catalogue import module, named, texts
from .exercise import Exercise, Mistake
from .text import sections

REQUIRED = ("returns", "definition", "general", "why")
OPTIONAL = ("own", "truth", "rtol", "atol")
CODES = r"(`[^`]+`(?:, `[^`]+`)*)"
MISTAKE = rf"{CODES}(?:, recognised by `([^`]+)`)?(?:, such as {CODES})?: (.+)"


def read(path):
    """The exercise in a Markdown file, with what it computes in the Python file beside it.

    That file defines the reference answer under the exercise's name, and ``CASES`` for a function
    or ``judge`` for numbers; ``PROPERTIES`` and ``view`` where there are any.

    Raises
    ------
    Malformed
        If the text is not an exercise; the message has the line and what was expected.
    """
    head, *parts = sections(path)
    python = module(path)
    lets, head.bullets = (
        [b for b in head.bullets if b.text.startswith("let: ") == let] for let in (True, False)
    )
    settings, others = head.settings(REQUIRED, OPTIONAL)
    for bullet in others:
        raise bullet.expected(f"one of {', '.join((*REQUIRED, *OPTIONAL, 'let'))}")
    signature, task = head.heading.text, head.text
    name, bracket, parameters = signature.rstrip(")").partition("(")
    if bracket:
        first = task.partition(" ")[0].rstrip(",:")
        if first.isalpha() and first != "True":
            task = task[0].lower() + task[1:]
        task = f"Write {signature}: {task}"

    def answer(code):
        return _answer(code, parameters.split(", ") if bracket else None, lets, vars(python))

    known, right = [], []
    for part in parts:
        part.heading.match("Mistakes|Also right", "'## Mistakes' or '## Also right'")
        for bullet in part.bullets:
            if part.heading.text == "Also right":
                right += map(answer, _codes(bullet.match(CODES, "code in backticks")[0]))
                continue
            codes, recognise, such_as, diagnosis = bullet.match(MISTAKE, "'- `code`: diagnosis'")
            looks = recognise and eval(recognise, vars(python))
            for code in _codes(codes):
                known.append(Mistake(code, answer(code), diagnosis, looks))
            known[-1] = replace(known[-1], such_as=tuple(map(answer, _codes(such_as))))
    return Exercise(
        signature=signature,
        task=task,
        **{key: settings[key] for key in REQUIRED},
        **{key: float(settings[key]) for key in ("rtol", "atol") if key in settings},
        **{key: True for key in ("own", "truth") if key in settings},
        reference=getattr(python, name),
        cases=tuple(map(_as_arrays, getattr(python, "CASES", ()))),
        mistakes=tuple(known),
        also_right=tuple(right),
        properties=getattr(python, "PROPERTIES", ()),
        judge=getattr(python, "judge", None),
        shape=() if bracket else np.shape(getattr(python, name)),
        view=getattr(python, "view", None),
        name=f"{path.parent.name.partition('_')[2]}.{path.stem}",
    )


def _codes(text):
    return re.findall("`([^`]+)`", text or "")


def _answer(code, parameters, lets, names):
    """An answer from its code: a value, or an expression of the arguments, or a function."""
    if parameters is None:
        return eval(code, dict(names))
    steps = [f"answer_ = ({code})"]
    for let in reversed(lets):
        variable, step = let.match("let: `((\\w+) = .+)`", "'- let: `name = expression`'")[::-1]
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


def _as_arrays(case):
    """The case, its lists of numbers as arrays."""
    if not any(isinstance(arg, list) for arg in case.args):
        return case
    arrays = (np.array(arg) if isinstance(arg, list) else arg for arg in case.args)
    return replace(case, args=tuple(arrays))


@cache
def find(name):
    """The exercise of that name, ``chapter.exercise``.

    Raises
    ------
    ValueError
        If there is none, with the names that come near.
    """
    return read(named(name, texts(), "exercise"))


def all_exercises():
    """Every exercise of the book, by name, in the order of the chapters.

    Returns
    -------
    dict of str to Exercise

    Examples
    --------
    >>> list(all_exercises())[0]
    'adaptive_weights.adaptive_filter'
    """
    return {name: find(name) for name in texts()}
