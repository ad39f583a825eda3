"""Splitting rows into heads, and merging them again: arrays change shape, no number changes."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked


@checked(X="(..., n, n_heads * d)", n_heads=_checks.count)
def split_heads(X, n_heads):
    r"""Cut each row into equal pieces, one for each head, and put the heads before the rows.

    Parameters
    ----------
    X : array_like
        Projected items, one in each row, the heads' components one after the other.
    n_heads : int
        Number of heads.

    Returns
    -------
    ndarray, shape (..., n_heads, n, d)
        One matrix of items for each head.

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
    return in_heads(X, n_heads).copy()


def in_heads(X, n_heads):
    """Return a view of the rows of `X`, cut into heads."""
    *batch, n, width = X.shape
    return X.reshape(*batch, n, n_heads, width // n_heads).swapaxes(-2, -3)


def for_each_head(X, n_heads):
    """Return keys or values for all heads; those of a group share what was made for it."""
    n_kv_heads = X.shape[-3]
    return X if n_kv_heads == n_heads else np.repeat(X, n_heads // n_kv_heads, axis=-3)


@checked(X="(..., n_heads, n, d)")
def merge_heads(X):
    r"""Put the heads' rows side by side again: what `split_heads` has cut.

    Parameters
    ----------
    X : array_like
        One matrix of items for each head.

    Returns
    -------
    ndarray, shape (..., n, n_heads * d)
        Items, one in each row, the heads' components one after the other.

    Notes
    -----
    .. math:: X_{i,\,hd + c} = \text{head}_{h,i,c}

    Examples
    --------
    Two heads with one item each:

    >>> merge_heads([[[1, 2]], [[3, 4]]])
    array([[1., 2., 3., 4.]])
    """
    return np.concatenate(np.moveaxis(X, -3, 0), axis=-1)
