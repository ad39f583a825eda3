"""What the code of an answer shows, or calling it again: true of it whatever else is wrong."""

import dis
import inspect
import re
from types import CodeType

import numpy as np

from .comparing import as_numbers
from .running import code_of
from .showing import listed

DRAWS = {"default_rng", "normal", "standard_normal", "uniform", "random", "rand", "randn"}
CLOCKS = {"clock", "monotonic", "perf_counter", "process_time", "time"}
CLOCKS |= {f"{name}_ns" for name in CLOCKS}
LOADED = "LOAD.*(FAST|DEREF|CLOSURE)|STORE_FAST_LOAD"


def habits(name, answer, first, again, reference=None):
    """What stands out in a function, in a sentence; empty if nothing does.

    ``first`` and ``again`` are the Outcomes of two calls with the same arguments; what the code of
    ``reference`` does itself, or leaves unused, is no habit.

    Examples
    --------
    >>> from .running import Outcome
    >>> habits("half", lambda x, y: x / 2, Outcome(3.0), Outcome(3.0))
    'half never uses its argument y.'
    """
    code = code_of(answer)
    if DRAWS & (_called(code) - _called(code_of(reference))):
        return (
            f"{name} draws random numbers, so the result is close at best, and another draw gives "
            "another one. What is asked for follows without drawing."
        )
    if CLOCKS & (_called(code) - _called(code_of(reference))):
        return (
            f"{name} reads a clock of this machine. All that is to be known of time comes in with "
            "its arguments."
        )
    if again.finished and not again.failure and not _alike(first.value, again.value):
        return (
            f"Called again with the same input, {name} gives another result. Something is kept "
            "from one call to the next, such as a list that is a default value."
        )
    spare = {} if reference is answer else _unused(reference)
    unused = [p for place, p in _unused(answer).items() if place not in spare]
    outside = [n for n in _names(code, "GLOBAL") if _is_data(_known(answer, n))] if code else []
    said = f"{name} never uses its argument{'s' * (len(unused) > 1)} {listed(unused)}"
    taken = f"takes {listed(outside)} from outside the function"
    if unused:
        return f"{said}, but {taken}." if outside else f"{said}."
    return f"{name} {taken}; all that it needs comes in as its arguments." if outside else ""


def taken_from(package, answer):
    """The names of what the code of a function takes from a package."""
    homes = {
        n: getattr(_known(answer, n), "__module__", None) for n in _names(code_of(answer), "GLOBAL")
    }
    return [name for name, home in homes.items() if str(home).startswith(package)]


def _called(code):
    return set(_names(code, "ATTR|METHOD|GLOBAL|IMPORT_FROM"))


def _names(code, kinds):
    """The names in the steps of these kinds, also in functions inside."""
    if code is None:
        return []
    found = {}
    for step in dis.get_instructions(code):
        if re.search(kinds, step.opname):
            found |= dict.fromkeys(step.argval if type(step.argval) is tuple else [step.argval])
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return list(found | dict.fromkeys(n for c in inner for n in _names(c, kinds)))


def _unused(function):
    """The parameters that a function never takes up: place -> name."""
    code = code_of(function)
    names = inspect.signature(function).parameters if code else ()
    used = _names(code, LOADED)
    return {place: name for place, name in enumerate(names) if name not in used}


def _known(answer, name):
    return getattr(inspect.unwrap(answer), "__globals__", {}).get(name)


def _is_data(value):
    return isinstance(value, np.ndarray | int | float | list | tuple)


def _alike(a, b):
    a, b = as_numbers(a), as_numbers(b)
    return a is None or (b is not None and np.array_equal(a, b, equal_nan=True))
