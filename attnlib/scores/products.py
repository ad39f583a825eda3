"""The scores that learn nothing: dot products, scaled or not."""

import math

import numpy as np

from attnlib import _checks, _shapes


def dot(Q, K):
    r"""Score each pair of query and key by its dot product.

    Parameters
    ----------
    Q : array_like, shape (..., n_q, d_k)
        Queries, one in each row.
    K : array_like, shape (..., n_k, d_k)
        Keys, one in each row.  The leading axes of `Q` and `K` broadcast.

    Returns
    -------
    ndarray, shape (..., n_q, n_k)
        Entry (i, j) is the score of query i and key j.

    Raises
    ------
    ValueError
        If the shapes do not fit, there are no keys, a number is NaN or infinite, or the products
        are too large for the number type.
    TypeError
        If an array holds anything but integers and floats.

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
    Q, K = _shapes.queries_and_keys(Q, K)
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(
            f"Q has shape {Q.shape} and K has shape {K.shape}: a dot product needs rows of equal "
            f"length, not {Q.shape[-1]} and {K.shape[-1]}. Project one of them first."
        )
    with _overflow_is_reported():
        return _in_range(Q @ np.swapaxes(K, -1, -2), Q, K)


def scaled_dot(Q, K, scale=None):
    r"""Score each pair of query and key by its dot product, divided by :math:`\sqrt{d_k}`.

    Parameters
    ----------
    Q : array_like, shape (..., n_q, d_k)
        Queries, one in each row.
    K : array_like, shape (..., n_k, d_k)
        Keys, one in each row.  The leading axes of `Q` and `K` broadcast.
    scale : float, optional
        The factor on the dot products, :math:`1/\sqrt{d_k}` if not given.

    Returns
    -------
    ndarray, shape (..., n_q, n_k)
        Entry (i, j) is the score of query i and key j.

    Raises
    ------
    ValueError
        As for `dot`, and if `scale` is NaN or infinite.
    TypeError
        As for `dot`, and if `scale` is not one real number.

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
    scores = dot(Q, K)
    d_k = np.shape(K)[-1]
    scale = 1 / math.sqrt(d_k) if scale is None else _checks.number(scale, "scale")
    with _overflow_is_reported():
        return _in_range(scores * scale, Q, K)


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

    Raises
    ------
    ValueError
        If a number is below 1.
    TypeError
        If a number is not an integer.

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
    return _checks.count(n_q, "n_q") * _checks.count(n_k, "n_k") * _checks.count(d_k, "d_k")


def _overflow_is_reported():
    """Silence NumPy's own warning where `_in_range` raises an error with a remedy."""
    return np.errstate(over="ignore", invalid="ignore")


def _in_range(scores, Q, K):
    """Return `scores` if none of them left the range of its number type."""
    if not np.isfinite(scores).all():
        raise ValueError(
            f"The scores of Q, shape {np.shape(Q)}, and K, shape {np.shape(K)}, overflow "
            f"{scores.dtype}. Scale Q or K down."
        )
    return scores
