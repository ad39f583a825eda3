"""Run what stands in a cell of the page as a notebook would: prints, and the last line's value."""

import ast
import contextlib
import importlib.machinery
import io
import linecache
import re
import sys
import traceback
from types import ModuleType

from attnlib.exercises import Reply, check, find
from attnlib.exercises.engine import guarding
from attnlib.exercises.engine.limiting import within
from attnlib.exercises.engine.running import describe_failure
from attnlib.exercises.engine.symptoms import hint

from .slicing import LOOKS, is_absent, needed, parsed

LIMIT = 20.0  # seconds
LONGEST = 20_000  # characters that are shown
NAME, ABOVE, ASKED = "<cell>", "<the cells above>", "<the line with check>"
#: Where a line of an exercise calls `check`, it calls this: no name that code has by chance.
OWN = "the book's check"
UNCHECKED = "Nothing was checked."
NOT_RUN = (
    "The line with `check` was not reached. If it stands inside your function, let it begin at "
    "the left margin."
)
MISSING = (
    "The line `{line}` is missing, and nothing here is called `{name}`. "
    "Write that line again, at the left margin, with the name that you have chosen."
)
#: Modules whose names are put back before each run and each check -> these names.
GUARDED, KEPT = re.compile(r"(attnlib|numpy|builtins|in_page\.(cells|slicing))\b"), {}


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
        library = name.partition(".")[0]
        missing = library == "attnlib" or type(sys.modules.get(library)) in (type(None), Absent)
        if missing and is_absent(name):
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


def checking(line):
    """The call of `check` that a statement is, with an exercise's name; None if it is another."""
    match line:
        case ast.Expr(ast.Call(ast.Name("check"), [ast.Constant(str()), *_]) as call):
            return call


def keep():
    """Remember what is in the modules that a check goes through, as far as they are loaded."""
    for name, module in [*sys.modules.items()]:
        if GUARDED.match(name) and module is not guarding:  # which knows what runs
            KEPT.setdefault(name, dict(vars(module)))


def put_back():
    """Undo what code has done to the names in these modules."""
    for name, names in KEPT.items():
        if name in sys.modules:
            vars(sys.modules[name]).update(names)


def run(earlier, source, limit=LIMIT, asked=None):
    """Run a cell, after those statements of the earlier cells that it may need.

    Parameters
    ----------
    earlier : list of str
        The cells above it, as they now stand in the page.
    source : str
    limit : float, seconds
        For all of it.
    asked : str, optional
        For an exercise the line of its stub that checks it, ``check("chapter.exercise", answer)``;
        it is run where the cell has none.

    Returns
    -------
    dict
        `printed`; `value`, the text of the last line's value, or `reply`, the parts of a checker's;
        `passed`. Of an exercise the reply is that of the book's own check, whatever is called so.
    """
    scope = {"__name__": "__main__", "input": no_input}
    printed, result, replies = Bounded(), {}, {}

    def own(name, answer, **settings):
        put_back()
        replies[name] = reply = check(name, answer, **settings)
        return reply

    def execute(code, name):
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        tree = ast.parse(code, name)
        for line in tree.body if asked else ():
            if call := checking(line):
                call.func.id = OWN
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), scope)
        return last and eval(compile(ast.Expression(last.value), name, "eval"), scope)

    def checked():
        """Run an exercise, and say that nothing was checked where that is so."""
        (exercise,) = {call.args[0].value for call in map(checking, parsed(asked)) if call}
        value = execute(source, NAME)
        if value is not None and not isinstance(value, Reply):
            result.update(told(value))
        if exercise not in replies:
            calls = [checking(ast.Expr(node)) for node in ast.walk(ast.parse(source))]
            if any(call and call.args[0].value == exercise for call in calls):
                return Reply("not attempted", NOT_RUN, heading=UNCHECKED)
            try:
                execute(asked, ASKED)
            except NameError as error:
                words = MISSING.format(line=asked.strip(), name=error.name)
                return Reply("not attempted", words, heading=UNCHECKED)
        return replies[exercise]

    def work():
        try:
            put_back()
            if asked:
                for call in filter(None, map(checking, parsed(asked))):
                    find(call.args[0].value)  # with all that it imports
            keep()
            with contextlib.redirect_stdout(Bounded()):
                execute("\n".join(map(ast.unparse, needed(earlier, source))), ABOVE)
            if asked:
                scope[OWN] = own
                if scope.get("check") is check:  # which may stand anywhere in a line
                    scope["check"] = own
            result.update(told(checked() if asked else execute(source, NAME)))
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
            "passed": value.status == "passed",
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
