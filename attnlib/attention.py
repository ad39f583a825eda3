"""Attention: scores, then weights, then output.

`scaled_dot_product_attention` is the choice that transformers made.  `attend` is the whole
mechanism, with the score, the normaliser and the mask left open.
"""

import math

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked, outside, refuse_overflow
from attnlib._pullbacks import differentiable, summed_to
from attnlib._shapes import refuse_lost
from attnlib.normalizers import softmax
from attnlib.normalizers.functions import softmax_in_place
from attnlib.normalizers.gradients import softmax_vjp
from attnlib.scores import scaled_dot
from attnlib.scores.gradients import scaled_dot_vjp

__all__ = ["scaled_dot_product_attention", "attend"]  # noqa: RUF022


@differentiable(
    Q="(..., n_q, d_k)",
    K="(..., n_k, d_k)",
    V="(..., n_k, d_v)",
    mask="bool (..., n_q, n_k)",
    bias="(..., n_q, n_k)",
    scale=_checks.number,
)
def scaled_dot_product_attention(Q, K, V, *, mask=None, bias=None, scale=None):
    r"""Attend with dot products divided by :math:`\sqrt{d_k}`, and softmax.

    Parameters
    ----------
    Q : array_like
        Queries, one in each row.
    K : array_like
        Keys, one in each row.
    V : array_like
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    mask : array_like of bool, optional
        True where a query may attend to a key.
    bias : array_like, optional
        Added to the scores, after the scale: what `linear_bias` says of distances.
    scale : float, optional
        The factor on the dot products, :math:`1/\sqrt{d_k}` by default.

    Returns
    -------
    output : ndarray, shape (..., n_q, d_v)
        One answer for each query.
    weights : ndarray, shape (..., n_q, n_k)
        How much each key counted for each query; each row sums to one.

    Notes
    -----
    With softmax along the keys (Vaswani et al. 2017):

    .. math:: \v{Y} = \mathrm{softmax}\left(\frac{\q{Q} \k{K}^\top}{\sqrt{d_k}}\right) \v{V}

    A bias is added to the fraction; the mask comes after it.

    Examples
    --------
    The scores are log 1 and log 3, so the weights are 1/4 and 3/4, and ¾ of 8 is 6.

    >>> Q, K, V = [[1]], np.log([[1], [3]]), [[0], [8]]
    >>> output, weights = scaled_dot_product_attention(Q, K, V)
    >>> weights.round(6)
    array([[0.25, 0.75]])
    >>> output.round(6)
    array([[6.]])
    """
    scale = 1 / math.sqrt(K.shape[-1]) if scale is None else scale
    scores = Q @ K.mT
    scores *= scale
    scores = scores if bias is None else scores + bias
    refuse_overflow(scores, "the product of a query and a key")  # from here on -inf is "masked"
    scores = masked(scores, mask)
    weights = softmax_in_place(scores)  # another array of all pairs would cost a third of the time
    output = weights @ V

    def back(d_output):
        d_weights, d_V = weighted_sum_vjp(d_output, weights, V)
        d_scores = softmax_vjp(d_weights, weights)
        d_Q, d_K = scaled_dot_vjp(d_scores, Q, K, scale)
        return d_Q, d_K, d_V, None if bias is None else summed_to(d_scores, bias.shape)

    return output, weights, back


