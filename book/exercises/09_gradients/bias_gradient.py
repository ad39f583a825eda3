"""Back through broadcasting: the derivative by an array that was used many times."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def bias_gradient(d, b):
    """The sum of the derivatives over all uses of each entry."""
    new = d.ndim - b.ndim
    axes = (*range(new), *(new + i for i, size in enumerate(b.shape) if size == 1))
    return d.sum(axis=axes).reshape(b.shape)


def _axes(d, b):
    """The new axes, and those that were stretched."""
    new = d.ndim - b.ndim
    stretched = tuple(new + i for i in range(b.ndim) if b.shape[i] == 1 != d.shape[new + i])
    return tuple(range(new)), stretched


def _with(gather):
    """bias_gradient with something else in the place of the sum: gather(d, axes)."""

    def wrong(d, b):
        new, stretched = _axes(d, b)
        return gather(d, new + stretched).reshape(b.shape)

    return wrong


def _only_new(d, b):
    return d.sum(axis=_axes(d, b)[0])


def _only_stretched(d, b):
    return d.sum(axis=_axes(d, b)[1], keepdims=True)


def _at(index):
    """One use in the place of all."""

    def gather(d, axes):
        return d[tuple(index if axis in axes else slice(None) for axis in range(d.ndim))]

    return gather


def _from_the_left(d, b):
    """As if axes were lined up from the first."""
    axes = [i for i in range(d.ndim) if i >= b.ndim or b.shape[i] == 1]
    return d.sum(axis=tuple(axes)).reshape(b.shape)


def _without_keepdims(d, b):
    new, stretched = _axes(d, b)
    return d.sum(axis=new + stretched)


def _reshaped(d, b):
    return d.reshape(-1, *b.shape).sum(axis=0)


CASES = (
    Case("a row added to two rows", (np.array([[1.0, 2.0], [10.0, 20.0]]), np.array([0.5, 3]))),
    Case("a column", draw((2, 3), (2, 1))),
    Case("a row of a square", draw((3, 3), (3,))),
    Case("a column of a square", draw((4, 4), (4, 1))),
    Case("a single number", (*draw((3, 2)), np.array(2.0))),
    Case("the same shape", draw((2, 4), (2, 4))),
    Case("a row of a batch", draw((2, 3, 5), (5,))),
    Case("new axes and stretched ones", draw((3, 2, 4), (2, 1))),
    Case("a table for all heads", draw((2, 3, 2, 4), (2, 1, 2, 4))),
)
