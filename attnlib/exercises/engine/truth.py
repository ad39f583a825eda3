"""Functions that return truth values, as functions that return numbers."""

from functools import wraps

import numpy as np


def truth_as_numbers(function):
    """The same function, with 0 and 1 for truth values; whatever else it returns stays as it is.

    Examples
    --------
    >>> later = truth_as_numbers(lambda x: x > 2)
    >>> later(3), later(np.array([1, 3])), truth_as_numbers(lambda x: x)(0.5)
    (1, array([0, 1]), 0.5)
    >>> truth_as_numbers(lambda x: [x > 2])(3)
    [1]
    """

    def counted(*args):
        value = function(*args)
        if isinstance(value, bool | np.bool_):
            return int(value)
        array = _array_of(value)
        if array is None or array.dtype != bool:
            return value
        return array.astype(int) if array is value else array.astype(int).tolist()

    try:
        return wraps(function)(counted)
    except Exception:  # an odd object, which may answer with anything
        return counted


def _array_of(value):
    """An array, or what a list holds as one; None for all else."""
    if type(value) is not list:
        return value if isinstance(value, np.ndarray) else None
    try:
        return np.array(value)
    except Exception:  # rows of different lengths, or an odd object
        return None
