"""Look into a language model: what its heads look at, and what it can do without some of them."""

from dataclasses import replace

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.networks.smollm import SmolLM


def refuse_other_text(W, x, **_):
    """Refuse tokens that are not those of the weights, or too few to look back."""
    if W.shape[-2] != W.shape[-1] or x.shape != W.shape[-1:] or len(x) < 3:
        raise ValueError(
            f"W has shape {W.shape} and x has shape {x.shape}. Give the weights of one text, from "
            f"each of its n tokens to each, and these n tokens; n is at least 3."
        )


@checked(W="(n_blocks, n_heads, n_q, n_k)", x=_checks.integers, also=refuse_other_text)
def looks(W, x):
    r"""Measure how much each head looks at the first token, the one before, and what followed.

    Parameters
    ----------
    W : array_like
        Weights of all heads over one text, in which no token looks ahead.
    x : array_like of int, shape (n,)
        Its tokens.

    Returns
    -------
    dict of str to ndarray, each of shape (n_blocks, n_heads)
        ``"first"`` and ``"previous"``: the mean weight on the first token and on the one before,
        of all from the third on.  ``"induction"``: the mean weight on what followed earlier
        occurrences of a token, of all that came before (Olsson et al. 2022), 0 if none did.
        ``"broad"``: among how many of the tokens in sight the weight is spread, as a share of them.

    Notes
    -----
    The third is, with :math:`t` among the tokens that came before, the mean of

    .. math:: \sum_{s \le t,\ x_{s-1} = x_t} w_{ts}

    Weights are spread among :math:`\exp(-\sum_s w_{ts} \ln w_{ts})` tokens: m equal ones among m.

    Examples
    --------
    A head that spreads its weight evenly, on a text in which two tokens come twice:

    >>> even = np.tri(4) / [[1], [2], [3], [4]]
    >>> means = looks(even[None, None], [7, 8, 7, 8])
    >>> {kind: x.round(3).item() for kind, x in means.items()}
    {'first': 0.292, 'previous': 0.292, 'induction': 0.292, 'broad': 1.0}
    """
    n = len(x)
    t = np.arange(2, n)
    followed = np.zeros((n, n), dtype=bool)
    followed[:, 1:] = (x[:, None] == x[:-1]) & np.tri(n, n - 1, -1, dtype=bool)
    again = followed.any(axis=1)
    bits = W * np.log(np.where(W > 0, W, 1))
    spread = np.exp(-bits.sum(axis=-1)) / np.arange(1, n + 1)
    return {
        "first": W[..., t, 0].mean(axis=-1),
        "previous": W[..., t, t - 1].mean(axis=-1),
        "induction": (W * followed).sum(axis=(-2, -1)) / max(again.sum(), 1),
        "broad": spread[..., t].mean(axis=-1),
    }


def pairs(heads, name):
    """Return blocks and heads, a pair in each row; there may be none."""
    heads = _checks.any_array(heads, name)
    if heads.size and (heads.dtype.kind not in "iu" or heads.ndim != 2 or heads.shape[1] != 2):
        raise ValueError(f"{name} must be pairs of integers, such as [(18, 6)].")
    return heads.astype(int).reshape(-1, 2)


def refuse_unknown_heads(model, heads, name="heads", **_):
    """Refuse blocks and heads that the model has not."""
    sizes = len(model.blocks), model.blocks[0].attention.n_heads
    for pair in heads.tolist():
        if not all(0 <= i < n for i, n in zip(pair, sizes)):
            raise ValueError(
                f"{name} holds {tuple(pair)}, but the model has {sizes[0]} blocks of {sizes[1]} "
                f"heads. Count both from 0."
            )


@checked(model=SmolLM, heads=pairs, also=refuse_unknown_heads)
def without(model, heads):
    r"""Return a model in which some heads write nothing.

    Parameters
    ----------
    model : SmolLM
        The model; it stays as it is, and shares all other arrays.
    heads : array_like of int, shape (n, 2)
        Block and head of each, counted from 0.

    Returns
    -------
    SmolLM

    Notes
    -----
    What head h writes is its output times its rows of :math:`W_O`; these become zero:

    .. math:: \v{Y} = \sum_{h' \ne h} \v{Y_{h'}} \, W_{O,h'}

    Examples
    --------
    >>> from attnlib import EncoderBlock, RMSNorm
    >>> rng, norm = np.random.default_rng(0), RMSNorm.initial(8)
    >>> blocks = [EncoderBlock.random(rng, 8, n_heads=2, norm="rms")]
    >>> model = SmolLM(rng.normal(size=(9, 8)), blocks, norm, context=16)
    >>> cut = without(model, [(0, 1)])
    >>> cut.blocks[0].attention.W_O.any(axis=1)
    array([ True,  True,  True,  True, False, False, False, False])
    """
    blocks = list(model.blocks)
    for block, head in heads.tolist():
        blocks[block] = without_heads(blocks[block], [head])
    return replace(model, blocks=tuple(blocks))


def without_heads(block, heads):
    """Return a block in which some heads write nothing; it shares its other arrays."""
    attention = block.attention
    W_O = attention.W_O.copy()
    for head in heads:
        np.split(W_O, attention.n_heads)[head][:] = 0
    return replace(block, attention=replace(attention, W_O=W_O))
