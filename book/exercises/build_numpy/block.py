"""A block with the norms before its two parts."""

import numpy as np

from attnlib import softmax, split_heads
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from .causal_heads import causal_heads, merged, scores
from .normalize import normalize


def network(X, W_1, b_1, W_2, b_2):
    """The network that reads each item alone."""
    return np.maximum(X @ W_1 + b_1, 0) @ W_2 + b_2


def block(X, b, n_heads):
    """Two parts, each reading normed items and added to what came."""
    X = X + causal_heads(norm_1(X, b), b["W_Q"], b["W_K"], b["W_V"], b["W_O"], n_heads)
    return X + network(norm_2(X, b), b["W_1"], b["b_1"], b["W_2"], b["b_2"])


def norm_1(X, b):
    return normalize(X, b["gain_1"], b["bias_1"])


def norm_2(X, b):
    return normalize(X, b["gain_2"], b["bias_2"])


def heads_of(X, b, n_heads):
    return causal_heads(X, b["W_Q"], b["W_K"], b["W_V"], b["W_O"], n_heads)


def network_of(X, b):
    return network(X, b["W_1"], b["b_1"], b["W_2"], b["b_2"])


def arguments(front, n, d, n_heads, m):
    shapes = {
        "gain_1": (d,), "bias_1": (d,), "W_Q": (d, d), "W_K": (d, d), "W_V": (d, d), "W_O": (d, d),
        "gain_2": (d,), "bias_2": (d,), "W_1": (d, m), "b_1": (m,), "W_2": (m, d), "b_2": (d,),
    }  # fmt: skip
    X, *arrays = draw((*front, n, d), *shapes.values())
    return X, dict(zip(shapes, arrays)), n_heads


CASES = (
    Case("two items, one head", arguments((), 2, 3, 1, 2)),
    Case("two heads", arguments((), 3, 4, 2, 5)),
    Case("a batch", arguments((2,), 4, 6, 3, 5)),
)


def other_norm(X, b, n_heads, epsilon, ddof=0, outside=False):
    """The block with a norm that is nearly the right one."""

    def norm(X, gain, bias):
        variance = X.var(axis=-1, ddof=ddof, keepdims=True)
        root = np.sqrt(variance) + epsilon if outside else np.sqrt(variance + epsilon)
        return gain * (X - X.mean(axis=-1, keepdims=True)) / root + bias

    A = X + heads_of(norm(X, b["gain_1"], b["bias_1"]), b, n_heads)
    return A + network_of(norm(A, b["gain_2"], b["bias_2"]), b)


def open_heads(X, b, n_heads):
    """Heads without a mask."""
    Q, K, V = (split_heads(X @ b[name], n_heads) for name in ("W_Q", "W_K", "W_V"))
    return merged(softmax(scores(Q, K)) @ V) @ b["W_O"]


def gelu(H):
    """A bend without a corner, by the usual formula with tanh."""
    return H * (1 + np.tanh(np.sqrt(2 / np.pi) * (H + 0.044715 * H**3))) / 2


def reordered(b, letters):
    """The same arrays, with those of the heads taken in this order."""
    return b | {f"W_{place}": b[f"W_{letter}"] for place, letter in zip("QKVO", letters)}


def exchanged(b, one, other):
    """The same arrays with two names exchanged."""
    return b | {one: b[other], other: b[one]}
