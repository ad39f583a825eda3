"""The key-value cache: attention over a text that grows, without computing anything twice."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked, refuse_overflow
from attnlib.heads.multi_head import MultiHeadAttention
from attnlib.masks.positions import causal_and
from attnlib.positions.in_heads import NOWHERE


class KeyValueCache:
    r"""Keep the keys and values of all items so far, so that a new item costs one query.

    Parameters
    ----------
    attention : MultiHeadAttention
        Self-attention: its queries, keys and values are made of items of one length.

    Attributes
    ----------
    K : ndarray, shape (..., n_kv_heads, n, d_k), or None
        Keys of the n items so far, turned if the attention turns them.
    V : ndarray, shape (..., n_kv_heads, n, d_v), or None
        Their values.

    Notes
    -----
    A causal mask lets position t see positions 1 to t, and nothing that comes later changes their
    keys and values.  So they are computed once and kept:

    .. math:: \v{y_t} = \mathrm{softmax}\left(
              \frac{\q{q_t} [\k{k_1}, \dots, \k{k_t}]^\top}{\sqrt{d_k}}\right)
              [\v{v_1}, \dots, \v{v_t}]

    Step by step this gives what one causal pass over all items gives.  It holds
    :math:`n \, n_{kv} (d_k + d_v)` numbers for n items, with :math:`n_{kv}` heads of keys and
    values.  The position of a new item is the number of items before it.

    Examples
    --------
    Two steps, and the same in one causal pass:

    >>> from attnlib.masks import causal
    >>> rng = np.random.default_rng(0)
    >>> attention = MultiHeadAttention.random(rng, d_model=4, n_heads=2)
    >>> X, cache = np.eye(4)[:2], KeyValueCache(attention)
    >>> first, _ = cache.step(X[:1])
    >>> second, weights = cache.step(X[1:])
    >>> together, _ = attention(X, mask=causal(2))
    >>> np.abs(together - [*first, *second]).max() < 1e-12
    np.True_
    >>> len(cache), weights.shape
    (2, (2, 1, 2))
    """

    def __init__(self, attention):
        _checks.instance(attention, "attention", MultiHeadAttention)
        if len(attention.W_Q) != len(attention.W_K):
            raise ValueError(
                f"W_Q has shape {attention.W_Q.shape} and W_K has shape {attention.W_K.shape}: a "
                f"cache needs self-attention, with queries and keys of the same items."
            )
        self.attention = attention
        self.K = self.V = None

    def __len__(self):
        """Return the number of items so far."""
        return 0 if self.K is None else self.K.shape[-2]

    @property
    def sizes(self):
        """The sizes that a new item must have."""
        return self.attention.sizes | {"n_before": (len(self), "len")}

    @checked(x="(..., n_new, d_model)", mask="bool (..., [n_heads], n_new, n_before + n_new)")
    def step(self, x, *, mask=None):
        """Take one item more (or several), and answer it from all items so far.

        Parameters
        ----------
        x : array_like
            The new items, one in each row; usually one.  The axes before the last two are the
            same in every step.
        mask : array_like of bool, optional
            True where a new item may attend to an item, on top of the causal mask.

        Returns
        -------
        output : ndarray, shape (..., n_new, d_out)
            One answer for each new item.
        weights : ndarray, shape (..., n_heads, n_new, n)
            How much each of the n items so far counted, the new ones included.

        Raises
        ------
        ValueError
            If the axes before the last two differ from the steps before.  Whatever is refused
            leaves the cache as it was.
        """
        Q, K, V = self.attention.project(x)
        n, where = len(self) + x.shape[-2], self.attention.positions or NOWHERE
        Q, K = where._turn(Q, n), where._turn(K, n)
        if self.K is not None:
            if K.shape[:-2] != self.K.shape[:-2]:
                raise ValueError(
                    f"x has shape {x.shape}, but the items so far have the axes "
                    f"{self.K.shape[:-3]} before the last two. Give each step the same."
                )
            K, V = np.concatenate([self.K, K], axis=-2), np.concatenate([self.V, V], axis=-2)
        mask = causal_and(mask, x.shape[-2], n)
        output, weights, _ = self.attention._answer(Q, K, V, mask)
        refuse_overflow(output, "the output")
        self.K, self.V = K, V
        return output, weights
