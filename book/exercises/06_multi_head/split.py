"""Rows cut into heads."""

import numpy as np

from attnlib.exercises import Case


def split(X, n_heads):
    """The columns of each head, the heads before the rows."""
    pieces = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return np.moveaxis(pieces, -2, -3)


def _cut(X, n_heads):
    """Rows cut into pieces, (..., n, n_heads, d), before any axis is moved."""
    return X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)


def _moved(source, target):
    """Rows cut rightly, and then one axis moved."""
    return lambda X, n_heads: np.moveaxis(_cut(X, n_heads), source, target)


def _reshaped(X, n_heads):
    *batch, n, width = X.shape
    return X.reshape(*batch, n_heads, n, width // n_heads)


def _for_matrices(X, n_heads):
    n, width = X.shape
    return X.reshape(n, n_heads, width // n_heads).transpose(1, 0, 2)


def _interleaved(X, n_heads):
    return np.stack([X[..., h::n_heads] for h in range(n_heads)], axis=-3)


def _rows_cut(X, n_heads):
    *batch, n, width = X.shape
    return X.reshape(*batch, n_heads, n // n_heads, width)


def _overlapping(X, n_heads):
    d = X.shape[-1] // n_heads
    return np.stack([X[..., h : h + d] for h in range(n_heads)], axis=-3)


def _count(*shape):
    """An array whose entries are counted through, so that each can be told from the others."""
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape)


CASES = (
    Case("two rows and two heads", (_count(2, 4), 2)),
    Case("one head", (_count(3, 2), 1)),
    Case("more heads than rows", (_count(2, 15), 3)),
    Case("a batch", (_count(5, 3, 8), 4)),
)

PROPERTIES = (
    lambda heads, X, n_heads: (
        "The first row of the first head should be the beginning of the first row of X."
        if (heads[..., 0, 0, :] != X[..., 0, : heads.shape[-1]]).any()
        else None
    ),
    lambda heads, X, n_heads: (
        "The second row of the first head should be the beginning of the second row of X."
        if (heads[..., 0, 1, :] != X[..., 1, : heads.shape[-1]]).any()
        else None
    ),
)
