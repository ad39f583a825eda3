"""A softmax that survives any finite scores."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def stable_softmax(scores):
    """The exponentials of the scores, lowered by the largest of their row, over their sum."""
    return shares(np.exp(scores - scores.max(axis=-1, keepdims=True)))


CASES = (
    Case("a row of moderate scores", ([1.0, 0.0],)),
    Case("a row of moderate scores", ([2.1, -0.5, 3.8, 0.2],)),
    Case("a row of huge scores", ([1e4, 1e4 - 1.0],)),
    Case("a row of huge negative scores", ([-1e4, 1.0 - 1e4],)),
    Case("a row with a huge gap", ([-1e4, 1e4, 0.5],)),
    Case("a matrix", ([[1.0, 0.0], [2.0, 3.0]],)),
    Case("a matrix", ([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]],)),
    Case("a matrix whose rows lie far apart", ([[1e4, 1e4 - 1], [800, 799], [-1e4, 2]],)),
    Case("a matrix of one row", ([[2.0, 1.0]],), rare=True),
    Case("a matrix of one column", ([[2.0], [1e4]],), rare=True),
    Case("a single score", ([-3.0],), rare=True),
    Case("whole numbers", ([2, 1],), rare=True),
)

PROPERTIES = (not_negative, sums_to_one)


def shares(raw):
    """Each number over the sum of its row."""
    return raw / raw.sum(axis=-1, keepdims=True)


def huge_scores_alike(values, cases):
    """Whether moderate scores are right and huge ones, which differ, weigh the same."""
    moderate = [(w, case) for w, case in zip(values, cases) if "moderate" in case.kind]
    right = all(np.allclose(w, stable_softmax(*case.args)) for w, case in moderate)
    huge = [w for w, case in zip(values, cases) if case.kind == "a row of huge scores"]
    return right and any(np.ptp(w) < 1e-9 for w in huge)
