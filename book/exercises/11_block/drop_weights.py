"""Dropout on attention weights, with what is kept drawn already."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def drop_weights(weights, keep, p):
    """What is kept, over the chance to be kept."""
    return np.where(keep, weights / (1 - p), 0.0)


def some_weights(*shape):
    (scores,) = draw(shape)
    return softmax(2 * scores)


def crosses(*rows):
    """True where there is a cross."""
    return np.array([[letter == "x" for letter in row] for row in rows])


CASES = (
    Case("one row", ([[0.5, 0.25, 0.25]], crosses("xx."), 0.2)),
    Case("as many kept as expected", (some_weights(2, 4), crosses("x.xx", "xx.x"), 0.25)),
    Case("half dropped", (some_weights(3, 5), crosses("x..x.", ".xxx.", "x.xxx"), 0.5)),
    Case("a row that loses all", (some_weights(4, 3), crosses("...", "x.x", ".xx", "xxx"), 0.3)),
    Case("nothing to drop", (some_weights(2, 3), crosses("xxx", "xxx"), 0.0), rare=True),
    Case(
        "heads",
        (
            some_weights(2, 3, 3),
            np.stack([crosses("xxx", "x.x", ".xx"), crosses("xx.", "xxx", "..x")]),
            0.1,
        ),
    ),
)
