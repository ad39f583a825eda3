"""A memory whose items decide what is kept."""

import itertools

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def gated_states(A, X):
    """The state after each item."""
    state, states = np.zeros(X.shape[1]), []
    for keep, x in zip(A, X):
        state = keep * state + (1 - keep) * x
        states.append(state)
    return np.array(states)


DRAWN = draw((3, 2), (4, 3))
#: Shares between 0 and 1, no two alike.
SHARES = (
    [[0.2, 0.9], [0.6, 0.3], [0.7, 0.8]],
    [
        [0.3, 0.5, 0.9],
        [0.8, 0.4, 0.6],
        [0.1, 0.7, 0.2],
        [0.95, 0.25, 0.55],
    ],
)

CASES = (
    Case("two items of one number", ([[0.5], [0.75]], [[8.0], [4.0]])),
    Case("three items of two numbers", (SHARES[0], 4 * DRAWN[0])),
    Case("four items", (SHARES[1], 4 * DRAWN[1])),
    Case("an item that is kept out", ([[0.4, 0.6], [1.0, 0.5]], [[5.0, 2.0], [9.0, -7.0]])),
    Case("integers", ([[0.4], [0.7], [0.2]], np.array([[3], [8], [5]]))),
)
