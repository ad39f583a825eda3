"""Sums over all uses of an array: what turns a gradient back into the shape of its array."""

import numpy as np


def summed_to(d, shape):
    """Sum `d` over the axes along which an array of `shape` was broadcast."""
    new_axes = tuple(range(d.ndim - len(shape)))
    stretched = tuple(len(new_axes) + i for i, size in enumerate(shape) if size == 1)
    return d.sum(axis=new_axes + stretched).reshape(shape)


def summed_over_rows(d):
    """Sum the rows of `d`, shape (..., n, d), over the whole batch."""
    return d.sum(axis=tuple(range(d.ndim - 1)))


def summed_products(X, d_Y):
    """Sum the outer products of the rows of `X` and the rows of `d_Y` over the whole batch."""
    batch = np.broadcast_shapes(X.shape[:-1], d_Y.shape[:-1])
    X, d_Y = (np.broadcast_to(rows, (*batch, rows.shape[-1])) for rows in (X, d_Y))
    return X.reshape(-1, X.shape[-1]).T @ d_Y.reshape(-1, d_Y.shape[-1])


def summed_in_groups(d, n_groups):
    """Sum `d`, shape (..., n_heads, n, d), over the heads of each group."""
    n_heads = d.shape[-3]
    if n_heads == n_groups:
        return d
    return d.reshape(*d.shape[:-3], n_groups, n_heads // n_groups, *d.shape[-2:]).sum(axis=-3)
