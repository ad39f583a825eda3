"""When are two answers the same, and when do they show the same mistake?"""

import numpy as np

from .running import Outcome, describe_failure


def as_numbers(value, *, lists=False):
    """A copy of a number or array as an array, floats as float64; None for everything else.

    Parameters
    ----------
    value : object
    lists : bool
        Whether lists and tuples of numbers count.

    Returns
    -------
    array, any shape, or None

    Examples
    --------
    >>> as_numbers(2.5), as_numbers("2.5"), as_numbers([1, 2]), as_numbers([1, 2], lists=True)
    (array(2.5), None, None, array([1, 2]))
    """
    kinds = (int, float, np.number, np.ndarray) + ((list, tuple) if lists else ())
    if not isinstance(value, kinds):
        return None
    try:
        array = np.array(value)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths
        return None
    if array.dtype.kind == "f":  # what is computed from a float16 would be rounded once more
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    return array if array.dtype.kind in "iu" else None  # neither truth values nor text


def counted(value):
    """A truth value, or an array or a list of them, as 0 and 1; all else as it is.

    Examples
    --------
    >>> counted(np.array([1.0, 3.0]) > 2), counted([True, False]), counted(0.5)
    (array([0, 1]), [1, 0], 0.5)
    """
    if isinstance(value, bool | np.bool_):
        return int(value)
    if isinstance(value, np.ndarray):
        return value.astype(int) if value.dtype == bool else value
    return [counted(part) for part in value] if type(value) is list else value


def has_form(value, expected):
    """Whether a value is numbers of the shape that is expected."""
    array = as_numbers(value)
    return array is not None and array.shape == expected.shape


def equal(answer, expected, exercise):
    """Whether two arrays have one shape and agree within the exercise's tolerance."""
    if answer is None or expected is None or answer.shape != expected.shape:
        return False
    return np.allclose(
        answer, expected, rtol=exercise.rtol, atol=exercise.atol, equal_nan=True
    )  # fmt: skip


def seen(exercise, case, outcome):
    """What of an outcome is compared, as an array; None if it is not numbers."""
    array = as_numbers(outcome.value)
    if array is None or exercise.view is None:
        return array
    try:
        with np.errstate(all="ignore"):
            return as_numbers(exercise.view(array, *case.args))
    except (ValueError, TypeError, IndexError):  # an answer of another shape has no such part
        return array


def seen_everywhere(exercise, outcomes):
    """What is compared, of the outcomes on every case."""
    return [seen(exercise, case, outcome) for case, outcome in zip(exercise.cases, outcomes)]


def outcomes_of(function, cases):
    """What a trusted function (a reference, a known mistake) gives on every case."""
    found = []
    for case in cases:
        args = [np.array(a) if isinstance(a, np.ndarray) else a for a in case.args]
        try:
            with np.errstate(all="ignore"):
                found.append(Outcome(counted(function(*args))))
        except Exception as error:
            found.append(Outcome(failure=describe_failure(error, function)))
    return found


def same_everywhere(exercise, outcomes, others, references):
    """Whether two answers give the same on all cases.

    Where both raise, the exception's type must agree; its message too, unless some wrong value
    that they share says already that they are the same.
    """
    failed = [(a.failure, b.failure) for a, b in zip(outcomes, others) if a.failure or b.failure]
    if any(a is None or b is None or a.kind != b.kind for a, b in failed):
        return False
    values = [
        [seen(exercise, case, o) for o in trio]
        for case, *trio in zip(exercise.cases, outcomes, others, references)
        if not trio[0].failure
    ]
    if not all(equal(a, b, exercise) for a, b, _ in values):
        return False
    shares_wrong_value = any(not equal(b, right, exercise) for _, b, right in values)
    return shares_wrong_value or (bool(failed) and all(a.message == b.message for a, b in failed))


def recognised(exercise, outcomes):
    """The mistakes whose ``recognise`` accepts these outcomes; none unless all are finite.

    Nor if one has another shape than is wanted: a ``recognise`` can rely on it.
    """
    values = seen_everywhere(exercise, outcomes)
    wanted = seen_everywhere(exercise, outcomes_of(exercise.reference, exercise.cases))
    for value, right in zip(values, wanted):
        if value is None or right is None or value.shape != right.shape:
            return []
        if not np.isfinite(value).all():
            return []
    return [m for m in exercise.mistakes if m.recognise and m.recognise(values, exercise.cases)]
