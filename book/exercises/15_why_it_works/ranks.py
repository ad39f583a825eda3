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


def unstable(x):
    """What a sort may give that exchanges equal numbers in long lists, as some machines do."""
    places = np.arange(len(x))
    order = np.lexsort((-places if len(x) > 16 else places, x))
    return np.argsort(order)


def loses_order(values, cases):
    """Whether only long lists go wrong, and there only the order of equal numbers."""
    pairs = [(v.ravel(), case.args[0]) for v, case in zip(values, cases)]
    wrong = [(v, x) for v, x in pairs if not np.array_equal(v, ranks(x))]
    return bool(wrong) and all(
        len(x) > 16
        and np.array_equal(np.sort(v), np.arange(len(x)))
        and (np.diff(x[np.argsort(v)]) >= 0).all()
        for v, x in wrong
    )


CASES = (
    Case("two numbers", ([7.0, 3.0],)),
    Case("the four of the lesson", ([5.0, 2.0, 8.0, 1.0],)),
    Case("five in a circle", ([2.0, 3.0, 4.0, 5.0, 1.0],)),
    Case("negative numbers", ([0.25, 2.5, -3.0, 0.0, -0.5, -4.5],)),
    Case("equal numbers", ([5.0, 2.0, 5.0, 1.0, 2.0, 2.0],)),
    Case("numbers that are all equal", ([1.5, 1.5, 1.5],)),
    Case("many equal numbers", (MANY,), rare=True),
)
