"""A layer without one of its heads."""

import numpy as np

from attnlib.exercises import Case


def cut(Y, W_O, head):
    """The sum of what the other heads write."""
    W = W_O.reshape(len(Y), -1, W_O.shape[1])
    return sum(Y[h] @ W[h] for h in range(len(Y))) - Y[head] @ W[head]


def merged(Y):
    """Heads side by side."""
    return np.concatenate(list(Y), axis=1)


def interleaved(W_O, n_heads):
    """Rows dealt to the heads in turns."""
    return np.stack([W_O[h::n_heads] for h in range(n_heads)])


def torn(Y, head):
    """Heads reshaped side by side without exchanging axes, one of them zero."""
    Y = Y.copy()
    Y[head] = 0
    return Y.reshape(Y.shape[1], -1)


def without_row(Y, W_O, head):
    """The row with the head's number set to zero."""
    W = W_O.copy()
    W[head] = 0
    return merged(Y) @ W


def without_columns(Y, W_O, head):
    """As many columns as a head is wide set to zero."""
    W, d = W_O.copy(), Y.shape[-1]
    W[:, head * d : head * d + d] = 0
    return merged(Y) @ W


def drawn(n_heads, n, d_v, d_model):
    """Outputs of heads and a matrix, with one decimal."""
    rng = np.random.default_rng([n_heads, n, d_v])
    shapes = (n_heads, n, d_v), (n_heads * d_v, d_model)
    return tuple(rng.normal(size=shape).round(1) for shape in shapes)


CASES = (
    Case("two heads", (*drawn(2, 1, 2, 4), 1)),
    Case("the first of three", (*drawn(3, 2, 2, 5), 0)),
    Case("one of four", (*drawn(4, 3, 3, 12), 2)),
    Case("one head alone", (*drawn(1, 2, 3, 3), 0), rare=True),
)
