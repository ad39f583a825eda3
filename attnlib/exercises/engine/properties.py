"""Properties that answers of several exercises must have, each said when it is broken.

A property takes the answer and the arguments that led to it, and returns None or one sentence.
"""

import numpy as np

from .showing import show


def not_negative(weights, *args):
    """Every weight is at least 0.

    >>> not_negative(np.array([0.5, -1.0]))
    'A weight is never negative; the smallest here is -1.'
    """
    smallest = weights.min(initial=0.0)
    return (
        f"A weight is never negative; the smallest here is {show(smallest)}."
        if smallest < 0
        else None
    )


def sums_to_one(weights, *args):
    """The weights of every row sum to 1.

    >>> sums_to_one(np.array([1.0, 1.0]))
    'The weights should sum to 1; these sum to 2.'
    """
    sums = weights.sum(axis=-1)
    if np.allclose(sums, 1.0, atol=1e-6):
        return None
    which = ("Each row", "these rows") if np.ndim(sums) else ("The weights", "these")
    return f"{which[0]} should sum to 1; {which[1]} sum to {show(sums)}."


def inside(low, high, words):
    """A property: every entry of the answer lies between those of ``low`` and ``high``.

    Both take the arguments and return an array of the answer's shape; ``words`` say what a
    weighted mean cannot leave.

    >>> inside(lambda x: x.min(), lambda x: x.max(), "the range of x")(4.5, np.array([1.0, 3.0]))
    'A weighted mean cannot leave the range of x; this answer does.'
    """

    def check_inside(answer, *args):
        outside = (answer < low(*args) - 1e-6) | (answer > high(*args) + 1e-6)
        return f"A weighted mean cannot leave {words}; this answer does." if outside.any() else None

    return check_inside
