"""Cross-attention with one head."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def two_sources(X_Q, X_KV, W_Q, W_K, W_V):
    """Queries from one source, keys and values from another."""
    Q, K, V = X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V
    return softmax(Q @ K.T / np.sqrt(K.shape[-1])) @ V


def only_last(arrays, cases):
    """Whether all rows but the last are still zeros."""
    tables = [array for array in arrays if len(array) > 1]
    return all(not table[:-1].any() and table[-1].any() for table in tables)


CASES = (
    # Where all lengths are equal, sources and matrices that are mixed up give numbers, too.
    Case("equal sizes", draw((2, 2), (2, 2), (2, 2), (2, 2), (2, 2))),
    Case("one word with one patch", draw((1, 2), (1, 3), (2, 2), (3, 2), (3, 4))),
    Case("six different sizes", [a / 2 for a in draw((3, 4), (6, 5), (4, 7), (5, 7), (5, 8))]),
)
