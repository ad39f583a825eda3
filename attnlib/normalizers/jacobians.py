"""Jacobians of the normalisers: how each weight answers to each score."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.normalizers.functions import refuse_lost_rows, sigmoid_normalize, softmax, sparsemax


@checked(also=refuse_lost_rows, scores="-inf (..., n)", temperature=_checks.number)
def softmax_jacobian(scores, temperature=1.0):
    r"""Differentiate each softmax weight with respect to each score, along the last axis.

    Parameters
    ----------
    scores, temperature
        As for `softmax`; the scores of one row, shape (..., n), are along the last axis.

    Returns
    -------
    ndarray, shape (..., n, n)
        Entry (i, j) is the derivative of weight i with respect to score j: a row for each weight, a
        column for each score.

    Notes
    -----
    .. math:: \frac{\partial w_i}{\partial s_j} = \frac{1}{T} \, w_i (\delta_{ij} - w_j)

    Column j says what all weights do when score j rises.  It sums to 0, because what one weight
    gains the others lose.  Row i says how weight i answers to each score.  It sums to 0, because
    adding a constant to all scores changes nothing.

    Examples
    --------
    Both weights are ½, so the entries are ½(1 − ½) on the diagonal and ½(0 − ½) beside it.  When
    score 1 rises (first column), weight 1 gains what weight 2 loses.

    >>> softmax_jacobian([0, 0])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    w = softmax(scores, temperature=temperature)
    delta = np.eye(w.shape[-1], dtype=w.dtype)
    return w[..., :, None] * (delta - w[..., None, :]) / temperature


@checked(also=refuse_lost_rows, scores="-inf (..., n)", temperature=_checks.number)
def sparsemax_jacobian(scores, temperature=1.0):
    r"""Differentiate each sparsemax weight with respect to each score, along the last axis.

    Parameters
    ----------
    scores, temperature
        As for `sparsemax`; the scores of one row, shape (..., n), are along the last axis.

    Returns
    -------
    ndarray, shape (..., n, n)
        Entry (i, j) is the derivative of weight i with respect to score j: a row for each weight, a
        column for each score.

    Notes
    -----
    Let P be the set of the positive weights, with :math:`|P|` members (Martins and Astudillo
    2016).  Inside it a score lifts its own weight and, through the threshold, lowers all weights
    equally; outside it nothing happens:

    .. math:: \frac{\partial w_i}{\partial s_j} = \frac{1}{T}
              \left(\delta_{ij} - \frac{1}{|P|}\right) [i \in P] \, [j \in P]

    The amounts of the weights do not appear: within P all pairs look alike.  At a score that has
    just reached weight 0 the function has a corner, and this is the slope on the side of 0.

    Examples
    --------
    The third weight is 0, so it neither answers nor matters.  The first two share what there is.

    >>> sparsemax_jacobian([1, 0.5, -1])
    array([[ 0.5, -0.5,  0. ],
           [-0.5,  0.5,  0. ],
           [ 0. ,  0. ,  0. ]])
    """
    w = sparsemax(scores, temperature=temperature)
    kept = (w > 0).astype(w.dtype)
    delta = np.eye(w.shape[-1], dtype=w.dtype)
    pairs = kept[..., :, None] * kept[..., None, :]
    share = pairs / kept.sum(axis=-1)[..., None, None]
    return (pairs * delta - share) / temperature


@checked(also=refuse_lost_rows, scores="-inf (..., n)", temperature=_checks.number)
def sigmoid_normalize_jacobian(scores, temperature=1.0):
    r"""Differentiate the weights of `sigmoid_normalize` with respect to the scores.

    Parameters
    ----------
    scores, temperature
        As for `sigmoid_normalize`; the scores of one row, shape (..., n), are along the last axis.

    Returns
    -------
    ndarray, shape (..., n, n)
        Entry (i, j) is the derivative of weight i with respect to score j: a row for each weight, a
        column for each score.

    Notes
    -----
    Write :math:`g_j = \mathrm{sigmoid}(s_j / T)`; its derivative is :math:`g_j (1 - g_j) / T`.
    With :math:`w_i = g_i / \sum_j g_j` the quotient rule gives

    .. math:: \frac{\partial w_i}{\partial s_j} = \frac{1}{T} \,
              (\delta_{ij} - w_i) \, w_j \, (1 - g_j)

    A column sums to 0, as for softmax.  A row in general does not: a constant added to all scores
    changes the weights.

    Examples
    --------
    Both weights are ½ and both sigmoids ½, so the entries are ±½ · ½ · ½.

    >>> sigmoid_normalize_jacobian([0, 0])
    array([[ 0.125, -0.125],
           [-0.125,  0.125]])
    """
    w = sigmoid_normalize(scores, temperature=temperature)
    delta = np.eye(w.shape[-1], dtype=w.dtype)
    room = 1 / (1 + np.exp(scores / temperature))  # 1 - sigmoid, 0 where exp leaves the range
    return (delta - w[..., :, None]) * (w * room)[..., None, :] / temperature
