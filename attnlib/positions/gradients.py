"""Gradients through positions."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.positions.relative import pairing, refuse_bad_table, shift_index, turned
from attnlib.positions.sinusoids import above_1


@checked(d_output="(..., n, d)", positions=_checks.numbers, base=above_1, convention=pairing)
def rotary_vjp(d_output, positions=None, base=10000.0, convention="neighbours"):
    r"""Go back from turned rows to the rows before they were turned.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of what `rotary` returned.
    positions, base, convention
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
    return turned(d_output, positions, base, convention, direction=-1, name="d_output")


@checked(also=refuse_bad_table, d_bias="(n_heads, n_q, n_k)", table="(n_heads, n_shifts)")
def relative_bias_vjp(d_bias, table):
    r"""Go back from a relative position bias to its table.

    Parameters
    ----------
    d_bias : array_like
        Derivative of the loss with respect to each entry of what `relative_bias` returned.
    table : array_like
        The table.

    Returns
    -------
    ndarray, same shape as `table`
        Derivative of the loss with respect to each entry.

    Notes
    -----
    Each entry of the table was added wherever its shift occurs, so it gets the sum over these
    pairs; the first and the last entry serve all shifts beyond them, too:

    .. math:: d\text{table}_{h, \, m + c} = \sum_{i,j: \; \min(\max(j - i, -m), m) = c} db_{hij}

    Examples
    --------
    The shift 0 occurs twice, −1 twice and −2 once, which shares the entry of −1.

    >>> relative_bias_vjp([[[1, 10, 100], [1000, 1, 10]]], [[0, 0, 0]])
    array([[1002.,   20.,  100.]])
    """
    d_table = np.zeros(table.shape, d_bias.dtype)
    index = shift_index(table, *d_bias.shape[-2:])
    np.add.at(d_table, (slice(None), index), d_bias)  # an entry is there many times
    return d_table
