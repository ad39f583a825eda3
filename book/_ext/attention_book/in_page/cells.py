"""Run what stands in a cell of the page as a notebook would: prints, and the last line's value."""

import ast
import contextlib
import importlib.machinery
import io
import linecache
import sys
import traceback
from types import ModuleType

from attnlib.exercises import Reply
from attnlib.exercises.engine.limiting import within
from attnlib.exercises.engine.running import describe_failure
from attnlib.exercises.engine.symptoms import hint

from .slicing import LOOKS, is_absent, needed

LIMIT = 20.0  # seconds
LONGEST = 20_000  # characters that are shown
NAME, ABOVE = "<cell>", "<the cells above>"


class Absent(ModuleType):
    """A module that is not in the page: it can be imported, and says so where it is called."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def gone(*args, **settings):
            if name not in LOOKS:
                where = f"{self.__name__}.{name}"
                raise ImportError(f"{where} is not in the page: run this in the notebook")

        return gone


class Finder:
    """Finds what is absent, and says of the rest of the libraries that it was left out."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if is_absent(name):
            return importlib.machinery.ModuleSpec(name, Finder, is_package=True)
        if name.partition(".")[0] in {*sys.stdlib_module_names, "numpy", "attnlib"}:
            raise ModuleNotFoundError(f"{name} is not in the page", name=name)

    @staticmethod
    def create_module(spec):
        return Absent(spec.name)

    @staticmethod
    def exec_module(module):
        pass


class Bounded(io.TextIOBase):
    """Keeps the first characters that are printed, and counts the others."""

    def __init__(self):
        self.text, self.left_out = "", 0

    def write(self, text):
        kept = text[: LONGEST - len(self.text)]
        self.text += kept
        self.left_out += len(text) - len(kept)
        return len(text)

    def all(self):
        more = f"\n… and {self.left_out} characters more" if self.left_out else ""
        return self.text + more


def no_input(*_):
    """What `input` is in the page."""
    raise EOFError("Nothing can be typed in here. Give the value in the code.")


def run(earlier, source, limit=LIMIT):
    """Run a cell, after those statements of the earlier cells that it may need.

    Parameters
    ----------
    earlier : list of str
        The cells above it, as they now stand in the page.
    source : str
    limit : float, seconds
        For all of it.

    Returns
    -------
    dict
        `printed`; `value`, the text of the last line's value, or `reply`, the parts of a checker's;
        `passed`.
    """
    scope = {"__name__": "__main__", "input": no_input}
    printed, result = Bounded(), {}

    def execute(code, name):
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), scope)
        return last and eval(compile(ast.Expression(last.value), name, "eval"), scope)

    def work():
        try:
            with contextlib.redirect_stdout(Bounded()):
                execute("\n".join(map(ast.unparse, needed(earlier, source))), ABOVE)
            result.update(told(execute(source, NAME)))
        except SystemExit as error:  # the cell's own, unless the time is over
            result.update(told(stopped(error)))
            raise
        except BaseException as error:
            result.update(told(stopped(error)))

    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        in_time, _ = within(limit, work)
    if not in_time:
        words = f"It was still running after {limit:g} seconds."
        result.update(told(Reply("error", words, heading="Did not finish.")))
    return {"printed": printed.all()} | result


def told(value):
    """A value as JSON: the parts of a reply, or a text."""
    if isinstance(value, Reply):
        heading, message, about, case, *notes = value.pieces()
        return {
            "reply": {"status": value.status, "heading": heading, "message": message}
            | {"about": about, "case": case, "notes": notes},
            "passed": value.passed,
        }
    return {} if value is None else {"value": repr(value)[:LONGEST]}


def stopped(error):
    """An error of the cell itself as a reply, with the line that raised it."""
    if isinstance(error, SyntaxError) and error.filename == NAME:
        code = (error.text or linecache.getline(NAME, error.lineno or 0)).rstrip("\n")
        mark = "\n" + " " * (error.offset - 1) + "^" if code and error.offset else ""
        words = f"{type(error).__name__}: {error.msg} (line {error.lineno})."
        return Reply("error", words, code + mark)
    failure = describe_failure(error, None)
    steps = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in (NAME, ABOVE)]
    place, line = (steps[-1].filename, steps[-1].lineno) if steps else (NAME, 0)
    where = "in a cell above, which this one needs" if place == ABOVE else f"line {line}"
    advice = hint(failure)
    return Reply(
        "error",
        f"{str(failure).rstrip('.')} ({where})." if steps else f"{failure}",
        linecache.getline(place, line).rstrip(),
        (advice,) if advice else (),
    )


sys.meta_path.append(Finder)
