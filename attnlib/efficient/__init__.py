"""Attention at less cost: the same output in less memory, or nearly the same in less time.

`row_blocks` and `online_softmax` are exact.  `window_attention` leaves pairs out,
`linear_attention` replaces the exponential, `grouped_heads` shares keys and values among heads.
All of them return the output alone: they never store the weights of all pairs.
"""

from attnlib.efficient.features import elu_plus_one, random_features
from attnlib.efficient.grouped import grouped_heads, pool_heads
from attnlib.efficient.linear import linear_attention
from attnlib.efficient.online import online_softmax
from attnlib.efficient.rows import row_blocks
from attnlib.efficient.window import window_attention

__all__ = [
    "elu_plus_one",
    "grouped_heads",
    "linear_attention",
    "online_softmax",
    "pool_heads",
    "random_features",
    "row_blocks",
    "window_attention",
]
