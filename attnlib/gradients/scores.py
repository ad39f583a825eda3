"""Gradients through scaled dot products: from scores back to queries and keys."""

import math

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.gradients._sums import summed_to


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
