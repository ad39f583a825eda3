"""While an answer runs: what it prints is bounded, and what it changes outside is put back."""

import builtins
import cmath
import contextlib
import inspect
import io
import math
import os
import random
import sys
import warnings
from operator import is_
from types import FunctionType, ModuleType

import numpy as np

from .showing import listed

LONGEST = 10_000  # characters that one check may print
LONG = f"It printed more than {LONGEST:,} characters; the rest is left out."
PYTHON = vars(builtins)
OTHERS = (math, cmath, random, np, np.linalg, np.random)
EXERCISES = "book_exercises"  # the package of the references
BOOK = ("attnlib", EXERCISES)
ENGINE = __name__.rpartition(".")[0]
CODE = ("__code__", "__defaults__", "__kwdefaults__")
MISSING = object()

#: The guard of the answer that is running, if one is.
running = None


class Closed(RuntimeError):
    """An answer that is being checked asks the checker."""


def closed_to_answers():
    """Go no further if an answer that is being checked has come here, and note that it has."""
    if running:
        running.asked = True
        raise Closed("an answer that is being checked cannot ask the checker")


class Bounded(io.TextIOBase):
    """A stream that hands on what is printed, as long as the guard has characters left."""

    def __init__(self, stream, guard):
        self.stream, self.guard = stream, guard

    def write(self, text):
        kept = text[: max(self.guard.left, 0)]
        self.guard.left -= len(text)
        if kept:
            self.stream.write(kept)
        return len(text)

    def flush(self):
        self.stream.flush()


class Guard:
    """Keeps what an exercise and its checker rely on as it was when the guard was made.

    ``with guard:`` stands around each call of an answer. What the answer has replaced in NumPy, in
    `attnlib` or in the exercise is put back and named in ``replaced``; random numbers, streams,
    warnings, the recursion limit and the working directory are put back without a word.
    """

    def __init__(self, exercise):
        self.left, self.asked, self.replaced = LONGEST, False, []
        loaded = {n: module for n, module in sys.modules.items() if n.partition(".")[0] in BOOK}
        self.references = {n: m for n, m in loaded.items() if n.startswith(EXERCISES)}
        owners = [*OTHERS, *loaded.values(), exercise, *exercise.cases]
        functions = {exercise.reference} if isinstance(exercise.reference, FunctionType) else set()
        for module in loaded.values():
            values = list(vars(module).values())
            functions |= {v for v in values if isinstance(v, FunctionType)}
            owners += {v for v in values if isinstance(v, type) and v.__module__.startswith(ENGINE)}
        functions |= set(map(inspect.unwrap, functions))
        self.python = dict(PYTHON)
        self.owners = [(owner, dict(vars(owner))) for owner in owners]
        self.functions = [(f, [getattr(f, part) for part in CODE]) for f in functions]
        given = [arg for case in exercise.cases for arg in case.args]
        given += [part for arg in given if type(arg) is dict for part in arg.values()]
        self.arrays = [(a, a.copy()) for a in given if isinstance(a, np.ndarray)]

    def __enter__(self):
        global running
        self.after = contextlib.ExitStack()
        later, enter = self.after.callback, self.after.enter_context
        later(np.random.set_state, np.random.get_state())  # noqa: NPY002
        later(random.setstate, random.getstate())
        later(sys.setrecursionlimit, sys.getrecursionlimit())
        with contextlib.suppress(OSError):  # the working directory may be gone
            later(os.chdir, os.getcwd())
        enter(np.printoptions())
        enter(warnings.catch_warnings())
        warnings.simplefilter("ignore", RuntimeWarning)
        enter(contextlib.redirect_stdout(Bounded(sys.stdout, self)))
        enter(contextlib.redirect_stderr(Bounded(sys.stderr, self)))
        # What the answer will be compared with cannot be imported meanwhile.
        later(sys.modules.update, self.references)
        for name in self.references:
            sys.modules.pop(name, None)
        running = self

    def __exit__(self, *_):
        global running
        running = None
        # First the functions of Python itself, without calling one of them.
        self.replaced += [name for name, f in self.python.items() if PYTHON.get(name) is not f]
        PYTHON.update(self.python)
        for name in [n for n in PYTHON if n not in self.python and n[0] != "_"]:
            del PYTHON[name]
        self.after.close()
        for owner, before in self.owners:
            now = vars(owner)
            if len(now) != len(before) or not all(map(is_, now.values(), before.values())):
                self._put_back(owner, before, dict(now))
        for function, parts in self.functions:
            if any(getattr(function, name) is not part for name, part in zip(CODE, parts)):
                self.replaced.append(f"the code of {function.__name__}")
                for name, part in zip(CODE, parts):
                    setattr(function, name, part)
        for array, before in self.arrays:
            if not np.array_equal(array, before, equal_nan=array.dtype.kind == "f"):
                self.replaced.append("the numbers of the exercise")
                array[...] = before

    def _put_back(self, owner, before, now):
        named = isinstance(owner, ModuleType | type)
        for name in before | now:
            was = before.get(name, MISSING)
            if now.get(name, MISSING) is was:
                continue
            if was is MISSING:  # what Python notes for itself, or a module that was loaded
                if name.startswith("_") or isinstance(now[name], ModuleType):
                    continue
                delattr(owner, name)
            elif named:
                setattr(owner, name, was)
            else:
                vars(owner)[name] = was  # a frozen dataclass
            self.replaced.append(_path(owner, name) if named else "a part of the exercise")

    def blame(self):
        """What the answer has replaced and what became of it; empty if it has replaced nothing."""
        names = list(dict.fromkeys(self.replaced))
        names = sorted(names, key=lambda name: name.startswith(EXERCISES))
        return names and (
            f"it replaces {listed([*names[:2], *['more'] * (len(names) > 2)])}, on which other "
            "code relies. That has been undone: leave it out."
        )


def _path(owner, name):
    """How a reader writes an attribute: ``np.exp``."""
    place = owner.__name__
    place = f"np{place.removeprefix('numpy')}" if place.startswith("numpy") else place
    return f"{place}.{name}"
