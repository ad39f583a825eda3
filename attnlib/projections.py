"""Projections: the learned matrices that turn items into queries, keys, values and outputs."""

from attnlib._boundary import checked
from attnlib._pullbacks import summed_over_rows, summed_products

__all__ = ["project"]  # `attnlib.gradients` has the other one


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


@checked(d_output="(..., n, d_out)", X="(..., n, d_in)", W="(d_in, d_out)")
def projection_vjp(d_output, X, W):
    r"""Go back from projected rows to the rows, the matrix and the bias.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of the projected rows.
    X : array_like
        The rows.
    W : array_like
        The matrix.

    Returns
    -------
    d_X : ndarray, same shape as `X`
        Derivative of the loss with respect to each entry of the rows.
    d_W : ndarray, same shape as `W`
        Derivative of the loss with respect to each entry of the matrix.
    d_b : ndarray, shape (d_out,)
        Derivative of the loss with respect to the bias; leave it if there was none.

    Notes
    -----
    .. math:: y_{tb} = \sum_a x_{ta} W_{ab} + b_b

    .. math:: dx_{ta} = \sum_b dy_{tb} W_{ab}, \qquad
              dW_{ab} = \sum_t x_{ta} \, dy_{tb}, \qquad
              db_b = \sum_t dy_{tb}

    or, all at once:

    .. math:: dX = dY \, W^\top, \qquad dW = X^\top dY, \qquad db = \mathbf{1}^\top dY

    The matrix and the bias serve every row, so their derivatives are sums over the rows t, of the
    whole batch.

    Examples
    --------
    Two rows through one number, 3: each row gets 3 times its derivative back, and 3 itself gets
    5 · 1 + 6 · 10.

    >>> d_X, d_W, d_b = projection_vjp([[1], [10]], [[5], [6]], [[3]])
    >>> d_X.ravel(), d_W, d_b
    (array([ 3., 30.]), array([[65.]]), array([11.]))
    """
    d_X = d_output @ W.T
    d_W = summed_products(X, d_output)
    d_b = summed_over_rows(d_output)
    return d_X, d_W, d_b
