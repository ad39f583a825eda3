"""Grouped heads in half precision: keys tiled for repeated, scores too large for float16."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(Q, K, V):
    group = Q.shape[-3] // K.shape[-3]
    K = np.concatenate([K] * group, axis=-3)
    V = np.concatenate([V] * group, axis=-3)
    S = Q @ K.swapaxes(-1, -2)
    S = S.astype(np.float64)
    S = S / np.sqrt(Q.shape[-1])
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    return A @ V


def repeated(M, group):
    return np.repeat(M, group, axis=-3)


def tiled(M, group):
    return np.concatenate([M] * group, axis=-3)


def first_only(M, group):
    """All queries share the first key head."""
    return np.repeat(M[..., :1, :, :], group * M.shape[-3], axis=-3)


def mean_only(M, group):
    return np.repeat(M.mean(axis=-3, keepdims=True), group * M.shape[-3], axis=-3)


def turned(M, group):
    return repeated(M, group)[..., ::-1, :, :]


def attends(Q, K, V, share=repeated, values=None, how="wide", scale="root", axis=-1,
            keep=False):  # fmt: skip
    """Grouped attention with faults; the scores are wide, half, or half and then cut."""
    group = Q.shape[-3] // K.shape[-3]
    K, V = share(K, group), (values or share)(V.astype(np.float64), group)
    d = Q.shape[-1]
    divisor = {"root": d**0.5, "none": 1.0, "d": d, "heads": Q.shape[-3] ** 0.5,
               "keys": K.shape[-2] ** 0.5}[scale]  # fmt: skip
    if how == "divided first":
        Q, divisor = Q / divisor, 1
    wide = how == "wide"
    Q, K = (M.astype(np.float64 if wide else np.float16) for M in (Q, K))
    with np.errstate(over="ignore", invalid="ignore"):
        S = Q @ K.swapaxes(-1, -2)
        S = S.astype(np.float64) / divisor
        S = {"cut": lambda S: np.clip(S, -65504, 65504), "numbers": np.nan_to_num}.get(
            how, lambda S: S
        )(S)
        A = np.exp(S if keep else S - S.max(axis=axis, keepdims=True))
        return A / A.sum(axis=axis, keepdims=True) @ V


def grouped(Q, K, V):
    return attends(Q, K, V)


def whole(*shapes, times=1):
    """Arrays of whole numbers, which float16 holds exactly."""
    return tuple(np.round(times * A).astype(np.float16) for A in draw(*shapes))


def between(low, high, *shapes):
    """Whole numbers between two, and others for the last array."""
    *first, last = draw(*shapes)
    return tuple(
        A.astype(np.float16)
        for A in (*(np.clip(np.round(3 * A) + (low + high) // 2, low, high) for A in first),
                  last.round())
    )  # fmt: skip


def large(*shapes):
    """Whole numbers whose products are too large for float16; the last array is small."""
    *first, last = draw(*shapes)
    last = last.round()
    return tuple(A.astype(np.float16) for A in (*(np.round(150 * A) + 600 for A in first), last))


CASES = (
    Case("one key head", whole((2, 3, 4), (1, 5, 4), (1, 5, 2))),
    Case("two key heads", whole((4, 2, 3), (2, 3, 3), (2, 3, 5), times=2)),
    Case("a batch", whole((2, 6, 3, 5), (2, 3, 4, 5), (2, 3, 4, 2), times=1.5)),
    Case("numbers near 28", between(24, 32, (4, 3, 2), (2, 4, 2), (2, 4, 3))),
    Case("large numbers", large((6, 2, 4), (2, 7, 4), (2, 7, 3))),
)
