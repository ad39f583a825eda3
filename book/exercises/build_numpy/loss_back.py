"""From the loss back to the logits."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.showing import show


def loss_back(logits, y):
    """The chances, minus 1 for what came, divided by the number of places."""
    came = y[..., None] == np.arange(logits.shape[-1])
    return (softmax(logits) - came) / y.size


def loss_of(logits, y):
    """The surprisal of each place."""
    return -np.log(np.take_along_axis(softmax(logits), y[..., None], axis=-1))[..., 0]


def over_all(logits):
    """Exponentials, the largest of each row taken off, divided by the sum of all."""
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum()


def loss_like(logits, y):
    """With the logarithm of the chances."""
    return (np.log(softmax(logits)) - np.eye(logits.shape[-1])[y]) / y.size


CASES = (
    Case("two places", ([[0.0, 1.0, 0.5], [2.0, 0.0, -1.0]], np.array([1, 2]))),
    Case("one window", (*draw((5, 4)), np.array([3, 0, 1, 1, 2]))),
    Case("a batch", (*draw((2, 3, 5)), np.array([[4, 0, 2], [3, 3, 1]]))),
    Case("two axes of batches", (*draw((2, 3, 4, 6)), np.arange(24).reshape(2, 3, 4) * 5 % 6)),
    Case(
        "large logits",
        ([[1000.0, 999.0, 998.5, -4.0], [0.0, 1001.0, 1002.0, 3.5]], np.array([0, 3])),
        rare=True,
    ),
)


def rows_sum_to_0(d_logits, logits, y):
    sums = d_logits.sum(axis=-1)
    if not np.allclose(sums, 0, atol=1e-7):
        return (
            "Raising all logits of a place together changes no chance, so the derivatives of a "
            f"place should sum to 0; here the sums are {show(sums)}."
        )


PROPERTIES = (rows_sum_to_0,)
