"""Back through broadcasting: the derivative by an array that was used many times."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
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


EXERCISE = Exercise(
    signature="bias_gradient(d, b)",
    task="Write bias_gradient(d, b): b was added to an array, and NumPy spread it to the shape of "
    "d. From the derivatives d by the entries of the sum, the derivatives by those of b.",
    returns="an array of the shape of b",
    reference=bias_gradient,
    cases=(
        Case("a row added to two rows", (np.array([[1.0, 2.0], [10.0, 20.0]]), np.array([0.5, 3]))),
        Case("a column", draw((2, 3), (2, 1))),
        Case("a row of a square", draw((3, 3), (3,))),
        Case("a column of a square", draw((4, 4), (4, 1))),
        Case("a single number", (*draw((3, 2)), np.array(2.0))),
        Case("the same shape", draw((2, 4), (2, 4))),
        Case("a row of a batch", draw((2, 3, 5), (5,))),
        Case("new axes and stretched ones", draw((3, 2, 4), (2, 1))),
        Case("a table for all heads", draw((2, 3, 2, 4), (2, 1, 2, 4))),
    ),
    mistakes=(
        Mistake(
            "not_summed",
            lambda d, b: d,
            "This is d itself. Each entry of b was used in several places, and its derivative is "
            "the sum over all of them: the answer has the shape of b.",
        ),
        Mistake(
            "only_new_axes",
            _only_new,
            "The new axes in front are summed, but not those of size 1 along which b was "
            "stretched. Each of its entries was used all along them.",
        ),
        Mistake(
            "only_stretched_axes",
            _only_stretched,
            "The axes of size 1 are summed, but not those in front that b does not have. It was "
            "copied along these as well.",
        ),
        Mistake(
            "mean",
            _with(lambda d, axes: d.mean(axis=axes)),
            "The derivatives are averaged. Every use of an entry changes the loss, and the changes "
            "add up: a sum, without a division.",
        ),
        Mistake(
            "first_use",
            _with(_at(0)),
            "Only the first use of each entry is taken. Every use changes the loss: add them up.",
        ),
        Mistake(
            "last_use",
            _with(_at(-1)),
            "Only the last use of each entry is taken. Every use changes the loss: add them up.",
        ),
        Mistake(
            "largest_use",
            _with(lambda d, axes: d.max(axis=axes)),
            "The largest derivative is taken. Every use of an entry changes the loss, and the "
            "changes add up.",
        ),
        Mistake(
            "axis_0",
            lambda d, b: d.sum(axis=0),
            "The sum always runs along axis 0. Which axes b was spread along depends on its shape: "
            "those that it does not have, and those where its size is 1.",
        ),
        Mistake(
            "last_axis",
            lambda d, b: d.sum(axis=-1),
            "The sum always runs along the last axis. Which axes b was spread along depends on its "
            "shape: those that it does not have, and those where its size is 1.",
        ),
        Mistake(
            "last_axis_kept",
            lambda d, b: d.sum(axis=-1, keepdims=True),
            "The sum always runs along the last axis. Which axes b was spread along depends on its "
            "shape: those that it does not have, and those where its size is 1.",
        ),
        Mistake(
            "all_but_the_last",
            lambda d, b: d.sum(axis=tuple(range(d.ndim - 1))),
            "All axes but the last are summed, which is right for a row. A column, or a table, was "
            "spread along others: compare the shapes of d and b.",
        ),
        Mistake(
            "everything",
            lambda d, b: np.full(b.shape, d.sum()),
            "Everything is summed, and each entry gets it all. An entry of b gets the sum over the "
            "places where that entry was used.",
        ),
        Mistake(
            "one_number",
            lambda d, b: d.sum(),
            "Everything is summed to one number, which is right only if b is one number. Each of "
            "its entries gets the sum over the places where that entry was used.",
        ),
        Mistake(
            "from_the_left",
            _from_the_left,
            "Shapes are lined up from the left. NumPy lines them up from the right: a row of "
            "length 3 belongs to the last axis, and the missing axes are in front.",
        ),
        Mistake(
            "axis_lost",
            _without_keepdims,
            "The sums are right, but the axes of size 1 are gone. The derivative has the shape of "
            "b: use keepdims=True, or reshape at the end.",
        ),
        Mistake(
            "reshaped",
            _reshaped,
            "Reshape deals the numbers out in their old order, so along a stretched axis entries "
            "of other rows meet. Name the axes and sum along them.",
        ),
        Mistake(
            "counted",
            _with(lambda d, axes: np.ones_like(d).sum(axis=axes)),
            "This is how often each entry was used. How much each use counts is what d says: sum "
            "its numbers.",
        ),
        Mistake(
            "as_a_factor",
            lambda d, b: bias_gradient(d * b, b),
            "The derivatives are multiplied by b. That is no factor here: b was added, and a sum "
            "hands its derivative on unchanged.",
        ),
    ),
    definition="Raise one entry of b by 0.001 and add b again: d times what changed, added up over "
    "all places, is a thousandth of the derivative.",
    general="Write the shape of b below that of d, both ending at the right. Where b has no axis, "
    "or one of size 1 below a larger one, it was used all along it.",
    why="Broadcasting copies, and copies add up on the way back. That is all there is to a bias, "
    "to a batch, and to an item that is query, key and value at once.",
)
