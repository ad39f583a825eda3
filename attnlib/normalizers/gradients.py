"""Gradients through the normalisers: from weights back to scores."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.normalizers.functions import (
    check_temperature,
    refuse_lost_rows,
    sigmoid_normalize,
)


def refuse_bad_temperature(d_weights, weights, temperature=1.0):
    """Refuse a temperature that is not above 0, or that the number type cannot hold."""
    check_temperature(temperature, weights.dtype)


def refuse_bad_scores(d_weights, scores, temperature=1.0):
    """Refuse what `sigmoid_normalize` refuses."""
    refuse_lost_rows(scores, temperature=temperature)


@checked(
    also=refuse_bad_temperature,
    d_weights="(..., n)",
    weights="(..., n)",
    temperature=_checks.number,
)
def softmax_vjp(d_weights, weights, temperature=1.0):
    r"""Go back from the weights of softmax to the scores.

    Parameters
    ----------
    d_weights : array_like
        Derivative of the loss with respect to each weight.
    weights : array_like
        What `softmax` returned, along its last axis.
    temperature : float, optional
        The same temperature.

    Returns
    -------
    ndarray, shape (..., n)
        Derivative of the loss with respect to each score.

    Notes
    -----
    Score j moves every weight of its row, by :math:`\partial w_i / \partial s_j = \frac{1}{T} w_i
    (\delta_{ij} - w_j)`.  The loss feels all of them:

    .. math:: ds_j = \sum_i dw_i \, \frac{\partial w_i}{\partial s_j}
              = \frac{1}{T} \Big( dw_j \, w_j - \sum_i dw_i \, w_i w_j \Big)

    .. math:: ds_j = \frac{1}{T} \, w_j \Big( dw_j - \sum_i w_i \, dw_i \Big)

    The sum is the mean of ``d_weights`` under the weights: a score rises in use if its weight does
    better than the mean.  So a row of the result sums to 0, a weight of 0 gets 0, and where one
    weight is nearly 1 nothing is left of the gradient.  No n × n Jacobian is made.

    Examples
    --------
    Both weights ½, and only the first matters to the loss: mean ½, so ½(1 − ½) and ½(0 − ½).

    >>> softmax_vjp([1, 0], [0.5, 0.5])
    array([ 0.25, -0.25])
    """
    mean = np.vecdot(weights, d_weights)[..., None]
    return weights * (d_weights - mean) / temperature


@checked(
    also=refuse_bad_temperature,
    d_weights="(..., n)",
    weights="(..., n)",
    temperature=_checks.number,
)
def sparsemax_vjp(d_weights, weights, temperature=1.0):
    r"""Go back from the weights of sparsemax to the scores.

    Parameters
    ----------
    d_weights : array_like
        Derivative of the loss with respect to each weight.
    weights : array_like
        What `sparsemax` returned, along its last axis.
    temperature : float, optional
        The same temperature.

    Returns
    -------
    ndarray, shape (..., n)
        Derivative of the loss with respect to each score.

    Notes
    -----
    Among the positive weights P the Jacobian is :math:`\frac{1}{T} (\delta_{ij} - 1/|P|)`, and 0
    elsewhere (Martins and Astudillo 2016):

    .. math:: ds_j = \frac{1}{T} \Big( dw_j - \frac{1}{|P|} \sum_{i \in P} dw_i \Big) [j \in P]

    The mean is over P and each member counts the same, while in softmax each counts by its weight.

    Examples
    --------
    The third weight is 0, so its derivative does not count: mean ½, and 1 − ½ and 0 − ½.

    >>> sparsemax_vjp([1, 0, 100], [0.75, 0.25, 0])
    array([ 0.5, -0.5,  0. ])
    """
    kept = weights > 0
    n_kept = kept.sum(axis=-1, keepdims=True).astype(weights.dtype)
    if (n_kept == 0).any():
        raise ValueError(
            f"weights of shape {weights.shape} has a row without a positive weight. Give what "
            f"sparsemax returned."
        )
    mean = np.where(kept, d_weights, 0).sum(axis=-1, keepdims=True) / n_kept
    return np.where(kept, d_weights - mean, 0) / temperature


@checked(
    also=refuse_bad_scores,
    d_weights="(..., n)",
    scores="-inf (..., n)",
    temperature=_checks.number,
)
def sigmoid_normalize_vjp(d_weights, scores, temperature=1.0):
    r"""Go back from the weights of `sigmoid_normalize` to the scores.

    Parameters
    ----------
    d_weights : array_like
        Derivative of the loss with respect to each weight.
    scores : array_like
        The scores that `sigmoid_normalize` took, along the last axis; an entry may be -inf.
    temperature : float, optional
        The same temperature.

    Returns
    -------
    ndarray, shape (..., n)
        Derivative of the loss with respect to each score.

    Notes
    -----
    Softmax's derivative with one factor more, the slope that is left to each sigmoid:

    .. math:: ds_j = \frac{1}{T} \, w_j \, (1 - \mathrm{sigmoid}(s_j / T))
              \Big( dw_j - \sum_i w_i \, dw_i \Big)

    A score well above 0 has none left, however small its weight; very negative ones behave as in
    softmax.  The scores are needed, as the weights do not tell where the sigmoids stood.

    Examples
    --------
    Both weights ½ and both sigmoids ½: half of what softmax would give.

    >>> sigmoid_normalize_vjp([1, 0], [0, 0])
    array([ 0.125, -0.125])
    """
    weights = sigmoid_normalize(scores, temperature=temperature)
    room = 1 / (1 + np.exp(scores / temperature))
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * room * (d_weights - mean) / temperature
