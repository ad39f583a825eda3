"""What each head writes into the output."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def parts(Y, W_O):
    """Each head's output times its own rows of W_O."""
    n_heads, _, d_v = Y.shape
    return Y @ W_O.reshape(n_heads, d_v, -1)


def _by_rows(rows):
    """parts with other rows of W_O, chosen by rows(h, n_heads, d_v)."""

    def wrong(Y, W_O):
        n_heads, _, d_v = Y.shape
        return np.stack([Y[h] @ W_O[rows(h, n_heads, d_v)] for h in range(n_heads)])

    return wrong


def _output(Y, W_O):
    return parts(Y, W_O).sum(axis=0)


def _by_columns(Y, W_O):
    n_heads, _, d_v = Y.shape
    return np.stack([Y[h] @ W_O[:, d_v * h : d_v * (h + 1)].T for h in range(n_heads)])


def _cut_anew(Y, W_O):
    n_heads, _, d_v = Y.shape
    return Y @ W_O.reshape(n_heads, -1, d_v).mT


def _reshaped(Y, W_O):
    n_heads, n, d_v = Y.shape
    merged = Y.reshape(n, n_heads * d_v)
    return np.stack(
        [merged[:, d_v * h : d_v * (h + 1)] @ W_O[d_v * h : d_v * (h + 1)] for h in range(n_heads)]
    )


CASES = (
    Case(
        "two heads of one component",
        (np.array([[[1.0]], [[10.0]]]), np.array([[1.0, 2.0], [3.0, 4.0]])),
    ),
    Case("one head", draw((1, 3, 2), (2, 4))),
    Case("output as wide as the heads", draw((2, 4, 2), (4, 4))),
    Case("all sizes different", draw((3, 4, 2), (6, 5))),
)

PROPERTIES = (
    lambda found, Y, W_O: (
        "The parts should sum to the output, the merged heads times W_O; these do not."
        if not np.allclose(found.sum(axis=0), _output(Y, W_O))
        else None
    ),
)
