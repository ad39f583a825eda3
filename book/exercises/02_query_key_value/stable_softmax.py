"""A softmax that survives any finite scores."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def _softmax(shift=lambda s: s.max(axis=-1, keepdims=True), axis=-1, keepdims=True):
    """stable_softmax with another shift, another axis, or a sum whose axis is dropped."""

    def softmax(scores):
        e = np.exp(scores - shift(scores))
        return e / e.sum(axis=axis, keepdims=keepdims)

    return softmax


stable_softmax = _softmax()


def _over_max(scores):
    e = np.exp(scores / scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _rowwise(number):
    """A function that takes each row's number, its axis kept for broadcasting."""
    return lambda s: number(s, axis=-1, keepdims=True)


def _divided(total):
    """The shifted exponentials e, divided by total(e)."""

    def weights(scores):
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return e / total(e)

    return weights


def _one_raw(upper, lower):
    """Exponentials of upper(s, shifted), divided by the row sums of those of lower."""

    def weights(s):
        shifted = s - s.max(axis=-1, keepdims=True)
        return np.exp(upper(s, shifted)) / np.exp(lower(s, shifted)).sum(axis=-1, keepdims=True)

    return weights


def _softmax_of_differences(differences):
    """The exponentials of differences(s), not shifted, over their sums."""

    def weights(scores):
        e = np.exp(differences(scores))
        return e / e.sum(axis=-1, keepdims=True)

    return weights


def _log_softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _shares_above_min(scores):
    above = scores - scores.min(axis=-1, keepdims=True)
    return above / above.sum(axis=-1, keepdims=True)


def _shares_below_max(scores):
    below = scores - scores.max(axis=-1, keepdims=True)
    return below / below.sum(axis=-1, keepdims=True)


def _infinity_replaced(scores):
    e = np.nan_to_num(np.exp(scores))
    return e / e.sum(axis=-1, keepdims=True)


def _axis_1(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _shift_if_large(scores):
    shift = scores.max(axis=-1, keepdims=True) if scores.max() > 700 else 0.0
    e = np.exp(scores - shift)
    return e / e.sum(axis=-1, keepdims=True)


def _in_float16(scores):
    return stable_softmax(scores.astype(np.float16).astype(float))


def _clipped_above(scores):
    e = np.exp(np.minimum(scores, 700.0))
    return e / e.sum(axis=-1, keepdims=True)


def _max_of_python(scores):
    e = np.exp(scores - max(scores))
    return e / sum(e)


def _exp_first(combine):
    """Exponentials combined with the largest one of their row, then normalised."""

    def weights(scores):
        e = combine(np.exp(scores), np.exp(scores.max(axis=-1, keepdims=True)))
        return e / e.sum(axis=-1, keepdims=True)

    return weights


def _clipped(values, cases):
    """Whether moderate scores are right and huge ones, which differ, weigh the same."""
    for w, case in zip(values, cases):
        (scores,) = case.args
        if w.shape != scores.shape:
            return False
        if "moderate" in case.kind and not np.allclose(w, stable_softmax(scores)):
            return False
    return any(c.kind == "a row of huge scores" and np.ptp(w) < 1e-9 for w, c in zip(values, cases))


CASES = (
    Case("a row of moderate scores", (np.array([1.0, 0.0]),)),
    Case("a row of moderate scores", (np.array([2.1, -0.5, 3.8, 0.2]),)),
    Case("a row of huge scores", (np.array([1e4, 1e4 - 1.0]),)),
    Case("a row of huge negative scores", (np.array([-1e4, 1.0 - 1e4]),)),
    Case("a row with a huge gap", (np.array([-1e4, 1e4, 0.5]),)),
    Case("a matrix", (np.array([[1.0, 0.0], [2.0, 3.0]]),)),
    Case("a matrix", (np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]),)),
    Case(
        "a matrix whose rows lie far apart",
        (np.array([[1e4, 1e4 - 1], [800, 799], [-1e4, 2]]),),
    ),
    Case("a matrix of one row", (np.array([[2.0, 1.0]]),), rare=True),
    Case("whole numbers", (np.array([2, 1]),), rare=True),
)

PROPERTIES = (not_negative, sums_to_one)
