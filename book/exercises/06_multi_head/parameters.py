"""How many numbers multi-head attention learns."""

import numpy as np

from attnlib.exercises import Case


def parameters(d_model, n_heads, d_k, d_v):
    """Entries of W_Q, W_K, W_V and W_O, without biases."""
    return n_heads * d_model * (2 * d_k + 2 * d_v)


CASES = (
    Case("one head", (5, 1, 2, 3)),
    Case("keys longer than values", (6, 2, 5, 4)),
    Case("values longer than keys", (7, 3, 2, 6)),
    Case("equal shares", (64, 8, 8, 8)),
)
