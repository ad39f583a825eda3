"""Ways to compute attention that `make bench` compares, from textbook to library.

All take queries, keys and values of several heads, shape (n_heads, n, d), in float32, and return
the output.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnlib import efficient, scaled_dot_product_attention


@dataclass(frozen=True)
class Implementation:
    """A way to compute attention, or the bound that none of them can pass.

    Parameters
    ----------
    label : str
        What a reader calls it.
    function : callable
        ``function(Q, K, V)`` returns the output.
    exact : bool, optional
        Whether it is attention, but for rounding.
    attention : bool, optional
        False for the bound, which leaves the softmax out.
    torch : bool, optional
        Whether it takes PyTorch's tensors.
    """

    label: str
    function: Callable
    exact: bool = True
    attention: bool = True
    torch: bool = False


def two_products(Q, K, V):
    """Multiply three matrices: what attention is without its softmax, and the bound of it all."""
    return (Q @ K.mT) @ V


def textbook(Q, K, V):
    """Divide by ``np.sqrt(d)``, a float64 number that turns all float32 scores into float64."""
    return _softmax(Q @ K.mT / np.sqrt(Q.shape[-1])) @ V


def float32_kept(Q, K, V):
    """Divide by ``math.sqrt(d)``, a Python number, so that scores stay float32."""
    return _softmax(Q @ K.mT / math.sqrt(Q.shape[-1])) @ V


def in_place(Q, K, V):
    """Overwrite one array of scores, and divide the output instead of the weights."""
    scores = (Q * (1 / math.sqrt(Q.shape[-1]))) @ K.mT
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    return (scores @ V) / scores.sum(axis=-1, keepdims=True)


def with_weights(Q, K, V):
    """Call the function that the chapters use: it checks its arguments and keeps the weights."""
    return scaled_dot_product_attention(Q, K, V)[0]


def torch_sdpa(Q, K, V):
    """Call PyTorch's own function, which has a fused kernel for the processor."""
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    return sdpa(Q[None], K[None], V[None])[0]


def grouped(n_groups):
    """Share keys and values among heads: the means over each group."""

    def function(Q, K, V):
        K, V = efficient.pool_heads(K, n_groups), efficient.pool_heads(V, n_groups)
        return efficient.grouped_heads(Q, K, V)

    return function


def window(width, n_global=0):
    """Attend to near keys, and to a few global ones."""
    return lambda Q, K, V: efficient.window_attention(Q, K, V, width=width, n_global=n_global)


def randomly(n_features):
    """Estimate the exponential by random features."""

    def function(Q, K, V):
        features = efficient.random_features(np.random.default_rng(0), Q.shape[-1], n_features)
        return efficient.linear_attention(Q, K, V, features=features)

    return function


def _softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


#: Name -> implementation; the order of the table.
IMPLEMENTATIONS = {
    "two_products": Implementation("two matrix products (bound)", two_products, attention=False),
    "textbook": Implementation("textbook, dividing by np.sqrt(d)", textbook),
    "float32_kept": Implementation("textbook, float32 kept", float32_kept),
    "with_weights": Implementation("attnlib, with weights", with_weights),
    "in_place": Implementation("in place, divided late", in_place),
    "row_blocks": Implementation("row blocks of 256", efficient.row_blocks),
    "online_softmax": Implementation("online softmax 256 × 512", efficient.online_softmax),
    "torch_sdpa": Implementation("PyTorch, fused", torch_sdpa, torch=True),
    "window_64": Implementation("window of 64", window(64), exact=False),
    "window_256": Implementation("window of 256", window(256), exact=False),
    "window_64_global_16": Implementation("window of 64, 16 global", window(64, 16), exact=False),
    "linear_elu": Implementation("linear, elu + 1", efficient.linear_attention, exact=False),
    "linear_random_64": Implementation("linear, 64 random features", randomly(64), exact=False),
    "linear_random_1024": Implementation(
        "linear, 1024 random features", randomly(1024), exact=False
    ),
    "grouped_4": Implementation("8 heads in 4 groups", grouped(4), exact=False),
    "grouped_1": Implementation("8 heads, keys of one", grouped(1), exact=False),
}
