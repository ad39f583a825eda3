"""The whole of multi-head attention, from items to outputs."""

import numpy as np

from attnlib import merge_heads, scaled_dot_product_attention, softmax, split_heads
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def multi_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Each head attends for itself; W_O makes one output of all."""
    Q, K, V = (split_heads(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    return merge_heads(attention(Q, K, V)) @ W_O


def attention(Q, K, V):
    return softmax(Q @ K.mT / np.sqrt(Q.shape[-1])) @ V


def arguments(n_q, n_k, d_model, d_source, n_heads, d_k, d_v, d_out):
    """Items, matrices and the number of heads."""
    keys, values = n_heads * d_k, n_heads * d_v
    items, matrices = [(n_q, d_model), (n_k, d_source)], [(d_model, keys), (d_source, keys)]
    return (*draw(*items, *matrices, (d_source, values), (values, d_out)), n_heads)


CASES = (
    Case("one head", arguments(1, 2, 2, 2, 1, 2, 2, 2)),
    Case("square matrices", arguments(4, 4, 4, 4, 2, 2, 2, 4)),
    Case("three heads", arguments(2, 5, 6, 6, 3, 2, 2, 6)),
    Case("all sizes different", arguments(3, 5, 6, 7, 2, 4, 9, 8)),
)


def reshaped(X, n_heads):
    return X.reshape(n_heads, len(X), -1)
