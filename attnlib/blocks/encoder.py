"""The encoder block: attention among the items, then a network for each item by itself."""

import functools
from copy import copy

from attnlib import _checks
from attnlib._boundary import checked, refuse_overflow
from attnlib._pullbacks import differentiable, with_derivatives
from attnlib.blocks.activations import activation_name
from attnlib.blocks.network import NETWORKS, FeedForward, GatedFeedForward
from attnlib.blocks.norm import NORMS
from attnlib.blocks.residual import residual
from attnlib.heads import KeyValueCache, MultiHeadAttention
from attnlib.parameters import Parameters, Part
from attnlib.positions.in_heads import POSITIONS

#: What `random` takes, for an encoder block, a decoder block and a stack.
SETTINGS = {
    "rng": _checks.generator,
    "d_model": _checks.count,
    "n_heads": _checks.count,
    "d_ff": _checks.count,
    "norm_first": _checks.boolean,
    "activation": activation_name,
    "bias": _checks.boolean,
    "n_kv_heads": _checks.count,
    "positions": Part(*POSITIONS),
    "norm": lambda x, name: _checks.choice(x, name, NORMS),
    "gated": _checks.boolean,
}


class EncoderBlock(Parameters):
    r"""Let items attend to one another, then send each through a network; add both to the items.

    Parameters
    ----------
    attention : MultiHeadAttention
        Self-attention, from and to rows of length d_model.
    norm_1 : LayerNorm or RMSNorm
        The norm before or after attention.
    feed_forward : FeedForward or GatedFeedForward
        Network for each row, from and to length d_model.
    norm_2 : LayerNorm or RMSNorm
        The norm before or after the network.
    norm_first : bool, optional
        Whether each part sees normalised items (before), or its sum with them is normalised
        (after, as in the original).

    Notes
    -----
    The norm after (Vaswani et al. 2017), and before (Xiong et al. 2020):

    .. math:: A = \mathrm{norm}_1(X + \mathrm{attention}(X)), \qquad
              Y = \mathrm{norm}_2(A + \mathrm{network}(A))

    .. math:: A = X + \mathrm{attention}(\mathrm{norm}_1(X)), \qquad
              Y = A + \mathrm{network}(\mathrm{norm}_2(A))

    With the norm before, the items pass through the sums unchanged, and so do their gradients.
    Block after block needs one more norm at the end.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> block = EncoderBlock.random(rng, d_model=4, n_heads=2, d_ff=8)
    >>> output, weights = block(np.eye(4)[:3])
    >>> output.shape, weights.shape
    ((3, 4), (2, 3, 3))

    4 · 4² numbers for attention, 2 · 4 · 8 + 8 + 4 for the network, 2 · 4 for each of two norms:

    >>> block.parameter_count
    156
    """

    attention: Part(
        MultiHeadAttention,
        d_model="d_model",
        d_source="d_model",
        d_out="d_model",
        n_heads="n_heads",
    )
    norm_1: Part(*NORMS.values(), d="d_model")
    feed_forward: Part(*NETWORKS, d_model="d_model", d_out="d_model")
    norm_2: Part(*NORMS.values(), d="d_model")
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
        rng : numpy.random.Generator
            Where the numbers come from.
        d_model : int
            Length of an item.
        n_heads : int
            Number of heads.
        d_ff : int, optional
            Size of the network's hidden layer, by default as for the network.
        norm_first : bool, optional
            Whether the norms come before.
        activation : {"relu", "gelu", "silu"}, optional
            What the hidden layer does to each number; by default as for the network.
        bias : bool, optional
            Whether the projections of attention have biases; they start at 0.
        n_kv_heads, positions : optional
            As for `MultiHeadAttention`.
        norm : {"layer", "rms"}, optional
            Whether both norms are a `LayerNorm` or an `RMSNorm`.
        gated : bool, optional
            Whether the network is a `GatedFeedForward`.

        Returns
        -------
        EncoderBlock
        """
        options = {"bias": bias, "n_kv_heads": n_kv_heads, "positions": positions}
        network = GatedFeedForward if gated else FeedForward
        how = {} if activation is None else {"activation": activation}
        return cls(
            MultiHeadAttention.random(rng, d_model, n_heads, **options),
            NORMS[norm].initial(d_model),
            network.random(rng, d_model, d_ff, **how),
            NORMS[norm].initial(d_model),
            norm_first,
        )

    @differentiable(
        X="(..., n_items, d_model)",
        mask="bool (..., [n_heads], n_items, n_before + n_items)",
        cache=KeyValueCache,
    )
    def __call__(self, X, *, mask=None, cache=None):
        """Run the block.

        Parameters
        ----------
        X : array_like
            Items, one in each row.
        mask : array_like of bool, optional
            True where an item may attend to an item.
        cache : KeyValueCache, optional
            Of the attention of this block, with n_before items; X are the next ones.  Then an item
            attends to no later one.

        Returns
        -------
        output : ndarray, shape (..., n_items, d_model)
            Items again.
        weights : ndarray, shape (..., n_heads, n_items, n_before + n_items)
            The weights of attention; n_before is 0 without a cache.
        """
        if cache is not None and cache.attention is not self.attention:
            raise ValueError("cache belongs to another block. Give KeyValueCache(block.attention).")
        after = copy(cache)  # which is kept when nothing was refused
        if cache is None:
            attend = functools.partial(self.attention.with_pullback, mask=mask)
        else:  # nothing goes back through a cache
            attend = lambda N: (*after.step(N, mask=mask), None)  # noqa: E731
        A, weights, back_1 = residual(self.norm_first, self.norm_1, attend, X)
        output, back_2 = residual(self.norm_first, self.norm_2, self.feed_forward.with_pullback, A)
        if cache is not None:
            refuse_overflow(output, "the output")
            cache.K, cache.V = after.K, after.V

        def back(d_output):
            d_A, d_norm_2, d_network = back_2(d_output)
            d_X, d_norm_1, _, d_attention = back_1(d_A)
            d_parts = {"attention": d_attention, "norm_1": d_norm_1}
            d_parts |= {"feed_forward": d_network, "norm_2": d_norm_2}
            return d_X, with_derivatives(self, d_parts)

        return output, weights, back

    with_pullback = __call__.with_pullback
