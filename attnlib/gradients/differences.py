"""Derivatives without calculus: the slope between two points close by."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked, outside


@checked(f=_checks.function, x=_checks.numbers)
def finite_difference(f, x):
    r"""Differentiate `f` at `x` by moving each entry a little to both sides.

    Parameters
    ----------
    f : callable
        ``f(x)`` returns a number or an array, of one shape whatever the entries of x.
    x : array_like
        Where to differentiate, in any shape.  A copy in float64 is handed to `f`.

    Returns
    -------
    ndarray, shape of ``f(x)`` followed by shape of `x`
        Derivative of each entry of the result with respect to each entry of `x`; for a loss, which
        is one number, simply the gradient.

    Notes
    -----
    The central difference errs by about :math:`h^2`, and rounding by about :math:`\epsilon / h`.
    Both together are smallest near :math:`h = \sqrt[3]{\epsilon} \, \max(1, |x|)`, 6 · 10⁻⁶ for an
    x near 1, which leaves some ten correct digits:

    .. math:: \frac{\partial f}{\partial x_i} \approx \frac{f(x + h e_i) - f(x - h e_i)}{2h}

    It calls `f` twice for each entry, so it checks gradients rather than trains with them.

    Examples
    --------
    The derivative of the sum of squares is twice the entry.

    >>> finite_difference(lambda x: (x**2).sum(), [1, -3]).round(6)
    array([ 2., -6.])
    """
    f, x = outside(f), x.astype(np.float64)
    shape = _value(f, x).shape
    slopes = np.empty((*shape, *x.shape))
    for index in np.ndindex(x.shape):
        h = np.finfo(np.float64).eps ** (1 / 3) * max(1, abs(x[index]))
        ahead, behind = x.copy(), x.copy()
        ahead[index] += h
        behind[index] -= h
        rise = _value(f, ahead, shape) - _value(f, behind, shape)
        slopes[(..., *index)] = rise / (ahead[index] - behind[index])
    return slopes


def _value(f, x, shape=None):
    """Return ``f(x)`` as an array of finite numbers; refuse any other `shape`."""
    value = _checks.numbers(f(x.copy()), "the result of f")
    if shape is not None and value.shape != shape:
        raise ValueError(
            f"f returned shape {value.shape} here and {shape} at x itself. Let its shape not "
            f"depend on the entries of x."
        )
    return value
