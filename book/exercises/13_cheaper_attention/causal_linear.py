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


def _faded(n, decay):
    """How much key j weighs in answer i for its age, i - j; a later key as if it were new."""
    age = np.subtract.outer(np.arange(n), np.arange(n))
    return decay ** np.maximum(age, 0)


def _past(n, decay):
    return np.tril(_faded(n, decay))


def _weighted(over=_past, under=None):
    """causal_linear with other factors above, or above and below, the line."""

    def linear(phi_q, phi_k, V, decay):
        n, products = len(V), phi_q @ phi_k.T
        upper, lower = (products * factor(n, decay) for factor in (over, under or over))
        return upper @ V / lower.sum(axis=1, keepdims=True)

    return linear


def _not_faded(n, decay):
    return np.tri(n)


def _own_only(n, decay):
    return np.eye(n)


def _without_own(n, decay):
    return np.tril(_faded(n, decay), -1) / decay


def _undivided(phi_q, phi_k, V, decay):
    return phi_q @ phi_k.T * _past(len(V), decay) @ V


def _answered_first(phi_q, phi_k, V, decay):
    """Answer before the newest key is added, and 0 where there is none yet."""
    weights = phi_q @ phi_k.T * _without_own(len(V), decay)
    below = weights.sum(axis=1, keepdims=True)
    return np.divide(weights @ V, below, out=np.zeros_like(V), where=below > 0)


def _divided_by_count(phi_q, phi_k, V, decay):
    return _undivided(phi_q, phi_k, V, decay) / np.arange(1, len(V) + 1)[:, None]


def _divided_by_keys(phi_q, phi_k, V, decay):
    return _undivided(phi_q, phi_k, V, decay) / (_past(len(V), decay) @ phi_k.sum(axis=1))[:, None]


def _one_number_below(phi_q, phi_k, V, decay):
    """The sum that divides taken over all features, and the query's as well."""
    return _divided_by_keys(phi_q, phi_k, V, decay) / phi_q.sum(axis=1, keepdims=True)


def _quotient_first(phi_q, phi_k, V, decay):
    """One sum divided by the other, feature by feature, and the query after."""
    above, below, answers = 0, 0, []
    for q, k, v in zip(phi_q, phi_k, V):
        above, below = decay * above + np.outer(k, v), decay * below + k
        answers.append(q @ (above / below[:, None]))
    return np.array(answers)


def _from_the_first(phi_q, phi_k, V, decay):
    """Each key made larger by its position, in place of all before it smaller."""
    growth = np.float64(decay) ** -np.arange(len(V))
    return causal_linear(phi_q, phi_k * growth[:, None], V, 1)


def _backwards(phi_q, phi_k, V, decay):
    return causal_linear(phi_q[::-1], phi_k[::-1], V[::-1], decay)[::-1]


def _given(n, r, d_v, decay):
    phi_q, phi_k, V = draw((n, r), (n, r), (n, d_v))
    return np.abs(phi_q) + 0.25, np.abs(phi_k) + 0.5, V, decay


CASES = (
    Case(
        "two items, one feature",
        (np.array([[1.0], [1]]), np.array([[2.0], [3]]), np.array([[0.0], [8]]), 0.5),
    ),
    Case("three items, two features", _given(3, 2, 1, 0.5)),
    Case("more features than items", _given(3, 5, 2, 0.8)),
    Case("more items than features", _given(7, 3, 4, 0.9)),
    Case("nothing fades", _given(5, 2, 3, 1.0)),
    Case("a single item", (np.array([[2.0, 1]]), np.array([[1.0, 4]]), np.array([[7.0, 3]]), 0.5)),
    Case("nothing stays", _given(4, 2, 2, 0.0), rare=True),
    Case("a long text", _given(1100, 2, 1, 0.5), rare=True),
)

PROPERTIES = (
    inside(
        lambda phi_q, phi_k, V, decay: np.minimum.accumulate(V, axis=0),
        lambda phi_q, phi_k, V, decay: np.maximum.accumulate(V, axis=0),
        "the range of the values so far",
    ),
)