@checked(d_output="(..., n_q, d_v)", weights="(..., n_q, n_k)", V="(..., n_k, d_v)")
def weighted_sum_vjp(d_output, weights, V):
    r"""Go back from outputs, which are weighted sums of the values, to weights and values.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of the outputs.
    weights : array_like
        How much each key counted for each query.
    V : array_like
        Values, one for each key.

    Returns
    -------
    d_weights : ndarray, same shape as `weights`
        Derivative of the loss with respect to each weight.
    d_V : ndarray, same shape as `V`
        Derivative of the loss with respect to each entry of the values.

    Notes
    -----
    Weight ij multiplies all components of value j, and value j goes to every query by its weight:

    .. math:: \v{y_{ic}} = \sum_j w_{ij} \v{v_{jc}} \quad \Rightarrow \quad
              dw_{ij} = \sum_c \v{dy_{ic}} \v{v_{jc}}, \qquad
              \v{dv_{jc}} = \sum_i w_{ij} \v{dy_{ic}}

    .. math:: dW = \v{dY} \v{V}^\top, \qquad \v{dV} = W^\top \v{dY}

    The value's gradient is a weighted sum of the outputs' gradients: it comes to each value from
    where the value went.

    Examples
    --------
    Two queries.  The first value went to both by half; the second only to the second query.

    >>> weights, V = [[0.5, 0], [0.5, 1]], [[3], [4]]
    >>> d_weights, d_V = weighted_sum_vjp([[1], [10]], weights, V)
    >>> d_weights
    array([[ 3.,  4.],
           [30., 40.]])
    >>> d_V
    array([[ 5.5],
           [10. ]])
    """
    d_weights = d_output @ V.mT
    d_V = weights.mT @ d_output
    return summed_to(d_weights, weights.shape), summed_to(d_V, V.shape)


@checked(
    Q="(..., n_q, d_q)",
    K="(..., n_k, d_k)",
    V="(..., n_k, d_v)",
    score=_checks.function,
    normalize=_checks.function,
    mask="bool (..., n_q, n_k)",
)
def attend(Q, K, V, *, score=scaled_dot, normalize=softmax, mask=None):
    r"""Answer each query with a mean of the values, weighted by how well their keys match it.

    Parameters
    ----------
    Q : array_like
        Queries, one in each row.
    K : array_like
        Keys, one in each row.
    V : array_like
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    score : callable, optional
        ``score(Q, K)`` returns the scores, shape (..., n_q, n_k).  It also decides whether a
        query must be as long as a key.
    normalize : callable, optional
        ``normalize(scores)`` returns the weights, in the same shape.  A masked score is -inf.
    mask : array_like of bool, optional
        True where a query may attend to a key.

    Returns
    -------
    output : ndarray, shape (..., n_q, d_v)
        One answer for each query.
    weights : ndarray, shape (..., n_q, n_k)
        How much each key counted for each query.

    Raises
    ------
    ValueError
        If `score` or `normalize` returns another shape, or NaN or infinity.

    Notes
    -----
    Three stages, each query by itself (Bahdanau et al. 2015; in matrix form Vaswani et al. 2017):

    .. math:: S = \mathrm{score}(\q{Q}, \k{K}), \qquad W = \mathrm{normalize}(S), \qquad
              \v{Y} = W \v{V}

    A mask acts between the first two: the score of a pair that is not allowed becomes -inf.

    Examples
    --------
    The query is orthogonal to both keys, so the scores are equal and the output is the mean.

    >>> K, V = [[1, 0], [2, 0]], [[10, 20], [30, 60]]
    >>> output, weights = attend([[0, 1]], K, V)
    >>> output
    array([[20., 40.]])
    >>> weights
    array([[0.5, 0.5]])

    Where only the second key may be attended to, the output is its value.

    >>> output, weights = attend([[0, 1]], K, V, mask=[[False, True]])
    >>> output
    array([[30., 60.]])
    """
    pairs = (*np.broadcast_shapes(Q.shape[:-2], K.shape[:-2]), Q.shape[-2], K.shape[-2])
    score = outside(score, "score", pairs, minus_inf=True)
    normalize = outside(normalize, "normalize", pairs)

    scores = masked(score(Q, K), mask)
    refuse_lost(scores.max(axis=-1) == -np.inf, "score" if mask is None else "mask")
    weights = normalize(scores)
    output = weights @ V
    return output, weights


def masked(scores, mask):
    """Return `scores` with -inf where `mask` is False."""
    return scores if mask is None else np.where(mask, scores, -np.inf)
