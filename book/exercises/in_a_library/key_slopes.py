"""Slopes of each output in PyTorch: a row without keys makes all of them NaN, and they add up."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(Q, K, V, seen):
    import torch

    Q, K, V, seen = map(torch.from_numpy, (Q, K, V, seen))
    K.requires_grad_()
    S = Q @ K.T / Q.shape[1] ** 0.5
    S = S + torch.where(seen, 0.0, -torch.inf)
    A = torch.softmax(S, dim=1)
    A = torch.where(seen.any(dim=1, keepdim=True), A, 0.0)
    slopes = []
    for y in (A @ V).sum(dim=1):
        y.backward(retain_graph=True)
        slopes.append(K.grad)
    return torch.stack(slopes).numpy()


def slopes(Q, K, V, seen, scale=None, hide="out"):
    """The slope of each output by the keys, zeros for a query without keys."""
    scale = np.sqrt(Q.shape[1]) if scale is None else scale
    S = Q @ K.T / scale
    S = {"out": S, "as zeros": S * seen, "by one": S - ~seen,
         "turned": S - 1e9 * seen}[hide]  # fmt: skip
    powers = np.exp(S - S.max(axis=1, keepdims=True)) * (seen | (hide != "out"))
    A = powers / np.where(lost(seen), 1, powers.sum(axis=1))[:, None]
    v = V.sum(axis=1)
    counted = (seen | (hide in ("by one", "turned"))) & ~lost(seen)[:, None]
    d_S = A * (v - (A @ v)[:, None]) * counted
    return d_S[:, :, None] * Q[:, None, :] / scale


def over_queries(Q, K, V, seen):
    """Softmax over the queries: a key's weights for all of them sum to 1."""
    scale = np.sqrt(Q.shape[1])
    S = Q @ K.T / scale + np.where(seen, 0.0, -1e9)
    A = np.exp(S - S.max(axis=0))
    A = A / A.sum(axis=0)
    same = np.eye(len(Q))[:, :, None]  # of the output's query, and of that in the score
    d_S = ~lost(seen)[:, None, None] * A[:, None] * (same - A[None]) * V.sum(axis=1)
    return np.einsum("ikj,kd->ijd", d_S, Q) / scale


def key_slopes(Q, K, V, seen):
    return slopes(Q, K, V, seen)


def summed(Q, K, V, seen):
    """Each slope with all before it."""
    return slopes(Q, K, V, seen).cumsum(axis=0)


def all_alike(Q, K, V, seen):
    """The sum of all slopes, once for each query."""
    total = slopes(Q, K, V, seen).sum(axis=0, keepdims=True)
    return np.repeat(total, len(Q), axis=0)


def last_alike(Q, K, V, seen):
    return np.repeat(slopes(Q, K, V, seen)[-1:], len(Q), axis=0)


def lost(seen):
    """Which queries see nothing."""
    return ~seen.any(axis=1)


def with_nan(S, seen):
    """NaN everywhere, where some query sees nothing."""
    return S * np.nan if lost(seen).any() else S


def zeroed(S, seen):
    return 0 * S if lost(seen).any() else S


def sees_all(Q, K, V, seen):
    """A query without keys sees all of them."""
    return slopes(Q, K, V, seen | lost(seen)[:, None])


def without(seen, *queries):
    """A causal mask without the keys of these queries."""
    seen = seen.copy()
    seen[list(queries)] = False
    return seen


CASES = (
    Case("one query", (*draw((1, 2), (3, 2), (3, 1)), np.array([[True, True, False]]))),
    Case("two queries", (*draw((2, 3), (2, 3), (2, 2)), np.array([[True, True], [True, True]]))),
    Case("a query without keys", (*draw((3, 2), (4, 2), (4, 3)), without(np.tri(3, 4) > 0, 1))),
    Case(
        "a query without keys", (*draw((5, 4), (6, 4), (6, 2)), without(np.tri(5, 6, 1) > 0, 0, 3))
    ),
)
