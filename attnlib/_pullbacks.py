"""Forwards and back: how a function hands out its pullback, and the sums that pullbacks share.

A pullback takes the derivative of a loss by what a function returned, and returns the derivatives
by its arguments.  It stands in the body of its function, below the formula, and reads from there
what the formula has found on its way.
"""

import contextvars
import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from attnlib._boundary import _Function, checked

_wanted = contextvars.ContextVar("wanted", default=True)


def differentiable(also=None, **declared) -> Callable[[_Function], _Function]:
    """Declare arguments as `checked` does, for a function that returns its pullback at the end.

    A call leaves the pullback away.  With ``with_pullback`` behind the name, nothing is checked,
    and the pullback is returned, too::

        Y, back = layer_norm.with_pullback(X, gain, bias)
        d_X, d_gain, d_bias = back(d_Y)

    A pullback holds arrays.  Within a call, which needs none, it is None: so the call has no more
    in memory than its formula needs.
    """

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            token = _wanted.set(False)
            try:
                results = function(*args, **kwargs)
            finally:
                _wanted.reset(token)
            return results[0] if len(results) == 2 else results[:-1]

        def with_pullback(*args, **kwargs):
            results = function(*args, **kwargs)
            return results if _wanted.get() else (*results[:-1], None)

        call = checked(also, **declared)(call)
        call.with_pullback = with_pullback
        return call

    return decorate


def gathered(layer, names, Y, back):
    """Return `Y` and `back`, with the derivatives by these parameters in a layer like this one."""

    def back_to_layer(d_Y):
        d_X, *d = back(d_Y)
        return d_X, with_derivatives(layer, dict(zip(names, d, strict=True)))

    return Y, back_to_layer


def with_derivatives(layer, derivatives):
    """Return a layer like this one that holds derivatives, of the parameters and parts it has."""
    own = {name: d for name, d in derivatives.items() if getattr(layer, name) is not None}
    return dataclasses.replace(layer, **own)


def summed_to(d, shape):
    """Sum `d` over the axes along which an array of `shape` was broadcast."""
    if d.shape == shape:
        return d
    new_axes = tuple(range(d.ndim - len(shape)))
    stretched = tuple(len(new_axes) + i for i, size in enumerate(shape) if size == 1)
    return d.sum(axis=new_axes + stretched).reshape(shape)


def summed_over_rows(d):
    """Sum the rows of `d`, shape (..., n, d), over the whole batch."""
    return d.sum(axis=tuple(range(d.ndim - 1)))


def summed_products(X, d_Y):
    """Sum the outer products of the rows of `X` and the rows of `d_Y` over the whole batch."""
    if X.shape[:-1] != d_Y.shape[:-1]:
        batch = np.broadcast_shapes(X.shape[:-1], d_Y.shape[:-1])
        X, d_Y = (np.broadcast_to(rows, (*batch, rows.shape[-1])) for rows in (X, d_Y))
    return X.reshape(-1, X.shape[-1]).T @ d_Y.reshape(-1, d_Y.shape[-1])


def summed_in_groups(d, n_groups):
    """Sum `d`, shape (..., n_heads, n, d), over the heads of each group."""
    n_heads = d.shape[-3]
    if n_heads == n_groups:
        return d
    return d.reshape(*d.shape[:-3], n_groups, n_heads // n_groups, *d.shape[-2:]).sum(axis=-3)
