"""The whole of multi-head attention, from items to outputs."""

import numpy as np

from attnlib import merge_heads, scaled_dot_product_attention, softmax, split_heads
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def multi_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Each head attends for itself; W_O makes one output of all."""
    Q, K, V = (split_heads(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    weights = softmax(Q @ K.mT / np.sqrt(Q.shape[-1]))
    return merge_heads(weights @ V) @ W_O


def _with(
    *,
    split=split_heads,
    merge=merge_heads,
    length=lambda Q, W_Q: Q.shape[-1],
    root=np.sqrt,
    weigh=softmax,
    project_out=lambda merged, W_O, n_heads: merged @ W_O,
):
    """multi_head with one step replaced."""

    def wrong(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
        Q, K, V = (split(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
        scores = Q @ K.mT / root(np.float64(length(Q, W_Q)))
        return project_out(merge(weigh(scores) @ V), W_O, n_heads)

    return wrong


def _reshaped(X, n_heads):
    n, width = X.shape
    return X.reshape(n_heads, n, width // n_heads)


def _interleaved(X, n_heads):
    return np.stack([X[:, h::n_heads] for h in range(n_heads)])


def _merged_by_reshape(Y):
    n_heads, n, d_v = Y.shape
    return Y.reshape(n, n_heads * d_v)


def _first_rows(merged, W_O, n_heads):
    """The mean of the heads' outputs with as many rows of W_O as it has components."""
    Y = split_heads(merged, n_heads)
    return Y.mean(axis=0) @ W_O[: Y.shape[-1]]


def _summed(merged, W_O, n_heads):
    """The sum of the heads' outputs with as many rows of W_O as it has components."""
    Y = split_heads(merged, n_heads)
    return Y.sum(axis=0) @ W_O[: Y.shape[-1]]


def _under_one_another(Y):
    return Y.reshape(-1, Y.shape[-1])


def _not_moved(X, n_heads):
    return X.reshape(len(X), n_heads, -1)


def _weights_averaged(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (split_heads(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    weights = softmax(Q @ K.mT / np.sqrt(Q.shape[-1])).mean(axis=0)
    return merge_heads(weights @ V) @ W_O


def _last_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Only what the last round of a loop over the heads has left."""
    d_v = W_V.shape[1] // n_heads
    Q, K, V = (split_heads(X, n_heads)[-1] for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    return softmax(Q @ K.T / np.sqrt(Q.shape[-1])) @ V @ W_O[-d_v:]


def _softmax_over(axis):
    def weigh(scores):
        exponentials = np.exp(scores - scores.max())
        return exponentials / exponentials.sum(axis=axis, keepdims=True)

    return weigh


def _pair_merged(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Outputs and weights of all heads merged as if they were one array."""
    Q, K, V = (split_heads(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    return merge_heads(scaled_dot_product_attention(Q, K, V)) @ W_O


def _pair_in_each_round(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Outputs and weights of each head side by side, in a loop."""
    projected = (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V)
    pieces = zip(*(np.split(X, n_heads, axis=-1) for X in projected))
    return np.hstack([scaled_dot_product_attention(*piece) for piece in pieces]) @ W_O


def _given(n_q, n_k, d_model, d_source, n_heads, d_k, d_v, d_out):
    """Items, matrices and the number of heads."""
    keys, values = n_heads * d_k, n_heads * d_v
    items, matrices = [(n_q, d_model), (n_k, d_source)], [(d_model, keys), (d_source, keys)]
    return (*draw(*items, *matrices, (d_source, values), (values, d_out)), n_heads)


CASES = (
    Case("one head", _given(1, 2, 2, 2, 1, 2, 2, 2)),
    Case("square matrices", _given(4, 4, 4, 4, 2, 2, 2, 4)),
    Case("three heads", _given(2, 5, 6, 6, 3, 2, 2, 6)),
    Case("all sizes different", _given(3, 5, 6, 7, 2, 4, 9, 8)),
)

PROPERTIES = ()
