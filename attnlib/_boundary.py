"""Declare what a function takes in the line above it; check it once, where the reader calls.

::

    @checked(Q="(..., n_q, d_k)", K="(..., n_k, d_k)", scale=number)
    def scaled_dot(Q, K, scale=None): ...

`_shapes` says how a shape is written.  A setting is declared by the check that it has to pass.

A checked function gets arrays of finite floats that fit together, and what it returns is checked
for overflow.  The checked functions that it calls itself trust it.  So a formula is checked once,
and a mistake is reported in the words of the function that was called.
"""

import contextvars
import functools
import inspect
import re
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from attnlib import _checks
from attnlib._shapes import Shape, check_arguments, parse_all

_trusted = contextvars.ContextVar("trusted", default=False)
_Function = TypeVar("_Function", bound=Callable)


class Named(functools.partial):
    """A function that signatures show by its name."""

    def __repr__(self):
        return self.func.__name__


def checked(also=None, **declared) -> Callable[[_Function], _Function]:
    """Declare what a function takes; `also` is called with its arguments for further checks."""

    def decorate(function):
        signature = inspect.signature(function)
        parameters = signature.parameters
        in_order = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
        needed = {n for n, p in parameters.items() if p.default is p.empty}
        optional = {n for n, p in parameters.items() if p.default is None}
        if unknown := declared.keys() - parameters.keys():
            raise TypeError(f"{function.__qualname__} takes no {', '.join(sorted(unknown))}")
        plan = parse_all(declared)
        name = function.__qualname__.removesuffix(".__call__")

        @functools.wraps(function)
        def boundary(*args, **kwargs):
            if _trusted.get():
                return function(*args, **kwargs)
            arguments = dict(zip(in_order, args)) | kwargs
            if len(arguments) < len(args) + len(kwargs) or not (
                needed <= arguments.keys() <= parameters.keys()
            ):
                return function(*args, **kwargs)  # which refuses a wrong call
            sizes = getattr(arguments.get("self"), "sizes", {})
            with np.errstate(over="ignore", invalid="ignore"):
                arguments, _ = check_arguments(plan, arguments, optional, sizes)
                if also is not None:
                    also(**arguments)
                token = _trusted.set(True)
                try:
                    result = function(**arguments)
                finally:
                    _trusted.reset(token)
                refuse_overflow(result, f"the result of {name}")
            return result

        boundary.__doc__ = with_shapes(function.__doc__, declared)
        boundary.__signature__ = signature.replace(
            parameters=[
                p.replace(default=Named(p.default)) if inspect.isfunction(p.default) else p
                for p in parameters.values()
            ]
        )
        return boundary

    return decorate


def outside(function, name=None, shape=None, *, minus_inf=False):
    """Wrap a function that the reader handed in, so that its own checks run.

    With a `shape`, its result has to be an array of that shape.
    """

    def called(*args):
        token = _trusted.set(False)
        try:
            result = function(*args)
        finally:
            _trusted.reset(token)
        if shape is None:
            return result
        what = f"the result of {name}"
        result = _checks.finite(_checks.real_array(result, what), what, minus_inf=minus_inf)
        if result.shape != shape:
            raise ValueError(
                f"{name} returned shape {result.shape}, expected {shape}: one row for each query, "
                f"one column for each key. Let {name} return one number for each pair."
            )
        return result

    return called


def trusted():
    """Tell whether a checked function is at work, so that its arguments need no second check."""
    return _trusted.get()


def refuse_overflow(result, what):
    """Refuse a result, an array or several, that has left the range of its number type."""
    if isinstance(result, tuple):
        for part in result:
            refuse_overflow(part, what)
    elif hasattr(result, "parameters"):
        refuse_overflow(tuple(result.parameters().values()), what)
    elif isinstance(result, np.ndarray) and result.dtype.kind == "f":
        if not _checks.is_finite(result):
            raise ValueError(f"{what} overflows {result.dtype}. Scale the arguments down.")


def with_shapes(doc, declared):
    """Write the declared shapes into a docstring's list of parameters."""
    for name, wanted in declared.items():
        if isinstance(wanted, str):
            flag, text = Shape(wanted).flag, Shape(wanted).text
            verb = "broadcasts to" if flag == "bool " else "shape"
            line = re.compile(rf"^( *{name} : array_like(?: of bool)?)", re.MULTILINE)
            doc = line.sub(rf"\1, {verb} {text}", doc or "")
    return doc
