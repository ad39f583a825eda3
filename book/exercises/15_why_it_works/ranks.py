"""Where each number belongs in the sorted list."""

import numpy as np

from attnlib.exercises import Case

#: So many that a sort which is not stable changes the order of equal ones.
MANY = [float(i * i % 7 - 3) for i in range(24)]


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
    Case("negative numbers", ([0.25, 2.5, -3.0, 0.0, -0.5, -4.5],)),
    Case("equal numbers", ([5.0, 2.0, 5.0, 1.0, 2.0, 2.0],)),
    Case("numbers that are all equal", ([1.5, 1.5, 1.5],)),
    Case("many equal numbers", (MANY,), rare=True),
)
