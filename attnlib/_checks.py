"""Checks on one argument by itself.

Each returns its argument ready to use, or raises an error that names the argument, says what is
wrong with it, and what to do.
"""

import math
import sys
from numbers import Integral, Real

import numpy as np


def any_array(x, name):
    """Return `x` as an array of whatever it holds."""
    try:
        return np.asarray(x)
    except ValueError:
        raise ValueError(f"{name} is ragged: give all its rows the same length.") from None


def real_array(x, name):
    """Return `x` as floats: float32 is kept, every other real type becomes float64."""
    array = any_array(x, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"{name} holds {array.dtype}, but only integers and floats can be used here. "
            f"If converting makes sense, convert it first: {name}.astype(float)."
        )
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)


def integers(x, name):
    """Return `x` as an array of integers."""
    array = any_array(x, name)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} holds {array.dtype}, but must hold integers.")
    return array


def is_finite(array):
    """Tell whether `array` holds no NaN and no infinity."""
    # A finite sum of squares proves it at once; an infinite one may only be too large itself.
    flat = array.ravel(order="K")  # as it lies in memory, which copies no transposed matrix
    return math.isfinite(np.vdot(flat, flat)) or bool(np.isfinite(array).all())


def finite(array, name, *, minus_inf=False):
    """Return `array` if it holds no NaN and no infinity (-inf may be allowed)."""
    if is_finite(array):
        return array
    bad = ~np.isfinite(array)
    if minus_inf:
        bad &= array != -np.inf
    if bad.any():
        index = first_index(bad)
        also = ", or -inf where a key may not be attended to" if minus_inf else ""
        raise ValueError(
            f"{name} of shape {array.shape} holds {array[index]} at index {show(index)}. "
            f"Give it finite numbers{also}."
        )
    return array


def numbers(x, name):
    """Return `x` as finite floats, in any shape."""
    return finite(real_array(x, name), name)


def first_index(array):
    """Return the index of the first True of a boolean array, as a tuple."""
    return tuple(int(i) for i in np.argwhere(array)[0])


def show(index):
    """Write an index as a reader would: ``2`` on one axis, ``(0, 2)`` on several."""
    return str(index[0]) if len(index) == 1 else str(index)


def number(x, name):
    """Return `x` as a finite Python float, which keeps float32 arrays float32."""
    if not isinstance(x, Real) or isinstance(x, bool):
        raise TypeError(f"{name} must be one real number, not {x!r}. Give, say, {name}=0.5.")
    try:
        value = float(x)
    except OverflowError:  # an integer beyond the largest float
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"{name}={x} is not finite. Give, say, {name}=0.5.")
    return value


def positive(x, name, dtype, remedy):
    """Return `x` as a float above 0 that `dtype` can hold."""
    limits = np.finfo(dtype)
    if not limits.tiny <= number(x, name) <= limits.max:
        raise ValueError(f"{name}={x} must be above 0 and in the range of {dtype}. {remedy}")
    return float(x)


def not_negative(x, name):
    """Return `x` as a float that is not below 0."""
    if number(x, name) < 0:
        raise ValueError(f"{name}={x} is below 0. Give 0 or more.")
    return float(x)


def boolean(x, name):
    """Return `x` if it is True or False."""
    if not isinstance(x, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {x!r}.")
    return bool(x)


def string(x, name):
    """Return `x` if it is a string."""
    if not isinstance(x, str):
        raise TypeError(f"{name} must be a string, not {x!r}.")
    return x


def words(x, name):
    """Return `x` as a tuple if it is a sequence of strings, each once."""
    known = isinstance(x, (tuple, list)) and all(isinstance(word, str) for word in x)
    if not known or not x or len({*x}) < len(x):
        raise ValueError(f"{name} must be a list of words, each once, not {x!r}.")
    return tuple(x)


def places(words, name, known):
    """Return the place of each of some words among those that are known."""
    if not isinstance(words, (tuple, list)) or not words:
        raise ValueError(f"{name} must be a list of words, at least one, not {words!r}.")
    for word in words:
        if not isinstance(word, str) or word not in known:
            raise ValueError(f"{name} holds {word!r}, which is none of: {', '.join(known)}.")
    return [known.index(word) for word in words]


def choice(x, name, options):
    """Return `x` if it is one of the `options`, which are strings."""
    if not isinstance(x, str) or x not in options:
        named = " or ".join(f'"{option}"' for option in options)
        raise ValueError(f"{name}={x!r} is unknown. Choose {named}.")
    return x


def integer(n, name):
    """Return `n` as an int if it is an integer; True and 1.0 are not."""
    if not isinstance(n, Integral) or isinstance(n, bool):
        raise TypeError(f"{name} must be an integer, not {n!r}.")
    return int(n)


def count(n, name, least=1):
    """Return `n` as an int that is at least `least`."""
    if integer(n, name) < least:
        raise ValueError(f"{name}={n} is too small. Give an integer of at least {least}.")
    if n > sys.maxsize:
        raise ValueError(f"{name}={n} is too large: no array has that many rows.")
    return int(n)


def generator(rng, name="rng"):
    """Return `rng` if it is one of NumPy's random generators."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"{name} must be a NumPy generator, not {rng!r}. Give, say, np.random.default_rng(0)."
        )
    return rng


def function(f, name):
    """Return `f` if it can be called."""
    if not callable(f):
        raise TypeError(f"{name} must be a function, not {f!r}. Give it without quotes.")
    return f


def instance(thing, name, *wanted):
    """Return `thing` if it is of one of the classes `wanted`."""
    if not isinstance(thing, wanted):
        named = " or ".join(
            f"{'an' if kind.startswith((*'AEIOU', 'RMS')) else 'a'} {kind}"
            for kind in (one.__name__ for one in wanted)
        )
        raise TypeError(f"{name} must be {named}, not {thing!r}.")
    return thing
