"""The decoder-only stack: encoder blocks that never look ahead."""

from copy import copy

from attnlib import _checks
from attnlib._boundary import checked, refuse_overflow
from attnlib._pullbacks import differentiable
from attnlib._shapes import in_part
from attnlib.blocks.encoder import SETTINGS, EncoderBlock
from attnlib.blocks.norm import NORMS
from attnlib.heads import KeyValueCache
from attnlib.masks.positions import causal_and
from attnlib.parameters import Parameters, Part, Parts


class StackCache:
    r"""Keep the keys and values of all items so far in each block of a stack.

    Parameters
    ----------
    stack : DecoderOnly
        The stack.

    Attributes
    ----------
    caches : tuple of KeyValueCache
        One for each block.

    Notes
    -----
    No item of a stack sees a later one, so what a block made of the items so far stays as it is
    when new items come; only their keys and values are needed again, in every block:

    .. math:: \v{y_t} = \mathrm{stack}([x_1, \dots, x_t])_t

    Examples
    --------
    Three items at once, then one: the same as all four in one pass.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> stack = DecoderOnly.random(rng, 3, d_model=4, n_heads=2)
    >>> X, cache = np.eye(4), StackCache(stack)
    >>> first, _ = stack(X[:3], cache=cache)
    >>> fourth, _ = stack(X[3:], cache=cache)
    >>> together, _ = stack(X)
    >>> len(cache), bool(np.abs(together - [*first, *fourth]).max() < 1e-12)
    (4, True)
    """

    def __init__(self, stack):
        self.stack = _checks.instance(stack, "stack", DecoderOnly)
        self.caches = tuple(KeyValueCache(block.attention) for block in stack.blocks)

    def __len__(self):
        """Return the number of items so far."""
        return len(self.caches[0])

    @property
    def sizes(self):
        """The number of items so far."""
        return {"n_before": (len(self), "len")}


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

    A stack as language models have it today, with rotary positions, four heads that share two
    heads of keys, norms by the mean square, and a gated network:

    >>> from attnlib import Rotary
    >>> options = {"n_kv_heads": 2, "positions": Rotary(), "norm": "rms"}
    >>> options |= {"gated": True}
    >>> stack = DecoderOnly.random(rng, 3, d_model=8, n_heads=4, **options)
    >>> stack(np.eye(8))[0].shape
    (8, 8)
    """

    blocks: Parts(EncoderBlock, d_model="d_model")
    norm: Part(*NORMS.values(), d="d_model") = None

    def _fit(self):
        fitted, sizes = super()._fit()
        if len({block.attention.n_heads for block in fitted["blocks"]}) == 1:  # for a mask of heads
            sizes["n_heads"] = in_part("blocks.0", fitted["blocks"][0].sizes["n_heads"])
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
        activation=None,
        bias=False,
        n_kv_heads=None,
        positions=None,
        norm="layer",
        gated=False,
    ):
        """Draw a stack to start training from, with a norm at the end if norms come first.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the numbers come from.
        n_blocks : int
            Number of blocks.
        d_model, n_heads, d_ff, norm_first, activation, bias, n_kv_heads, positions, norm, gated
            As for `EncoderBlock.random`, but without gates the activation is gelu by default.

        Returns
        -------
        DecoderOnly
        """
        if activation is None and not gated:
            activation = "gelu"
        options = {"norm_first": norm_first, "activation": activation, "bias": bias}
        options |= {"n_kv_heads": n_kv_heads, "positions": positions}
        options |= {"norm": norm, "gated": gated}
        blocks = [
            EncoderBlock.random(rng, d_model, n_heads, d_ff, **options) for _ in range(n_blocks)
        ]
        return cls(tuple(blocks), NORMS[norm].initial(d_model) if norm_first else None)

    @differentiable(
        X="(..., n_items, d_model)",
        mask="bool (..., [n_heads], n_items, n_before + n_items)",
        cache=StackCache,
    )
    def __call__(self, X, *, mask=None, cache=None):
        """Run the stack.

        Parameters
        ----------
        X : array_like
            Items, one in each row.
        mask : array_like of bool, optional
            True where an item may attend to an item, on top of the causal mask.
        cache : StackCache, optional
            Of this stack, with n_before items; X are the next ones, and are kept in it.  Whatever
            is refused leaves it as it was.

        Returns
        -------
        output : ndarray, shape (..., n_items, d_model)
            Items again.
        weights : tuple of ndarray, each of shape (..., n_heads, n_items, n_before + n_items)
            The weights of each block; n_before is 0 without a cache.
        """
        if cache is None:
            mask, caches = causal_and(mask, X.shape[-2]), [None] * len(self.blocks)
        elif cache.stack.blocks is not self.blocks:
            raise ValueError("cache belongs to other blocks. Give StackCache(stack) of this stack.")
        else:
            caches = tuple(copy(one) for one in cache.caches)
        weights, backs = [], []
        for block, one in zip(self.blocks, caches):
            X, of_block, back = block.with_pullback(X, mask=mask, cache=one)
            weights.append(of_block)
            backs.append(back)
        output, back_norm = (X, None) if self.norm is None else self.norm.with_pullback(X)
        if cache is not None:
            refuse_overflow(output, "the output")
            cache.caches = caches

        def back(d_X):
            d_norm, d_blocks = None, []
            if self.norm is not None:
                d_X, d_norm = back_norm(d_X)
            for back_block in reversed(backs):
                d_X, d_block = back_block(d_X)
                d_blocks.append(d_block)
            return d_X, DecoderOnly(tuple(reversed(d_blocks)), d_norm)

        return output, tuple(weights), back

    with_pullback = __call__.with_pullback
