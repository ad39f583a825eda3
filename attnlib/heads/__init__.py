"""Multi-head attention: several small attentions side by side, each with its own projections."""

from attnlib.heads.cache import KeyValueCache
from attnlib.heads.multi_head import MultiHeadAttention
from attnlib.heads.split import merge_heads, split_heads

__all__ = ["split_heads", "merge_heads", "MultiHeadAttention", "KeyValueCache"]  # noqa: RUF022
