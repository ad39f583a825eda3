"""Splitting rows into heads, and merging them again: arrays change shape, no number changes."""

import numpy as np

from attnlib import _checks, _shapes


def split_heads(X, n_heads):
    r"""Cut each row into equal pieces, one for each head, and put the heads before the rows.

    Parameters
    ----------
    X : array_like, shape (..., n, n_heads * d)
        Projected items, one in each row, the heads' components one after the other.
    n_heads : int
        Number of heads.

    Returns
    -------
    ndarray, shape (..., n_heads, n, d)
        One matrix of items for each head.

    Raises
    ------
    ValueError
        If the rows cannot be cut into `n_heads` equal pieces, or a number is NaN or infinite.
    TypeError
        If `X` holds anything but integers and floats, or `n_heads` is not an integer.

    Notes
    -----
    Head h gets columns :math:`hd` to :math:`hd + d - 1`, counted from 0.  Nothing is computed:

    .. math:: \text{head}_{h,i,c} = X_{i,\,hd + c}

    Examples
    --------
    Two items of four components; the first head gets the first two.

    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2)
    array([[[1., 2.],
            [5., 6.]],
           [[3., 4.],
            [7., 8.]]])
    """
    X = _shapes.matrix(X, "X", "(..., n, n_heads * d)")
    n_heads = _checks.count(n_heads, "n_heads")
    d = _shapes.same_heads(X.shape[-1], n_heads, f"X has shape {X.shape}")
    return np.moveaxis(X.reshape(*X.shape[:-1], n_heads, d), -2, -3).copy()


def merge_heads(X):
    r"""Put the heads' rows side by side again: what `split_heads` has cut.

    Parameters
    ----------
    X : array_like, shape (..., n_heads, n, d)
        One matrix of items for each head.

    Returns
    -------
    ndarray, shape (..., n, n_heads * d)
        Items, one in each row, the heads' components one after the other.

    Raises
    ------
    ValueError
        If `X` has fewer than three axes, empty rows or no head, or holds NaN or infinity.
    TypeError
        If `X` holds anything but integers and floats.

    Notes
    -----
    .. math:: X_{i,\,hd + c} = \text{head}_{h,i,c}

    Examples
    --------
    Two heads with one item each:

    >>> merge_heads([[[1, 2]], [[3, 4]]])
    array([[1., 2., 3., 4.]])
    """
    shape = np.shape(_checks.any_array(X, "X"))
    if len(shape) < 3 or shape[-3] == 0:
        raise ValueError(f"X has shape {shape}, expected (..., n_heads, n, d), a matrix a head.")
    rows = np.moveaxis(_shapes.matrix(X, "X", "(..., n_heads, n, d)"), -3, -2).copy()
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1])


def for_heads(mask, Q, K):
    """Give `mask`, which has no axis for heads, one of length 1: it serves every head."""
    if mask is None:
        return None
    *batch, _, n_q, n_k = _shapes.scores_shape(Q, K)
    return _shapes.boolean_mask(mask, (*batch, n_q, n_k))[..., None, :, :]
