"""Cross-attention with one head."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def two_sources(X_Q, X_KV, W_Q, W_K, W_V):
    """Queries from one source, keys and values from another."""
    Q, K, V = X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V
    return softmax(Q @ K.T / np.sqrt(K.shape[-1])) @ V


CASES = (
    Case("two words, three patches", draw((2, 2), (3, 3), (2, 4), (3, 4), (3, 2))),
    Case("one word, one patch", draw((1, 2), (1, 3), (2, 2), (3, 2), (3, 4))),
    Case("all sizes different", draw((3, 5), (6, 4), (5, 2), (4, 2), (4, 7))),
)
