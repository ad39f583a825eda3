"""From the derivatives by the outputs all the way back to the queries."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def masked_softmax(scores, mask):
    return softmax(np.where(mask, scores, -np.inf))


def query_gradient(d_output, Q, K, V, mask):
    """Outputs to weights, weights to scores, scores to queries."""
    root = np.sqrt(K.shape[1])
    weights = masked_softmax(Q @ K.T / root, mask)
    return back(weights, d_output @ V.T) @ K / root


def back(weights, d_weights):
    """The derivatives by the scores."""
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


CASES = (
    Case(
        "one query and two keys",
        (
            [[1.0, 0.0]],
            [[1.0, 2.0]],
            [[1.0, 0.0], [0.0, 1.0]],
            [[3.0, 1.0], [0.0, 2.0]],
            [[True, True]],
        ),
    ),
    Case("all sizes equal", (*draw(*[(3, 3)] * 4), np.ones((3, 3), bool))),
    Case("all sizes different", (*draw((3, 5), (3, 2), (4, 2), (4, 5)), np.ones((3, 4), bool))),
    Case(
        "some pairs masked",
        (
            *draw((4, 2), (4, 5), (3, 5), (3, 2)),
            np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]], bool),
        ),
    ),
)


def bare_softmax(scores):
    """Softmax without any checks: a row of -inf becomes nan."""
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)


def leaking_softmax(scores, mask):
    """Weights that do not sum to 1: a little is added to the denominator, against dividing by 0."""
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-3)


def leaking(d_output, Q, K, V, mask):
    root = np.sqrt(K.shape[1])
    return back(leaking_softmax(Q @ K.T / root, mask), d_output @ V.T) @ K / root


def differences(d_output, Q, K, V, mask, step=0.01):
    """Differences to one side only, with a large step."""

    def loss(Q):
        return (masked_softmax(Q @ K.T / np.sqrt(K.shape[1]), mask) @ V * d_output).sum()

    slopes = np.zeros_like(Q)
    for place in np.ndindex(Q.shape):
        ahead = Q.copy()
        ahead[place] += step
        slopes[place] = (loss(ahead) - loss(Q)) / step
    return slopes


def largest_errors(values, cases):
    return [np.abs(v - query_gradient(*case.args)).max() for v, case in zip(values, cases)]


def errors(values, cases):
    """All errors in one row."""
    return np.concatenate([(v - query_gradient(*c.args)).ravel() for v, c in zip(values, cases)])


def errs_like(wrong, values, cases):
    """Whether the errors are those of ``wrong``, but for a factor; they lie on a line."""
    ours, its = errors(values, cases), errors([wrong(*c.args) for c in cases], cases)
    return abs(ours @ its) > 0.98 * np.linalg.norm(ours) * np.linalg.norm(its) > 0


def denominator(values, cases):
    return errs_like(leaking, values, cases)


def is_differences(values, cases):
    """Off by half a step times the curvature, or, in every case, by the noise of a tiny step."""
    off = largest_errors(values, cases)
    if min(off) < 1e-9 or denominator(values, cases):
        return False
    return max(off) < 2e-3 or errs_like(differences, values, cases)


def mask_too_high(values, cases):
    """Right without a mask, and nearly right with one."""
    off = largest_errors(values, cases)
    masked = [not case.args[-1].all() for case in cases]
    return all(1e-9 < o < 0.5 if hidden else o < 1e-9 for o, hidden in zip(off, masked))
