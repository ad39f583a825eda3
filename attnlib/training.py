"""Training: a loss, the steps of Adam, and what keeps these steps from being too large.

The gradients in between are in `attnlib.gradients`.
"""

import math

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked, refuse_overflow

__all__ = ["cross_entropy", "clip_by_norm", "adam", "rate_share"]  # noqa: RUF022

BETA_1, BETA_2, TINY = 0.9, 0.999, 1e-8


def refuse_wrong_indices(scores, wanted):
    """Refuse anything but one index into each row of scores."""
    if not wanted.size or wanted.shape != scores.shape[:-1]:
        raise ValueError(
            f"wanted has shape {wanted.shape}, but scores has shape {scores.shape}. Give one index "
            f"for each row of scores, and at least one row."
        )
    n = scores.shape[-1]
    if not 0 <= wanted.min() <= wanted.max() < n:
        raise ValueError(f"wanted must hold indices into rows of scores, from 0 to {n - 1}.")


@checked(also=refuse_wrong_indices, scores="(..., n_options)", wanted=_checks.integers)
def cross_entropy(scores, wanted):
    r"""Say how surprising the wanted options are, and how each score would have to change.

    Parameters
    ----------
    scores : array_like
        Scores of the options, a row for each choice; softmax makes chances of them.
    wanted : array_like of int, shape (...)
        For each row, the index of the option that should have been likely.

    Returns
    -------
    loss : float
        Mean surprisal of the wanted options, in nats.
    d_scores : ndarray, shape (..., n_options)
        Derivative of the loss with respect to each score.

    Notes
    -----
    With n rows, the chances :math:`p_t = \mathrm{softmax}(s_t)` and the wanted options
    :math:`w_t`:

    .. math:: \mathrm{loss} = -\frac{1}{n} \sum_t \ln p_{t w_t}, \qquad
              ds_{tj} = \frac{1}{n} \left( p_{tj} - [j = w_t] \right)

    Examples
    --------
    The chances are 1/4 and 3/4; the second option was wanted, so the loss is ln 4/3.

    >>> loss, d_scores = cross_entropy(np.log([[1, 3]]), [1])
    >>> round(loss, 6), d_scores.round(6)
    (0.287682, array([[ 0.25, -0.25]]))
    """
    below = scores - scores.max(axis=-1, keepdims=True)
    log_p = below - np.log(np.exp(below).sum(axis=-1, keepdims=True))
    is_wanted = wanted[..., None] == np.arange(scores.shape[-1])
    loss = -log_p[is_wanted].mean()
    refuse_overflow(np.asarray(loss), "the loss")
    return float(loss), (np.exp(log_p) - is_wanted) / wanted.size


def by_name(arrays, name):
    """Return a dict of arrays, ready to use."""
    if not isinstance(arrays, dict):
        raise TypeError(f"{name} must be a dict of arrays by name, not {arrays!r}.")
    return {key: _checks.numbers(array, f"{name}[{key!r}]") for key, array in arrays.items()}


def above_0(x, name):
    """Return `x` as a float above 0."""
    return _checks.positive(x, name, np.dtype(float), "Give, say, 1.0.")


@checked(gradients=by_name, largest=above_0)
def clip_by_norm(gradients, largest=1.0):
    r"""Shorten the gradient, all parameters together, where it is longer than `largest`.

    Parameters
    ----------
    gradients : dict of str to array_like
        The derivative of the loss with respect to each parameter, by name.
    largest : float, optional
        Above 0.  The largest length that is left as it is.

    Returns
    -------
    clipped : dict of str to ndarray
        The gradient, in the same direction.
    norm : float
        Its length before.

    Notes
    -----
    One row that goes wrong can make the gradient so long that a single step undoes what was
    learned (Pascanu et al. 2013).  With the length over the entries of all arrays:

    .. math:: d \leftarrow d \cdot \min\left(1, \frac{\text{largest}}{\|d\|}\right), \qquad
              \|d\| = \sqrt{\sum_i d_i^2}

    Examples
    --------
    The length is 5; in the second call it becomes 1.

    >>> clip_by_norm({"W": [[3.0, 0.0]], "b": [4.0]}, largest=10)
    ({'W': array([[3., 0.]]), 'b': array([4.])}, 5.0)
    >>> clip_by_norm({"W": [[3.0, 0.0]], "b": [4.0]})
    ({'W': array([[0.6, 0. ]]), 'b': array([0.8])}, 5.0)
    """
    squares = (np.square(d, dtype=np.float64).sum() for d in gradients.values())
    norm = math.sqrt(sum(squares))
    if norm == math.inf:
        raise ValueError("the norm of gradients overflows float64. Scale the loss down.")
    share = min(1.0, largest / norm) if norm else 1.0
    return {name: d * share for name, d in gradients.items()}, norm


