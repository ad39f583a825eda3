"""The decoder-only stack: encoder blocks that never look ahead."""

from attnlib import _checks
from attnlib.blocks.encoder import EncoderBlock, causal_and, items
from attnlib.blocks.norm import LayerNorm
from attnlib.parameters import Parameters, holds_parameters, keep


@holds_parameters
class DecoderOnly(Parameters):
    r"""A stack of blocks in which no item sees a later one: the body of a language model.

    Parameters
    ----------
    blocks : sequence of EncoderBlock
        The blocks, in order; each is run with a causal mask.
    norm : LayerNorm, optional
        A normalisation at the end, needed where the blocks have theirs before.

    Raises
    ------
    ValueError
        If there is no block, or the parts do not have the same d_model.
    TypeError
        If a part is of another kind.

    Notes
    -----
    A decoder block without cross-attention is an encoder block with a causal mask (Radford et al.
    2019 put the norms before, and one at the end):

    .. math:: Y = \mathrm{norm}(\mathrm{block}_N( \dots \mathrm{block}_1(X)))

    What turns words into items, and items into chances of words, is not part of it.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> stack = DecoderOnly.random(rng, 3, d_model=4, n_heads=2)
    >>> output, weights = stack(np.eye(4))
    >>> output.shape, len(weights), weights[0].shape
    ((4, 4), 3, (2, 4, 4))
    """

    blocks: tuple
    norm: LayerNorm | None = None

    def __post_init__(self):
        if not isinstance(self.blocks, (tuple, list)):
            raise TypeError(f"blocks must be a sequence of EncoderBlock, not {self.blocks!r}.")
        keep(self, blocks=tuple(self.blocks))
        if not self.blocks:
            raise ValueError("blocks is empty. Give at least one EncoderBlock.")
        for i, block in enumerate(self.blocks):
            _checks.kind(block, EncoderBlock, f"blocks[{i}]")
        if self.norm is not None:
            _checks.kind(self.norm, LayerNorm, "norm")
        norms = [block.norm_1 for block in self.blocks] + [self.norm] * (self.norm is not None)
        sizes = [len(norm.gain) for norm in norms]
        if len(set(sizes)) > 1:
            raise ValueError(
                f"the parts are for items of lengths {sizes}, in this order. Each hands its items "
                f"to the next, so all need the same d_model."
            )

    @classmethod
    def random(
        cls,
        rng,
        n_blocks,
        d_model,
        n_heads,
        d_ff=None,
        *,
        norm_first=True,
        activation="gelu",
        bias=False,
    ):
        """Draw a stack to start training from, with a norm at the end if norms come first.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the numbers come from.
        n_blocks : int
            Number of blocks.
        d_model, n_heads, d_ff, norm_first, activation, bias
            As for `EncoderBlock.random`.

        Returns
        -------
        DecoderOnly

        Raises
        ------
        ValueError, TypeError
            As for `EncoderBlock.random`, and for `n_blocks`.
        """
        options = {"norm_first": norm_first, "activation": activation, "bias": bias}
        n_blocks = _checks.count(n_blocks, "n_blocks")
        blocks = [
            EncoderBlock.random(rng, d_model, n_heads, d_ff, **options) for _ in range(n_blocks)
        ]
        return cls(tuple(blocks), LayerNorm.initial(d_model) if norm_first else None)

    def __call__(self, X, *, mask=None):
        """Run the stack.

        Parameters
        ----------
        X : array_like, shape (..., n, d_model)
            Items, one in each row.
        mask : array_like of bool, optional
            True where an item may attend to an item, on top of the causal mask.  Its shape
            broadcasts to (..., n, n).

        Returns
        -------
        output : ndarray, shape (..., n, d_model)
            Items again.
        weights : tuple of ndarray, each of shape (..., n_heads, n, n)
            The weights of each block.

        Raises
        ------
        ValueError, TypeError
            As for `EncoderBlock`.
        """
        X = items(X, self.blocks[0].norm_1)
        mask, all_weights = causal_and(mask, X), []
        for block in self.blocks:
            X, weights = block(X, mask=mask)
            all_weights.append(weights)
        return X if self.norm is None else self.norm(X), tuple(all_weights)
