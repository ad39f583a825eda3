"""Cross-attention: the same layer, with queries of one source and keys and values of another."""

import numpy as np

from attnlib import scaled_dot_product_attention, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def two_sources(X_Q, X_KV, W_Q, W_K, W_V, W_O):
    """Queries from X_Q; keys and values from X_KV; W_O on what comes back."""
    Q, K, V = X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V @ W_O


def _with(
    *,
    asks=lambda X_Q, X_KV: X_Q,
    found=lambda X_Q, X_KV: X_KV,
    passed=lambda X_Q, X_KV: X_KV,
    divisor=lambda K, X_Q, X_KV: np.sqrt(K.shape[1]),
    score=lambda Q, K: Q @ K.T,
    weigh=softmax,
    out=lambda Y, W_O: Y @ W_O,
):
    """two_sources with one step replaced, or with rows of another source."""

    def wrong(X_Q, X_KV, W_Q, W_K, W_V, W_O):
        Q, K = asks(X_Q, X_KV) @ W_Q, found(X_Q, X_KV) @ W_K
        V = passed(X_Q, X_KV) @ W_V
        return out(weigh(score(Q, K) / divisor(K, X_Q, X_KV)) @ V, W_O)

    return wrong


def _asking(X_Q, X_KV):
    return X_Q


def _searched(X_Q, X_KV):
    return X_KV


def _both(X_Q, X_KV):
    return np.concatenate([X_Q, X_KV])


CASES = (
    Case("as many rows on both sides", draw((3, 3), (3, 3), (3, 3), (3, 3), (3, 3), (3, 3))),
    Case("more rows are searched", draw((2, 4), (5, 4), (4, 4), (4, 4), (4, 4), (4, 4))),
    Case("all sizes different", draw((4, 5), (6, 3), (5, 2), (3, 2), (3, 4), (4, 7))),
    Case("one row is searched", draw((3, 2), (1, 2), (2, 3), (2, 3), (2, 4), (4, 2))),
)
