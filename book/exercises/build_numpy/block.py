"""A block with the norms before its two parts."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from .causal_heads import causal_heads
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


def exchanged(b, one, other):
    """The same arrays with two names exchanged."""
    return b | {one: b[other], other: b[one]}
