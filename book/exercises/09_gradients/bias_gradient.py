"""Back through broadcasting: the derivative by an array that was used many times."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def bias_gradient(d, b):
    """The sum of the derivatives over all uses of each entry."""
    return d.sum(axis=copied_along(d, b)).reshape(b.shape)


def copied_along(d, b):
    """The axes of d that b does not have, and those along which its size is 1."""
    new = d.ndim - b.ndim
    return (*range(new), *(new + i for i, size in enumerate(b.shape) if size == 1))


CASES = (
    Case("a row added to two rows", ([[1.0, 2.0], [10.0, 20.0]], [0.5, 3])),
    Case("a column", draw((2, 3), (2, 1))),
    Case("a row of a square", draw((3, 3), (3,))),
    Case("a column of a square", draw((4, 4), (4, 1))),
    Case("axes of size 1", draw((1, 3, 1), (3, 1))),
    Case("a single number", (*draw((3, 2)), np.array(2.0))),
    Case("the same shape", draw((2, 4), (2, 4))),
    Case("a row of a batch", draw((2, 3, 5), (5,))),
    Case("new axes and stretched ones", draw((3, 2, 4), (2, 1))),
    Case("a table for all heads", draw((2, 3, 2, 4), (2, 1, 2, 4))),
)


def one_by_one(d, b):
    total = np.zeros(b.shape)
    for place in np.ndindex(d.shape):
        entry = [i if size > 1 else 0 for i, size in zip(place[d.ndim - b.ndim :], b.shape)]
        total[tuple(entry)] += d[place]
    return total


def step_by_step(d, b):
    while d.ndim > b.ndim:
        d = d.sum(axis=0)
    for axis, size in enumerate(b.shape):
        if size == 1:
            d = d.sum(axis=axis, keepdims=True)
    return d


def from_the_left(d, b):
    """As if shapes were lined up at their first axes."""
    axes = tuple(i for i in range(d.ndim) if i >= b.ndim or b.shape[i] == 1)
    return d.sum(axis=axes).reshape(b.shape)
