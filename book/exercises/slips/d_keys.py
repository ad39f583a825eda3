"""From the gradient by the scaled scores to that by the keys."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def d_keys(d_S, Q):
    """What every query pulls at each key, with the factor of the scores."""
    return d_S.T @ Q / np.sqrt(Q.shape[1])


CASES = (
    Case("one query", ([[2.0, -1.0]], [[3.0, 1.0, -2.0, 5.0]])),
    Case("as many queries as keys", draw((3, 3), (3, 5))),
    Case("all sizes different", draw((3, 4), (3, 7))),
)
