"""Errors with many results, which exercises of any chapter recognise: see `Mistake`.

``nearly(reference)`` and ``unfilled(reference)`` are for its ``recognise``, the texts for its
``diagnosis``.
"""

import numpy as np

NEARLY = (
    "These numbers are nearly right, none off by more than 0.006. Look for a rounding, a short "
    "number type such as float16, or something small that is added or cut off, and leave it out."
)
UNFILLED = (
    "Some of what you return is 0, and the rest is right. What fills those places: a loop that "
    "does not get there, a return inside it, or an overflow that was replaced by 0?"
)


def nearly(reference):
    """Recognises answers that are off, but nowhere by more than 0.006.

    Examples
    --------
    >>> from attnlib.exercises import Case
    >>> recognise = nearly(lambda x: x / 3)
    >>> cases = [Case("a number", (np.array(2.0),))]
    >>> [recognise([np.array(v)], cases) for v in (0.67, 0.7, 2 / 3)]
    [True, False, False]
    """

    def recognise(values, cases):
        joined = _joined(values, cases, reference)
        return bool(joined and 1e-7 < np.abs(joined[0] - joined[1]).max() <= 0.006)

    return recognise


def unfilled(reference, start=lambda x, *args: np.zeros_like(x)):
    """Recognises answers of which some numbers are right and the others are still start(...).

    Examples
    --------
    >>> from attnlib.exercises import Case
    >>> recognise = unfilled(lambda x: 2 * x)
    >>> cases = [Case("two numbers", (np.array([1.0, 3.0]),))]
    >>> [recognise([np.array(v)], cases) for v in ([2, 0], [0, 0], [2, 5], [2, 6])]
    [True, False, False, False]
    """

    def recognise(values, cases):
        joined = _joined(values, cases, reference)
        if not joined:
            return False
        before = np.concatenate([np.ravel(start(*c.args)) for c in cases])
        wrong, kept = ~np.isclose(*joined), np.isclose(joined[0], before)
        return bool(wrong.any() and kept[wrong].all() and not kept.all())

    return recognise


def _joined(values, cases, reference):
    """All found and all right numbers, one after another; None if a shape is wrong."""
    right = [np.asarray(reference(*c.args)) for c in cases]
    if any(v.shape != r.shape for v, r in zip(values, right)):
        return None
    return tuple(np.concatenate([np.ravel(a) for a in arrays]) for arrays in (values, right))
