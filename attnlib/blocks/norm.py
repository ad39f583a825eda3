"""Normalisations: give each row the size, or mean and size, that were learned for all rows."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._pullbacks import differentiable, gathered, summed_over_rows
from attnlib._shapes import Shape
from attnlib.parameters import Parameters


def refuse_bad_epsilon(X, epsilon=1e-5, **_):
    """Refuse an epsilon that is not above 0, or that the number type of `X` cannot hold."""
    _checks.positive(epsilon, "epsilon", X.dtype, "The usual one is 1e-5.")


@differentiable(
    also=refuse_bad_epsilon, X="(..., n, d)", gain="(d,)", bias="(d,)", epsilon=_checks.number
)
def layer_norm(X, gain=None, bias=None, epsilon=1e-5):
    r"""Shift and stretch each row to mean 0 and variance 1, then to a learned mean and size.

    Parameters
    ----------
    X : array_like
        Items, one in each row.
    gain : array_like, optional
        Multiplies each component; 1 by default.
    bias : array_like, optional
        Added to each component; 0 by default.
    epsilon : float, optional
        Above 0.  Added to the variance, so that a constant row becomes 0.

    Returns
    -------
    ndarray, shape (..., n, d)
        The normalised items.

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
    Z = X - X.mean(axis=-1, keepdims=True)
    Z -= Z.mean(axis=-1, keepdims=True)  # what rounding left of the mean
    sigma = root_mean_square(Z, epsilon, "variance", X)
    Z /= sigma
    Y = (1 if gain is None else gain) * Z + (0 if bias is None else bias)

    def back(d_Y):
        d_gain, d_bias = summed_over_rows(d_Y * Z), summed_over_rows(d_Y)
        d_Z = d_Y if gain is None else d_Y * gain
        shift = d_Z.mean(axis=-1, keepdims=True)
        stretch = mean_product(Z, d_Z)
        return (d_Z - shift - Z * stretch) / sigma, d_gain, d_bias

    return Y, back


def mean_product(A, B):
    """Return the mean over the entries of a row of `A`, each times that of `B`, as a column."""
    return np.vecdot(A, B)[..., None] / A.shape[-1]


def root_mean_square(A, epsilon, name, X):
    """Return the root of the mean square of each row of `A`, made of `X`, with epsilon in it."""
    mean_square = mean_product(A, A)
    if not _checks.is_finite(mean_square):  # the result would be 0, and look right
        raise ValueError(f"the {name} of X, shape {X.shape}, overflows {X.dtype}. Scale X down.")
    return np.sqrt(mean_square + epsilon)


class LayerNorm(Parameters):
    r"""A layer normalisation with its learned gain and bias.

    Parameters
    ----------
    gain : array_like
        Multiplies each component.
    bias : array_like
        Added to each component.
    epsilon : float, optional
        Above 0.  Added to the variance.

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

    gain: Shape("(d,)")
    bias: Shape("(d,)")
    epsilon: _checks.number = 1e-5

    def __post_init__(self):
        super().__post_init__()
        refuse_bad_epsilon(self.gain, self.epsilon)

    @classmethod
    @checked(d=_checks.count)
    def initial(cls, d):
        """Make the normalisation with which training starts, for rows of length d."""
        return cls(np.ones(d), np.zeros(d))

    @differentiable(X="(..., n, d)")
    def __call__(self, X):
        """Normalise the rows of ``X``, shape (..., n, d)."""
        Y, back = layer_norm.with_pullback(X, self.gain, self.bias, self.epsilon)
        return gathered(self, ("gain", "bias"), Y, back)

    with_pullback = __call__.with_pullback


@differentiable(also=refuse_bad_epsilon, X="(..., n, d)", gain="(d,)", epsilon=_checks.number)
def rms_norm(X, gain=None, epsilon=1e-5):
    r"""Stretch each row until the mean square of its components is 1, then by a learned gain.

    Parameters
    ----------
    X : array_like
        Items, one in each row.
    gain : array_like, optional
        Multiplies each component; 1 by default.
    epsilon : float, optional
        Above 0.  Added to the mean square, so that a row of zeros stays 0.

    Returns
    -------
    ndarray, shape (..., n, d)
        The normalised items.

    Notes
    -----
    `layer_norm` without its mean and without its bias (Zhang and Sennrich 2019), r being the root
    of the mean square:

    .. math:: y_c = \text{gain}_c \, \frac{x_c}{r}, \qquad
              r = \sqrt{\frac{1}{d} \sum_c x_c^2 + \varepsilon}

    Examples
    --------
    The squares 1 and 49 have the mean 25, so the row is divided by 5.

    >>> rms_norm([[1, 7]]).round(4)
    array([[0.2, 1.4]])
    >>> rms_norm([[1, 7]], gain=[10, 1]).round(4)
    array([[2. , 1.4]])
    """
    root = root_mean_square(X, epsilon, "mean square", X)
    Z = X / root
    Y = Z if gain is None else gain * Z

    def back(d_Y):
        d_gain = summed_over_rows(d_Y * Z)
        d_Z = d_Y if gain is None else d_Y * gain
        return (d_Z - Z * mean_product(Z, d_Z)) / root, d_gain

    return Y, back


class RMSNorm(Parameters):
    r"""A normalisation by the root of the mean square, with its learned gain.

    Parameters
    ----------
    gain : array_like
        Multiplies each component.
    epsilon : float, optional
        Above 0.  Added to the mean square.

    Notes
    -----
    Called with X, shape (..., n, d), it returns `rms_norm` of it, and raises the same errors.  A
    block takes it where it takes a `LayerNorm`:

    .. math:: y_c = \text{gain}_c \, \frac{x_c}{r}

    Examples
    --------
    >>> norm = RMSNorm(gain=[10, 1])
    >>> norm([[1, 7]]).round(4)
    array([[2. , 1.4]])
    """

    gain: Shape("(d,)")
    epsilon: _checks.number = 1e-5

    def __post_init__(self):
        super().__post_init__()
        refuse_bad_epsilon(self.gain, self.epsilon)

    @classmethod
    @checked(d=_checks.count)
    def initial(cls, d):
        """Make the normalisation with which training starts, for rows of length d."""
        return cls(np.ones(d))

    @differentiable(X="(..., n, d)")
    def __call__(self, X):
        """Normalise the rows of ``X``, shape (..., n, d)."""
        Y, back = rms_norm.with_pullback(X, self.gain, self.epsilon)
        return gathered(self, ("gain",), Y, back)

    with_pullback = __call__.with_pullback


NORMS = {"layer": LayerNorm, "rms": RMSNorm}
