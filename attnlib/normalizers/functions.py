"""Softmax and its relatives: each turns a row of scores into weights."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked


def refuse_lost_rows(scores, axis=-1, temperature=1.0):
    """Refuse scores of which a whole row is -inf, an axis that they lack, and a bad temperature."""
    if not -scores.ndim <= axis < scores.ndim or scores.shape[axis] == 0:
        raise ValueError(
            f"scores has shape {scores.shape} and axis={axis}: there is nothing along this axis. "
            f"Give scores, and choose one of their {scores.ndim} axes."
        )
    lost = (scores == -np.inf).all(axis=axis)
    if lost.any():
        index = [str(i) for i in _checks.first_index(lost)]
        index.insert(axis % scores.ndim, ":")
        raise ValueError(
            f"scores[{', '.join(index)}] is -inf throughout (scores has shape {scores.shape}): "
            f"there is nothing to attend to. Leave at least one score finite."
        )
    check_temperature(temperature, scores.dtype)


def check_temperature(temperature, dtype):
    """Refuse a temperature that is not above 0, or that `dtype` cannot hold."""
    remedy = "Give a small positive number for sharp weights, or use hardmax."
    _checks.positive(temperature, "temperature", dtype, remedy)


@checked(
    also=refuse_lost_rows, scores="-inf (...)", axis=_checks.integer, temperature=_checks.number
)
def softmax(scores, axis=-1, temperature=1.0):
    r"""Turn scores into positive weights that sum to one; a higher score gets a larger weight.

    Parameters
    ----------
    scores : array_like
        Scores, in any shape.  An entry may be -inf: its weight is exactly 0.
    axis : int, optional
        The axis along which the weights sum to one: the keys, so the last.
    temperature : float, optional
        Above 0.  A small one sharpens the weights, a large one evens them out.

    Returns
    -------
    ndarray, same shape as `scores`
        Weights.

    Notes
    -----
    Softmax (Bridle 1990), with a temperature :math:`T` (Hinton et al. 2015):

    .. math:: w_i = \frac{\exp(s_i / T)}{\sum_j \exp(s_j / T)}

    The largest score is subtracted first: this cancels in the fraction, and no exponential can
    overflow.

    Examples
    --------
    The exponentials of log 1 and log 3 are 1 and 3, so the weights are 1/4 and 3/4.

    >>> softmax(np.log([1, 3])).round(6)
    array([0.25, 0.75])
    """
    powers = np.exp(below_max(scores, axis) / temperature)
    return powers / powers.sum(axis=axis, keepdims=True)


def softmax_in_place(scores):
    """Write the softmax of each row over the scores."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


@checked(
    also=refuse_lost_rows, scores="-inf (...)", axis=_checks.integer, temperature=_checks.number
)
def sparsemax(scores, axis=-1, temperature=1.0):
    r"""Turn scores into weights that sum to one, with exact zeros for scores far from the best.

    Parameters
    ----------
    scores, axis, temperature
        As for `softmax`.

    Returns
    -------
    ndarray, same shape as `scores`
        Weights.

    Notes
    -----
    The weights are the point of the probability simplex nearest to the scores (Martins and
    Astudillo 2016).  Every score is lowered by one threshold, and what falls below 0 is cut off:

    .. math:: w_i = \max\left(\frac{s_i}{T} - \tau, 0\right), \quad
              \tau \text{ such that } \sum_i w_i = 1

    Examples
    --------
    Lowered by 0.25, the two largest scores sum to one; the third falls below 0.

    >>> sparsemax([1, 0.5, -1])
    array([0.75, 0.25, 0.  ])
    """
    z = np.moveaxis(below_max(scores, axis) / temperature, axis, -1)
    # The largest is now 0 and gets weight 1 at most, so all that is not above -1 gets none.
    ordered = np.flip(np.sort(np.maximum(z, -1)), axis=-1)
    totals = ordered.cumsum(axis=-1)
    k = np.arange(1, z.shape[-1] + 1, dtype=z.dtype)
    n_kept = (1 + k * ordered > totals).sum(axis=-1, keepdims=True)
    threshold = (np.take_along_axis(totals, n_kept - 1, axis=-1) - 1) / n_kept.astype(z.dtype)
    return np.moveaxis(np.maximum(z - threshold, 0), -1, axis)


@checked(
    also=refuse_lost_rows, scores="-inf (...)", axis=_checks.integer, temperature=_checks.number
)
def sigmoid_normalize(scores, axis=-1, temperature=1.0):
    r"""Squash each score to between 0 and 1 by itself, then divide by the sum.

    Parameters
    ----------
    scores, axis, temperature
        As for `softmax`.

    Returns
    -------
    ndarray, same shape as `scores`
        Weights.

    Notes
    -----
    .. math:: w_i = \frac{\mathrm{sigmoid}(s_i / T)}{\sum_j \mathrm{sigmoid}(s_j / T)}

    .. math:: \mathrm{sigmoid}(x) = \frac{1}{1 + e^{-x}} = \frac{e^{\min(x, 0)}}{1 + e^{-|x|}}

    The last form never overflows.  Where all scores of a row are very negative, all numerators
    would be 0; so they are scaled until the largest is 1, which cancels in the fraction.

    Examples
    --------
    sigmoid(log 3) is 3/4 and sigmoid(0) is 1/2, so the weights are 3/5 and 2/5.

    >>> sigmoid_normalize([np.log(3), 0]).round(6)
    array([0.6, 0.4])
    """
    numerators = np.exp(below_max(np.minimum(scores, 0), axis) / temperature)
    sigmoids = numerators / (1 + np.exp(-np.abs(scores) / temperature))
    return sigmoids / sigmoids.sum(axis=axis, keepdims=True)


@checked(
    also=refuse_lost_rows, scores="-inf (...)", axis=_checks.integer, temperature=_checks.number
)
def hardmax(scores, axis=-1, temperature=1.0):
    r"""Give the largest score the weight one and every other score zero.

    Parameters
    ----------
    scores, axis, temperature
        As for `softmax`.  Here the temperature changes nothing.

    Returns
    -------
    ndarray, same shape as `scores`
        Weights.

    Notes
    -----
    .. math:: w_i = 1 \text{ if } i = \arg\max_j s_j, \text{ else } 0

    Among equal scores the first wins.  Where the largest score has no equal, this is the limit of
    `softmax` as the temperature goes to 0.

    Examples
    --------
    The two sevens tie, and the first of them wins.

    >>> hardmax([2, 7, 7, 1])
    array([0., 1., 0., 0.])
    """
    weights = np.zeros_like(scores)
    np.put_along_axis(weights, scores.argmax(axis=axis, keepdims=True), 1, axis=axis)
    return weights


def below_max(scores, axis):
    """Return how far each score lies below the largest of its row."""
    return scores - scores.max(axis=axis, keepdims=True)
