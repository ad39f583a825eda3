"""Gradients through the scores that learn: from scores back to queries, keys and parameters."""

import numpy as np

from attnlib._boundary import checked
from attnlib.gradients._sums import summed_over_rows, summed_products, summed_to
from attnlib.scores import Location


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
