"""Masks: which query may attend to which key.

A mask is a boolean array whose shape broadcasts to ``(..., n_q, n_k)``; True means "may attend".
"""

import numpy as np

from attnlib import _checks


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
    n_q = _checks.count(n_q, "n_q")
    n_k = n_q if n_k is None else _checks.count(n_k, "n_k")
    if n_q > n_k:
        raise ValueError(
            f"n_q={n_q} is larger than n_k={n_k}: with the last query at the last key, the first "
            f"{n_q - n_k} would have nothing to attend to. Give at least as many keys as queries."
        )
    query_position = np.arange(n_q)[:, None] + (n_k - n_q)
    key_position = np.arange(n_k)
    return key_position <= query_position
