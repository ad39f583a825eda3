"""The loss of a batch in which shorter texts are padded."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from .copying import Later, result, written


def surprisals(logits, y, axis=-1):
    """Minus the logarithm of the probability of each target; of padding that of character 0."""
    above = logits - logits.max(axis=axis, keepdims=True)
    nats = np.log(np.exp(above).sum(axis=axis, keepdims=True)) - above
    return np.take_along_axis(nats, np.maximum(y, 0)[..., None], -1)[..., 0]


def padded_loss(logits, y):
    """The mean surprisal in nats of the targets that are no padding."""
    return surprisals(logits, y)[y >= 0].mean()


def adapt(answer, right=padded_loss):
    later = Later(CASES)

    def padded_loss(logits, y):
        return result(written(answer), logits, y, like=(right, logits, y), later=later)

    return padded_loss


def mean_of_means(logits, y):
    """First the mean of each text, then the mean of these."""
    nats, kept = surprisals(logits, y), y >= 0
    return ((nats * kept).sum(axis=-1) / kept.sum(axis=-1)).mean()


PADDED = np.array([[5, 0, 2, -100], [1, -100, -100, -100], [3, 3, 0, 4]])
LARGE = np.array([[30.0, 0.0, 5.0], [800.0, 1.0, 0.0], [0.0, 0.0, 800.0], [400.0, -400.0, 250.0]])
CASES = (
    Case("one text", (*draw((3, 4)), np.array([1, 3, 1]))),
    Case("padding", (*draw((2, 3, 5)), np.array([[4, 0, 2], [1, -100, -100]]))),
    Case("padding", (*draw((3, 4, 6)), PADDED)),
    Case("two axes of texts", (*draw((2, 1, 3, 2)), np.array([[[1, 0, -100]], [[1, 1, 1]]]))),
    Case("large logits", (LARGE, np.array([1, 0, -100, 2])), rare=True),
)
