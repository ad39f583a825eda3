"""Activations: what a hidden layer does to each of its numbers."""

import math

import numpy as np

from attnlib import _checks
from attnlib._pullbacks import differentiable

_erfc = np.vectorize(math.erfc, otypes=[np.float64])  # NumPy itself has no error function


@differentiable(X=_checks.numbers)
def relu(X):
    r"""Keep what is positive, and make the rest 0.

    Parameters
    ----------
    X : array_like
        Numbers, in any shape.

    Returns
    -------
    ndarray, same shape as `X`, or a number for a number

    Notes
    -----
    The rectifier (Nair and Hinton 2010):

    .. math:: \mathrm{relu}(x) = \max(x, 0)

    Examples
    --------
    >>> relu([-2, 0, 3])
    array([0., 0., 3.])
    """
    Y = np.maximum(X, 0)

    def back(d_Y):
        return d_Y * (X > 0)

    return Y, back


@differentiable(X=_checks.numbers)
def gelu(X):
    r"""Weigh each number by the chance that a standard normal one lies below it.

    Parameters
    ----------
    X : array_like
        Numbers, in any shape.

    Returns
    -------
    ndarray, same shape as `X`, or a number for a number

    Notes
    -----
    With the normal distribution :math:`\Phi` itself, not the approximation by tanh (Hendrycks and
    Gimpel 2016):

    .. math:: \mathrm{gelu}(x) = x \, \Phi(x), \qquad
              \Phi(x) = \tfrac{1}{2} \, \mathrm{erfc}(-x / \sqrt{2})

    Examples
    --------
    Far from 0 it is relu; near 0 it is smooth, and a little below 0 on the left.

    >>> gelu([-3, -1, 0, 1, 3]).round(4)
    array([-0.004 , -0.1587,  0.    ,  0.8413,  2.996 ])
    """
    below = normal_distribution(X)
    Y = X * below

    def back(d_Y):
        density = np.exp(-(X**2) / 2) / math.sqrt(2 * math.pi)
        return d_Y * (below + X * density)

    return Y, back


@differentiable(X=_checks.numbers)
def silu(X):
    r"""Weigh each number by its own sigmoid.

    Parameters
    ----------
    X : array_like
        Numbers, in any shape.

    Returns
    -------
    ndarray, same shape as `X`, or a number for a number

    Notes
    -----
    Also called swish (Hendrycks and Gimpel 2016 name it beside gelu):

    .. math:: \mathrm{silu}(x) = x \, \sigma(x), \qquad \sigma(x) = \frac{1}{1 + e^{-x}}

    Examples
    --------
    Like gelu it is smooth and a little below 0 on the left, but it nears 0 more slowly.

    >>> silu([-3, -1, 0, 1, 3]).round(4)
    array([-0.1423, -0.2689,  0.    ,  0.7311,  2.8577])
    """
    share = sigmoid(X)
    Y = X * share

    def back(d_Y):
        return d_Y * share * (1 + X * sigmoid(-X))

    return Y, back


def sigmoid(X):
    """Return 1 / (1 + exp(-x)) for each entry of `X`, in a form that never overflows."""
    return np.exp(np.minimum(X, 0)) / (1 + np.exp(-np.abs(X)))


def normal_distribution(X):
    """Return the chance that a standard normal number lies below each entry of `X`."""
    return (_erfc(-X / math.sqrt(2)) / 2).astype(X.dtype)


ACTIVATIONS = {"relu": relu, "gelu": gelu, "silu": silu}


def activation_name(x, name):
    """Return the name of an activation if it is known."""
    return _checks.choice(x, name, ACTIVATIONS)
