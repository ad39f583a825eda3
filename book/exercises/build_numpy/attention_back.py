"""Back through causal attention, to queries, keys and values."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def attention_back(d_O, Q, K, V):
    """Outputs to weights, weights to scores, scores to queries and keys."""
    root = np.sqrt(Q.shape[-1])
    A = softmax(np.where(np.tri(Q.shape[-2], dtype=bool), Q @ K.mT / root, -np.inf))
    d_A = d_O @ V.mT
    d_S = A * (d_A - (A * d_A).sum(axis=-1, keepdims=True)) / root
    return np.stack([d_S @ K, d_S.mT @ Q, A.mT @ d_O])


def upper(S):
    """Weights of items that see themselves and later ones."""
    return softmax(np.where(np.tri(S.shape[-1], dtype=bool).T, S, -np.inf))


def ahead(S):
    """Weights of items that see the next one, too."""
    return softmax(np.where(np.tri(S.shape[-1], k=1, dtype=bool), S, -np.inf))


def plain(Q, K):
    """Causal weights of plain dot products."""
    return softmax(np.where(np.tri(Q.shape[-2], dtype=bool), Q @ K.mT, -np.inf))


def over_queries(S):
    """Causal weights whose columns sum to 1."""
    return softmax(np.where(np.tri(S.shape[-1], dtype=bool), S, -np.inf), axis=-2)


def wide(Q, K, root):
    """Causal weights of scores that are divided by another number."""
    return softmax(np.where(np.tri(Q.shape[-2], dtype=bool), Q @ K.mT / root, -np.inf))


def bare(S, low):
    """Causal weights that do not take off the largest score."""
    e = np.exp(S) * low
    return e / e.sum(axis=-1, keepdims=True)


def alone(*places):
    """Recognises results in which these of the three arrays are wrong, in more than zeros."""

    def recognise(came, cases):
        pairs = [(a, attention_back(*case.args)) for a, case in zip(came, cases)]
        off = [any(not np.allclose(a[i], w[i], 1e-6, 1e-8) for a, w in pairs) for i in range(3)]
        wrong = [a[i] for a, _ in pairs for i in places if a.shape[-2] > 1]
        return [i for i in range(3) if off[i]] == [*places] and all(w.any() for w in wrong)

    return recognise


LARGE = (
    [[1.5, -0.5], [0.25, 1.0], [-1.0, 2.0]],
    [[-30.0, 0.0], [0.0, 30.0], [0.05, 0.04]],
    [[30.0, 0.0], [1.0, 40.0], [40.0, 39.0]],
    [[1.0, -0.5], [0.3, 2.0], [-1.5, 0.7]],
)

CASES = (
    Case("two items", ([[1.0, 0.0], [0.5, 2.0]], *draw(*[(2, 2)] * 3))),
    Case("four items", draw(*[(4, 3)] * 4)),
    Case("several heads", draw(*[(2, 5, 3)] * 4)),
    Case("a batch with heads", draw(*[(2, 3, 4, 5)] * 4)),
    Case("large scores", LARGE, rare=True),
    Case("one item", draw(*[(1, 3)] * 4), rare=True),
)
