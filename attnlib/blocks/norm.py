"""Layer normalisation: each row by itself gets the mean and the size that were learned for it."""

import numpy as np

from attnlib import _checks, _shapes
from attnlib.parameters import Parameters, holds_parameters, keep


@_checks.reports_overflow
def layer_norm(X, gain=None, bias=None, epsilon=1e-5):
    r"""Shift and stretch each row to mean 0 and variance 1, then to a learned mean and size.

    Parameters
    ----------
    X : array_like, shape (..., n, d)
        Items, one in each row.
    gain : array_like, shape (d,), optional
        Multiplies each component; 1 if not given.
    bias : array_like, shape (d,), optional
        Is added to each component; 0 if not given.
    epsilon : float, optional
        Above 0.  Added to the variance, so that a constant row becomes 0.

    Returns
    -------
    ndarray, shape (..., n, d)
        The normalised items.

    Raises
    ------
    ValueError
        If the shapes do not fit, a number is NaN or infinite, `epsilon` is not above 0, or the
        variance is too large for the number type.
    TypeError
        If an array holds anything but integers and floats, or `epsilon` is not a number.

    Notes
    -----
    Each row x by itself, over its d components (Ba et al. 2016):

    .. math:: \mu = \frac{1}{d} \sum_c x_c, \qquad
              \sigma = \sqrt{\frac{1}{d} \sum_c (x_c - \mu)^2 + \varepsilon}

    .. math:: y_c = \text{gain}_c \, \frac{x_c - \mu}{\sigma} + \text{bias}_c

    Examples
    --------
    The row has mean 3 and deviations of 2 to both sides.

    >>> layer_norm([[1, 5]]).round(4)
    array([[-1.,  1.]])
    >>> layer_norm([[1, 5]], gain=[10, 10], bias=[0, 7]).round(3)
    array([[-10.,  17.]])
    """
    Z, _ = standardized(X, epsilon)
    gain = 1 if gain is None else _row_parameter(gain, "gain", Z)
    bias = 0 if bias is None else _row_parameter(bias, "bias", Z)
    return gain * Z + bias


def standardized(X, epsilon):
    """Return the rows of `X` with mean 0 and variance 1, and sigma, by which they were divided."""
    X = _shapes.matrix(X, "X", "(..., n, d)")
    epsilon = _positive(epsilon, X.dtype)
    centred = X - X.mean(axis=-1, keepdims=True)
    centred = centred - centred.mean(axis=-1, keepdims=True)  # what rounding left of the mean
    variance = (centred**2).mean(axis=-1, keepdims=True)
    if not np.isfinite(variance).all():
        raise ValueError(f"the variance of X, shape {X.shape}, overflows {X.dtype}. Scale X down.")
    sigma = np.sqrt(variance + epsilon)
    return centred / sigma, sigma


def _row_parameter(x, name, rows):
    """Return `x` with one number for each component of a row."""
    why = f"X has shape {rows.shape}, one number for each component of a row"
    return _shapes.shaped(x, name, rows.shape[-1:], why)


@holds_parameters
class LayerNorm(Parameters):
    r"""A layer normalisation with its learned gain and bias.

    Parameters
    ----------
    gain : array_like, shape (d,)
        Multiplies each component.
    bias : array_like, shape (d,)
        Is added to each component.
    epsilon : float, optional
        Above 0.  Added to the variance.

    Raises
    ------
    ValueError
        If the shapes do not fit, a number is NaN or infinite, or `epsilon` is not above 0.
    TypeError
        If an array holds anything but integers and floats, or `epsilon` is not a number.

    Notes
    -----
    Called with X, shape (..., n, d), it returns `layer_norm` of it, and raises the same errors:

    .. math:: y_c = \text{gain}_c \, \frac{x_c - \mu}{\sigma} + \text{bias}_c

    Examples
    --------
    >>> norm = LayerNorm(gain=[10, 10], bias=[0, 7])
    >>> norm([[1, 5]]).round(3)
    array([[-10.,  17.]])
    """

    gain: np.ndarray
    bias: np.ndarray
    epsilon: float = 1e-5

    def __post_init__(self):
        gain = _shapes.shaped(self.gain, "gain", ("d",), "one number for each component of a row")
        why = f"gain has shape {gain.shape}, and bias is as long"
        bias = _shapes.shaped(self.bias, "bias", gain.shape, why)
        keep(self, gain=gain, bias=bias, epsilon=_positive(self.epsilon, gain.dtype))

    @classmethod
    def initial(cls, d):
        """Make the normalisation with which training starts: gain 1, bias 0, for rows of length d.

        Raises
        ------
        ValueError
            If `d` is below 1.
        TypeError
            If `d` is not an integer.
        """
        d = _checks.count(d, "d")
        return cls(np.ones(d), np.zeros(d))

    def __call__(self, X):
        """Normalise the rows of ``X``, shape (..., n, d)."""
        return layer_norm(X, self.gain, self.bias, self.epsilon)


def _positive(epsilon, dtype):
    """Return `epsilon` as a float above 0 that `dtype` can hold."""
    return _checks.positive(epsilon, "epsilon", dtype, "The usual one is 1e-5.")
