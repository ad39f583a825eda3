"""Gradients through scores: from scores back to queries, keys and parameters."""

import math

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._pullbacks import summed_over_rows, summed_products, summed_to
from attnlib.scores.learned import Location


@checked(d_scores="(..., n_q, n_k)", Q="(..., n_q, d_k)", K="(..., n_k, d_k)", scale=_checks.number)
def scaled_dot_vjp(d_scores, Q, K, scale=None):
    r"""Go back from scaled dot products to queries and keys.

    Parameters
    ----------
    d_scores : array_like
        Derivative of the loss with respect to each score.
    Q, K, scale
        The arguments of `scaled_dot`; ``scale=1`` for `dot`.

    Returns
    -------
    d_Q : ndarray, same shape as `Q`
        Derivative of the loss with respect to each entry of the queries.
    d_K : ndarray, same shape as `K`
        Derivative of the loss with respect to each entry of the keys.

    Notes
    -----
    Component c of query i enters all scores of row i, each time beside component c of a key:

    .. math:: s_{ij} = \text{scale} \sum_c \q{q_{ic}} \k{k_{jc}}

    .. math:: \q{dq_{ic}} = \text{scale} \sum_j ds_{ij} \, \k{k_{jc}}, \qquad
              \k{dk_{jc}} = \text{scale} \sum_i ds_{ij} \, \q{q_{ic}}

    or, all at once:

    .. math:: \q{dQ} = \text{scale} \; dS \, \k{K}, \qquad \k{dK} = \text{scale} \; dS^\top \q{Q}

    The scale is :math:`1/\sqrt{d_k}` by default, and it is in both.

    Examples
    --------
    Only the score of query 1 and key 2 matters: the query is pulled along that key, and it along
    the query, at half their length.

    >>> Q, K = [[2, 4]], [[5, 6], [7, 8]]
    >>> d_Q, d_K = scaled_dot_vjp([[0, 1]], Q, K, scale=0.5)
    >>> d_Q
    array([[3.5, 4. ]])
    >>> d_K
    array([[0., 0.],
           [1., 2.]])
    """
    scale = 1 / math.sqrt(K.shape[-1]) if scale is None else scale
    d_Q = scale * (d_scores @ K)
    d_K = scale * (d_scores.mT @ Q)
    return summed_to(d_Q, Q.shape), summed_to(d_K, K.shape)


@checked(d_scores="(..., n_q, n_k)", Q="(..., n_q, d_q)", K="(..., n_k, d_k)", W="(d_q, d_k)")
def bilinear_vjp(d_scores, Q, K, W):
    r"""Go back from bilinear scores to queries, keys and the matrix.

    Parameters
    ----------
    d_scores : array_like
        Derivative of the loss with respect to each score.
    Q, K, W
        The arguments of ``Bilinear(W)(Q, K)``.

    Returns
    -------
    d_Q, d_K, d_W : ndarray, same shapes as `Q`, `K`, `W`
        Derivative of the loss with respect to each entry.

    Notes
    -----
    Each score is :math:`s_{ij} = \sum_{ab} \q{q_{ia}} W_{ab} \k{k_{jb}}`, linear in each of the
    three, so each derivative is the product of the other two, summed over all pairs:

    .. math:: \q{dQ} = dS \, \k{K} W^\top, \qquad \k{dK} = dS^\top \q{Q} W, \qquad
              dW = \q{Q}^\top dS \, \k{K}

    The batch is summed in :math:`dW`, because all of it used the one matrix.

    Examples
    --------
    One pair: q = 2, W = 3, k = 5, and each derivative is the product of the other two.

    >>> [d.item() for d in bilinear_vjp([[1]], [[2]], [[5]], [[3]])]
    [15.0, 6.0, 10.0]
    """
    from_keys = d_scores @ K
    d_Q = from_keys @ W.T
    d_K = d_scores.mT @ Q @ W
    return summed_to(d_Q, Q.shape), summed_to(d_K, K.shape), summed_products(Q, from_keys)


