"""Attention: scores, then weights, then output.

`attend` is the whole mechanism, with the score, the normaliser and the mask left open.
`scaled_dot_product_attention` is the choice that transformers made.
"""

import functools

import numpy as np

from attnlib import _shapes
from attnlib.normalizers import softmax
from attnlib.scores import scaled_dot


def attend(Q, K, V, *, score=scaled_dot, normalize=softmax, mask=None):
    r"""Answer each query with a mean of the values, weighted by how well their keys match it.

    Parameters
    ----------
    Q : array_like, shape (..., n_q, d_k)
        Queries, one in each row.
    K : array_like, shape (..., n_k, d_k)
        Keys, one in each row.
    V : array_like, shape (..., n_k, d_v)
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    score : callable, optional
        ``score(Q, K)`` returns the scores, shape (..., n_q, n_k).  It also decides whether a
        query must be as long as a key.
    normalize : callable, optional
        ``normalize(scores)`` returns the weights, in the same shape.  A masked score is -inf.
    mask : array_like of bool, optional
        True where a query may attend to a key.  Its shape broadcasts to (..., n_q, n_k).

    Returns
    -------
    output : ndarray, shape (..., n_q, d_v)
        One answer for each query.
    weights : ndarray, shape (..., n_q, n_k)
        How much each key counted for each query.

    Raises
    ------
    ValueError
        If the shapes do not fit, there are no keys, a number is NaN or infinite, a query may
        attend to nothing, or `score` or `normalize` returns something unusable.
    TypeError
        If an array holds anything but integers and floats, `mask` is not boolean, or `score` or
        `normalize` is not a function.

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
    for function, name in ((score, "score"), (normalize, "normalize")):
        if not callable(function):
            raise TypeError(f"{name} must be a function, not {function!r}. Give it without quotes.")
    Q, K = _shapes.queries_and_keys(Q, K)
    V = _shapes.values(V, Q, K)

    scores = _shapes.returned(score(Q, K), "score", _shapes.scores_shape(Q, K), minus_inf=True)
    scores = _allow(scores, mask)
    weights = _shapes.returned(normalize(scores), "normalize", scores.shape)
    return weights @ V, weights


def scaled_dot_product_attention(Q, K, V, *, mask=None, scale=None):
    r"""Attend with dot products divided by :math:`\sqrt{d_k}`, and softmax.

    Parameters
    ----------
    Q : array_like, shape (..., n_q, d_k)
        Queries, one in each row.
    K : array_like, shape (..., n_k, d_k)
        Keys, one in each row.
    V : array_like, shape (..., n_k, d_v)
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    mask : array_like of bool, optional
        True where a query may attend to a key.  Its shape broadcasts to (..., n_q, n_k).
    scale : float, optional
        The factor on the dot products, :math:`1/\sqrt{d_k}` if not given.

    Returns
    -------
    output : ndarray, shape (..., n_q, d_v)
        One answer for each query.
    weights : ndarray, shape (..., n_q, n_k)
        How much each key counted for each query; each row sums to one.

    Raises
    ------
    ValueError, TypeError
        As for `attend`, and for a `scale` that is not one finite number.

    Notes
    -----
    With softmax along the keys (Vaswani et al. 2017):

    .. math:: \v{Y} = \mathrm{softmax}\left(\frac{\q{Q} \k{K}^\top}{\sqrt{d_k}}\right) \v{V}

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
    return attend(Q, K, V, score=functools.partial(scaled_dot, scale=scale), mask=mask)


def _allow(scores, mask):
    """Return `scores` with -inf where `mask` is False; no query is left without a key."""
    if mask is not None:
        scores = np.where(_shapes.boolean_mask(mask, scores.shape), scores, -np.inf)
    lost = (scores == -np.inf).all(axis=-1)
    _shapes.refuse_lost(lost, "score" if mask is None else "mask", scores.shape)
    return scores
