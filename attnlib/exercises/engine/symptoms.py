"""What an error, NaN or inf, the code of an answer, or a second call most likely means."""

import dis
import inspect
import math
import re
import sys
from itertools import pairwise
from types import CodeType

import numpy as np

from .showing import describe, listed
from .tracing import code_of, written

CARET = r"for \^|bitwise_xor"
HINTS = {
    CARET: "In Python ^ is not a power: write **.",
    r"(as an integer|integer scalar|positional|zero-dimensional|same number of dimensions).*"
    r"in line .*\b(concatenate|[vhd]?stack)\(": (
        "What is joined goes into one pair of square brackets, np.concatenate([a, b]), and needs "
        "the same number of axes: a single row or number is put into brackets of its own."
    ),
    "Cannot cast ufunc": (
        "That array holds whole numbers, and += would write decimals into it. x = x + … makes a "
        "new array."
    ),
    r"function_or_method'|'(function|method|type)'": (
        "That line uses a function without calling it: the brackets after its name are missing."
    ),
    r"^UnboundLocalError|cannot access local variable": (
        "This line uses a variable before any line has given it a value. Where it gets its first "
        "value, that line was not reached, or it stands below."
    ),
    r"^NameError": (
        "Python does not know this name here. Either it is misspelt, or the line that defines it, "
        "perhaps an import, is missing or has not been run."
    ),
    "cannot reshape": (
        "reshape keeps the number of entries: multiply the lengths before and after. Print the "
        "shape just before; X.reshape(*X.shape[:-1], …) keeps all axes but the last."
    ),
    r"(ellipsis|tuple)' .*as an integer": (
        "A single whole number belongs there. A length is x.shape[0]; in reshape a star unpacks "
        "a shape: X.reshape(*X.shape[:-1], …)."
    ),
    r"slice indices must|interpreted as an integer": (
        "A position has to be a whole number, and / always gives a float: use //."
    ),
    r"only integers, slices": (
        "An index has to be a whole number. Either a loop runs over the numbers in an array, not "
        "over their positions, or the arguments of a call are in the wrong order."
    ),
    "boolean index did not match": (
        "Truth values in square brackets choose along the first axis, so there has to be one for "
        "each row. To choose columns, write x[:, chosen]."
    ),
    "there is nothing along this axis|zero-size array|need at least one array": (
        "A choice or a slice is empty on this input, or a loop is never entered: print what it is "
        "made of."
    ),
    r"ufunc '(bitwise_\w+|invert)' not supported": (
        "&, | and ~ join truth values, and bind more tightly than < and ==: put brackets around "
        "each comparison. Numbers become truth values by A != 0, or by dtype=bool."
    ),
    "inhomogeneous|must have the same shape": (
        "The parts of this list have different lengths: print the shape of each."
    ),
    "matmul.*does not have enough dimensions": (
        "One factor of @ is a single number here. A sum or a mean without axis=… leaves only one."
    ),
    "nothing to attend to": (
        "Every key of some query is hidden: the mask is turned round, or an item that may see "
        "itself is left out."
    ),
    r"indexing arrays could not be broadcast": (
        "Two lists of indices are taken in pairs, so they have to be equally long: "
        "p[np.arange(len(j)), j] takes one entry from each row."
    ),
    r"index .*out of (bounds|range)": (
        "An index runs from 0 to the length minus 1. Print the index and the shape: either a loop "
        "goes too far for this input, or the index counts along another axis than the one on which "
        "it is used. x[i] takes rows, x[:, j] columns."
    ),
    r"truth value of an array.*in line .*\b(max|min)\(": (
        "max and min of Python ask which of two whole arrays is larger. np.maximum and np.minimum "
        "compare entry by entry."
    ),
    r"truth value of an array": (
        "if, and, or, not and while ask for a single truth value, and here is one for each entry. "
        "np.where, &, | and ~ work entry by entry; any() and all() make one of many."
    ),
    r"object is not callable": (
        "Round brackets call a function. An entry of an array is taken with square ones, and a "
        "product needs its *."
    ),
    r"object is not subscriptable": (
        "Square brackets take an entry of an array. What stands before them is none."
    ),
    r"can only concatenate|unsupported operand .*list": (
        "With lists + joins and * repeats. For arithmetic make arrays of them: np.array(…)."
    ),
    r"axis .*out of bounds|axes don't match|too many indices": (
        "Not every input has that many axes. Count them from the end: the last is -1, the one "
        "before it -2."
    ),
    r"ein(stein|sum)": (
        "Each letter names one axis. Three dots name all the other axes: put them in every group "
        "of letters, also after the arrow."
    ),
    r"broadcast together.*in line .*\b(sum|max|mean)\((?!.*keepdims)": (
        "A sum, a mean or a maximum over an axis removes that axis. With keepdims=True it stays, "
        "of length 1, and the shapes fit."
    ),
    r"(broadcast together|core dimension).*in line .* \+ ": (
        "Two shapes do not fit together. + adds arrays entry by entry; to put one behind the "
        "other, write np.concatenate([a, b]). If they are to be added, print both shapes first."
    ),
    r"Module\.__init__\(\) call": (
        "The first line of __init__ has to be super().__init__(), before anything is assigned."
    ),
    r"values to unpack.*in line .*\.shape": (
        "Not every input has that many axes. Count them from the end: X.shape[-2] items of "
        "X.shape[-1] components, whatever stands in front."
    ),
    r"target size": (
        "cross_entropy takes a table with a row of logits for each target: flatten all axes of the "
        "logits but the last, and the targets altogether."
    ),
    r"the batch shape of the input|is invalid for input of size": (
        "Not every input has that many axes in front. Count axes from the end, and split with "
        "unflatten(-1, …), which leaves the others as they are."
    ),
    r"broadcast|core dimension|not aligned|size of tensor|cannot be multiplied": (
        "Two shapes do not fit together. Print both just before that line, and say for each axis "
        "what it counts."
    ),
    r"^Recursion": "The function calls itself, and nothing ever stops it.",
    r"^AttributeError": (
        "What comes before the dot has nothing by that name. In NumPy most steps are functions, "
        "such as np.sqrt(x), and some names differ from PyTorch's."
    ),
    r"must be real number|length-1 arrays|0-dimensional arrays": (
        "The functions of math take a single number; NumPy's take arrays too."
    ),
    r"^AssertionError": "That is your own assert: it rejects an input that the task allows.",
    r"^LinAlgError": "The matrix has no inverse, or has the wrong shape for this step.",
    r"^ZeroDivision|math domain": "A number there is 0, or negative, on this input: print it.",
    r"(holds|contains?) .*(inf|nan)": (
        "An earlier step has divided by 0, has multiplied 0 by an infinite number, or has grown "
        "too large: print it."
    ),
}
FLOATS = {
    "too large or": "a number that grows too large, a division by 0 or the logarithm of 0",
    "no number": "0/0, inf/inf, inf - inf, or a root or a logarithm of a negative number",
    "overflow": "a number that grows too large",
    "by zero.*log": "the logarithm of 0",
    "by zero": "a division by 0",
    "invalid.*(sqrt|power|log)": "a square root, a power or a logarithm of a negative number",
    "invalid.*divide": "0/0 or inf/inf: a sum or a slice is empty, or a row has nothing but -inf",
    "invalid": "inf - inf or 0 · inf",
}
CHANCE = {"default_rng", "normal", "standard_normal", "uniform", "random", "rand", "randn"}
CHANCE |= {"monotonic", "perf_counter", "perf_counter_ns", "process_time", "time", "time_ns"}
CALLED = "ATTR|METHOD|GLOBAL|IMPORT_FROM"
LOADED = "LOAD.*(FAST|DEREF|CLOSURE)|STORE_FAST_LOAD"


