"""Find an exercise by its name: the chapter's folder, a dot, the exercise's file."""

import difflib
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

EXERCISES = Path(__file__).parents[1]


@cache
def all_exercises():
    """Every exercise of the book: each file of a chapter's folder that defines ``EXERCISE``.

    Returns
    -------
    dict of str to Exercise
        By name, in alphabetical order.

    Examples
    --------
    >>> list(all_exercises())[0]
    'adaptive_weights.adaptive_filter'
    """
    found = {}
    for path in sorted(EXERCISES.glob("*/[!_]*.py")):
        chapter, file = path.parent.name, path.stem
        if chapter == "engine" or file.startswith("test_"):
            continue
        module = import_module(f"attnlib.exercises.{chapter}.{file}")
        if hasattr(module, "EXERCISE"):
            name = f"{chapter}.{file}"
            found[name] = replace(module.EXERCISE, name=name)
    return found


@cache
def tables(file, table):
    """What all chapters' tables of one kind hold, such as `QUESTIONS` in each ``questions.py``.

    Returns
    -------
    dict of str to object
        By name, ``chapter.entry``.
    """
    found = {}
    for path in sorted(EXERCISES.glob(f"*/{file}.py")):
        module = import_module(f"attnlib.exercises.{path.parent.name}.{file}")
        for name, entry in getattr(module, table, {}).items():
            found[f"{path.parent.name}.{name}"] = entry
    return found


def named(name, known, what):
    """The one of that name.

    Raises
    ------
    ValueError
        If there is none, with the names that come near.

    Examples
    --------
    >>> named("scaling.score_sdt", all_exercises(), "exercise")  # doctest: +ELLIPSIS
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


def find(name):
    """The exercise of that name, ``chapter.exercise``.

    Raises
    ------
    ValueError
        If there is none, with the names that come near.
    """
    return named(name, all_exercises(), "exercise")
