"""Projections: the learned matrices that turn items into queries, keys, values and outputs."""

from attnlib._boundary import checked


@checked(X="(..., n, d_in)", W="(d_in, d_out)", b="(d_out,)")
def project(X, W, b=None):
    r"""Send each row of `X` through the same matrix, and add the same bias.

    Parameters
    ----------
    X : array_like
        Items, one in each row.
    W : array_like
        The matrix.  Column j says how component j of the result is made.
    b : array_like, optional
        The bias; none by default.

    Returns
    -------
    ndarray, shape (..., n, d_out)
        The projected items, one in each row.

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
    return X @ W if b is None else X @ W + b
