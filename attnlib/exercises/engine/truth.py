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
    """

    def counted(*args):
        value = function(*args)
        if isinstance(value, bool | np.bool_):
            return int(value)
        is_truth = isinstance(value, np.ndarray) and value.dtype == bool
        return value.astype(int) if is_truth else value

    try:
        return wraps(function)(counted)
    except Exception:  # an odd object, which may answer with anything
        return counted
