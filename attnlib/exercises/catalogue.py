"""Find an exercise by its name."""

import difflib
from functools import cache
from importlib import import_module

CHAPTERS = ("adaptive_weights", "query_key_value", "scaling")


@cache
def all_exercises():
    """Every exercise of the book, by name, in the order of the chapters.

    Returns
    -------
    dict of str to Exercise

    Examples
    --------
    >>> list(all_exercises())[0]
    'adaptive_weights.moving_average'
    """
    modules = [import_module(f"attnlib.exercises.{chapter}") for chapter in CHAPTERS]
    return {exercise.name: exercise for module in modules for exercise in module.EXERCISES}


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
