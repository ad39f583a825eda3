"""From the derivatives by the outputs all the way back to the queries."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from ._scale import scale_mistakes
from ._softmax import WRONG, back, softmax_mistakes


def _weights(Q, K, mask, scale=None):
    scores = Q @ K.T * (K.shape[1] ** -0.5 if scale is None else scale)
    return softmax(np.where(mask, scores, -np.inf))


def query_gradient(d_output, Q, K, V, mask):
    """Outputs to weights, weights to scores, scores to queries."""
    weights = _weights(Q, K, mask)
    d_weights = d_output @ V.T
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * (d_weights - mean) @ K / np.sqrt(K.shape[1])


def _with(
    *,
    weigh=lambda Q, K, V, mask: _weights(Q, K, mask),
    to_weights=lambda d_output, V: d_output @ V.T,
    to_scores=lambda w, d, Q, K, mask: back(d, w),
    to_queries=lambda d_scores, Q, K, V: d_scores @ K,
    divisor=lambda Q, K, V: np.sqrt(K.shape[1]),
):
    """query_gradient with one step replaced."""

    def wrong(d_output, Q, K, V, mask):
        w = weigh(Q, K, V, mask)
        d_weights = to_weights(d_output, V)
        d_scores = to_scores(w, d_weights, Q, K, mask)
        return to_queries(d_scores, Q, K, V) / divisor(Q, K, V)

    return wrong


def _through(step):
    """A wrong step back through softmax, for `to_scores`."""
    return lambda w, d_weights, Q, K, mask: step(d_weights, w)


def _everybody(Q, K):
    """The weights without the mask."""
    return _weights(Q, K, True)


def _scores(Q, K):
    return Q @ K.T / np.sqrt(K.shape[1])


def _low(Q, K, mask, fill):
    """The weights with a finite number in the place of -inf."""
    return softmax(np.where(mask, _scores(Q, K), fill))


def _bare(scores):
    """Softmax without any checks: a row of -inf becomes nan."""
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)


def _mask_on_gradient(w, d_weights, Q, K, mask):
    w = _everybody(Q, K)
    return np.where(mask, w * (d_weights - (w * d_weights).sum(-1, keepdims=True)), 0)


def _mean_of_everybody(w, d_weights, Q, K, mask):
    return w * (d_weights - (_everybody(Q, K) * d_weights).sum(-1, keepdims=True))


def _factor_of_everybody(w, d_weights, Q, K, mask):
    return _everybody(Q, K) * (d_weights - (w * d_weights).sum(-1, keepdims=True))


def _renormalised(Q, K, V, mask):
    return _everybody(Q, K) * mask


def _step_by_step(d_output, Q, K, V, mask, step=0.01):
    """Differences to one side only, with a large step."""

    def loss(Q):
        return (_weights(Q, K, mask) @ V * d_output).sum()

    found = np.zeros_like(Q)
    for place in np.ndindex(Q.shape):
        ahead = Q.copy()
        ahead[place] += step
        found[place] = (loss(ahead) - loss(Q)) / step
    return found


def _off(values, cases):
    """The largest error in each case."""
    return [np.abs(v - query_gradient(*case.args)).max() for v, case in zip(values, cases)]


def _leaking(Q, K, V, mask):
    """Weights that do not sum to 1: a little stands in the denominator, against dividing by 0."""
    S = np.where(mask, _scores(Q, K), -np.inf)
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-3)


def _errors(values, cases):
    """All errors in one row."""
    return np.concatenate([(v - query_gradient(*c.args)).ravel() for v, c in zip(values, cases)])


def _errs_like(wrong, values, cases):
    """Whether the errors are those of `wrong`, but for a factor; they lie on a line."""
    ours, its = _errors(values, cases), _errors([wrong(*c.args) for c in cases], cases)
    return abs(ours @ its) > 0.98 * np.linalg.norm(ours) * np.linalg.norm(its) > 0


def _denominator(values, cases):
    return _errs_like(_with(weigh=_leaking), values, cases)


def _differences(values, cases):
    """Off by half a step times the curvature, or, in every case, by the noise of a tiny step."""
    off = _off(values, cases)
    if min(off) < 1e-9 or _denominator(values, cases):
        return False
    return max(off) < 2e-3 or _errs_like(_step_by_step, values, cases)


def _mask_too_high(values, cases):
    """Right without a mask, and nearly right with one."""
    off = _off(values, cases)
    masked = [not case.args[-1].all() for case in cases]
    return all(1e-9 < o < 0.5 if hidden else o < 1e-9 for o, hidden in zip(off, masked))


KEEPDIMS, NO_MEAN = (_through(WRONG[name][0]) for name in ("keepdims", "no_mean"))

CASES = (
    Case(
        "one query and two keys",
        (
            np.array([[1.0, 0.0]]),
            np.array([[1.0, 2.0]]),
            np.array([[1.0, 0.0], [0.0, 1.0]]),
            np.array([[3.0, 1.0], [0.0, 2.0]]),
            np.array([[True, True]]),
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

MORE_7 = {m.name: m.answer for m in softmax_mistakes(lambda step: _with(to_scores=_through(step)))}

MORE_8 = {
    m.name: m.answer
    for m in scale_mistakes(lambda root: _with(divisor=lambda Q, K, V: root(K.shape[1])))
}
