"""Causal heads for the newest item, from a cache."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def newest(x, K, V, W_Q, W_O, n_heads):
    """One query a head, all keys."""
    return attended(*(split(A, n_heads) for A in (x @ W_Q, K, V))).reshape(1, -1) @ W_O


def split(A, n_heads):
    return A.reshape(len(A), n_heads, -1).swapaxes(0, 1)


def attended(q, K, V, axis=-1):
    """(n_heads, 1, width)"""
    return softmax(q @ K.mT / np.sqrt(K.shape[-1]), axis=axis) @ V


def torn(q, K, V, n_heads):
    return attended(*(A.reshape(n_heads, len(A), -1) for A in (q, K, V))).reshape(1, -1)


def torn_queries(q, K, V, n_heads):
    every = (A.reshape(len(A), -1, n_heads).transpose(2, 0, 1) for A in (q, K, V))
    return attended(*every).reshape(1, -1)


def wrong_axis(q, K, V, n_heads):
    return attended(*(split(A, n_heads) for A in (q, K, V)), axis=0).reshape(1, -1)


def interleaved(q, K, V, n_heads):
    return attended(*(split(A, n_heads) for A in (q, K, V))).transpose(1, 2, 0).reshape(1, -1)


def together(q, K, V, n_heads):
    q, K, V = (split(A, n_heads) for A in (q, K, V))
    scores = q @ K.mT / np.sqrt(K.shape[-1])
    return (softmax(scores.ravel()).reshape(scores.shape) @ V).reshape(1, -1)


def backwards(q, K, V, n_heads):
    return attended(*(split(A, n_heads) for A in (q, K, V)))[::-1].reshape(1, -1)


def first_head(q, K, V, n_heads):
    return attended(*(split(A, n_heads)[0] for A in (q, K, V)))


def last_head(q, K, V, n_heads):
    return attended(*(split(A, n_heads)[-1] for A in (q, K, V)))


def hardest(q, K, V, n_heads):
    q, K, V = (split(A, n_heads) for A in (q, K, V))
    best = (q @ K.mT).argmax(axis=-1)[..., None]
    return np.take_along_axis(V, best, axis=1).reshape(1, -1)


def overflowing(q, K, V, n_heads):
    q, K, V = (split(A, n_heads) for A in (q, K, V))
    e = np.exp(q @ K.mT / np.sqrt(K.shape[-1]))
    return (e / e.sum(axis=-1, keepdims=True) @ V).reshape(1, -1)


def one_for_all(q, K, V, n_heads):
    q, K, V = (split(A, n_heads) for A in (q, K, V))
    return (softmax(q @ K.mT / np.sqrt(K.shape[-1]))[:1] @ V).reshape(1, -1)


def summed(q, K, V, n_heads):
    heads = attended(*(split(A, n_heads) for A in (q, K, V)))
    return np.tile(heads.sum(axis=0), n_heads)


def squashed(q, K, V, n_heads):
    q, K, V = (split(A, n_heads) for A in (q, K, V))
    return (1 / (1 + np.exp(-q @ K.mT / np.sqrt(K.shape[-1]))) @ V).reshape(1, -1)


def arguments(n, d, m, n_heads):
    x, K, V, W_Q, W_O = draw((1, d), (n, m), (n, m, 1), (d, m), (m, d, 1))
    return x, K, V[..., 0], W_Q, W_O[..., 0], n_heads


LARGE = (
    [[30.0, -0.5]],
    [[28.0, 0.5], [28.05, -1.0], [-1.5, 2.0]],
    [[0.5, -2.0], [1.5, 0.25], [-0.75, 1.0]],
    [[1.2, 0.0], [0.3, 1.0]],
    [[2.0, -1.0], [0.5, 1.5]],
    1,
)

CASES = (
    Case("one head", arguments(2, 1, 2, 1)),
    Case("one head", arguments(3, 4, 2, 1)),
    Case("several heads", arguments(2, 3, 4, 2)),
    Case("several heads", arguments(5, 3, 6, 2)),
    Case("several heads", arguments(4, 5, 12, 3)),
    Case("large scores", LARGE, rare=True),
    Case("one item", arguments(1, 3, 8, 2), rare=True),
)
