"""The items of a text: a row for each character, and one for each place."""

import numpy as np

from attnlib import sinusoidal
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def embed(x, E, P):
    """What each id has in E, plus what its place has in P."""
    return E[x] + P[: x.shape[-1]]


X = np.array([4, 0, 2, 2, 1, 3, 0, 4, 1, 3, 3, 2, 0, 1, 4, 2, 1, 0, 3, 4])

CASES = (
    Case("two characters", (np.array([1, 1]), *draw((3, 2), (5, 2)))),
    Case("one text", (X[:4], *draw((5, 3), (8, 3)))),
    Case("a window as long as P", (X[3:8], *draw((6, 4), (5, 4)))),
    Case("a batch", (X[:8].reshape(2, 4), *draw((5, 3), (9, 3)))),
    Case("more texts than places", (X[:15].reshape(5, 3), *draw((5, 2), (7, 2)))),
    Case("a batch of one text", (X[5:9].reshape(1, 4), *draw((6, 3), (7, 3)))),
    Case("two axes in front of the places", (X[8:20].reshape(2, 2, 3), *draw((5, 4), (6, 4)))),
)


def looped(x, E, P):
    rows = np.empty((*x.shape, E.shape[1]))
    for place in np.ndindex(x.shape):
        rows[place] = E[x[place]] + P[place[-1]]
    return rows


def with_copies(x, E, P):
    """The rows of places added into the table itself, where later ones replace earlier ones."""
    table = E.copy()
    for place in np.ndindex(x.shape):
        table[x[place]] = E[x[place]] + P[place[-1]]
    return table[x]


def first_axis(x, P):
    """A row of P for each text, which a text alone has none of."""
    if x.ndim < 2:
        return P[0]
    return P[np.arange(len(x)) % len(P)].reshape(-1, *[1] * (x.ndim - 1), P.shape[1])


def second_last(x, P):
    """A row of P for each place along axis -2, or along the only axis."""
    return P[np.arange(len(x))] if x.ndim < 2 else P[np.arange(x.shape[-2])][:, None]


def waves(n, d):
    """Sinusoids; those of chapter 10 need an even width."""
    return sinusoidal(n, d + d % 2)[:, :d]
