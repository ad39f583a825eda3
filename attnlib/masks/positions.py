"""Masks that depend on where query and key stand: causal, and a window that slides along."""

import numpy as np

from attnlib import _checks
from attnlib._shapes import aligned_positions


def causal(n_q, n_k=None):
    r"""Let each query attend to its own position and to all earlier ones, never to a later one.

    Parameters
    ----------
    n_q : int
        Number of queries.
    n_k : int, optional
        Number of keys, as many as queries if not given.

    Returns
    -------
    ndarray of bool, shape (n_q, n_k)
        True where query i may attend to key j.

    Raises
    ------
    ValueError
        If a number is below 1, or if `n_q` exceeds `n_k`: the first queries would then have
        nothing to attend to.
    TypeError
        If a number is not an integer.

    Notes
    -----
    The **last query stands at the last key**.  So it is when a text is generated with a cache: the
    keys of all words so far are kept, and only the newest words ask (Vaswani et al. 2017, for
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
    query_position, key_position = aligned_positions(n_q, n_q if n_k is None else n_k)
    return key_position <= query_position


def sliding_window(n_q, n_k, width):
    r"""Let each query attend to the keys that are fewer than `width` positions away.

    Parameters
    ----------
    n_q : int
        Number of queries.
    n_k : int
        Number of keys.
    width : int
        How far the window reaches, the query's own position included: 1 is this position alone.

    Returns
    -------
    ndarray of bool, shape (n_q, n_k)
        True where query i may attend to key j.

    Raises
    ------
    ValueError
        If a number is below 1, or if `n_q` exceeds `n_k`: the first queries would then stand
        before the first key.
    TypeError
        If a number is not an integer.

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
    query_position, key_position = aligned_positions(n_q, n_k)
    return np.abs(query_position - key_position) < _checks.count(width, "width")
