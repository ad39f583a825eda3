"""Call a function that may raise, exit or never end, and say what happened."""

import re
import traceback
from dataclasses import dataclass

import numpy as np

from .exercise import copied
from .limiting import within
from .showing import shorten
from .tracing import NotFinite, arithmetic_raises, code_of, place, stopped_where_not_finite, written

RAISES = arithmetic_raises()


@dataclass(frozen=True)
class Failure:
    """An exception in words: its type, its message, the line that raised it."""

    kind: str
    message: str
    line: str = ""
    is_stub: bool = False

    def __str__(self):
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(frozen=True)
class Outcome:
    """What came of one call: a value, or a failure, or no end within the time."""

    value: object = None
    failure: Failure | None = None
    changed: tuple = ()  # positions of the arguments that the call changed in place
    finished: bool = True
    stopped: bool = True  # whether a call that did not finish could be stopped


def call(function, args, limit=None, *, floats="ignore"):
    """Call ``function`` with copies of ``args`` for at most ``limit`` seconds.

    A call that takes longer is stopped by an exception raised inside it. What it prints
    is printed; NumPy's warnings are silenced, as the reply names the NaN that they announce, or
    with ``floats="raise"`` are errors. What can be trusted needs no limit.

    Examples
    --------
    >>> call(lambda x: x + 1, (2,), limit=5).value
    3
    >>> str(call(lambda x: x / 0, (2,), limit=5).failure)
    'ZeroDivisionError: division by zero'
    """
    asked = function
    if floats == "raise" and not RAISES:
        asked, floats = stopped_where_not_finite(function), "ignore"
    copies = list(map(copied, args))
    result = {}

    def work():
        try:
            with np.errstate(over=floats, divide=floats, invalid=floats, under="ignore"):
                value = asked(*copies)
            result["value"] = np.array(value) if type(value) is np.ndarray else value
        except BaseException as error:  # sys.exit and KeyboardInterrupt too: never fatal
            if limit is None and not isinstance(error, Exception):
                raise
            result["failure"] = describe_failure(error, function)

    if limit is None:
        work()
        return Outcome(**result)
    in_time, stopped = within(limit, work)
    if not in_time:
        return Outcome(finished=False, stopped=stopped)
    changed = (i for i, (a, b) in enumerate(zip(args, copies)) if not unchanged(a, b))
    return Outcome(**result, changed=tuple(changed))


def unchanged(before, after):
    """Whether an array, or a dictionary of arrays, is what it was; all else is taken to be."""
    if type(before) is dict:
        pairs = ((before[name], after.get(name)) for name in before)
        return before.keys() == after.keys() and all(unchanged(*pair) for pair in pairs)
    if not isinstance(before, np.ndarray):
        return True
    same = isinstance(after, np.ndarray) and before.dtype == after.dtype
    return same and np.array_equal(before, after, equal_nan=True)


def describe_failure(error, function):
    """An exception as a Failure, with the last line of the student's own code on its way."""
    try:
        message = shorten(str(error))
    except Exception:
        message = "(its message cannot be shown)"
    code = code_of(written(function))
    line = error.line if isinstance(error, NotFinite) else ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        # A comprehension has a frame in older Pythons; the line that holds it is known already.
        if code and file == code.co_filename and not re.fullmatch("<(.*comp|genexpr)>", name):
            line = place(frame.f_code, number)
    kind = shorten(type(error).__name__, 60)
    return Failure(kind, message, line, isinstance(error, NotImplementedError))
