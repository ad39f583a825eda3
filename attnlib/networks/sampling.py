"""Sampling: masks that say which options may be drawn, before softmax makes chances of scores."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.normalizers import softmax
from attnlib.normalizers.functions import refuse_lost_rows


def refuse_bad_rows(scores, temperature=1.0, **_):
    """Refuse scores of which a row rules out everything, and a bad temperature."""
    refuse_lost_rows(scores, temperature=temperature)


@checked(also=refuse_bad_rows, scores="-inf (..., n_options)", k=_checks.count)
def top_k(scores, k):
    r"""Allow the `k` options with the highest scores of each row.

    Parameters
    ----------
    scores : array_like
        Scores of the options, a row for each choice.
    k : int
        How many may be drawn; from `n_options` on it rules out nothing.

    Returns
    -------
    ndarray of bool, shape (..., n_options)
        True where an option may be drawn.

    Notes
    -----
    Among equal scores the first are allowed (Fan et al. 2018):

    .. math:: M_i = \text{True} \iff s_i \text{ is one of the } k \text{ highest}

    Examples
    --------
    >>> top_k([2, 7, 1, 5], 2)
    array([False,  True, False,  True])
    """
    return back_in_place(np.arange(scores.shape[-1]) < k, from_highest(scores))


def share(x, name):
    """Return `x` as a float above 0 and at most 1."""
    if not 0 < _checks.number(x, name) <= 1:
        raise ValueError(f"{name}={x} must be above 0 and at most 1. Give, say, 0.9.")
    return float(x)


@checked(also=refuse_bad_rows, scores="-inf (..., n_options)", p=share, temperature=_checks.number)
def top_p(scores, p, temperature=1.0):
    r"""Allow the likeliest options of each row, until they have the chance `p` together.

    Parameters
    ----------
    scores : array_like
        Scores of the options, a row for each choice.
    p : float
        Above 0, at most 1, which rules out nothing.
    temperature : float, optional
        Above 0.  What scores are divided by before softmax.

    Returns
    -------
    ndarray of bool, shape (..., n_options)
        True where an option may be drawn.

    Notes
    -----
    Nucleus sampling (Holtzman et al. 2020): with the chances from the highest to the lowest, the
    fewest that reach p,

    .. math:: M_{(i)} = \text{True} \iff \sum_{j < i} p_{(j)} < p, \qquad
              p_{(1)} \ge p_{(2)} \ge \dots, \quad
              p_i = \mathrm{softmax}(s / T)_i

    So many may be drawn where the model is unsure, and few where it is sure.

    Examples
    --------
    The chances are 0.5, 0.3 and 0.2; the first two reach 0.7.

    >>> top_p(np.log([5, 3, 2]), 0.7)
    array([ True,  True, False])
    """
    order = from_highest(scores)
    chances = np.take_along_axis(softmax(scores, temperature=temperature), order, axis=-1)
    before = chances.cumsum(axis=-1) - chances
    tiny = np.finfo(chances.dtype).eps * chances.shape[-1] ** 0.5  # what the sums are off by
    return back_in_place((before < max(p - tiny, tiny)) | (p == 1), order)


def from_highest(scores):
    """Return the indices of each row of scores, from the highest to the lowest."""
    return np.argsort(-scores, axis=-1, kind="stable")


def back_in_place(mask, order):
    """Return a mask of options in their own order, of one of options in `order`."""
    result = np.empty(order.shape, bool)
    np.put_along_axis(result, order, np.broadcast_to(mask, order.shape), axis=-1)
    return result
