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


def find(name):
    """The exercise of that name.

    Parameters
    ----------
    name : str
        ``chapter.exercise``.

    Returns
    -------
    Exercise

    Raises
    ------
    ValueError
        If there is none, with the names that come near.

    Examples
    --------
    >>> find("scaling.score_sdt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: there is no exercise 'scaling.score_sdt'; near it: 'scaling.score_std', ...
    """
    exercises = all_exercises()
    if isinstance(name, str) and name in exercises:
        return exercises[name]
    wanted = str(name)
    chapter, _, last = wanted.rpartition(".")
    near = difflib.get_close_matches(wanted, exercises, n=3)
    near += [n for n in exercises if n.endswith("." + last) or n.startswith(chapter + ".")]
    near = list(dict.fromkeys(near)) or list(exercises)
    listed = ", ".join(repr(n) for n in near)
    raise ValueError(f"there is no exercise {wanted!r}; near it: {listed}")
