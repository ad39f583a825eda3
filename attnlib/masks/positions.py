"""Masks that depend on where query and key stand: causal, and a window that slides along."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import refuse_lost, refuse_more_queries


@checked(also=refuse_more_queries, n_q=_checks.count, n_k=_checks.count)
def causal(n_q, n_k=None):
    r"""Let each query attend to its own position and to all earlier ones, never to a later one.

    Parameters
    ----------
    n_q : int
        Number of queries, at most as many as keys.
    n_k : int, optional
        Number of keys, as many as queries by default.

    Returns
    -------
    ndarray of bool, shape (n_q, n_k)
        True where query i may attend to key j.

    Notes
    -----
    The **last query stands at the last key**.  That is so when a text is generated with a cache:
    the keys of all words so far are kept, and only the newest words ask (Vaswani et al. 2017, for
    equal numbers).

    .. math:: M_{ij} = \text{True} \iff j \le i + (n_k - n_q)

    Some libraries let the first query stand at the first key instead.  The two agree only when
    there are as many queries as keys.

    Examples
    --------
    As many keys as queries: each query may attend to one key more than the query before it.

    >>> causal(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])

    Two new queries and four keys, two of them from a cache:

    >>> causal(2, 4).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    n_k = n_q if n_k is None else n_k
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return j <= i + (n_k - n_q)


@checked(also=refuse_more_queries, n_q=_checks.count, n_k=_checks.count, width=_checks.count)
def sliding_window(n_q, n_k, width):
    r"""Let each query attend to the keys that are fewer than `width` positions away.

    Parameters
    ----------
    n_q : int
        Number of queries, at most as many as keys.
    n_k : int
        Number of keys.
    width : int
        How far the window reaches, the query's own position included: 1 is this position alone.

    Returns
    -------
    ndarray of bool, shape (n_q, n_k)
        True where query i may attend to key j.

    Notes
    -----
    As in `causal`, the last query stands at the last key (Beltagy et al. 2020, who count the
    window to both sides together):

    .. math:: M_{ij} = \text{True} \iff \left| \, i + (n_k - n_q) - j \, \right| < \text{width}

    With ``& causal(n_q, n_k)`` each query keeps the latest `width` keys.

    Examples
    --------
    Each position and its neighbours:

    >>> sliding_window(4, 4, 2).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    """
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return np.abs(i + (n_k - n_q) - j) < width


def causal_and(mask, n_q, n_k=None):
    """Combine the causal mask with another one, if there is one; it may have an axis of heads."""
    both = causal(n_q, n_k) if mask is None else causal(n_q, n_k) & mask
    lost = ~both.any(axis=-1)
    for_all_heads = lost.ndim > 1 and lost.shape[-2] == 1
    refuse_lost(lost[..., 0, :] if for_all_heads else lost, "mask")
    return both
