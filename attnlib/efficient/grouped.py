"""Heads that share keys and values: fewer of them to store while a text is generated."""

import numpy as np

from attnlib import _checks, _shapes
from attnlib.efficient._inputs import queries_keys_values, refuse_overflow
from attnlib.efficient.rows import answers


@_checks.reports_overflow
def grouped_heads(Q, K, V, *, mask=None, causal=False, block=256):
    r"""Attend with several heads, a group of which shares its keys and values.

    Parameters
    ----------
    Q : array_like, shape (..., n_heads, n_q, d_k)
        Queries of each head.
    K : array_like, shape (..., n_groups, n_k, d_k)
        Keys of each group.  One group is multi-query attention; as many groups as heads is
        multi-head attention.
    V : array_like, shape (..., n_groups, n_k, d_v)
        Values of each group.
    mask : array_like of bool, optional
        True where a query may attend to a key, the same for all heads.  Its shape broadcasts to
        (..., n_q, n_k): there is no axis for the heads.
    causal : bool, optional
        Whether a query attends only to its own position and earlier ones, the last query
        standing at the last key.
    block : int, optional
        Number of queries that are answered together.

    Returns
    -------
    ndarray, shape (..., n_heads, n_q, d_v)
        One answer for each query of each head.

    Raises
    ------
    ValueError
        If the number of groups does not divide the number of heads, and as for
        `attnlib.efficient.row_blocks`.
    TypeError
        If an argument is of the wrong type.

    Notes
    -----
    With H heads in G groups, head h reads the keys of group :math:`\lfloor h G / H \rfloor`
    (Shazeer 2019 for one group, Ainslie et al. 2023):

    .. math:: \v{Y_h} = \mathrm{softmax}\left(\frac{\q{Q_h} \k{K_g}^\top}{\sqrt{d_k}}\right)
              \v{V_g}, \qquad g = \left\lfloor \frac{h \, G}{H} \right\rfloor

    There are as many pairs as before.  What shrinks, by G/H, is what a cache must hold and what
    each new word must read: :math:`G \, n_k (d_k + d_v)` numbers.

    Examples
    --------
    Four heads, two groups, one key each: heads 0 and 1 get the first value, 2 and 3 the second.

    >>> import numpy as np
    >>> Q, K = np.ones((4, 1, 2)), np.ones((2, 1, 2))
    >>> grouped_heads(Q, K, [[[5]], [[7]]]).ravel()
    array([5., 5., 7., 7.])
    """
    Q, K = _with_heads(Q, "Q", "n_heads"), _with_heads(K, "K", "n_groups")
    V = _with_heads(V, "V", "n_groups")
    block, causal = _checks.count(block, "block"), _checks.boolean(causal, "causal")
    n_heads, n_groups = Q.shape[-3], K.shape[-3]
    _fit(Q, K, V)
    per_group = n_heads // n_groups
    if mask is not None:
        batch = _shapes.leading_axes(3, Q=Q, K=K, V=V)
        mask = _shapes.boolean_mask(mask, (*batch, Q.shape[-2], K.shape[-2]))
    Q = Q.reshape(*Q.shape[:-3], n_groups, per_group, *Q.shape[-2:])
    Q, K, V = queries_keys_values(Q, K[..., :, None, :, :], V[..., :, None, :, :])
    if mask is not None:
        mask = np.broadcast_to(mask[..., None, None, :, :], _shapes.scores_shape(Q, K))
    output = answers(Q, K, V, block, mask, causal, named=lambda head: head[:-2])
    return output.reshape(*output.shape[:-4], n_heads, *output.shape[-2:])


@_checks.reports_overflow
def pool_heads(X, n_groups):
    r"""Make the keys or values of each group the mean over its heads.

    Parameters
    ----------
    X : array_like, shape (..., n_heads, n, d)
        Keys or values of each head.
    n_groups : int
        Number of groups; divides the number of heads.

    Returns
    -------
    ndarray, shape (..., n_groups, n, d)
        Keys or values of each group.

    Raises
    ------
    ValueError
        If `n_groups` does not divide the number of heads, or the shape does not fit.
    TypeError
        If `X` holds anything but integers and floats, or `n_groups` is not an integer.

    Notes
    -----
    So a model with all heads is turned into one with groups, before it is trained a little
    further (Ainslie et al. 2023):

    .. math:: \k{K_g} = \frac{G}{H} \sum_{h \in g} \k{K_h}

    Examples
    --------
    >>> pool_heads([[[1, 2]], [[3, 6]]], 1)
    array([[[2., 4.]]])
    """
    X = _with_heads(X, "X", "n_heads")
    n_groups = _checks.count(n_groups, "n_groups")
    _divides(n_groups, X.shape[-3], f"X has shape {X.shape} and n_groups={n_groups}")
    per_group = X.shape[-3] // n_groups
    return X.reshape(*X.shape[:-3], n_groups, per_group, *X.shape[-2:]).mean(axis=-3)


def _with_heads(X, name, axis):
    """Return `X` as matrices with an axis of heads or groups before the rows."""
    X = _shapes.matrix(X, name, f"(..., {axis}, n, d)")
    if X.ndim < 3 or X.shape[-3] == 0:
        raise ValueError(
            f"{name} has shape {X.shape}, but needs three axes or more, (..., {axis}, n, d). "
            f"A single one is {name}[None]."
        )
    return X


def _divides(n_groups, n_heads, found):
    if n_heads % n_groups:
        raise ValueError(
            f"{found}: {n_heads} heads cannot be shared out equally to {n_groups} groups. "
            f"Choose a number of groups that divides the number of heads."
        )


def _fit(Q, K, V):
    """Refuse queries, keys and values that do not fit together, by the shapes that were given."""
    if V.shape[-3] != K.shape[-3]:
        raise ValueError(
            f"K has shape {K.shape} and V has shape {V.shape}, so {K.shape[-3]} groups of keys "
            f"meet {V.shape[-3]} groups of values. Give both for each group."
        )
    _divides(K.shape[-3], Q.shape[-3], f"Q has shape {Q.shape} and K has shape {K.shape}")
    _shapes.not_empty(K, "K", "keys")
    _shapes.one_for_each_key(V, K)
    _shapes.width(Q, "Q", K.shape[-1], f"K has shape {K.shape}, and a key is as long as a query")
    _shapes.leading_axes(3, Q=Q, K=K, V=V)
    refuse_overflow(Q, K)
