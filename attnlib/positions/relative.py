"""Relative positions: scores that depend on how far apart query and key stand, not on where."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import refuse_more_queries
from attnlib.positions.sinusoids import above_1, frequencies


def pairing(x, name):
    """Return the name of a way to pair components if it is known."""
    return _checks.choice(x, name, ("neighbours", "halves"))


@checked(X="(..., n, d)", positions=_checks.numbers, base=above_1, convention=pairing)
def rotary(X, positions=None, base=10000.0, convention="neighbours"):
    r"""Turn each pair of components of a query or a key by an angle that grows with its position.

    Parameters
    ----------
    X : array_like
        Queries or keys, one in each row; d is even.
    positions : array_like, shape (n,) or broadcasting to (..., n), optional
        Position of each row, 0 to n − 1 by default; later ones behind a cache.
    base : float, optional
        Above 1.  Sets the slowest turn, as in `sinusoidal`.
    convention : {"neighbours", "halves"}, optional
        Which components are a pair: 2i and 2i + 1, or i and i + d/2, as in many programs.  Numbers
        learned with one are of no use with the other.

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
    return turned(X, positions, base, convention)


def turned(X, positions, base, convention, direction=1, name="X"):
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
    if convention == "halves":
        first, second = X[..., : d // 2], X[..., d // 2 :]
    else:
        first, second = X[..., 0::2], X[..., 1::2]
    pairs = [first * cos - second * sin, first * sin + second * cos]
    if convention == "halves":
        return np.concatenate(pairs, axis=-1)
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


def refuse_bad_table(table, **_):
    """Refuse a table without a middle, where the shift is 0, or without two sides."""
    if table.shape[-1] % 2 == 0 or table.shape[-1] < 3:
        raise ValueError(
            f"table has shape {table.shape}. Give each head an odd number of shifts, at least 3: "
            f"2m + 1 for those from -m to m."
        )


@checked(also=refuse_bad_table, table="(n_heads, n_shifts)", n_q=_checks.count, n_k=_checks.count)
def relative_bias(table, n_q, n_k):
    r"""Look up in a learned table what is added to the score of a key, by its shift.

    Parameters
    ----------
    table : array_like
        A row for each head, with a number for each of the 2m + 1 shifts from −m to m, key minus
        query.  A shift beyond them gets the last number on its side.
    n_q : int
        Number of queries.
    n_k : int
        Number of keys.

    Returns
    -------
    ndarray, shape (n_heads, n_q, n_k)
        What is to be added to the scores before softmax.

    Notes
    -----
    A relative position bias (Raffel et al. 2020, who let farther shifts share numbers sooner).  As
    in `causal`, the last query stands at the last key; i and j are positions:

    .. math:: b_{hij} = \text{table}_{h, \, m + \min(\max(j - i, -m), m)}

    Examples
    --------
    One head.  The last of two queries stands at the last of three keys:

    >>> relative_bias([[-7, 0, 5]], 2, 3)
    array([[[-7.,  0.,  5.],
            [-7., -7.,  0.]]])
    """
    return table[:, shift_index(table, n_q, n_k)]


def shift_index(table, n_q, n_k):
    """Return, for each query and key, which column of the table is for their shift."""
    m = table.shape[-1] // 2
    i, j = np.arange(n_q)[:, None] + (n_k - n_q), np.arange(n_k)
    return np.clip(j - i, -m, m) + m
