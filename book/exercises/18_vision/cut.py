"""From a picture to its patches."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def cut(image, size):
    """Split both axes, bring the grid to the front, flatten."""
    h, w = (side // size for side in image.shape)
    return image.reshape(h, size, w, size).swapaxes(1, 2).reshape(-1, size * size)


CASES = (
    Case("two patches", (np.arange(1.0, 9).reshape(2, 4), 2)),
    Case("four patches", (np.arange(1.0, 17).reshape(4, 4), 2)),
    Case("more high than wide", (*draw((8, 4)), 2)),
    Case("patches of three", (*draw((6, 9)), 3)),
)
