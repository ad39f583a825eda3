"""Back through broadcasting: the derivative by an array that was used many times."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def bias_gradient(d, b):
    """The sum of the derivatives over all uses of each entry."""
    new = d.ndim - b.ndim
    axes = (*range(new), *(new + i for i, size in enumerate(b.shape) if size == 1))
    return d.sum(axis=axes).reshape(b.shape)


CASES = (
    Case("a row added to two rows", ([[1.0, 2.0], [10.0, 20.0]], [0.5, 3])),
    Case("a column", draw((2, 3), (2, 1))),
    Case("a row of a square", draw((3, 3), (3,))),
    Case("a column of a square", draw((4, 4), (4, 1))),
    Case("a single number", (*draw((3, 2)), np.array(2.0))),
    Case("the same shape", draw((2, 4), (2, 4))),
    Case("a row of a batch", draw((2, 3, 5), (5,))),
    Case("new axes and stretched ones", draw((3, 2, 4), (2, 1))),
    Case("a table for all heads", draw((2, 3, 2, 4), (2, 1, 2, 4))),
)


def new_axes(d, b):
    """The axes of d in front that b does not have."""
    return tuple(range(d.ndim - b.ndim))


def stretched_axes(d, b):
    """The axes of d along which b has size 1."""
    new = d.ndim - b.ndim
    return tuple(new + i for i in range(b.ndim) if b.shape[i] == 1 != d.shape[new + i])


def one_use(d, b, index):
    """The first use of each entry, or the last."""
    axes = new_axes(d, b) + stretched_axes(d, b)
    at = tuple(index if axis in axes else slice(None) for axis in range(d.ndim))
    return d[at].reshape(b.shape)


def from_the_left(d, b):
    """As if shapes were lined up at their first axes."""
    axes = tuple(i for i in range(d.ndim) if i >= b.ndim or b.shape[i] == 1)
    return d.sum(axis=axes).reshape(b.shape)
