"""Blocks: what transformers are stacks of, and the layers that a block is made of."""

from attnlib.blocks.activations import gelu, relu, silu
from attnlib.blocks.decoder import DecoderBlock
from attnlib.blocks.encoder import EncoderBlock
from attnlib.blocks.network import (
    FeedForward,
    GatedFeedForward,
    feed_forward,
    gated_feed_forward,
)
from attnlib.blocks.norm import LayerNorm, RMSNorm, layer_norm, rms_norm
from attnlib.blocks.stack import DecoderOnly, StackCache

__all__ = [  # noqa: RUF022
    "layer_norm",
    "LayerNorm",
    "rms_norm",
    "RMSNorm",
    "relu",
    "gelu",
    "silu",
    "feed_forward",
    "FeedForward",
    "gated_feed_forward",
    "GatedFeedForward",
    "EncoderBlock",
    "DecoderBlock",
    "DecoderOnly",
    "StackCache",
]
