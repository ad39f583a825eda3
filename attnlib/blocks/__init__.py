"""Blocks: what transformers are stacks of, and the layers that a block is made of."""

from attnlib.blocks.activations import gelu, relu
from attnlib.blocks.decoder import DecoderBlock
from attnlib.blocks.encoder import EncoderBlock
from attnlib.blocks.network import FeedForward, feed_forward
from attnlib.blocks.norm import LayerNorm, layer_norm
from attnlib.blocks.stack import DecoderOnly

__all__ = [  # noqa: RUF022
    "layer_norm",
    "LayerNorm",
    "relu",
    "gelu",
    "feed_forward",
    "FeedForward",
    "EncoderBlock",
    "DecoderBlock",
    "DecoderOnly",
]
