"""Values in words and numbers: short, rounded, the same on every run."""

import re

import numpy as np

PRINTING = dict(
    precision=4, threshold=40, edgeitems=3, linewidth=72, floatmode="maxprec",
    sign="-", nanstr="nan", infstr="inf", formatter=None, legacy=False,
)  # fmt: skip


def show(value):
    """A number or an array, rounded to four places, whatever NumPy's options; a function's name.

    Each entry of a dictionary has a line of its own.

    Examples
    --------
    >>> print(show(1 / 3), show(np.array([1.0, -2 / 3])))
    0.3333 [ 1.     -0.6667]
    >>> print(show({"b": np.zeros(2), "W": np.eye(2)}))
    {'b': [0. 0.],
     'W': [[1. 0.]
           [0. 1.]]}
    """
    if callable(value):
        return value.__name__
    if type(value) is dict:
        parts = (
            f"{name!r}: " + _hanging(show(v), len(repr(name)) + 3) for name, v in value.items()
        )
        return "{" + ",\n ".join(parts) + "}"
    array = np.asarray(value)
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # beyond float64 there is a longer kind of float
            array = array.astype(np.float64)  # float16 has no 1e6 to compare with
        size = np.abs(array[np.isfinite(array)]).max(initial=0.0)
        plain = size == 0 or 1e-3 <= size < 1e6
        array = (np.round(array, 4) if plain else array) + 0.0  # the 0.0 turns -0. into 0.
        if array.ndim == 0:
            return f"{float(array):.6g}"
        with np.printoptions(**PRINTING, suppress=bool(plain)):
            return np.array2string(array)
    with np.printoptions(**PRINTING):
        return np.array2string(array)


def assigned(name, value):
    """``name = value`` with the rows of a matrix under one another."""
    return f"{name} = " + _hanging(show(value), len(name) + 3)


def _hanging(text, indent):
    return text.replace("\n", "\n" + " " * indent)


def describe(value):
    """What kind of thing a value is, in a few words, without calling anything of its own."""
    kind = type(value)
    if value is None or kind is bool:
        return str(value)
    if isinstance(value, np.ndarray):
        numeric = value.dtype.kind in "iuf"
        return f"an array of shape {value.shape}" + ("" if numeric else f" of {value.dtype}")
    if kind is str:
        return f"the text {shorten(repr(value), 60)}"
    if kind in (list, tuple, set, dict):
        return f"a {kind.__name__} of {len(value)}"
    if kind in (int, float) or isinstance(value, np.floating | np.integer):
        return "a single number"
    name = shorten(kind.__name__, 60)
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def shorten(text, length=240):
    """One line of at most ``length`` characters, without memory addresses."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
    return text if len(text) <= length else text[: length - 1] + "…"


def listed(words):
    """Words in a row: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), *words[-1:]] if len(words) > 1 else words)