@checked(
    d_scores="(..., n_q, n_k)",
    Q="(..., n_q, d_q)",
    K="(..., n_k, d_k)",
    W_q="(d_q, d_a)",
    W_k="(d_k, d_a)",
    v="(d_a,)",
)
def additive_vjp(d_scores, Q, K, W_q, W_k, v):
    r"""Go back from additive scores to queries, keys and the three parameters.

    Parameters
    ----------
    d_scores : array_like
        Derivative of the loss with respect to each score.
    Q, K, W_q, W_k, v
        The arguments of ``Additive(W_q, W_k, v)(Q, K)``.

    Returns
    -------
    d_Q, d_K, d_W_q, d_W_k, d_v : ndarray, same shapes as `Q`, `K`, `W_q`, `W_k`, `v`
        Derivative of the loss with respect to each entry.

    Notes
    -----
    With the hidden layer :math:`h_{ij} = \tanh(\q{q_i} W_q + \k{k_j} W_k)` and the derivative
    :math:`1 - \tanh^2` of tanh, for the sum z of which it is taken:

    .. math:: s_{ij} = \sum_a v_a h_{ija} \quad \Rightarrow \quad
              dv_a = \sum_{ij} ds_{ij} \, h_{ija}, \qquad
              dz_{ija} = ds_{ij} \, v_a \, (1 - h_{ija}^2)

    The query's part of z is the same for all keys, and the key's part for all queries:

    .. math:: d(\q{Q} W_q)_{ia} = \sum_j dz_{ija}, \qquad d(\k{K} W_k)_{ja} = \sum_i dz_{ija}

    From there it is two projections, as in `projection_vjp`.

    Examples
    --------
    Query and key cancel, so the hidden unit is tanh 0 = 0, where the slope of tanh is 1:

    >>> gradients = additive_vjp([[1]], [[2]], [[-2]], [[1]], [[1]], [10])
    >>> [d.item() for d in gradients]
    [10.0, 10.0, 20.0, -20.0, 0.0]
    """
    hidden = np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :])
    d_v = summed_over_rows(d_scores[..., None] * hidden)
    d_z = d_scores[..., None] * v * (1 - hidden**2)
    d_from_query, d_from_key = d_z.sum(axis=-2), d_z.sum(axis=-3)
    d_Q, d_K = d_from_query @ W_q.T, d_from_key @ W_k.T
    d_W_q, d_W_k = summed_products(Q, d_from_query), summed_products(K, d_from_key)
    return summed_to(d_Q, Q.shape), summed_to(d_K, K.shape), d_W_q, d_W_k, d_v


@checked(
    d_scores="(..., n_q, n_k)",
    Q="(..., n_q, d_q)",
    K="(..., n_k, d_k)",
    W="(d_q, n_max)",
    b="(n_max,)",
)
def location_vjp(d_scores, Q, K, W, b):
    r"""Go back from location scores to queries and parameters; the keys play no part.

    Parameters
    ----------
    d_scores : array_like
        Derivative of the loss with respect to each score.
    Q, K, W, b
        The arguments of ``Location(W, b)(Q, K)``.

    Returns
    -------
    d_Q, d_K, d_W, d_b : ndarray, same shapes as `Q`, `K`, `W`, `b`
        Derivative of the loss with respect to each entry; all of `d_K` is 0.

    Notes
    -----
    A projection of the queries, of which the first :math:`n_k` columns are used; the other columns
    of W and b get 0:

    .. math:: \q{dQ} = dS \, W^\top, \qquad \k{dK} = 0, \qquad dW = \q{Q}^\top dS, \qquad
              db_j = \sum_i ds_{ij}

    Examples
    --------
    One key, two positions: the second column was not used.

    >>> W, b = [[3, 4]], [0, 0]
    >>> d_Q, d_K, d_W, d_b = location_vjp([[1]], [[2]], [[70]], W, b)
    >>> d_Q, d_W
    (array([[3.]]), array([[2., 0.]]))
    """
    n_k = Location(W, b).positions(K.shape[-2], f"K has shape {K.shape}, so {K.shape[-2]}")
    used = slice(0, n_k)
    d_W, d_b = np.zeros_like(W), np.zeros_like(b)
    d_W[:, used] = summed_products(Q, d_scores)
    d_b[used] = summed_over_rows(d_scores)
    return summed_to(d_scores @ W[:, used].T, Q.shape), np.zeros_like(K), d_W, d_b
