"""Words look at patches, of which some are padding."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def look(Q, K, V, there):
    """Hide padding from every query, and nothing else."""
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    return softmax(np.where(there, scores, -np.inf)) @ V


def plain(scores):
    """Softmax as one writes it oneself: NaN where a row has nothing but −∞."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def rows_hidden(scores, there):
    """The scores with −∞ in the rows, not in the columns, of what is not there."""
    scores = scores.copy()
    scores[~there] = -np.inf
    return scores


def fixed(arrays, cases):
    """Whether padding has one and the same score everywhere, other than 0."""
    return gives(arrays, cases, lambda scores, score, padded: score)


def lowered(arrays, cases):
    """Whether padding has its own scores, lowered by one and the same number."""
    return gives(arrays, cases, lambda scores, score, padded: scores + score - padded)


def gives(arrays, cases, replaced):
    """Whether such scores of padding, with the one that shows in the first case, give all this."""
    Q, K, V, _ = cases[0].args
    padded, other = Q[0] @ K.T / np.sqrt(Q.shape[1])
    weight = (V[1, 0] - arrays[0].item()) / (V[1, 0] - V[0, 0])
    if not 1e-7 < weight < 1 - 1e-7:
        return False
    score = other + np.log(weight / (1 - weight))
    if min(abs(score), abs(score - padded)) < 1e-12:  # mistakes of their own
        return False
    for array, (Q, K, V, there) in zip(arrays, (case.args for case in cases)):
        scores = Q @ K.T / np.sqrt(Q.shape[1])
        weights = softmax(np.where(there, scores, replaced(scores, score, padded)))
        if not np.allclose(array, weights @ V, rtol=1e-6):
            return False
    return True


CASES = (
    Case(
        "padding before the only patch",
        ([[1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [[3.0], [5.0]], np.array([False, True])),
    ),
    # With as many words as patches, a mask along the words gives numbers, too.
    Case(
        "padding at the end",
        (*draw((3, 3), (3, 3), (3, 3)), np.array([True, True, False])),
    ),
    Case(
        "a picture without padding",
        (*draw((4, 6), (4, 6), (4, 5)), np.array([True] * 4)),
    ),
    Case(
        "gaps between patches",
        (*draw((3, 6), (7, 6), (7, 5)), np.array([True, False, True, True, False, False, True])),
    ),
)
