"""Checks on arguments that must fit together, shared by all of attnlib.

Each check hands its argument back ready to use, or raises an error that names the arguments, says
what shapes were found, and says what to do about it.
"""

import numpy as np

from attnlib import _checks


def matrix(x, name, layout):
    """Return `x` as a finite float array of rows, with any number of axes before them."""
    array = _checks.real_array(x, name)
    if array.ndim < 2:
        raise ValueError(
            f"{name} has shape {array.shape}, but needs at least two axes, {layout}, one row for "
            f"each item. Write a single vector q as one row, q[None, :]."
        )
    if array.shape[-1] == 0:
        raise ValueError(f"{name} has shape {array.shape}: its rows are empty. Give them entries.")
    return _checks.finite(array, name)


def queries_and_keys(Q, K):
    """Return `Q` and `K` as matrices whose leading axes broadcast; there is at least one key."""
    Q = matrix(Q, "Q", "(..., n_q, d_k)")
    K = matrix(K, "K", "(..., n_k, d_k)")
    not_empty(K, "K", "keys")
    scores_shape(Q, K)
    return Q, K


def not_empty(X, name, rows):
    """Refuse a matrix `X` without rows."""
    if X.shape[-2] == 0:
        raise ValueError(f"{name} has shape {X.shape}: there are no {rows}. Give at least one.")


def values(V, Q, K):
    """Return `V` as a matrix with one row for each key."""
    V = matrix(V, "V", "(..., n_k, d_v)")
    one_for_each_key(V, K)
    leading_axes(Q=Q, K=K, V=V)
    return V


def one_for_each_key(V, K):
    """Refuse values that are not as many as the keys."""
    if V.shape[-2] != K.shape[-2]:
        raise ValueError(
            f"K has shape {K.shape} and V has shape {V.shape}, so {K.shape[-2]} keys meet "
            f"{V.shape[-2]} values. Give one value (a row of V) for each key (a row of K)."
        )


def scores_shape(Q, K):
    """Return the shape that the scores of `Q` and `K` must have, (..., n_q, n_k)."""
    return (*leading_axes(Q=Q, K=K), Q.shape[-2], K.shape[-2])


def leading_axes(last=2, **arrays):
    """Return the axes before the `last` ones, broadcast over all `arrays`."""
    try:
        return np.broadcast_shapes(*(array.shape[:-last] for array in arrays.values()))
    except ValueError:
        found = ", ".join(f"{name} has shape {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"{found}: the axes before the last {('two', 'three')[last - 2]} do not broadcast. "
            f"Make them equal, or 1 where one array serves all."
        ) from None


def returned(array, name, shape, *, minus_inf=False):
    """Return what the caller's own function `name` gave back, if attention can go on with it."""
    array = _checks.real_array(array, f"the result of {name}")
    if array.shape != shape:
        raise ValueError(
            f"{name} returned shape {array.shape}, expected {shape}: one row for each query, one "
            f"column for each key. Let {name} return one number for each pair."
        )
    return _checks.finite(array, f"the result of {name}", minus_inf=minus_inf)


def boolean_mask(mask, shape, name="mask"):
    """Return `mask` broadcast to the scores' `shape`; it leaves each query a key."""
    mask = _checks.any_array(mask, name)
    if mask.dtype != bool:
        raise TypeError(
            f"{name} holds {mask.dtype}, but must be boolean, True where a query may attend to a "
            f"key. Turn ones and zeros into it with {name} == 1."
        )
    try:
        mask = np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"{name} has shape {mask.shape}, which does not broadcast to the scores' shape "
            f"{shape}, (..., n_q, n_k). A mask of keys alone, (batch, n_k), becomes "
            f"{name}[:, None, :]."
        ) from None
    refuse_lost(~mask.any(axis=-1), name, shape)
    return mask


def refuse_lost(lost, name, shape):
    """Name the first query that is `lost`: for which `name` rules out all keys."""
    if lost.any():
        raise ValueError(
            f"query {_checks.show(_checks.first_index(lost))} may attend to nothing: {name} rules "
            f"out all keys for it (the scores have shape {shape}). Allow each query at least one "
            f"key, or leave the query out."
        )


def shaped(x, name, expected, why):
    """Return `x` as finite floats of the `expected` shape, in which a word is a size left open."""
    array = _checks.real_array(x, name)
    fits = array.ndim == len(expected) and all(
        size > 0 if isinstance(wanted, str) else size == wanted
        for size, wanted in zip(array.shape, expected)
    )
    if not fits:
        comma = "," if len(expected) == 1 else ""
        raise ValueError(
            f"{name} has shape {array.shape}, expected ({', '.join(map(str, expected))}{comma}): "
            f"{why}."
        )
    return _checks.finite(array, name)


def gradient(d, name, output_shape, output):
    """Return `d`, the derivative of a loss by an array called `output`, in that array's shape."""
    return shaped(d, name, output_shape, f"one derivative for each entry of {output}")


def width(array, name, size, why):
    """Refuse `array` unless its rows have `size` entries."""
    if array.shape[-1] != size:
        raise ValueError(
            f"{name} has shape {array.shape}, but its rows must have {size} entries: {why}."
        )


def same_heads(size, n_heads, what):
    """Return how much of `size` each head gets, if all get the same."""
    if size % n_heads:
        raise ValueError(
            f"{what}: {size} components cannot be shared out equally to n_heads={n_heads}. "
            f"Choose a number of heads that divides {size}."
        )
    return size // n_heads


def aligned_positions(n_q, n_k):
    """Return the positions of the queries, as a column, and of the keys, with both ends aligned."""
    n_q, n_k = _checks.count(n_q, "n_q"), _checks.count(n_k, "n_k")
    return np.arange(n_q)[:, None] + first_position(n_q, n_k), np.arange(n_k)


def first_position(n_q, n_k):
    """Return the position of the first query where the last one stands at the last key."""
    if n_q > n_k:
        raise ValueError(
            f"n_q={n_q} is larger than n_k={n_k}: with the last query at the last key, the first "
            f"{n_q - n_k} would have nothing to attend to. Give at least as many keys as queries."
        )
    return n_k - n_q
