"""A vector for each padded text: the mask hides queries, and padding counts in the mean."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(X, real):
    d = X.shape[-1]
    S = X @ X.swapaxes(-1, -2) / np.sqrt(d)
    hidden = ~real[:, :, None]
    S = np.where(hidden, -1e9, S)
    S = S - S.max(axis=-1, keepdims=True)
    A = np.exp(S)
    A = A / A.sum(axis=-1, keepdims=True)
    Y = A @ X
    Y = np.where(real[:, :, None], Y, 0)
    return Y.mean(axis=1)


def outputs(X, hidden, fill=-1e9, scale=None, axis=-1):
    """Self-attention of the items themselves, with these scores hidden."""
    S = X @ X.swapaxes(-1, -2) / (np.sqrt(X.shape[-1]) if scale is None else scale)
    S = np.where(hidden, fill, S)
    A = np.exp(S - S.max(axis=axis, keepdims=True))
    return A / A.sum(axis=axis, keepdims=True) @ X


def keys(real):
    return ~real[:, None, :] & np.ones((real.shape[1], 1), dtype=bool)


def queries(real):
    return ~real[:, :, None] & np.ones(real.shape[1], dtype=bool)


def mean_of(Y, real):
    """The mean of the real items."""
    return np.where(real[:, :, None], Y, 0).sum(axis=1) / real.sum(axis=1)[:, None]


def mean_of_all(Y, real):
    return np.where(real[:, :, None], Y, 0).mean(axis=1)


def struck_out(X, real):
    """Weights of padding set to 0 after softmax, and not divided again."""
    S = X @ X.swapaxes(-1, -2) / np.sqrt(X.shape[-1])
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    return A / A.sum(axis=-1, keepdims=True) * real[:, None, :] @ X


def largest(Y, real):
    return np.where(real[:, :, None], Y, -np.inf).max(axis=1)


def text_vectors(X, real):
    return mean_of(outputs(X, keys(real)), real)


def padded(*lengths, of=None):
    """True for the items of texts of these lengths, in a batch of the longest or of more."""
    return np.arange(of or max(lengths)) < np.array(lengths)[:, None]


CASES = (
    Case("no padding", (*draw((2, 3, 2)), padded(3, 3))),
    Case("padding", (*draw((2, 4, 3)), padded(4, 2))),
    Case("padding", (*draw((3, 6, 4)), padded(1, 5, 3, of=6))),
    Case("padding on the left", (*draw((2, 6, 5)), padded(6, 3)[:, ::-1].copy())),
)
