"""Multi-head attention: a split by reshape, and the scale of another width."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(X, W_Q, W_K, W_V, W_O, n_heads):
    *batch, n, d_model = X.shape
    d_head = d_model // n_heads
    heads = []
    for W in (W_Q, W_K, W_V):
        heads.append((X @ W).reshape(*batch, n_heads, n, d_head))
    Q, K, V = heads
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(d_model)
    S -= S.max(axis=-1, keepdims=True)
    A = np.exp(S)
    A /= A.sum(axis=-1, keepdims=True)
    Y = (A @ V).swapaxes(-3, -2).reshape(X.shape)
    return Y @ W_O


def by_columns(M, h):
    """Head i has the columns i d_head to (i + 1) d_head."""
    return M.reshape(*M.shape[:-1], h, -1).swapaxes(-3, -2)


def by_reshape(M, h):
    return M.reshape(*M.shape[:-2], h, M.shape[-2], -1)


def every_other(M, h):
    """Head i has every h-th column from column i."""
    return np.moveaxis(M.reshape(*M.shape[:-1], -1, h), -1, -3)


def not_exchanged(M, h):
    """Items before heads: each item attends to its own heads."""
    return M.reshape(*M.shape[:-1], h, -1)


def side_by_side(Y):
    Y = Y.swapaxes(-3, -2)
    return Y.reshape(*Y.shape[:-2], -1)


def as_rows(Y):
    """The heads joined by a reshape alone."""
    *batch, h, n, d = Y.shape
    return Y.reshape(*batch, n, h * d)


def flat(Y):
    """Items come before heads already."""
    return Y.reshape(*Y.shape[:-2], -1)


def turned_and_flat(Y):
    """The heads are brought to the front, and all is cut into rows of items."""
    *batch, n, h, d = Y.shape
    return Y.swapaxes(-3, -2).reshape(*batch, n, h * d)


def mixed(Y):
    """Component after component, each of all heads."""
    Y = np.moveaxis(Y, -3, -1)
    return Y.reshape(*Y.shape[:-2], -1)


def attends(X, W_Q, W_K, W_V, W_O, h, split=by_columns, values=None, scale="root of d_head",
            axis=-1, join=side_by_side):  # fmt: skip
    """Multi-head attention with faults."""
    Q, K = split(X @ W_Q, h), split(X @ W_K, h)
    V = (values or split)(X @ W_V, h)
    n, d_head = Q.shape[-2:]
    divisors = {
        "root of d_head": d_head**0.5, "root of d_model": X.shape[-1] ** 0.5, "none": 1,
        "d_head": d_head, "heads": h, "root of heads": h**0.5, "root of n": n**0.5,
        "twice": d_head**0.5 * X.shape[-1] ** 0.5,
    }  # fmt: skip
    S = Q @ K.swapaxes(-1, -2) / divisors[scale]
    A = np.exp(S - S.max(axis=axis, keepdims=True))
    return join(A / A.sum(axis=axis, keepdims=True) @ V) @ W_O


def heads(X, W_Q, W_K, W_V, W_O, n_heads):
    return attends(X, W_Q, W_K, W_V, W_O, n_heads)


def case(kind, n_heads, X, W):
    return Case(kind, (*draw(X, W, W, W, W), n_heads))


CASES = (
    case("one head", 1, (3, 2), (2, 2)),
    case("two heads", 2, (3, 4), (4, 4)),
    case("three heads", 3, (5, 6), (6, 6)),
    case("a batch", 4, (2, 3, 8), (8, 8)),
)
