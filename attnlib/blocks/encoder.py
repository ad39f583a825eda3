"""The encoder block: attention among the items, then a network for each item by itself."""

from attnlib import _checks, _shapes
from attnlib.blocks.network import FeedForward
from attnlib.blocks.norm import LayerNorm
from attnlib.heads import MultiHeadAttention
from attnlib.masks import causal
from attnlib.parameters import Parameters, holds_parameters, keep


@holds_parameters
class EncoderBlock(Parameters):
    r"""Let items attend to one another, then send each through a network; add both to the items.

    Parameters
    ----------
    attention : MultiHeadAttention
        Self-attention, from and to rows of length d_model.
    norm_1 : LayerNorm
        Normalisation that belongs to it.
    feed_forward : FeedForward
        Network for each row, from and to length d_model.
    norm_2 : LayerNorm
        Normalisation that belongs to it.
    norm_first : bool, optional
        Whether each part sees normalised items (before), or its sum with them is normalised
        (after, as in the original).

    Raises
    ------
    ValueError
        If the parts do not have the same d_model.
    TypeError
        If a part is of another kind, or `norm_first` is not boolean.

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

    attention: MultiHeadAttention
    norm_1: LayerNorm
    feed_forward: FeedForward
    norm_2: LayerNorm
    norm_first: bool = False

    def __post_init__(self):
        check_parts(self, ["attention"], ["norm_1", "norm_2"])

    @classmethod
    def random(
        cls, rng, d_model, n_heads, d_ff=None, *, norm_first=False, activation="relu", bias=False
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
            Size of the network's hidden layer, ``4 * d_model`` if not given.
        norm_first : bool, optional
            Whether the norms come before.
        activation : {"relu", "gelu"}, optional
            What the hidden layer does to each number.
        bias : bool, optional
            Whether the projections of attention have biases; they start at 0.

        Returns
        -------
        EncoderBlock

        Raises
        ------
        ValueError, TypeError
            As for `MultiHeadAttention.random` and `FeedForward.random`.
        """
        return cls(
            MultiHeadAttention.random(rng, d_model, n_heads, bias=bias),
            LayerNorm.initial(d_model),
            FeedForward.random(rng, d_model, d_ff, activation=activation),
            LayerNorm.initial(d_model),
            norm_first,
        )

    @_checks.reports_overflow
    def __call__(self, X, *, mask=None):
        """Run the block.

        Parameters
        ----------
        X : array_like, shape (..., n, d_model)
            Items, one in each row.
        mask : array_like of bool, optional
            True where an item may attend to an item.  Its shape broadcasts to (..., n, n).

        Returns
        -------
        output : ndarray, shape (..., n, d_model)
            Items again.
        weights : ndarray, shape (..., n_heads, n, n)
            The weights of attention.

        Raises
        ------
        ValueError, TypeError
            As for `MultiHeadAttention`.
        """
        X = items(X, self.norm_1)
        if self.norm_first:
            attended, weights = self.attention(self.norm_1(X), mask=mask)
            A = residual_sum(X, attended)
            return A + self.feed_forward(self.norm_2(A)), weights
        attended, weights = self.attention(X, mask=mask)
        A = self.norm_1(residual_sum(X, attended))
        return self.norm_2(residual_sum(A, self.feed_forward(A))), weights


@_checks.reports_overflow
def residual_sum(X, part):
    """Add what a part of the block has made of the items to the items."""
    return X + part


def items(X, norm):
    """Return `X` as a matrix of at least one item, each as long as `norm` expects."""
    X = _shapes.matrix(X, "X", "(..., n, d_model)")
    d_model = len(norm.gain)
    _shapes.width(X, "X", d_model, f"norm_1 and all else here is for d_model={d_model}")
    _shapes.not_empty(X, "X", "items")
    return X


def causal_and(mask, X):
    """Combine the causal mask for the rows of `X` with another one, if there is one."""
    n = X.shape[-2]
    return causal(n) if mask is None else causal(n) & _shapes.boolean_mask(mask, (*X.shape[:-1], n))


def check_parts(block, attentions, norms):
    """Refuse a block whose parts are of the wrong kind, or do not share one d_model."""
    kinds = dict.fromkeys(attentions, MultiHeadAttention) | dict.fromkeys(norms, LayerNorm)
    kinds["feed_forward"] = FeedForward
    for name, kind in kinds.items():
        _checks.kind(getattr(block, name), kind, name)
    keep(block, norm_first=_checks.boolean(block.norm_first, "norm_first"))
    d_model = len(block.norm_1.gain)
    sizes = {f"{name}.gain": len(getattr(block, name).gain) for name in norms}
    for name in attentions:
        attention = getattr(block, name)
        sizes |= {f"{name}.W_Q": len(attention.W_Q), f"{name}.W_O": attention.W_O.shape[1]}
        if name != "cross_attention":
            sizes[f"{name}.W_K"] = len(attention.W_K)
    sizes |= {
        "feed_forward.W_1": len(block.feed_forward.W_1),
        "feed_forward.W_2": block.feed_forward.W_2.shape[1],
    }
    for name, size in sizes.items():
        if size != d_model:
            raise ValueError(
                f"norm_1 is for items of length {d_model}, but {name} is for length {size}. The "
                f"parts are added to the items, so all need the same d_model."
            )
