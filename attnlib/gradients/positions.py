"""Gradients through positions."""

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.positions.relative import turned


@checked(d_output="(..., n, d)", positions=_checks.numbers, base=_checks.number)
def rotary_vjp(d_output, positions=None, base=10000.0):
    r"""Go back from turned rows to the rows before they were turned.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of what `rotary` returned.
    positions, base
        The arguments of `rotary`.

    Returns
    -------
    ndarray, shape (..., n, d)
        Derivative of the loss with respect to each entry of the rows.

    Notes
    -----
    Each pair of components was multiplied by a rotation :math:`R_t`.  The derivative is multiplied
    by its transpose, which turns back by the same angle:

    .. math:: dx = R_t^\top \, dy = R_{-t} \, dy

    (Sinusoids are added to the items, so their derivative passes unchanged.)

    Examples
    --------
    >>> from attnlib import rotary
    >>> rotary_vjp(rotary([[1, 0], [1, 0]])).round(6)
    array([[1., 0.],
           [1., 0.]])
    """
    return turned(d_output, positions, base, direction=-1, name="d_output")
