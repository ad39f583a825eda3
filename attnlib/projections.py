"""Projections: the learned matrices that turn items into queries, keys, values and outputs."""

from attnlib import _checks, _shapes


@_checks.reports_overflow
def project(X, W, b=None):
    r"""Send each row of `X` through the same matrix, and add the same bias.

    Parameters
    ----------
    X : array_like, shape (..., n, d_in)
        Items, one in each row.
    W : array_like, shape (d_in, d_out)
        The matrix.  Column j says how component j of the result is made.
    b : array_like, shape (d_out,), optional
        The bias, nothing if not given.

    Returns
    -------
    ndarray, shape (..., n, d_out)
        The projected items, one in each row.

    Raises
    ------
    ValueError
        If the shapes do not fit, a number is NaN or infinite, or the result is too large for the
        number type.
    TypeError
        If an array holds anything but integers and floats.

    Notes
    -----
    Rows are items, so the matrix stands on the right (PyTorch's ``Linear`` keeps its transpose):

    .. math:: Y = X W + b

    Examples
    --------
    The first output component is the sum of both inputs plus 10, the second is twice the first.

    >>> project([[3, 4]], [[1, 2], [1, 0]], [10, 0])
    array([[17.,  6.]])
    """
    X = _shapes.matrix(X, "X", "(..., n, d_in)")
    W = _shapes.shaped(W, "W", ("d_in", "d_out"), "one matrix for all rows of X")
    _shapes.width(X, "X", W.shape[0], f"W has shape {W.shape}, one row for each")
    if b is None:
        return X @ W
    return X @ W + _shapes.shaped(b, "b", W.shape[1:], f"W has shape {W.shape}, one for a column")
