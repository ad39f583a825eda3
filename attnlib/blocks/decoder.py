"""The decoder block: causal attention, then attention to another sequence, then a network."""

from attnlib import _checks, _shapes
from attnlib.blocks.encoder import causal_and, check_parts, items, residual_sum
from attnlib.blocks.network import FeedForward
from attnlib.blocks.norm import LayerNorm
from attnlib.heads import MultiHeadAttention
from attnlib.parameters import Parameters, holds_parameters


@holds_parameters
class DecoderBlock(Parameters):
    r"""Attend to the items so far, then to another sequence; send each item through a network.

    Parameters
    ----------
    self_attention : MultiHeadAttention
        Attention among the items so far: always causal.
    norm_1 : LayerNorm
        Normalisation that belongs to it.
    cross_attention : MultiHeadAttention
        Attention to the rows of another sequence, the memory.
    norm_2 : LayerNorm
        Normalisation that belongs to it.
    feed_forward : FeedForward
        Network for each row.
    norm_3 : LayerNorm
        Normalisation that belongs to it.
    norm_first : bool, optional
        Whether each part sees normalised items (before), or its sum with them is normalised
        (after, as in the original).  The memory is taken as it comes.

    Raises
    ------
    ValueError
        If the parts do not have the same d_model.
    TypeError
        If a part is of another kind, or `norm_first` is not boolean.

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

    self_attention: MultiHeadAttention
    norm_1: LayerNorm
    cross_attention: MultiHeadAttention
    norm_2: LayerNorm
    feed_forward: FeedForward
    norm_3: LayerNorm
    norm_first: bool = False

    def __post_init__(self):
        check_parts(self, ["self_attention", "cross_attention"], ["norm_1", "norm_2", "norm_3"])

    @classmethod
    def random(
        cls, rng, d_model, n_heads, d_ff=None, *, norm_first=False, activation="relu", bias=False
    ):
        """Draw a block to start training from.

        Parameters
        ----------
        rng, d_model, n_heads, d_ff, norm_first, activation, bias
            As for `EncoderBlock.random`, with the same errors.

        Returns
        -------
        DecoderBlock
        """
        return cls(
            MultiHeadAttention.random(rng, d_model, n_heads, bias=bias),
            LayerNorm.initial(d_model),
            MultiHeadAttention.random(rng, d_model, n_heads, bias=bias),
            LayerNorm.initial(d_model),
            FeedForward.random(rng, d_model, d_ff, activation=activation),
            LayerNorm.initial(d_model),
            norm_first,
        )

    @_checks.reports_overflow
    def __call__(self, X, memory, *, mask=None, memory_mask=None):
        """Run the block.

        Parameters
        ----------
        X : array_like, shape (..., n, d_model)
            The items so far, one in each row.
        memory : array_like, shape (..., m, d_source)
            The rows of the other sequence.
        mask : array_like of bool, optional
            True where an item may attend to an item, on top of the causal mask.  Its shape
            broadcasts to (..., n, n).
        memory_mask : array_like of bool, optional
            True where an item may attend to a row of `memory`.  Broadcasts to (..., n, m).

        Returns
        -------
        output : ndarray, shape (..., n, d_model)
            Items again.
        weights : ndarray, shape (..., n_heads, n, n)
            The weights of self-attention.
        cross_weights : ndarray, shape (..., n_heads, n, m)
            The weights of cross-attention.

        Raises
        ------
        ValueError, TypeError
            As for `MultiHeadAttention`.
        """
        X = items(X, self.norm_1)
        memory, memory_mask = checked_memory(self, X, memory, memory_mask)
        mask = causal_and(mask, X)
        if self.norm_first:
            attended, weights = self.self_attention(self.norm_1(X), mask=mask)
            A = residual_sum(X, attended)
            crossed, cross_weights = self.cross_attention(self.norm_2(A), memory, mask=memory_mask)
            C = residual_sum(A, crossed)
            return C + self.feed_forward(self.norm_3(C)), weights, cross_weights
        attended, weights = self.self_attention(X, mask=mask)
        A = self.norm_1(residual_sum(X, attended))
        crossed, cross_weights = self.cross_attention(A, memory, mask=memory_mask)
        C = self.norm_2(residual_sum(A, crossed))
        return self.norm_3(residual_sum(C, self.feed_forward(C))), weights, cross_weights


def checked_memory(block, X, memory, memory_mask):
    """Return the memory as a matrix of rows that fits the items `X`, and its mask."""
    memory = _shapes.matrix(memory, "memory", "(..., m, d_source)")
    W_K = block.cross_attention.W_K
    why = f"cross_attention.W_K has shape {W_K.shape}, one row for each"
    _shapes.width(memory, "memory", len(W_K), why)
    _shapes.not_empty(memory, "memory", "rows")
    batch = _shapes.leading_axes(X=X, memory=memory)
    if memory_mask is not None:
        shape = (*batch, X.shape[-2], memory.shape[-2])
        memory_mask = _shapes.boolean_mask(memory_mask, shape, "memory_mask")
    return memory, memory_mask
