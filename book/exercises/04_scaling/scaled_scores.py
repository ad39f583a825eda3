"""Dot products over √d, for any leading axes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def scaled_scores(Q, K):
    """Dot products of all queries with all keys, over the root of their length."""
    return Q @ K.mT / np.sqrt(K.shape[-1])


CASES = (
    Case("as many keys as queries", ([[1.0, 2.0], [0.0, 1.0]], *draw((2, 2)))),
    Case("more keys than queries", draw((1, 4), (3, 4))),
    Case("a batch", draw((5, 2, 3), (5, 4, 3))),
    Case("a batch with heads", draw((2, 3, 4, 5), (2, 3, 2, 5))),
    Case("one key, rows of one number", draw((3, 1), (1, 1)), rare=True),
    Case("whole numbers", ([[1, 2]], [[3, -1], [2, 2]]), rare=True),
)

PROPERTIES = (
    lambda S, Q, K: (
        "A scaled score should have the sign of its dot product; some of these do not."
        if (np.sign(np.round(S, 9)) != np.sign(np.round(Q @ K.mT, 9))).any()
        else None
    ),
)


def lengths(x):
    return np.linalg.norm(x, axis=-1, keepdims=True)


def divisors(values, cases):
    """What divides the dot products of each case, if it is one positive number, else NaN."""
    for S, case in zip(values, cases):
        Q, K = case.args
        products = Q @ K.mT
        known = abs(products) > 1e-9
        ratios = S[known] / products[known]
        one = ratios[0] > 0 and np.allclose(ratios, ratios[0], rtol=1e-5)
        yield 1 / ratios[0] if one else np.nan


def same_divisor(values, cases):
    d = [*divisors(values, cases)]
    return np.allclose(d, d[0], rtol=1e-5)


def another_divisor(values, cases):
    d = np.array([*divisors(values, cases)])
    right = [case.args[0].shape[-1] ** 0.5 for case in cases]
    known = same_divisor(values, cases) or np.allclose(d, right, rtol=1e-5)
    return bool(np.isfinite(d).all()) and not known
