"""Where the exercises are: the folder ``book/exercises/``, one folder a chapter."""

import difflib
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = "book_exercises"  # what the chapters' modules are called in `sys.modules`
NO_EXERCISE = {"README", "practice", "questions"}


@cache
def folder():
    """The book's folder of exercises: beside the package, or at or above the working directory."""
    tops = (Path(__file__).parents[3], Path.cwd(), *Path.cwd().parents)
    places = [top / "book" / "exercises" for top in tops]
    for place in places:
        if place.is_dir():
            return place
    looked = ", ".join(map(str, dict.fromkeys(places)))
    raise FileNotFoundError(f"the exercises are not here; looked for the book's folder at {looked}")


def chapters():
    """The folders of all chapters in their order: name -> path.

    >>> chapters()["scaling"].name
    '04_scaling'
    """
    return {path.name.partition("_")[2]: path for path in sorted(folder().glob("[0-9][0-9]_*"))}


def module(path):
    """The Python beside a text: ``scaling/score_std.py`` for ``scaling/score_std.md``."""
    chapter = path.parent.name.partition("_")[2]
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
