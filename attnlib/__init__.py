"""Attention in plain NumPy: the functions of an interactive book, written to be read.

The mathematics is here: scores, weights, output, masks, heads, positions, blocks; the gradients of
all of it are in `attnlib.gradients`, what it costs in `attnlib.cost`, cheaper ways in
`attnlib.efficient`, timers in `attnlib.timing`, and the steps of training in `attnlib.training`.
This import loads NumPy and nothing heavier; whole networks, data, figures, widgets, exercises,
experiments and attention over several processes are submodules that you import by name.

Every function checks its arguments once, when you call it.  ``TypeError`` means that an argument
is of the wrong type: an array of anything but integers and floats, a mask that is not boolean.
``ValueError`` means that shapes do not fit, a number is NaN, infinite or out of range, a query is
left without a key, or the result is too large for its number type.  Both name the argument, say
what is wrong with it, and what to do.  A docstring lists only the errors beyond these.  Arguments
are never changed, and float32 stays float32.

Examples
--------
One query, two keys that match it equally well, and so the mean of their values:

>>> import attnlib
>>> output, weights = attnlib.attend([[1, 1]], [[1, 0], [0, 1]], [[2], [4]])
>>> output
array([[3.]])
>>> weights
array([[0.5, 0.5]])
"""

from attnlib import cost, efficient, gradients, timing, training
from attnlib.attention import attend, scaled_dot_product_attention
from attnlib.blocks import (
    DecoderBlock,
    DecoderOnly,
    EncoderBlock,
    FeedForward,
    GatedFeedForward,
    LayerNorm,
    RMSNorm,
    StackCache,
    feed_forward,
    gated_feed_forward,
    gelu,
    layer_norm,
    relu,
    rms_norm,
    silu,
)
from attnlib.heads import KeyValueCache, MultiHeadAttention, merge_heads, split_heads
from attnlib.masks import causal, from_graph, padding, sliding_window
from attnlib.normalizers import (
    hardmax,
    sigmoid_normalize,
    sigmoid_normalize_jacobian,
    softmax,
    softmax_jacobian,
    sparsemax,
    sparsemax_jacobian,
)
from attnlib.positions import (
    LinearBias,
    RelativeBias,
    Rotary,
    linear_bias,
    relative_bias,
    rotary,
    sinusoidal,
    sinusoidal_shift,
    wavelengths,
)
from attnlib.projections import project
from attnlib.scores import Additive, Bilinear, Location, dot, dot_cost, scaled_dot

__version__ = "0.1.0"

__all__ = [
    "Additive",
    "Bilinear",
    "DecoderBlock",
    "DecoderOnly",
    "EncoderBlock",
    "FeedForward",
    "GatedFeedForward",
    "KeyValueCache",
    "LayerNorm",
    "LinearBias",
    "Location",
    "MultiHeadAttention",
    "RMSNorm",
    "RelativeBias",
    "Rotary",
    "StackCache",
    "attend",
    "causal",
    "cost",
    "dot",
    "dot_cost",
    "efficient",
    "feed_forward",
    "from_graph",
    "gated_feed_forward",
    "gelu",
    "gradients",
    "hardmax",
    "layer_norm",
    "linear_bias",
    "merge_heads",
    "padding",
    "project",
    "relative_bias",
    "relu",
    "rms_norm",
    "rotary",
    "scaled_dot",
    "scaled_dot_product_attention",
    "sigmoid_normalize",
    "sigmoid_normalize_jacobian",
    "silu",
    "sinusoidal",
    "sinusoidal_shift",
    "sliding_window",
    "softmax",
    "softmax_jacobian",
    "sparsemax",
    "sparsemax_jacobian",
    "split_heads",
    "timing",
    "training",
    "wavelengths",
]
