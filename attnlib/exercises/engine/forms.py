"""An answer of another form than was asked for: what sets it apart, and what would help."""

from collections.abc import Iterator

import numpy as np

from .comparing import as_numbers
from .showing import describe, listed

COUNTS = {1: "one", 2: "two", 3: "three"}
EXCHANGED = "Rows and columns are exchanged: transposed, the answer would be right."
TEXT = "That is text: leave out the quotes; rounding and formatting belong to print."
KINDS = {
    "b": "A comparison gives truth values, not numbers.",
    "c": "Complex numbers come from a j, from cmath, or from the root of a negative number.",
    "U": TEXT,
    "O": "It holds something that is not a number, such as None.",
}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")

PARTS = {
    "That is only the first of what is wanted: look for a return inside a loop, or for an index "
    "too many.": (lambda a: a[0], lambda a: a[:1], lambda a: a[..., 0]),
    "That is only the last of what is wanted: each round of a loop overwrites, or begins anew, "
    "what the one before has left.": (lambda a: a[-1], lambda a: a[-1:]),
    "The last one is missing: range(n) already stops at n - 1.": (lambda a: a[:-1],),
    "The first one is missing: positions count from 0.": (lambda a: a[1:],),
    "That is only the diagonal: each row has met the one of its own number alone.": (
        lambda a: np.diagonal(a, axis1=-2, axis2=-1),
    ),
}


def remedy(value, shape, right, otherwise=""):
    """What sets a value apart from an array of ``shape``, in a sentence; empty if unknown.

    Parameters
    ----------
    value : object
        What came, neither of that shape nor, perhaps, an array at all.
    shape : tuple of int
        The shape that was wanted; ``()`` for a single number.
    right : callable
        Takes a change, a function of a value and of the shape that is wanted for it; returns
        whether the answer would be right after it, on all cases. With a second function, of
        the right answer: whether it would be that part of it where it is not right itself.
    otherwise : str, optional
        What to say of a number or an array where else the code would be guessed at.

    Returns
    -------
    str

    Examples
    --------
    >>> remedy(np.ones((1, 3)), (3,), lambda change, part=None: part is None)
    'That is one axis too many, the first, of size 1: without it the answer would be right.'
    >>> remedy((np.ones(3), 2.0), (3,), lambda *change: False)
    'It holds an array of shape (3,) and a single number: return only what is asked for.'
    """
    if type(value) in (tuple, list):
        return _of_several(value, shape, right, otherwise)
    array = as_numbers(value)
    if array is not None:
        return _of_an_array(array, shape, right, otherwise)
    if value is None:
        return "On this input the function ends without reaching a return."
    if isinstance(value, str):
        return TEXT
    if isinstance(value, Iterator | range):
        return (
            "It holds no numbers yet: np.array(list(…)) makes an array of it. Where yield stands, "
            "return is meant."
        )
    if callable(value):
        return "What it computes is wanted: brackets after its name call it."
    is_array = isinstance(value, np.ndarray | np.generic)
    kind = value.dtype.kind if is_array else {bool: "b", complex: "c"}.get(type(value))
    return KINDS.get(kind, "")


def _of_several(several, shape, right, otherwise):
    for position, ordinal in zip(range(len(several)), ORDINALS):
        if right(lambda value, _, position=position: value[position]):
            only = "only" if len(several) == 1 else ordinal
            return f"It holds {_contents(several)}: its {only} element alone would be right."
    if any(isinstance(part, str) for part in several):
        return TEXT
    array = as_numbers(several, lists=True)
    if array is not None and array.shape == shape:
        would = right(lambda value, _: np.array(value))
        return "np.array(…) makes an array of it" + (", which would be right." if would else ".")
    rows = type(several) is list or not any(isinstance(part, np.ndarray) for part in several)
    if array is not None and rows:
        found = _of_an_array(array, shape, right, otherwise)
        return f"As an array it has shape {array.shape}. {found}"
    if array is None and otherwise:
        return f"It holds {_contents(several)}: give only the numbers, without inner brackets."
    return f"It holds {_contents(several)}: return only what is asked for." if several else ""


def _contents(several):
    parts = [describe(part) for part in several[:4]] + ["…"] * (len(several) > 4)
    return listed(parts)


def _of_an_array(array, shape, right, otherwise):
    came, surplus = array.shape, array.ndim - len(shape)
    if came == shape:
        return ""
    if surplus == 0 and sorted(came) == sorted(shape):
        return _of_another_order(array, right)
    one = abs(surplus) == 1
    what = f"That is {COUNTS.get(abs(surplus), abs(surplus))} {'axis' if one else 'axes'} too"
    reshaped = right(lambda value, wanted: np.array(value).reshape(wanted))
    if surplus and [n for n in came if n != 1] == [n for n in shape if n != 1]:
        verdict = f"the {'answer' if reshaped else 'shape'} would be right."
        if surplus < 0:
            return f"{what} few, of size 1: with {'it' if one else 'them'} {verdict}"
        which = _which(came, shape) if one else ""
        return f"{what} many{which}, of size 1: without {'it' if one else 'them'} {verdict}"
    for said, parts in PARTS.items():
        if any(right(lambda value, _: np.array(value), part) for part in parts):
            return said
    if surplus == 0:
        return _of_another_length(came, shape, otherwise)
    if otherwise:
        return otherwise
    if surplus > 0:
        return (
            f"{what} many: an index or a sum is missing, or an axis of size 1 has met another "
            "and the two have spread to a table."
        )
    if reshaped:
        return f"{what} few: in the shape {shape} the same numbers would be right."
    return f"{what} few: an index, a sum or a mean takes one away."


def _of_another_order(array, right):
    if exchanged(right):
        return EXCHANGED
    if array.ndim == 2:
        return "Rows and columns are exchanged."
    return "The axes stand in another order."


def exchanged(right):
    """Whether the answer would be right if its last two axes, or all, were exchanged."""
    turns = (lambda value, _: np.swapaxes(value, -1, -2), lambda value, _: np.transpose(value))
    return any(map(right, turns))


def _which(came, shape):
    places = [i for i, n in enumerate(came) if n == 1 and came[:i] + came[i + 1 :] == shape]
    if 0 in places:
        return ", the first"
    return ", the last" if places[-1] == len(shape) else ", one in the middle"


def _of_another_length(came, shape, otherwise):
    said = []
    for axis, (is_, should) in enumerate(zip(came, shape)):
        if is_ != should:
            name = "only" if len(shape) == 1 else ORDINALS[axis]
            entries = "1 entry" if is_ == 1 else f"{is_} entries"
            said.append(f"its {name} axis has {entries} instead of {should}")
    counted = otherwise or "count by hand where they begin and end."
    return f"{', '.join(said).capitalize()}{'.' if otherwise else ':'} {counted}"
