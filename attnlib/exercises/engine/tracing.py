"""The lines of an answer: where one stands, and where NaN or inf first appears."""

import inspect
import linecache
import re
import sys

import numpy as np

from .showing import shorten


class NotFinite(FloatingPointError):
    """NaN or inf; `line` says where it first appears."""

    line = ""


def written(function):
    """What a reader wrote, where it was adapted to be called as the exercise does; else itself."""
    try:
        return getattr(function, "reader", function)
    except Exception:  # an object that raises when it is asked
        return function


def code_of(function):
    """The code of a function written in Python; None for anything else."""
    try:
        return getattr(inspect.unwrap(function), "__code__", None)
    except Exception:  # an object that raises when it is asked, or that wraps itself
        return None


def place(code, number):
    """A line of a function in words."""
    line = f"line {number - code.co_firstlineno + 1} of {code.co_name}"
    source = shorten(linecache.getline(code.co_filename, number), 90)
    return f"{line}: {source}" if source else line


def arithmetic_raises():
    """Whether NumPy hears of an overflow on this machine; in WebAssembly it does not."""
    try:
        with np.errstate(over="raise"):
            np.exp(np.float64(1e3))
    except FloatingPointError:
        return True
    return False


def stopped_where_not_finite(function):
    """The same function; but it raises NotFinite if a variable is not finite after some line.

    Numbers like those that the function was given may be, and those that a line names.
    """
    code, found = code_of(function), []

    def follow(frame, *_):
        if code is None or frame.f_code.co_filename != code.co_filename:
            return None
        known = {*map(_kind, frame.f_locals.values())}
        last = frame.f_lineno

        def look(frame, event, result):
            nonlocal last
            values = [*frame.f_locals.values(), *([result] if event == "return" else [])]
            new = [kind for kind in map(_kind, values) if kind and kind not in known]
            if new and not re.search(r"\b(inf|nan)\b", line := place(frame.f_code, last)):
                found.append((new[0], line))
            known.update(new)
            last = frame.f_lineno
            return look

        return look

    def traced(*args):
        before = sys.gettrace()
        sys.settrace(follow)
        try:
            value = function(*args)
        finally:
            sys.settrace(before)
        if found:
            error = NotFinite(found[0][0])
            error.line = found[0][1]
            raise error
        return value

    return traced


def _kind(value):
    """What makes a float not finite; None for all else."""
    if (
        not isinstance(value, float | np.floating | np.ndarray)
        or np.asarray(value).dtype.kind != "f"
    ):
        return None
    if np.isnan(value).any():
        return "no number"
    return "too large or divided by 0" if np.isinf(value).any() else None
