"""Call a function that may raise, exit or never end, and say what happened."""

import contextvars
import ctypes
import dis
import inspect
import linecache
import threading
import time
import traceback
import warnings
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .showing import shorten


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


def call(function, args, limit, *, floats="ignore"):
    """Call ``function`` with copies of ``args`` in a thread of its own, for at most ``limit`` s.

    A call that takes longer is stopped by an exception raised inside its thread. What it prints
    is printed; NumPy's warnings are silenced, as the reply names the NaN that they announce.

    Parameters
    ----------
    function : callable
    args : tuple of arrays and numbers
    limit : float, seconds
    floats : {"ignore", "raise"}
        Whether what gives NaN or inf is an error.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> call(lambda x: x + 1, (2,), limit=5).value
    3
    >>> str(call(lambda x: x / 0, (2,), limit=5).failure)
    'ZeroDivisionError: division by zero'
    """
    given = tuple(np.array(a) if isinstance(a, np.ndarray) else a for a in args)
    box = {}

    def work():
        try:
            with np.errstate(over=floats, divide=floats, invalid=floats, under="ignore"):
                value = function(*given)
            box["value"] = np.array(value) if type(value) is np.ndarray else value
        except BaseException as error:  # sys.exit and KeyboardInterrupt too: never fatal
            box["failure"] = describe_failure(error, function)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        run = contextvars.copy_context().run  # so that prints reach the cell that asked
        thread = threading.Thread(target=run, args=(work,), daemon=True)
        thread.start()
        late = True
        try:
            thread.join(limit)
            late = thread.is_alive()
        finally:  # also when the reader interrupts the cell
            stopped = stop(thread)
    if late:
        return Outcome(finished=False, stopped=stopped)
    changed = tuple(i for i, (a, b) in enumerate(zip(args, given)) if not _untouched(a, b))
    return Outcome(box.get("value"), box.get("failure"), changed)


def stop(thread, patience=2.0):
    """Raise SystemExit inside a thread until it ends; False if it outlives our patience.

    SystemExit, because student code rarely catches it and Python lets a thread that is ended by
    it go without a word. A thread that waits inside compiled code gets it on its return.
    """
    deadline = time.monotonic() + patience
    while thread.is_alive() and time.monotonic() < deadline:
        ident = ctypes.c_ulong(thread.ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(SystemExit))
        thread.join(0.05)
    return not thread.is_alive()


def describe_failure(error, function):
    """An exception as a Failure, with the last line of the student's own code on its way."""
    try:
        message = shorten(str(error))
    except Exception:
        message = "(its message cannot be shown)"
    code = code_of(function)
    line = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
            continue  # the line that holds it is known already
        if code and frame.f_code.co_filename == code.co_filename:
            place = number - frame.f_code.co_firstlineno + 1
            source = shorten(linecache.getline(code.co_filename, number), 90)
            line = f"line {place} of {frame.f_code.co_name}" + (f": {source}" if source else "")
    stub = isinstance(error, NotImplementedError)
    return Failure(shorten(type(error).__name__, 60), message, line, stub)


def has_gap(function):
    """Whether a name in the function is still set to ``...``, as in an unfinished stub."""
    code = code_of(function)
    steps = list(dis.get_instructions(code)) if code else []
    return any(
        step.opname == "LOAD_CONST" and step.argval is ... and after.opname.startswith("STORE_FAST")
        for step, after in pairwise(steps)
    )


def code_of(function):
    """The code of a function written in Python; None for anything else."""
    try:
        return getattr(inspect.unwrap(function), "__code__", None)
    except Exception:  # an object that raises when it is asked, or that wraps itself
        return None


def _untouched(before, after):
    if not isinstance(before, np.ndarray):
        return True
    same_kind = before.shape == after.shape and before.dtype == after.dtype
    return same_kind and np.array_equal(before, after, equal_nan=True)
