"""An answer of another form than was asked for: what sets it apart, and what would help."""

from collections.abc import Callable, Iterator
from types import NoneType

import numpy as np

from .attempt import as_numbers
from .showing import describe, listed
from .symptoms import habit, no_return

COUNTS = {1: "one", 2: "two", 3: "three"}
EXCHANGED = "Rows and columns are exchanged: transposed, the answer would be right."
TEXT = "That is text: leave out the quotes, and round or format only when you print."
NO_RETURN = "The return is missing: no line hands back what the function has computed."
OTHERS = {
    NoneType: (
        "On this input the function ends without reaching a return: look at what stands inside an "
        "if or a loop."
    ),
    str: TEXT,
    (Iterator, range): (
        "It holds no numbers yet: np.array(list(…)) makes an array of it. If you wrote yield, you "
        "probably meant return."
    ),
    np.object_: "It holds something that is not a number, such as None.",
    Callable: "Return what it computes: call it, with brackets after its name.",
    (bool, np.bool_): "A comparison gives truth values, not numbers.",
    (complex, np.complexfloating): (
        "Complex numbers come from j, from cmath, or from the square root of a negative number."
    ),
}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
PARTS = {
    "That is only the first part of the result: look for a return inside a loop, or for one index "
    "too many.": (lambda a: a[0], lambda a: a[:1], lambda a: a[..., 0]),
    "That is only the last part of the result: each round of a loop overwrites what the one before "
    "left, or starts afresh.": (lambda a: a[-1], lambda a: a[-1:]),
    "The last one is missing: range(n) stops at n - 1.": (lambda a: a[:-1],),
    "The first one is missing: positions count from 0.": (lambda a: a[1:],),
    "That is only the diagonal: each row has met only the one with the same number.": (
        lambda a: np.diagonal(a, axis1=-2, axis2=-1),
    ),
}


def form(attempt):
    """Something else than an array of the shape that is wanted came back."""
    trial = attempt.wrong[0]
    if trial.has_form:
        return None
    return " ".join(filter(None, (wrong_form(trial), remedy(attempt), habit(attempt))))


def exchanged(attempt):
    """All would be right if the last two axes, or all, were exchanged."""
    turns = (lambda value, _: np.swapaxes(value, -1, -2), lambda value, _: np.transpose(value))
    return EXCHANGED if any(map(attempt.right_after, turns)) else None


def wrong_form(trial):
    """What came back, against the type and shape that were expected; None if it fits."""
    if trial.has_form:
        return None
    here = f", here {trial.shape}" if trial.shape else ""
    return f"It should return {trial.exercise.returns}{here}; {describe(trial.value)} came back."


def remedy(attempt):
    """What sets the first wrong value apart from what is wanted; empty if unknown."""
    value = attempt.wrong[0].value
    if type(value) in (tuple, list):
        return _of_several(attempt, value)
    array = as_numbers(value)
    if array is not None:
        return _of_an_array(attempt, array)
    if value is None and no_return(attempt.answer):
        return NO_RETURN
    kind = value.dtype.type if isinstance(value, np.ndarray) else type(value)
    return next((words for kinds, words in OTHERS.items() if issubclass(kind, kinds)), "")


def _of_several(attempt, several):
    holds = f"It holds {listed([*map(describe, several[:4])] + ['…'] * (len(several) > 4))}:"
    for position, ordinal in zip(range(len(several)), ORDINALS):
        if attempt.right_after(lambda value, _, position=position: value[position]):
            only = "only" if len(several) == 1 else ordinal
            return f"{holds} its {only} element alone would be right."
    if any(isinstance(part, str) for part in several):
        return TEXT
    array = as_numbers(several, (list, tuple))
    if array is None and attempt.exercise.judge:
        return f"{holds} give only the numbers, without inner brackets."
    if array is not None and array.shape == attempt.wrong[0].shape:
        would = attempt.right_after(lambda value, _: np.array(value))
        return "np.array(…) makes an array of it" + (", which would be right." if would else ".")
    parts = [p for p in several if isinstance(p, list) or getattr(p, "ndim", 0)]
    if type(several) is list and len(parts) == len(several) and len({*map(len, parts)}) > 1:
        return f"{holds} its rows differ in length."
    rows = type(several) is list or not any(isinstance(part, np.ndarray) for part in several)
    if array is not None and rows:
        return f"As an array it has shape {array.shape}. {_of_an_array(attempt, array)}"
    return f"{holds} return only what is asked for." if several else ""


def _of_an_array(attempt, array):
    came, shape = array.shape, attempt.wrong[0].shape
    if not array.size and 0 not in shape:
        return (
            "It is empty: look for a loop that is never entered, a slice that ends where it "
            "begins, or a choice in which nothing is True."
        )
    surplus = len(came) - len(shape)
    others = [(t.array.shape, t.shape) for t in attempt.wrong if t.array is not None]
    shapes = [(came, shape), *others]  # where an axis has size 1, one case may look like another
    if all(sorted(a) == sorted(b) for a, b in shapes):
        return exchanged(attempt) or "The lengths are right, but the axes are in a different order."
    one = abs(surplus) == 1
    axes = f"That is {COUNTS.get(abs(surplus), abs(surplus))} {'axis' if one else 'axes'} too"
    reshaped = attempt.right_after(lambda value, wanted: np.array(value).reshape(wanted))
    if surplus and all([n for n in a if n != 1] == [n for n in b if n != 1] for a, b in shapes):
        axes += f" {'many' if surplus > 0 else 'few'}, of size 1"
        would = f"with{'out' * (surplus > 0)} {'it' if one else 'them'} the answer would be right"
        return f"{axes}: {would}." if reshaped else f"{axes}."
    for sentence, parts in PARTS.items():
        if any(attempt.right_after(lambda value, _: np.array(value), part) for part in parts):
            return sentence
    if attempt.exercise.judge:
        return attempt.exercise.general
    if not surplus:
        return "The number of axes is right, but not every length: check where each ends."
    if surplus > 0:
        return (
            f"{axes} many: an index or a sum is missing, or an axis of size 1 has met another "
            "and the two have spread into a table."
        )
    if reshaped:
        return f"{axes} few: in the shape {shape} the same numbers would be right."
    return f"{axes} few: an index, a sum or a mean has removed one."