def raised(attempt):
    """The smallest input that goes wrong raises."""
    return _in_words(attempt.wrong[0])


def elsewhere(attempt):
    """The smallest input that goes wrong returns numbers, and a later one raises."""
    later = ((trial.case.kind, _in_words(trial)) for trial in attempt.wrong)
    return next((f"For {kind}, {message}" for kind, message in later if message), None)


def _in_words(trial):
    failure = trial.outcome.failure
    if not failure:
        return None
    where = f" (in {failure.line})" if failure.line else ""
    message = f"{trial.exercise.short_name} raised {failure}{where}."
    return f"{message} {hint(failure)}".strip()


def not_finite(attempt):
    """NaN or inf comes back: where the first arises, by a call in which they are errors."""
    trial = attempt.wrong[0]
    if np.isfinite(trial.array).all():
        return None
    failure = attempt.run(trial, floats="raise").outcome.failure
    if failure:
        where = f"in {failure.line}" if failure.line else "on the way"
        why = _first(FLOATS, failure.message) or failure.message
        return f"NaN or inf first appears {where}. It comes from {why}."
    return (
        "NaN or inf comes back, though no step computes it: you wrote it into the code yourself, "
        "to fill, pad or mask an array. It may stand in scores, but what is returned holds none."
    )


def caret(attempt):
    """A ^ that is meant as a power: with whole numbers it raises nothing."""
    arrays = [t.outcome.value for t in attempt.trials if isinstance(t.outcome.value, np.ndarray)]
    if attempt.exercise.truth or any(array.dtype == bool for array in arrays):
        return None  # of truth values it is the exclusive or
    mine, theirs = map(code_of, (attempt.answer, attempt.exercise.reference))
    carets = [any(step.argrepr.startswith("^") for step in _steps(code)) for code in (mine, theirs)]
    return f"{HINTS[CARET]} With whole numbers ^ does something else." if carets == [1, 0] else None


def _steps(code):
    return dis.get_instructions(code) if code else ()


def hint(failure):
    """What to do about an exception; empty where nothing is known."""
    text = str(failure)
    with_line = f"{text} in {failure.line}"
    found = (w for p, w in HINTS.items() if re.search(p, with_line if "in line" in p else text))
    return next(found, "")


