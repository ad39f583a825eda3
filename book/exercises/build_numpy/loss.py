"""The mean surprisal of what followed, in nats, from logits."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def loss(logits, y):
    """The mean of ln Σ exp(logits) minus the logit of the right character."""
    return each(logits, y).mean()


def each(logits, y, axis=-1):
    """The surprisal at every place, in nats; each column competes with axis -2."""
    return -picked(log_softmax(logits, axis), y)


def log_softmax(logits, axis=-1):
    below = logits - logits.max(axis=axis, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=axis, keepdims=True))


def picked(a, y):
    """At every place the entry of the right character."""
    return np.take_along_axis(a, y[..., None], axis=-1)[..., 0]


Y = np.array([1, 2, 0, 3, 2, 1, 0, 0, 3, 1, 2, 2])

CASES = (
    Case("two places, three characters", ([[0.0, 0.7, 0.0], [1.4, 0.0, 0.3]], np.array([1, 2]))),
    Case("one text", (2 * draw((5, 4))[0], Y[:5])),
    Case("a batch", (draw((2, 3, 5))[0], Y[3:9].reshape(2, 3))),
    Case("a batch of one text", (draw((1, 6, 4))[0], Y[:6].reshape(1, 6))),
    Case("as many texts as places", (draw((2, 2, 6))[0] + 1, Y[8:].reshape(2, 2))),
    Case("logits far apart", ([[[800.0, 0.0], [0.0, 3.0]]], np.array([[1, 1]])), rare=True),
)


def with_chances(logits, y):
    """Softmax first, and then a logarithm, of 0 where a logit lies far below."""
    return -np.log(picked(softmax(logits), y)).mean()


def no_maximum(logits, y):
    e = np.exp(logits)
    return -np.log(picked(e / e.sum(axis=-1, keepdims=True), y)).mean()


def one_maximum(logits, y):
    e = np.exp(logits - logits.max())
    return -np.log(picked(e / e.sum(axis=-1, keepdims=True), y)).mean()


def clipped(values, cases):
    """On common logits it is right, but where they are far apart it is too small."""
    *common, last = values
    right = all(np.isclose(v, loss(*c.args), rtol=1e-4) for v, c in zip(common, cases))
    return right and 2 < last < 399


def for_one_text(logits, y):
    """The way of a lesson that has a single axis of places."""
    return -log_softmax(logits)[np.arange(len(y)), y].mean()


def by_loops(logits, y):
    total = 0.0
    for place in np.ndindex(y.shape):
        row = logits[place] - max(logits[place])
        total += np.log(sum(np.exp(row))) - row[y[place]]
    return total / y.size
