"""The decoder block: causal attention, then attention to another sequence, then a network."""

import functools

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._pullbacks import differentiable, with_derivatives
from attnlib.blocks.encoder import SETTINGS
from attnlib.blocks.network import NETWORKS, FeedForward, GatedFeedForward
from attnlib.blocks.norm import NORMS
from attnlib.blocks.residual import residual
from attnlib.heads import MultiHeadAttention
from attnlib.masks.positions import causal_and
from attnlib.parameters import Parameters, Part


class DecoderBlock(Parameters):
    r"""Attend to the items so far, then to another sequence; send each item through a network.

    Parameters
    ----------
    self_attention : MultiHeadAttention
        Attention among the items so far: always causal.
    norm_1 : LayerNorm or RMSNorm
        The norm before or after self-attention.
    cross_attention : MultiHeadAttention
        Attention to the rows of another sequence, the memory.
    norm_2 : LayerNorm or RMSNorm
        The norm before or after cross-attention.
    feed_forward : FeedForward or GatedFeedForward
        Network for each row.
    norm_3 : LayerNorm or RMSNorm
        The norm before or after the network.
    norm_first : bool, optional
        Whether each part sees normalised items (before), or its sum with them is normalised
        (after, as in the original).  The memory is taken as it comes.

    Notes
    -----
    With the norm after (Vaswani et al. 2017), for the memory M:

    .. math:: A = \mathrm{norm}_1(X + \mathrm{self}(X)), \qquad
              C = \mathrm{norm}_2(A + \mathrm{cross}(A, M))

    .. math:: Y = \mathrm{norm}_3(C + \mathrm{network}(C))

    Queries of cross-attention come from the items, its keys and values from the memory.

    Examples
    --------
    Three items written so far, five to translate:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> block = DecoderBlock.random(rng, d_model=4, n_heads=2)
    >>> X, memory = np.eye(4)[:3], np.ones((5, 4))
    >>> output, weights, cross_weights = block(X, memory)
    >>> output.shape, weights.shape, cross_weights.shape
    ((3, 4), (2, 3, 3), (2, 3, 5))
    """

    self_attention: Part(
        MultiHeadAttention,
        d_model="d_model",
        d_source="d_model",
        d_out="d_model",
        n_heads="n_heads",
    )
    norm_1: Part(*NORMS.values(), d="d_model")
    cross_attention: Part(
        MultiHeadAttention,
        d_model="d_model",
        d_source="d_source",
        d_out="d_model",
        n_heads="n_cross_heads",
    )
    norm_2: Part(*NORMS.values(), d="d_model")
    feed_forward: Part(*NETWORKS, d_model="d_model", d_out="d_model")
    norm_3: Part(*NORMS.values(), d="d_model")
    norm_first: _checks.boolean = False

    @classmethod
    @checked(**SETTINGS)
    def random(
        cls,
        rng,
        d_model,
        n_heads,
        d_ff=None,
        *,
        norm_first=False,
        activation=None,
        bias=False,
        n_kv_heads=None,
        positions=None,
        norm="layer",
        gated=False,
    ):
        """Draw a block to start training from.

        Parameters
        ----------
        rng, d_model, n_heads, d_ff, norm_first, activation, bias, n_kv_heads, norm, gated
            As for `EncoderBlock.random`, with the same errors.
        positions : optional
            As for `MultiHeadAttention`, in self-attention alone: the rows of the memory stand
            elsewhere.

        Returns
        -------
        DecoderBlock
        """
        options = {"bias": bias, "n_kv_heads": n_kv_heads}
        network = GatedFeedForward if gated else FeedForward
        how = {} if activation is None else {"activation": activation}
        return cls(
            MultiHeadAttention.random(rng, d_model, n_heads, **options, positions=positions),
            NORMS[norm].initial(d_model),
            MultiHeadAttention.random(rng, d_model, n_heads, **options),
            NORMS[norm].initial(d_model),
            network.random(rng, d_model, d_ff, **how),
            NORMS[norm].initial(d_model),
            norm_first,
        )

    @differentiable(
        X="(..., n_items, d_model)",
        memory="(..., n_memory, d_source)",
        mask="bool (..., [n_heads], n_items, n_items)",
        memory_mask="bool (..., [n_cross_heads], n_items, n_memory)",
    )
    def __call__(self, X, memory, *, mask=None, memory_mask=None):
        """Run the block.

        Parameters
        ----------
        X : array_like
            The items so far, one in each row.
        memory : array_like
            The rows of the other sequence.
        mask : array_like of bool, optional
            True where an item may attend to an item, on top of the causal mask.
        memory_mask : array_like of bool, optional
            True where an item may attend to a row of `memory`.

        Returns
        -------
        output : ndarray, shape (..., n_items, d_model)
            Items again.
        weights : ndarray, shape (..., n_heads, n_items, n_items)
            The weights of self-attention.
        cross_weights : ndarray, shape (..., n_heads, n_items, n_memory)
            The weights of cross-attention.
        """
        mask = causal_and(mask, X.shape[-2])
        first, network = self.norm_first, self.feed_forward.with_pullback
        attend = functools.partial(self.self_attention.with_pullback, mask=mask)
        ask = functools.partial(self.cross_attention.with_pullback, X_KV=memory, mask=memory_mask)
        A, weights, back_1 = residual(first, self.norm_1, attend, X)
        C, cross_weights, back_2 = residual(first, self.norm_2, ask, A)
        output, back_3 = residual(first, self.norm_3, network, C)

        def back(d_output):
            d_C, d_norm_3, d_network = back_3(d_output)
            d_A, d_norm_2, d_memory, d_cross = back_2(d_C)
            d_X, d_norm_1, _, d_self = back_1(d_A)
            d_parts = {"self_attention": d_self, "norm_1": d_norm_1}
            d_parts |= {"cross_attention": d_cross, "norm_2": d_norm_2}
            d_parts |= {"feed_forward": d_network, "norm_3": d_norm_3}
            return d_X, d_memory, with_derivatives(self, d_parts)

        return output, weights, cross_weights, back

    with_pullback = __call__.with_pullback
