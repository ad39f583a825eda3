"""What an error of Python or NumPy, NaN or inf most likely means in a short function."""

import re

import numpy as np

HINTS = {
    r"for \^|bitwise_xor": "In Python ^ is not a power: write **.",
    r"function_or_method'|'(function|method|type)'": (
        "A function is used there without being called: the brackets after its name are missing."
    ),
    r"^NameError": (
        "Python knows no such name here. Either it is misspelt, or the line that sets it, perhaps "
        "an import, is missing or has not been run."
    ),
    r"slice indices must|interpreted as an integer": (
        "A position has to be a whole number, and / never gives one: use //."
    ),
    r"only integers, slices": (
        "An index has to be a whole number. Either a loop runs over the numbers in an array, not "
        "over their positions, or the arguments of a call stand in the wrong order."
    ),
    r"index .*out of (bounds|range)": (
        "An index runs from 0 to the length minus 1, and lengths differ from input to input: take "
        "each one from its array."
    ),
    r"axis .*out of bounds|axes don't match|too many indices": (
        "Not every input has so many axes. Count them from the end: the last is -1, the one "
        "before it -2."
    ),
    r"ein(stein|sum)": (
        "The letters stand for a fixed number of axes. Three dots stand for all others: they "
        "belong in every group of letters, the one behind the arrow too."
    ),
    r"broadcast|core dimension|not aligned|inhomogeneous": (
        "Two shapes do not fit. Print both just before that line, and say of each axis what it "
        "counts."
    ),
    r"^Recursion": "The function calls itself, and nothing ever ends that.",
    r"^AttributeError": (
        "What stands before the dot has nothing of that name. In NumPy most steps are functions, "
        "such as np.sqrt(x), and PyTorch's names differ."
    ),
    r"must be real number|length-1 arrays|0-dimensional arrays": (
        "The functions of math take a single number; NumPy's take arrays too."
    ),
    r"^AssertionError": "That is your own assert: it stops an input that the task allows.",
    r"^LinAlgError": "The matrix has no inverse, or the wrong shape for what is done with it.",
    r"^ZeroDivision|math domain": "A number there is 0, or negative, on this input: print it.",
    r"(holds|contains?) .*(inf|nan)": (
        "Something before has been divided by 0, or has grown too large: print it."
    ),
}
FLOATS = {
    "overflow": "a number that grows too large",
    "by zero.*log": "the logarithm of 0",
    "by zero": "a division by 0",
    "invalid.*(sqrt|power|log)": "a root, a power or a logarithm of a negative number",
    "invalid.*divide": "0/0 or inf/inf, as where a sum or a slice is empty",
    "invalid": "inf - inf or 0 · inf",
}


def raised(attempt):
    """The smallest input that goes wrong raises."""
    failure = attempt.wrong[0].outcome.failure
    return failure and _in_words(attempt, failure)


def elsewhere(attempt):
    """The smallest input that goes wrong returns numbers, and a later one raises."""
    later = next((trial for trial in attempt.wrong if trial.outcome.failure), None)
    return later and f"For {later.case.kind}, {_in_words(attempt, later.outcome.failure)}"


def _in_words(attempt, failure):
    where = f" (in {failure.line})" if failure.line else ""
    message = f"{attempt.exercise.short_name} raised {failure}{where}."
    hint = _first(HINTS, str(failure))
    return " ".join(filter(None, (message, hint)))


def not_finite(attempt):
    """NaN or inf comes back: where the first arises, by a call in which they are errors."""
    trial = attempt.wrong[0]
    if np.isfinite(trial.array).all():
        return None
    failure = attempt.run(trial.case, floats="raise").outcome.failure
    if failure:
        where = f"in {failure.line}" if failure.line else "on the way"
        why = _first(FLOATS, failure.message) or failure.message
        return f"NaN or inf arises {where}. It comes from {why}."
    return (
        "NaN or inf comes back, though no step computes it: it stands in the code itself, as a "
        "filling, a padding or a mask. Leave it out."
    )


def _first(table, text):
    return next((words for pattern, words in table.items() if re.search(pattern, text)), None)