def refuse_other_means(p, mean, square, **_):
    """Refuse running means of another shape than the parameter, and a mean square below 0."""
    for name, array in {"mean": mean, "square": square}.items():
        if array.shape != p.shape:
            raise ValueError(
                f"{name} has shape {array.shape}, but p has shape {p.shape}. Begin with zeros of "
                f"the shape of p."
            )
    if (square < 0).any():
        raise ValueError("square is below 0, but is a mean of squares. Begin with zeros.")


@checked(
    also=refuse_other_means,
    p="(...)",
    d_p="(...)",
    mean=_checks.numbers,
    square=_checks.numbers,
    t=_checks.count,
    rate=above_0,
)
def adam(p, d_p, mean, square, t, rate):
    r"""Take one step of Adam with one parameter.

    Parameters
    ----------
    p : array_like
        The parameter, in any shape.
    d_p : array_like
        The derivative of the loss with respect to each entry.
    mean, square : array_like
        The running means of the derivative and of its square that the last step returned; zeros
        at first.
    t : int
        Number of the step, counted from 1.
    rate : float
        Above 0.  About how far a step moves each entry.

    Returns
    -------
    p, mean, square : ndarray, same shape as `p`
        The same after the step.

    Notes
    -----
    Kingma and Ba 2015, with their :math:`\beta_1 = 0.9`, :math:`\beta_2 = 0.999` and
    :math:`\varepsilon = 10^{-8}`; squares and roots are of each entry by itself:

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) \, dp, \qquad
              s \leftarrow \beta_2 s + (1 - \beta_2) \, dp^2

    .. math:: p \leftarrow p - \text{rate} \cdot
              \frac{m / (1 - \beta_1^t)}{\sqrt{s / (1 - \beta_2^t)} + \varepsilon}

    The means begin at 0, so they are too small at first; the divisions make up for it.

    Examples
    --------
    The first step moves each entry by the rate, however small its derivative is:

    >>> zeros = [0, 0]
    >>> p, *_ = adam([1, 1], [100, -0.01], zeros, zeros, t=1, rate=0.5)
    >>> p.round(4)
    array([0.5, 1.5])
    """
    mean = BETA_1 * mean + (1 - BETA_1) * d_p
    square = BETA_2 * square + (1 - BETA_2) * d_p**2
    size = np.sqrt(square / (1 - BETA_2**t)) + TINY
    return p - rate * (mean / (1 - BETA_1**t)) / size, mean, square


def refuse_later_steps(step, steps, **_):
    """Refuse a step that is not one of all steps."""
    if step >= steps:
        raise ValueError(f"step={step} is counted from 0 of steps={steps}. Give less.")


def from_0(n, name):
    """Return `n` as an int that is at least 0."""
    return _checks.count(n, name, least=0)


@checked(
    also=refuse_later_steps, step=from_0, steps=_checks.count, warm_up=from_0, decay=_checks.boolean
)
def rate_share(step, steps, warm_up=0, decay=True):
    r"""Tell which share of the largest rate a step takes: it rises evenly, then falls to 0.

    Parameters
    ----------
    step : int
        Number of the step, counted from 0.
    steps : int
        Number of all steps.
    warm_up : int, optional
        Number of steps in which the rate rises.
    decay : bool, optional
        Whether it falls afterwards, along half a cosine, or stays.

    Returns
    -------
    float
        Between 0 and 1, to be multiplied by the largest rate.

    Notes
    -----
    The running means of Adam know little at first, so the first steps are small (Vaswani et al.
    2017 have a warm-up as well; the cosine is that of Loshchilov and Hutter 2017).  With k steps of
    warm-up among n, for step t:

    .. math:: \frac{t + 1}{k} \text{ for } t < k, \qquad
              \frac{1}{2} \left( 1 + \cos \left( \pi \, \frac{t - k}{n - k} \right) \right)
              \text{ from } k \text{ on}

    Examples
    --------
    >>> [round(rate_share(step, 5, warm_up=2), 2) for step in range(5)]
    [0.5, 1.0, 1.0, 0.75, 0.25]
    """
    if step < warm_up:
        return (step + 1) / warm_up
    done = (step - warm_up) / (steps - warm_up)
    return (1 + math.cos(math.pi * done)) / 2 if decay else 1.0
