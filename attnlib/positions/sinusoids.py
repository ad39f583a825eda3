"""Sinusoids: a description of each position that is added to the item that stands there."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked


def above_1(base, name):
    """Return the base of the wavelengths as a float if it is above 1."""
    if not _checks.number(base, name) > 1:
        raise ValueError(f"{name}={base} must be above 1. The usual one is 10000.")
    return float(base)


@checked(n=_checks.count, d_model=_checks.count, base=above_1)
def sinusoidal(n, d_model, base=10000.0):
    r"""Describe each position by sines and cosines, from fast ones to slow ones.

    Parameters
    ----------
    n : int
        Number of positions; they are counted from 0.
    d_model : int
        Length of a description; even, as sines and cosines come in pairs.
    base : float, optional
        Above 1.  The wavelengths grow from :math:`2\pi` towards `base` times that.

    Returns
    -------
    ndarray, shape (n, d_model)
        One description in each row, to be added to the items.

    Notes
    -----
    Columns 2i and 2i + 1 turn with the same frequency (Vaswani et al. 2017):

    .. math:: P_{t,\,2i} = \sin(t \omega_i), \quad P_{t,\,2i+1} = \cos(t \omega_i), \quad
              \omega_i = \mathrm{base}^{-2i / d_{model}}

    Every description has the same length, :math:`\sqrt{d_{model} / 2}`, and the dot product of two
    depends on their distance only: it is :math:`\sum_i \cos((t - s) \omega_i)`.

    Examples
    --------
    At position 0 every sine is 0 and every cosine 1.  At position 1 the first pair has turned by
    one radian, the second by 1/100.

    >>> sinusoidal(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    angles = np.arange(n)[:, None] * frequencies(d_model, base, "d_model")
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


@checked(d_model=_checks.count, base=above_1)
def wavelengths(d_model, base=10000.0):
    r"""Tell after how many positions each pair of a sinusoidal description repeats itself.

    Parameters
    ----------
    d_model, base
        As for `sinusoidal`, with the same errors.

    Returns
    -------
    ndarray, shape (d_model / 2,)
        Wavelengths, counted in positions, from the shortest to the longest.

    Notes
    -----
    .. math:: \lambda_i = 2\pi \, \mathrm{base}^{2i / d_{model}}, \quad
              i = 0, \dots, d_{model}/2 - 1

    The longest is :math:`2\pi \, \mathrm{base}^{1 - 2/d_{model}}`: `base` itself is never reached.

    Examples
    --------
    In units of 2π:

    >>> wavelengths(4) / (2 * np.pi)
    array([  1., 100.])
    """
    return 2 * np.pi / frequencies(d_model, base, "d_model")


@checked(k=_checks.number, d_model=_checks.count, base=above_1)
def sinusoidal_shift(k, d_model, base=10000.0):
    r"""Find the matrix that moves every sinusoidal description by `k` positions.

    Parameters
    ----------
    k : float
        How many positions to move on; negative to move back.
    d_model, base
        As for `sinusoidal`.

    Returns
    -------
    ndarray, shape (d_model, d_model)
        A matrix R with ``sinusoidal(n, d_model)[t] @ R`` equal to the description of t + k.

    Notes
    -----
    By the addition theorems each pair is rotated, by an angle that does not depend on t:

    .. math:: (\sin (t + k)\omega, \ \cos (t + k)\omega) = (\sin t\omega, \ \cos t\omega)
              \begin{pmatrix} \cos k\omega & -\sin k\omega \\ \sin k\omega & \cos k\omega
              \end{pmatrix}

    So a learned matrix can look "three positions back" from anywhere (Vaswani et al. 2017).

    Examples
    --------
    >>> P = sinusoidal(10, 6)
    >>> bool(np.allclose(P[2] @ sinusoidal_shift(5, 6), P[7]))
    True
    """
    angles = k * frequencies(d_model, base, "d_model")
    shift = np.zeros((2 * len(angles), 2 * len(angles)))
    sines = np.arange(0, len(shift), 2)
    shift[sines, sines] = shift[sines + 1, sines + 1] = np.cos(angles)
    shift[sines, sines + 1] = -np.sin(angles)
    shift[sines + 1, sines] = np.sin(angles)
    return shift


def frequencies(d, base, name):
    """Return the d / 2 frequencies, in radians for each position."""
    if d % 2:
        raise ValueError(f"{name}={d} is odd, but sines and cosines come in pairs. Give {d + 1}.")
    return base ** (-np.arange(0, d, 2) / d)
