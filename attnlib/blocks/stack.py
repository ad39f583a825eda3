"""The decoder-only stack: encoder blocks that never look ahead."""

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import in_part, record_size
from attnlib.blocks.encoder import SETTINGS, EncoderBlock
from attnlib.blocks.norm import NORMS, LayerNorm
from attnlib.masks.positions import causal_and
from attnlib.parameters import Parameters, Part


def sequence_of_blocks(blocks, name):
    """Return the blocks of a stack as a tuple, if they are encoder blocks for equal items."""
    if not isinstance(blocks, (tuple, list)):
        raise TypeError(f"{name} must be a sequence of EncoderBlock, not {blocks!r}.")
    if not blocks:
        raise ValueError(f"{name} is empty. Give at least one EncoderBlock.")
    for i, block in enumerate(blocks):
        _checks.instance(block, f"{name}[{i}]", EncoderBlock)
    return tuple(blocks)


class DecoderOnly(Parameters):
    r"""Run blocks in which no item sees a later one: the body of a language model.

    Parameters
    ----------
    blocks : sequence of EncoderBlock
        The blocks, in order; each is run with a causal mask.
    norm : LayerNorm or RMSNorm, optional
        A normalisation at the end, needed where the blocks have theirs before.

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

    blocks: sequence_of_blocks
    norm: Part(*NORMS, d="d_model") = None

    def _fit(self):
        fitted, sizes = super()._fit()
        for i, block in enumerate(fitted["blocks"]):
            record_size("d_model", in_part(f"blocks.{i}", block.sizes["d_model"]), sizes)
        return fitted, sizes

    @classmethod
    @checked(n_blocks=_checks.count, **SETTINGS)
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
        """
        options = {"norm_first": norm_first, "activation": activation, "bias": bias}
        blocks = [
            EncoderBlock.random(rng, d_model, n_heads, d_ff, **options) for _ in range(n_blocks)
        ]
        return cls(tuple(blocks), LayerNorm.initial(d_model) if norm_first else None)

    @checked(X="(..., n_items, d_model)", mask="bool (..., n_items, n_items)")
    def __call__(self, X, *, mask=None):
        """Run the stack.

        Parameters
        ----------
        X : array_like
            Items, one in each row.
        mask : array_like of bool, optional
            True where an item may attend to an item, on top of the causal mask.

        Returns
        -------
        output : ndarray, shape (..., n_items, d_model)
            Items again.
        weights : tuple of ndarray, each of shape (..., n_heads, n_items, n_items)
            The weights of each block.
        """
        mask, all_weights = causal_and(mask, X), []
        for block in self.blocks:
            X, weights = block(X, mask=mask)
            all_weights.append(weights)
        return X if self.norm is None else self.norm(X), tuple(all_weights)
