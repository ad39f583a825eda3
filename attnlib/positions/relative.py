"""Relative positions: scores that depend on how far apart query and key stand, not on where."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import refuse_more_queries
from attnlib.positions.sinusoids import frequencies


@checked(X="(..., n, d)", positions=_checks.numbers, base=_checks.number)
def rotary(X, positions=None, base=10000.0):
    r"""Turn each pair of components of a query or a key by an angle that grows with its position.

    Parameters
    ----------
    X : array_like
        Queries or keys, one in each row; d is even.
    positions : array_like, shape (n,) or broadcasting to (..., n), optional
        Position of each row, 0 to n − 1 by default; later ones behind a cache.
    base : float, optional
        Above 1.  Sets the slowest turn, as in `sinusoidal`.

    Returns
    -------
    ndarray, same shape as `X`
        The turned rows, each as long as before.

    Notes
    -----
    Rotary position embedding (Su et al. 2021), for the row at position t:

    .. math:: (x_{2i}, x_{2i+1}) \mapsto (x_{2i} \cos t\omega_i - x_{2i+1} \sin t\omega_i, \
              x_{2i} \sin t\omega_i + x_{2i+1} \cos t\omega_i)

    Turn queries and keys, not values.  The dot product of a query at t and a key at s then depends
    on positions through t − s only.

    Examples
    --------
    The same row twice; at position 1 its one pair has turned by one radian.

    >>> rotary([[1, 0], [1, 0]]).round(4)
    array([[1.    , 0.    ],
           [0.5403, 0.8415]])
    """
    return turned(X, positions, base)


def turned(X, positions, base, direction=1, name="X"):
    """Turn the rows of `X` forwards, or backwards where `direction` is -1."""
    n, d = X.shape[-2:]
    t = np.arange(n) if positions is None else positions
    try:
        t = np.broadcast_to(t, X.shape[:-1])
    except ValueError:
        raise ValueError(
            f"positions has shape {t.shape}, but {name} has shape {X.shape}: give {n} positions, "
            f"one for each row."
        ) from None
    angles = direction * t[..., None] * frequencies(d, base, f"{name} has shape {X.shape}, and d")
    cos, sin = np.cos(angles).astype(X.dtype), np.sin(angles).astype(X.dtype)
    first, second = X[..., 0::2], X[..., 1::2]
    pairs = [first * cos - second * sin, first * sin + second * cos]
    return np.stack(pairs, axis=-1).reshape(X.shape)


@checked(also=refuse_more_queries, n_q=_checks.count, n_k=_checks.count, n_heads=_checks.count)
def linear_bias(n_q, n_k, n_heads):
    r"""Lower each score in proportion to the distance of its key, more steeply in some heads.

    Parameters
    ----------
    n_q : int
        Number of queries.
    n_k : int
        Number of keys.
    n_heads : int
        Number of heads.

    Returns
    -------
    ndarray, shape (n_heads, n_q, n_k)
        What is to be added to the scores before softmax: 0 at the query's own position, negative
        elsewhere.

    Notes
    -----
    Attention with linear biases (Press et al. 2022), for heads h = 1 … H.  As in `causal`, the last
    query stands at the last key; i and j are positions:

    .. math:: b_{hij} = - 2^{-8h/H} \, |i - j|

    The paper masks the future; without a mask this form treats both directions alike.

    Examples
    --------
    One head has the slope 2⁻⁸, so these are 1/256 apart:

    >>> linear_bias(1, 3, 1) * 256
    array([[[-2., -1.,  0.]]])
    """
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    distance = np.abs(i + (n_k - n_q) - j)
    return slopes[:, None, None] * -distance