def _first(table, text):
    return next((words for pattern, words in table.items() if re.search(pattern, text)), None)


def habit(attempt):
    """What stands out in a function, unless the reference does it or leaves it out too."""
    exercise, answer, first = attempt.exercise, attempt.answer, attempt.trials[0]
    if written(answer) is not answer:
        return None  # its arguments are others
    name = exercise.short_name
    names = called(answer) - called(exercise.reference)
    chance = sorted(CHANCE & names - {"random", "time"}) or sorted(CHANCE & names)
    if chance and not exercise.truth:  # for a truth value one may draw, to try something
        return (
            f"{name} uses random numbers or a clock ({listed(chance)}). The right result follows "
            "from the arguments alone."
        )
    again = attempt.run(first)
    same = (first.array is None) == (again.array is None)
    if same and first.array is not None:
        same = np.array_equal(first.array, again.array, equal_nan=True)
    if again.outcome.finished and not again.outcome.failure and not same:
        return (
            f"Called again with the same input, {name} gives a different result. Something is kept "
            "from one call to the next, such as a list used as a default value."
        )
    spare = {} if exercise.truth else _unused(exercise.reference)
    unused = [p for place, p in _unused(answer).items() if place not in spare]
    data = np.ndarray | int | float | list | tuple
    known = {math.pi, math.e, math.tau, math.inf}  # such as pi, imported by its name
    outside = [
        n for n, value in taken(answer).items()
        if isinstance(value, data) and not (isinstance(value, float) and value in known)
    ]  # fmt: skip
    ignores = f"{name} never uses its argument{'s' * (len(unused) > 1)} {listed(unused)}"
    takes = f"takes {listed(outside)} from outside the function"
    if unused:
        return f"{ignores}, but {takes}." if outside else f"{ignores}."
    return f"{name} {takes}; everything it needs is among its arguments." if outside else None


def called(answer):
    """The names of functions and attributes in the code of a function."""
    return set(_names(code_of(answer), CALLED))


def taken(answer):
    """What the code of a function takes from outside: name -> value."""
    code = code_of(answer)
    outside = getattr(inspect.unwrap(answer), "__globals__", {}) if code else {}
    names = {name: outside.get(name) for name in _names(code, "GLOBAL")}
    return names | {name: sys.modules.get(name) for name in _names(code, "IMPORT_NAME")}


def stub(answer, outcome):
    """What is missing if the first call shows an unfinished stub, else None."""
    if outcome.failure and not outcome.failure.is_stub:
        code = code_of(written(answer))
        gap = any(
            a.opname == "LOAD_CONST" and a.argval is ... and b.opname.startswith("STORE_FAST")
            for a, b in pairwise(_steps(code))
        )
        return "Replace the ... that is still in its body." if gap else None
    if outcome.failure or (outcome.value is None and not _written(answer)):
        return "The body is still empty."
    return "Replace the ... that it returns." if outcome.value is Ellipsis else None


def _written(answer):
    """Whether a function does anything, for all that can be seen."""
    code = code_of(answer)
    steps = _steps(code)
    return not code or any(re.match("BINARY|CALL|COMPARE|STORE|FOR", s.opname) for s in steps)


def no_return(answer):
    """Whether no line of a function returns a value."""
    code = code_of(written(answer))
    for before, step in pairwise(_steps(code)):
        nothing = before.opname == "LOAD_CONST" and before.argval is None
        if step.opname == "RETURN_VALUE" and (step.is_jump_target or not nothing):
            return False
        if step.opname == "RETURN_CONST" and step.argval is not None:
            return False
    return bool(code)


def uncallable(exercise, answer):
    """Why the answer cannot be called as the exercise does, or None if it can."""
    if not callable(answer):
        return (
            f"You passed {describe(answer)} instead of the function {exercise.signature}. "
            "Pass the function itself: its name, without brackets."
        )
    try:
        signature = inspect.signature(answer)
    except Exception:  # a function written in C, or an odd object: the call will tell
        return None
    names, order = tuple(signature.parameters), ""
    try:
        signature.bind(*exercise.parameters)
        if names == exercise.parameters or sorted(names) != sorted(exercise.parameters):
            return None
        order = " The order matters."
    except TypeError:
        pass
    return (
        f"{exercise.short_name} is called as {exercise.signature}, but its arguments are "
        f"({', '.join(names)}).{order}"
    )


def _names(code, kinds):
    """The names in the steps of these kinds, also in functions inside, in order."""
    if code is None:
        return []
    names = {}
    for step in dis.get_instructions(code):
        if re.search(kinds, step.opname):
            names |= dict.fromkeys(step.argval if type(step.argval) is tuple else [step.argval])
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return list(names | dict.fromkeys(n for c in inner for n in _names(c, kinds)))


def _unused(function):
    """The parameters that a function never takes up: place -> name."""
    code = code_of(function)
    names = inspect.signature(function).parameters if code else ()
    used = _names(code, LOADED)
    return {place: name for place, name in enumerate(names) if name not in used}
