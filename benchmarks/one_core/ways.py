"""Ways to compute attention that `make bench` compares, from textbook to library.

All take queries, keys and values of several heads, shape (n_heads, n, d), in float32, and return
the output.
"""

import math
from functools import partial

import numpy as np

from attnlib import efficient, scaled_dot_product_attention
from attnlib.efficient import window_attention as window


def two_products(Q, K, V):
    """Multiply three matrices: attention without its softmax, and a bound for all of it."""
    return (Q @ K.mT) @ V


def textbook(Q, K, V):
    """Divide by ``np.sqrt(d)``, a float64 number that turns all float32 scores into float64."""
    return softmax(Q @ K.mT / np.sqrt(Q.shape[-1])) @ V


def float32_kept(Q, K, V):
    """Divide by ``math.sqrt(d)``, a Python number, so that scores stay float32."""
    return softmax(Q @ K.mT / math.sqrt(Q.shape[-1])) @ V


def in_place(Q, K, V):
    """Overwrite one array of scores, and divide the output instead of the weights."""
    scores = (Q * (1 / math.sqrt(Q.shape[-1]))) @ K.mT
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    return (scores @ V) / scores.sum(axis=-1, keepdims=True)


def bare(Q, K, V, S):
    """Compute the formula as fast as NumPy can, unchecked, into an array made beforehand."""
    np.matmul(Q, K.mT, out=S)
    S *= 1 / math.sqrt(Q.shape[-1])
    S -= S.max(axis=-1, keepdims=True)
    np.exp(S, out=S)
    S /= S.sum(axis=-1, keepdims=True)
    return S @ V


def with_weights(Q, K, V):
    """Call the function that the chapters use: it checks its arguments."""
    return scaled_dot_product_attention(Q, K, V)[0]


def torch_sdpa(Q, K, V):
    """Call PyTorch's own function, which has a fused kernel for the processor."""
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    return sdpa(Q[None], K[None], V[None])[0]


def grouped(Q, K, V, n_groups):
    """Share keys and values among heads: the means over each group."""
    K, V = efficient.pool_heads(K, n_groups), efficient.pool_heads(V, n_groups)
    return efficient.grouped_heads(Q, K, V)


def randomly(Q, K, V, n_features):
    """Estimate the exponential by random features."""
    features = efficient.random_features(np.random.default_rng(0), Q.shape[-1], n_features)
    return efficient.linear_attention(Q, K, V, features=features)


def softmax(scores):
    """Divide the powers of each row by their sum."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


#: What a reader calls each way, and its function.  First attention but for rounding, and the bound.
EXACT = {
    "two_products": ("two matrix products (bound)", two_products),
    "textbook": ("textbook, dividing by np.sqrt(d)", textbook),
    "float32_kept": ("textbook, float32 kept", float32_kept),
    "with_weights": ("attnlib, with weights", with_weights),
    "in_place": ("in place, divided late", in_place),
    "row_blocks": ("row blocks of 256", efficient.row_blocks),
    "online_softmax": ("online softmax 256 × 512", efficient.online_softmax),
    "torch_sdpa": ("PyTorch, fused", torch_sdpa),
}
APPROXIMATE = {
    "window_64": ("window of 64", partial(window, width=64)),
    "window_256": ("window of 256", partial(window, width=256)),
    "window_64_global_16": ("window of 64, 16 global", partial(window, width=64, n_global=16)),
    "linear_elu": ("linear, elu + 1", efficient.linear_attention),
    "linear_random_64": ("linear, 64 random features", partial(randomly, n_features=64)),
    "linear_random_1024": ("linear, 1024 random features", partial(randomly, n_features=1024)),
    "grouped_4": ("8 heads in 4 groups", partial(grouped, n_groups=4)),
    "grouped_1": ("8 heads, keys of one", partial(grouped, n_groups=1)),
}
WAYS = EXACT | APPROXIMATE
