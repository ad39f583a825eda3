"""Causal attention: softmax down the columns, and the mask after it."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(Q, K, V):
    n, d = Q.shape[-2:]
    S = (K @ Q.swapaxes(-1, -2)).swapaxes(-1, -2)
    S = S / np.sqrt(d)
    S = S - S.max(axis=-2, keepdims=True)
    A = np.exp(S)
    A = A / A.sum(axis=-2, keepdims=True)
    A = A * np.tri(n)
    return A @ V


def attends(Q, K, V, axis=-1, mask="before", seen=np.tri, scale=None, fill=-np.inf,
            top=None):  # fmt: skip
    """Causal attention with faults."""
    n, d = Q.shape[-2:]
    S = Q @ K.swapaxes(-1, -2) / (np.sqrt(d) if scale is None else scale)
    here = seen(n) > 0
    if mask == "before":
        S = np.where(here, S, fill)
    A = np.exp(S - S.max(axis=axis if top is None else top, keepdims=True))
    if mask == "powers":
        A = A * here
    A = A / A.sum(axis=axis, keepdims=True)
    return A * here @ V if mask == "after" else A @ V


def causal_attention(Q, K, V):
    return attends(Q, K, V)


def earlier(n):
    """Each item sees those before it and not itself; the first sees itself, to see something."""
    seen = np.tri(n, k=-1)
    seen[0, 0] = 1
    return seen


def strictly(n):
    """Each item sees those before it and not itself; the first sees nothing."""
    return np.tri(n, k=-1)


def later(n):
    return np.tri(n).T


def one_more(n):
    return np.tri(n, k=1)


def two_means(Q, K, V, late=False):
    """Softmax over keys, the mask before or after it, and then division by sums of columns."""
    n, d = Q.shape[-2:]
    A = np.exp(Q @ K.swapaxes(-1, -2) / np.sqrt(d))
    A = A * (1 if late else np.tri(n))
    A = A / A.sum(axis=-1, keepdims=True) * np.tri(n)
    return A / A.sum(axis=-2, keepdims=True) @ V


def as_zeros(Q, K, V, axis=-1):
    return attends(Q, K, V, axis, fill=0.0)


def zeros_and_after(Q, K, V, axis=-1):
    """Hidden scores are 0, and hidden weights are struck out after softmax."""
    n, d = Q.shape[-2:]
    A = np.exp(Q @ K.swapaxes(-1, -2) / np.sqrt(d) * np.tri(n))
    return A / A.sum(axis=axis, keepdims=True) * np.tri(n) @ V


CASES = (
    Case("two items", draw((2, 2), (2, 2), (2, 1))),
    Case("four items", draw((4, 3), (4, 3), (4, 2))),
    Case("a batch", draw((2, 3, 5), (2, 3, 5), (2, 3, 4))),
)
