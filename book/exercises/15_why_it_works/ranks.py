"""Where each number belongs in the sorted list."""

import numpy as np

from attnlib.exercises import Case


def ranks(x):
    """How many numbers go before each: the smaller ones, and equal ones that stand before it."""
    before = np.tri(len(x), k=-1, dtype=bool)
    smaller = x[None, :] < x[:, None]
    equal = x[None, :] == x[:, None]
    return (smaller | (equal & before)).sum(axis=1)


CASES = (
    Case("two numbers", ([7.0, 3.0],)),
    Case("the four of the lesson", ([5.0, 2.0, 8.0, 1.0],)),
    Case("five in a circle", ([2.0, 3.0, 4.0, 5.0, 1.0],)),
    Case("equal numbers", ([5.0, 2.0, 5.0, 1.0, 2.0, 2.0],)),
    Case("all equal", ([1.5, 1.5, 1.5],)),
)
