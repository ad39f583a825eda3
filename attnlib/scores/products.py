"""The scores that learn nothing: dot products, scaled or not."""

import math

from attnlib import _checks
from attnlib._boundary import checked


@checked(Q="(..., n_q, d_k)", K="(..., n_k, d_k)")
def dot(Q, K):
    r"""Score each pair of query and key by its dot product.

    Parameters
    ----------
    Q : array_like
        Queries, one in each row.
    K : array_like
        Keys, one in each row.  The leading axes of `Q` and `K` broadcast.

    Returns
    -------
    ndarray, shape (..., n_q, n_k)
        Entry (i, j) is the score of query i and key j.

    Notes
    -----
    All pairs at once are one matrix product (Luong et al. 2015):

    .. math:: s_{ij} = \q{q_i} \cdot \k{k_j}, \qquad S = \q{Q} \k{K}^\top

    Examples
    --------
    One query, two keys: 1·3 + 2·4 = 11 and 1·5 + 2·6 = 17.

    >>> dot([[1, 2]], [[3, 4], [5, 6]])
    array([[11., 17.]])
    """
    return Q @ K.mT


@checked(Q="(..., n_q, d_k)", K="(..., n_k, d_k)", scale=_checks.number)
def scaled_dot(Q, K, scale=None):
    r"""Score each pair of query and key by its dot product, divided by :math:`\sqrt{d_k}`.

    Parameters
    ----------
    Q : array_like
        Queries, one in each row.
    K : array_like
        Keys, one in each row.  The leading axes of `Q` and `K` broadcast.
    scale : float, optional
        The factor on the dot products, :math:`1/\sqrt{d_k}` by default.

    Returns
    -------
    ndarray, shape (..., n_q, n_k)
        Entry (i, j) is the score of query i and key j.

    Notes
    -----
    If the entries of a query and a key are independent, with mean 0 and variance 1, then their
    dot product has variance :math:`d_k`, and the scaled score has variance 1 (Vaswani et al.
    2017):

    .. math:: s_{ij} = \frac{\q{q_i} \cdot \k{k_j}}{\sqrt{d_k}}

    Examples
    --------
    The dot product is 4 and :math:`d_k` is 4, so the score is 4/√4 = 2.  With a scale of ¼ it is 1.

    >>> scaled_dot([[1, 1, 1, 1]], [[1, 1, 1, 1]])
    array([[2.]])
    >>> scaled_dot([[1, 1, 1, 1]], [[1, 1, 1, 1]], scale=0.25)
    array([[1.]])
    """
    scale = 1 / math.sqrt(K.shape[-1]) if scale is None else scale
    return Q @ K.mT * scale


@checked(n_q=_checks.count, n_k=_checks.count, d_k=_checks.count)
def dot_cost(n_q, n_k, d_k):
    r"""Count the multiply-adds of all dot products between queries and keys.

    Parameters
    ----------
    n_q, n_k : int
        Number of queries and of keys.
    d_k : int
        Length of a query and of a key.

    Returns
    -------
    int
        Multiply-adds: one multiplication and one addition together count as one.

    Notes
    -----
    A product of two numbers, added to a running sum, for each pair and each component:

    .. math:: n_q \, n_k \, d_k

    `scaled_dot` multiplies each of the :math:`n_q n_k` scores once more, which this leaves out, as
    it leaves out the softmax.

    Examples
    --------
    2 queries and 3 keys make 6 pairs of 4 components each.

    >>> dot_cost(2, 3, 4)
    24
    """
    return n_q * n_k * d_k
