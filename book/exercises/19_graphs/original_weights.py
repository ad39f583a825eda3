"""The weights of the original graph attention, from a number for each end of an edge."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case


def original_weights(p, r, A):
    """Add, bend, mask, and normalise each row."""
    return weights(p, r, A, slope=0.2)


def weights(p, r, A, slope):
    """The weights with any slope below 0."""
    S = p[:, None] + r
    scores = np.where(S > 0, S, slope * S)
    return softmax(np.where(A != 0, scores, -np.inf))


def shares(powers):
    """Each row of powers divided by its sum."""
    return powers / powers.sum(axis=1, keepdims=True)


def other_slope(came, cases):
    """Whether these would be the weights if the slope below 0 were another number than 0.2."""
    S, w = cases[0].args[0][:, None] + cases[0].args[1], came[0]
    i = int(np.argmax((S < 0).all(axis=1)))  # its gaps are the slope times those of S
    if not (w[i] > 0).all():
        return False
    slope = np.log(w[i, 1] / w[i, 0]) / (S[i, 1] - S[i, 0])
    if abs(slope - 0.2) < 1e-6:
        return False
    return all(np.allclose(w, weights(*case.args, slope)) for w, case in zip(came, cases))


def leaks(came, cases):
    """Whether pairs that are not joined get weights, and the others are in the right proportion."""
    allowed = [case.args[2] != 0 for case in cases]
    if not all((w >= 0).all() and (w * a).any(axis=1).all() for w, a in zip(came, allowed)):
        return False
    right = [np.allclose(w.sum(axis=1), 1) for w in came]
    kept = [shares(w * a) for w, a in zip(came, allowed)]
    right += [np.allclose(w, original_weights(*case.args)) for w, case in zip(kept, cases)]
    return all(right) and any(w[~a].max(initial=0) > 1e-7 for w, a in zip(came, allowed))


CASES = (
    Case("two nodes, all joined", ([1.0, -3.0], [0.0, 1.0], [[1.0, 1.0], [1.0, 1.0]])),
    Case(
        "three nodes in a row",
        (
            [2.0, -1.5, 0.5],
            [1.0, -0.7, 0.3],
            [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]],
        ),
    ),
    Case(
        "four nodes, not all in both directions",
        (
            [-0.4, 0.8, -2.0, 1.1],
            [0.6, -1.2, 1.9, -0.3],
            [
                [0.0, 1.0, 1.0, 0.0],
                [1.0, 1.0, 0.0, 1.0],
                [1.0, 1.0, 1.0, 1.0],
                [0.0, 0.0, 1.0, 0.0],
            ],
        ),
    ),
    Case(
        "a pair with the score 0",
        ([-0.5, 1.5, 0.8], [0.7, 0.5, -0.6], [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]),
    ),
)
