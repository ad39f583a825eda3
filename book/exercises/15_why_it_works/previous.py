"""The head that looks one place back."""

import numpy as np

from attnlib import attend, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

__all__ = ["attend"]  # for the forms that the text compares


def previous(X, gap):
    """Each row is nearly the one before it, as far as the gap goes."""
    n = len(X)
    scores = gap * np.eye(n, k=-1)
    return softmax(np.where(np.tri(n, dtype=bool), scores, -np.inf)) @ X


def mixed(powers, X):
    """Rows of X, mixed by weights in proportion to these powers."""
    return powers / powers.sum(axis=1, keepdims=True) @ X


def rest(X, gap, of):
    """The row before with its weight, and one row, made of those that are seen, with the rest."""
    Y = X.copy()
    for t in range(1, len(X)):
        weight = np.exp(gap) / (np.exp(gap) + t)
        Y[t] = weight * X[t - 1] + (1 - weight) * of(X[: t + 1])
    return Y


def from_outputs(X, gap):
    """Each row looks at the outputs that came before it, not at the rows of X."""
    Y = X.copy()
    for t in range(len(X)):
        Y[: t + 1] = np.vstack([Y[:t], previous(Y[: t + 1], gap)[t:]])
    return Y


CASES = (
    Case("two rows", ([[1.0, 2.0, 0.5], [5.0, 0.0, -1.0]], 1.0)),
    Case("three rows, one number each", ([[3.0], [7.0], [-2.0]], 2.5)),
    Case("five rows", (*draw((5, 3)), 1.5)),
    Case("a large gap", (*draw((4, 2)), 6.0)),
)


def finite_mask(values, cases):
    """Whether one finite score, any, for later rows explains each result."""
    for Y, case in zip(values, cases):
        X, gap = case.args
        n = len(X)
        away = X[1:].sum(axis=0) - (n - 1) * Y[0]
        later = (Y[0] - X[0]) @ away / (away @ away or np.inf)  # exp of its score
        powers = np.where(np.tri(n, dtype=bool), np.exp(gap * np.eye(n, k=-1)), later)
        if not (later > 1e-9 and np.allclose(Y, mixed(powers, X))):
            return False
    return True
