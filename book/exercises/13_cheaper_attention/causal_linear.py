"""Causal linear attention by running sums that fade."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def causal_linear(phi_q, phi_k, V, decay):
    """Let both sums fade, add the newest key, then answer."""
    above, below, answers = 0, 0, []
    for q, k, v in zip(phi_q, phi_k, V):
        above, below = decay * above + np.outer(k, v), decay * below + k
        answers.append((q @ above) / (q @ below))
    return np.array(answers)


def drawn(n, r, d_v, decay):
    phi_q, phi_k, V = draw((n, r), (n, r), (n, d_v))
    return np.abs(phi_q) + 0.25, np.abs(phi_k) + 0.5, V, decay


CASES = (
    Case("two items, one feature", ([[1.0], [1]], [[2.0], [3]], [[0.0], [8]], 0.5)),
    Case("three items, two features", drawn(3, 2, 1, 0.5)),
    Case("more features than items", drawn(3, 5, 2, 0.8)),
    Case("more items than features", drawn(7, 3, 4, 0.9)),
    Case("nothing fades", drawn(5, 2, 3, 1.0)),
    Case("a single item", ([[2.0, 1]], [[1.0, 4]], [[7.0, 3]], 0.5)),
    Case("nothing stays", drawn(4, 2, 2, 0.0), rare=True),
    Case("a long text", drawn(1100, 2, 1, 0.5), rare=True),
)

PROPERTIES = (
    inside(
        lambda phi_q, phi_k, V, decay: np.minimum.accumulate(V, axis=0),
        lambda phi_q, phi_k, V, decay: np.maximum.accumulate(V, axis=0),
        "the range of the values so far",
    ),
)


def fading(n, decay):
    """How much key j weighs in answer i for its age, i - j; a later key as if it were new."""
    age = np.subtract.outer(np.arange(n), np.arange(n))
    return decay ** np.maximum(age, 0)


def quotient(above, below, V):
    """Values by the weights above the line, over the sum of those below it."""
    return above @ V / below.sum(axis=1, keepdims=True)


def weighted(weights, V):
    return quotient(weights, weights, V)


def quotient_first(phi_q, phi_k, V, decay):
    """One sum divided by the other, feature by feature, and the query after."""
    above, below, answers = 0, 0, []
    for q, k, v in zip(phi_q, phi_k, V):
        above, below = decay * above + np.outer(k, v), decay * below + k
        answers.append(q @ (above / below[:, None]))
    return np.array(answers)


def from_the_first(phi_q, phi_k, V, decay):
    """Each key made larger by its position, instead of all before it smaller."""
    growth = np.float64(decay) ** -np.arange(len(V))
    return causal_linear(phi_q, phi_k * growth[:, None], V, 1)
