"""Steps of descent on an embedding: the steps go to a copy of its rows."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(E, W, ids, y, rate, steps):
    E, W = E.copy(), W.copy()
    for _ in range(steps):
        X = E[ids]
        error = X @ W - y
        error = error / len(ids)
        d_X, d_W = error @ W.T, X.T @ error
        X -= rate * d_X
        W -= rate * d_W
    return np.concatenate([E, W.T])


def steps_of(E, W, ids, y, rate, steps, add="all", learn=(1, 1), new_W=False, mean=True, sign=-1,
             new_E=False):  # fmt: skip
    """The same with faults: how the slopes of one row are added, what learns, in which order."""
    E, W = E.copy(), W.copy()
    for _ in range(steps):
        X = E[ids]
        error = (X @ W - y) / (y.size if mean == "size" else len(ids) if mean else 1)
        d_X, d_W = error @ W.T, X.T @ error
        if new_W:
            d_X = error @ (W - rate * d_W).T
        d_E = np.zeros_like(E)
        if add == "last":
            d_E[ids] = d_X
        elif add == "first":
            d_E[ids[::-1]] = d_X[::-1]
        elif add == "by place":
            d_E[: len(ids)] = d_X[: len(E)]
        else:
            np.add.at(d_E, ids, d_X)
        if add == "mean":
            d_E /= np.maximum(np.bincount(ids, minlength=len(E)), 1)[:, None]
        E += sign * learn[0] * rate * d_E
        if new_E:
            d_W = E[ids].T @ error
        W += sign * learn[1] * rate * d_W
    return np.concatenate([E, W.T])


def learned(E, W, ids, y, rate, steps):
    return steps_of(E, W, ids, y, rate, steps)


CASES = (
    Case("different ids", (*draw((3, 2), (2, 2)), np.array([2, 0]), *draw((2, 2)), 0.5, 1)),
    Case("an id that comes twice", (
        *draw((4, 3), (3, 2)), np.array([1, 3, 1]), *draw((3, 2)), 0.25, 1
    )),
    Case("several steps", (
        *draw((5, 3), (3, 4)), np.array([4, 0, 0, 2, 0, 4]), *draw((6, 4)), 0.125, 3
    )),
)  # fmt: skip
