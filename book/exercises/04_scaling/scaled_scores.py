"""Dot products over √d, for any leading axes."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def scaled_scores(Q, K):
    """Dot products of all queries with all keys, over the root of their length."""
    return Q @ K.mT / np.sqrt(K.shape[-1])


def _scores(factor):
    """Dot products of all queries with all keys, times factor(d_k)."""
    return lambda Q, K: Q @ K.mT * factor(np.float64(K.shape[-1]))


def _by_loops(Q, K):
    return np.array([[q @ k for k in K] for q in Q]) / np.sqrt(Q.shape[-1])


def _ratios(values, cases):
    """For every case, what each score is of its dot product."""
    for S, case in zip(values, cases):
        plain = _scores(lambda d: 1.0)(*case.args)
        yield (S[np.abs(plain) > 1e-9] / plain[np.abs(plain) > 1e-9]).ravel()


def _one_factor(values, cases):
    """The factor of each case if it is one and above 0, else NaN."""
    factors = [r[0] if np.allclose(r, r[0], rtol=1e-5) else np.nan for r in _ratios(values, cases)]
    return np.where(np.array(factors) > 0, factors, np.nan)


def _same_factor(values, cases):
    factors = _one_factor(values, cases)
    return np.allclose(factors, factors[0], rtol=1e-5)


def _another_factor(values, cases):
    factors = _one_factor(values, cases)
    right = [case.args[0].shape[-1] ** -0.5 for case in cases]
    known = _same_factor(values, cases) or np.allclose(factors, right, rtol=1e-5)
    return bool(np.isfinite(factors).all()) and not known


CASES = (
    Case("as many keys as queries", (np.array([[1.0, 2.0], [0.0, 1.0]]), *draw((2, 2)))),
    Case("more keys than queries", draw((1, 4), (3, 4))),
    Case("a batch", draw((5, 2, 3), (5, 4, 3))),
    Case("a batch with heads", draw((2, 3, 4, 5), (2, 3, 2, 5))),
)

PROPERTIES = (
    lambda S, Q, K: (
        "A scaled score should have the sign of its dot product; some of these do not."
        if (np.sign(np.round(S, 9)) != np.sign(np.round(Q @ K.mT, 9))).any()
        else None
    ),
)
