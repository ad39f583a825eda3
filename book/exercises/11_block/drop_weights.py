"""Dropout on attention weights, with what is kept given."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def drop_weights(weights, keep, p):
    """What is kept, over the chance to be kept."""
    return np.where(keep, weights / (1 - p), 0.0)


def _weights(*shape):
    (scores,) = draw(shape)
    return softmax(2 * scores)


def _kept(*rows):
    return np.array([[letter == "x" for letter in row] for row in rows])


def _renormalised(weights, keep, p):
    kept = weights * keep
    return kept / kept.sum(axis=-1, keepdims=True)


def _shared_equally(weights, keep, p):
    kept = weights * keep
    lost = (weights * ~keep).sum(axis=-1, keepdims=True)
    return kept + keep * lost / keep.sum(axis=-1, keepdims=True)


CASES = (
    Case("one row", (np.array([[0.5, 0.25, 0.25]]), _kept("xx."), 0.2)),
    Case("as many kept as expected", (_weights(2, 4), _kept("x.xx", "xx.x"), 0.25)),
    Case("half dropped", (_weights(3, 5), _kept("x..x.", ".xxx.", "x.xxx"), 0.5)),
    Case("a row that loses all", (_weights(4, 3), _kept("...", "x.x", ".xx", "xxx"), 0.3)),
    Case("nothing to drop", (_weights(2, 3), _kept("xxx", "xxx"), 0.0), rare=True),
    Case(
        "heads",
        (
            _weights(2, 3, 3),
            np.stack([_kept("xxx", "x.x", ".xx"), _kept("xx.", "xxx", "..x")]),
            0.1,
        ),
    ),
)
