"""Checks on one argument by itself, shared by all of attnlib.

Each check hands its argument back ready to use, or raises an error that names the argument, says
what was found, and says what to do about it.
"""

import functools
import math
import numbers
import sys

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
            f"If the conversion means something, do it first: {name}.astype(float)."
        )
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)


def finite(array, name, *, minus_inf=False):
    """Return `array` if it holds no NaN and no infinity (-inf may be allowed)."""
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


def first_index(found):
    """Return the index of the first True of a boolean array, as a tuple."""
    return tuple(int(i) for i in np.argwhere(found)[0])


def show(index):
    """Write an index as a reader would: ``2`` on one axis, ``(0, 2)`` on several."""
    return str(index[0]) if len(index) == 1 else str(index)


def normalizer_arguments(scores, axis, temperature):
    """Return the scores as floats, the axis counted from the front, the temperature as a float."""
    scores = finite(real_array(scores, "scores"), "scores", minus_inf=True)
    if not -scores.ndim <= _integer(axis, "axis") < scores.ndim:
        raise ValueError(
            f"axis={axis} is out of range for scores of shape {scores.shape}. "
            f"Choose one of its {scores.ndim} axes; scores need at least one."
        )
    axis = int(axis) % scores.ndim
    if scores.shape[axis] == 0:
        raise ValueError(f"scores has shape {scores.shape}: axis {axis} is empty. Give it scores.")
    lost = (scores == -np.inf).all(axis=axis)
    if lost.any():
        index = [str(i) for i in first_index(lost)]
        index.insert(axis, ":")
        raise ValueError(
            f"scores[{', '.join(index)}] is -inf throughout (scores has shape {scores.shape}): "
            f"there is nothing to attend to. Leave at least one score finite."
        )
    return scores, axis, temperature_of(temperature, scores.dtype)


def number(x, name):
    """Return `x` as a finite Python float, which keeps float32 arrays float32."""
    if not isinstance(x, numbers.Real) or isinstance(x, bool):
        raise TypeError(f"{name} must be one real number, not {x!r}. Give, say, {name}=0.5.")
    try:
        value = float(x)
    except OverflowError:  # an integer beyond the largest float
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"{name}={x} is not finite. Give, say, {name}=0.5.")
    return value


def temperature_of(temperature, dtype):
    """Return `temperature` as a float above 0 that `dtype` can hold."""
    remedy = "Give a small positive number for sharp weights, or use hardmax."
    return positive(temperature, "temperature", dtype, remedy)


def positive(x, name, dtype, remedy):
    """Return `x` as a float above 0 that `dtype` can hold."""
    limits = np.finfo(dtype)
    if not limits.tiny <= number(x, name) <= limits.max:
        raise ValueError(f"{name}={x} must be above 0 and in the range of {dtype}. {remedy}")
    return float(x)


def boolean(x, name):
    """Return `x` if it is True or False."""
    if not isinstance(x, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {x!r}.")
    return bool(x)


def choice(x, name, options):
    """Return `x` if it is one of the `options`, which are strings."""
    if not isinstance(x, str) or x not in options:
        named = " or ".join(f'"{option}"' for option in options)
        raise ValueError(f"{name}={x!r} is unknown. Choose {named}.")
    return x


def count(n, name, least=1):
    """Return `n` as an int that is at least `least`."""
    if _integer(n, name) < least:
        raise ValueError(f"{name}={n} is too small. Give an integer of at least {least}.")
    if n > sys.maxsize:
        raise ValueError(f"{name}={n} is too large: no array has so many rows.")
    return int(n)


def _integer(n, name):
    """Return `n` if it is an integer; True and 1.0 are not."""
    if not isinstance(n, numbers.Integral) or isinstance(n, bool):
        raise TypeError(f"{name} must be an integer, not {n!r}.")
    return n


def generator(rng):
    """Return `rng` if it is one of NumPy's random generators."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a NumPy generator, not {rng!r}. Give, say, np.random.default_rng(0)."
        )
    return rng


def kind(thing, wanted, name):
    """Refuse a `thing` that is not of the `wanted` class."""
    if not isinstance(thing, wanted):
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        raise TypeError(f"{name} must be {article} {wanted.__name__}, not {thing!r}.")


def reports_overflow(function):
    """Make `function` raise an error with a remedy where its result is too large for its type."""
    name = function.__qualname__.removesuffix(".__call__")

    @functools.wraps(function)
    def checked(*arguments, **options):
        with np.errstate(over="ignore", invalid="ignore"):
            result = function(*arguments, **options)
        for array in result if isinstance(result, tuple) else (result,):
            if isinstance(array, np.ndarray) and not np.isfinite(array).all():
                raise ValueError(
                    f"the result of {name} overflows {array.dtype}. Scale its arguments down."
                )
        return result

    return checked
