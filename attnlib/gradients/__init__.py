r"""Gradients by hand: the vector-Jacobian product of every function of the book.

A loss is one number.  ``d_x`` is the derivative of the loss with respect to each entry of an
array ``x``, and has the shape of ``x``.  A function ``f_vjp`` takes ``d_`` of what ``f`` returned,
and the arguments of ``f``, and returns ``d_`` of each of them.  Chained from the last function of a
model to the first, these are backpropagation.  (`softmax_vjp` and `sparsemax_vjp` take the
weights instead of the scores; `rotary_vjp` needs no rows.)

What needs nothing of the way forwards is a formula, and stands with the function that it belongs
to.  The others go forwards, then back: their formula is the pullback in the body of ``f``.

Where a parameter served many rows, or an array broadcast over a batch, all of its uses are summed.
"""

from attnlib.attention import weighted_sum_vjp
from attnlib.gradients.attention import attention_vjp, output_query_jacobian
from attnlib.gradients.blocks import decoder_block_vjp, decoder_only_vjp, encoder_block_vjp
from attnlib.gradients.differences import finite_difference
from attnlib.gradients.heads import multi_head_vjp
from attnlib.gradients.layers import (
    feed_forward_vjp,
    gated_feed_forward_vjp,
    layer_norm_vjp,
    rms_norm_vjp,
)
from attnlib.normalizers.gradients import sigmoid_normalize_vjp, softmax_vjp, sparsemax_vjp
from attnlib.positions.gradients import relative_bias_vjp, rotary_vjp
from attnlib.projections import projection_vjp
from attnlib.scores.gradients import additive_vjp, bilinear_vjp, location_vjp, scaled_dot_vjp

__all__ = [  # noqa: RUF022
    "finite_difference",
    "weighted_sum_vjp",
    "softmax_vjp",
    "sparsemax_vjp",
    "sigmoid_normalize_vjp",
    "scaled_dot_vjp",
    "bilinear_vjp",
    "additive_vjp",
    "location_vjp",
    "attention_vjp",
    "output_query_jacobian",
    "rotary_vjp",
    "relative_bias_vjp",
    "projection_vjp",
    "multi_head_vjp",
    "layer_norm_vjp",
    "rms_norm_vjp",
    "feed_forward_vjp",
    "gated_feed_forward_vjp",
    "encoder_block_vjp",
    "decoder_block_vjp",
    "decoder_only_vjp",
]
