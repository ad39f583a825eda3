"""From a picture to its patches."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def cut(image, size):
    """Split both axes, bring the grid to the front, flatten."""
    h, w = (side // size for side in image.shape)
    return image.reshape(h, size, w, size).swapaxes(1, 2).reshape(-1, size * size)


def squares(image, size, tops, lefts):
    """A list of the squares that begin there, each laid in a row."""
    return [image[i : i + size, j : j + size].ravel() for i in tops for j in lefts]


def chained(image, size):
    """Two slices one after the other, which both cut lines."""
    tops, lefts = (range(0, side, size) for side in image.shape)
    return [image[i : i + size][j : j + size].ravel() for i in tops for j in lefts]


def reordered(came, cases):
    """Whether all pixels came, each as often as it is in the picture."""
    pairs = zip(came, (case.args[0] for case in cases))
    return all(np.array_equal(np.sort(a, axis=None), np.sort(b, axis=None)) for a, b in pairs) and (
        not all(np.array_equal(a, cut(*case.args)) for a, case in zip(came, cases))
    )


def filled(image, size, place):
    """The patches, each written into the row that `place(i, j)` says."""
    h, w = (side // size for side in image.shape)
    out = np.zeros((h * w, size * size))
    for k, patch in enumerate(cut(image, size)):
        out[place(*divmod(k, w))] = patch
    return out


CASES = (
    Case("two patches", (np.arange(1.0, 9).reshape(2, 4), 2)),
    Case("four patches", (np.arange(1.0, 17).reshape(4, 4), 2)),
    Case("a high picture", (*draw((10, 4)), 2)),
    Case("a wide picture", (*draw((6, 8)), 2)),
    Case("patches of three", (*draw((6, 12)), 3)),
    Case("a single patch", (*draw((3, 3)), 3), rare=True),
)
