"""Cross-attention: the same layer, with queries of one source and keys and values of another."""

import numpy as np

from attnlib import scaled_dot_product_attention, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from .attend_itself import attention


def two_sources(X_Q, X_KV, W_Q, W_K, W_V, W_O):
    """Queries from X_Q; keys and values from X_KV; W_O on what comes back."""
    return attention(X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V) @ W_O


CASES = (
    Case("as many rows on both sides", draw((3, 3), (3, 3), (3, 3), (3, 3), (3, 3), (3, 3))),
    Case("more rows are searched", draw((2, 4), (5, 4), (4, 4), (4, 4), (4, 4), (4, 4))),
    Case("all sizes different", draw((4, 5), (6, 3), (5, 2), (3, 2), (3, 4), (4, 7))),
    Case(
        "one row asks, and values of one number",
        draw((1, 3), (4, 2), (3, 1), (2, 1), (2, 1), (1, 5)),
    ),
    Case("one row is searched", draw((3, 2), (1, 2), (2, 3), (2, 3), (2, 4), (4, 2))),
)
