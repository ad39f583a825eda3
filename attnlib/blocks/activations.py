"""Activations: what a hidden layer does to each of its numbers."""

import math

import numpy as np

from attnlib import _checks

_erfc = np.vectorize(math.erfc, otypes=[np.float64])  # NumPy itself has no error function


def relu(X):
    r"""Keep what is positive, and make the rest 0.

    Parameters
    ----------
    X : array_like
        Numbers, in any shape.

    Returns
    -------
    ndarray, same shape as `X`, or a number for a number

    Raises
    ------
    ValueError
        If a number is NaN or infinite.
    TypeError
        If `X` holds anything but integers and floats.

    Notes
    -----
    The rectifier (Nair and Hinton 2010):

    .. math:: \mathrm{relu}(x) = \max(x, 0)

    Examples
    --------
    >>> relu([-2, 0, 3])
    array([0., 0., 3.])
    """
    return np.maximum(_numbers(X), 0)


def gelu(X):
    r"""Weigh each number by the chance that a standard normal one lies below it.

    Parameters
    ----------
    X : array_like
        Numbers, in any shape.

    Returns
    -------
    ndarray, same shape as `X`, or a number for a number

    Raises
    ------
    ValueError
        If a number is NaN or infinite.
    TypeError
        If `X` holds anything but integers and floats.

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
    X = _numbers(X)
    return X * normal_distribution(X)


def normal_distribution(X):
    """Return the chance that a standard normal number lies below each entry of `X`."""
    return (_erfc(-X / math.sqrt(2)) / 2).astype(X.dtype)


ACTIVATIONS = {"relu": relu, "gelu": gelu}


def check_activation(activation):
    """Refuse an activation whose name is not known."""
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        raise ValueError(f'activation={activation!r} is unknown. Give "relu" or "gelu".')


def _numbers(X):
    """Return `X` as finite floats."""
    return _checks.finite(_checks.real_array(X, "X"), "X")
