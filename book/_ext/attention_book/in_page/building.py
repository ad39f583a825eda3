"""Train the model that a reader has built in the cells of a page, a few steps at a time.

The cells define `Model` and `rate_at`; what is asked of them stands in *Build it*. What may go
wrong for a reader is said in what is returned, and nothing is raised.
"""

import ast
import base64
import contextlib
import io
import linecache
import math
import os
import tempfile
import time
import traceback
from collections import Counter
from zipfile import BadZipFile, is_zipfile

import numpy as np

from attnlib.exercises.engine.limiting import within

from .cells import ABOVE, keep, no_input, put_back, stopped
from .slicing import needed

LIMIT = 20.0  # seconds, for what is asked at once
WARM_UP = 20
NO_END = 10**9  # steps: as many as the reader wants
GONE = "Python was started anew, and the model is gone."
SLOW = f"it was still running after {LIMIT:g} seconds."

scope, model = {}, None


class Refused(Exception):
    """What the panel says, in these words."""


def in_words(error):
    """What ended a reader's code: its own words where it raised them, and else the line."""
    steps = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == ABOVE]
    line = linecache.getline(ABOVE, steps[-1].lineno).strip() if steps else ""
    if isinstance(error, Refused) or (isinstance(error, ValueError) and line.startswith("raise ")):
        return f"{error}"
    reply = stopped(error)
    message = reply.message.replace(" (in a cell above, which this one needs)", "")
    return f"{message} In a cell above: `{line}`." if line else message


def said(function):
    """Run a reader's code: an exception becomes an `error` in words, beside what was printed."""

    def answer(*given):
        printed, result = io.StringIO(), {}

        def work():
            try:
                result.update(function(*given))
            except SystemExit:  # the time is over, unless the reader's code says so
                result["error"] = SLOW
                raise
            except BaseException as error:
                result["error"] = in_words(error)

        put_back()
        keep()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            in_time, _ = within(LIMIT, work)
        return {"printed": printed.getvalue()[:2000]} | (result if in_time else {"error": SLOW})

    return answer


def define(cells):
    """What those statements of the cells define that the model is made of."""
    code = "\n".join(map(ast.unparse, needed(cells, "Model, rate_at")))
    linecache.cache[ABOVE] = (len(code), None, code.splitlines(keepends=True), ABOVE)
    found = {"__name__": "__main__", "input": no_input}
    exec(compile(code, ABOVE, "exec"), found)
    if missing := {"Model", "rate_at"} - {*found}:
        raise Refused(f"the cells above do not define {' and '.join(sorted(missing))}.")
    return found


def begun(text):
    """What the panel shows of a model that learns a text."""
    shares = [count / len(text) for count in Counter(text).values()]
    return {
        "least": scope.get("CONTEXT", 0) + 1,
        "evenly": math.log(len(shares)),
        "by_frequency": -sum(share * math.log(share) for share in shares),
        "losses": [*map(float, model.losses)],
        "numbers": len(model.theta),
    }


@said
def start(cells, text):
    """Make a new model of a text, in place of the last, from the cells as they now stand.

    Returns
    -------
    dict
        How many characters a text needs (`least`), the losses of guessing (`evenly`,
        `by_frequency`) in nats per character, the `losses` so far, how many `numbers` are learned.
    """
    global scope, model
    model = None
    scope = define(cells)
    model = scope["Model"](text)
    return begun(text)


def steps(milliseconds, rate):
    """Take as many steps as there is time for, one at least.

    Returns
    -------
    dict
        The `losses` of these steps; why training `stopped`, or None; `gone`, if there is no model.
    """
    if model is None:
        return {"losses": [], "stopped": GONE, "gone": True}
    end, done = time.perf_counter() + milliseconds / 1000, len(model.losses)
    found = taken(end, rate)
    losses, error = [*map(float, model.losses[done:])], found.get("error")
    if losses and not math.isfinite(losses[-1]):
        losses = [loss for loss in losses if math.isfinite(loss)]
        error = "the loss is no longer a number. The rate may be too high."
    return {"losses": losses, "stopped": error}


@said
def taken(end, rate):
    """Take steps until the time is over or the loss is no number."""
    while True:
        loss = model.step(scope["rate_at"](len(model.losses), NO_END, WARM_UP, rate))
        if time.perf_counter() >= end or not math.isfinite(loss):
            return {}


@said
def sample(n, temperature, k):
    """What the model writes, or an `error`."""
    if model is None:
        return {"error": GONE}
    # Near 0 the likeliest character is written.
    return {"written": str(model.write(n, max(temperature, 0.01), k))}


@said
def save():
    """The file with all that the model needs to go on, as `data` in base64."""
    if model is None:
        return {"error": GONE}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.npz")
        model.save(path)
        with open(path, "rb") as file:
            return {"data": base64.b64encode(file.read()).decode()}


@said
def restore(cells, text, data):
    """Go on with a saved model, on a text: what `start` returns."""
    global scope, model
    found = define(cells)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.npz")
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
        try:
            if not is_zipfile(path):
                raise BadZipFile
            with np.load(path) as arrays:
                for name in arrays:
                    arrays[name]  # a damaged one raises
        except (BadZipFile, EOFError, OSError, ValueError) as damaged:
            raise Refused("it is not a complete model file, as this page saves it.") from damaged
        try:
            read = found["Model"].read(path, text)
        except KeyError as absent:
            raise Refused(f"the file has no {absent}, which `Model.read` asks for.") from absent
    scope, model = found, read
    return begun(text)
