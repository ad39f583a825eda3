"""From the derivatives by the outputs all the way back to the queries."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
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
NO_MASK = (
    "The mask plays no part, so a query gets pulled by keys that it never saw. Their weights are "
    "0, forwards as backwards: put the mask into the weights, and the rest follows."
)
INVERTED = (
    "The mask is turned round: a query attends where it should not. Here True means that it may "
    "attend; some libraries mean the opposite."
)
ROWS = (
    "The divisor is taken from a number of rows. A dot product has d_k terms, the length of a "
    "query and of a key: divide by √d_k."
)
D_SCORES = (
    "These are the derivatives by the scores, a number for each pair. One step is left: score ij "
    "is made of query i and key j."
)
KEYS_BACK = (
    "This is the derivative by the keys, dSᵀ Q. For the queries the keys stand on the right: "
    "dS K, with a row for each query."
)

EXERCISE = Exercise(
    signature="query_gradient(d_output, Q, K, V, mask)",
    task="Write query_gradient(d_output, Q, K, V, mask): from the derivatives of the loss by the "
    "outputs of scaled dot-product attention, those by the queries.",
    returns="an array of shape (n_q, d_k)",
    reference=query_gradient,
    cases=(
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
    ),
    mistakes=(
        Mistake(
            "V_not_transposed",
            _with(to_weights=lambda d, V: d @ V),
            "The first step back is dY V, which runs only where d_v is n_k. Weight "
            "ij brought all of value j into output i, so its derivative is dy_i · v_j: dY Vᵀ.",
        ),
        Mistake(
            "d_weights_transposed",
            _with(to_weights=lambda d, V: V @ d.T),
            "V dYᵀ has a row for each key, and the weights have one for each query: it runs only "
            "where their numbers fit. The other way round, dY Vᵀ.",
        ),
        Mistake(
            "two_at_once",
            _with(to_weights=lambda d, V: d @ V, divisor=lambda Q, K, V: 1.0),
            "Two things at once: dY is multiplied by V as it stands, where Vᵀ belongs, and the "
            "1/√d_k is missing. Where sizes are equal it runs all the same.",
        ),
        Mistake(
            "three_at_once",
            _with(
                to_weights=lambda d, V: d @ V,
                to_scores=KEEPDIMS,
                divisor=lambda Q, K, V: 1.0,
            ),
            "Three things at once: dY V for dY Vᵀ, the means of the rows laid along the columns, "
            "and no 1/√d_k. Where sizes are equal it runs all the same.",
        ),
        Mistake(
            "V_not_transposed_and_keepdims",
            _with(to_weights=lambda d, V: d @ V, to_scores=KEEPDIMS),
            "Two things at once: dY is multiplied by V as it stands, where Vᵀ belongs, and the "
            "means of the rows have lost their axis (keepdims=True).",
        ),
        Mistake(
            "keepdims_and_no_scale",
            _with(to_scores=KEEPDIMS, divisor=lambda Q, K, V: 1.0),
            "Two things at once: the means of the rows have lost their axis (keepdims=True), and "
            "the 1/√d_k is missing on the way back.",
        ),
        Mistake(
            "no_mean_and_no_mask",
            _with(weigh=lambda Q, K, V, mask: _everybody(Q, K), to_scores=NO_MEAN),
            "Two things at once: the mask plays no part, and the mean that softmax subtracts is "
            "missing.",
        ),
        *softmax_mistakes(lambda step: _with(to_scores=_through(step))),
        *scale_mistakes(lambda root: _with(divisor=lambda Q, K, V: root(K.shape[1]))),
        Mistake(
            "softmax_skipped",
            _with(to_scores=lambda w, d, Q, K, mask: d),
            "The derivatives by the weights are used as if they were those by the scores: the way "
            "back through softmax is missing.",
        ),
        Mistake(
            "scale_only_forwards_missing",
            _with(weigh=lambda Q, K, V, mask: _weights(Q, K, mask, 1.0)),
            "The weights are made of plain dot products, without 1/√d_k. Backwards it is there, "
            "but the weights are not those of the attention.",
        ),
        Mistake(
            "scale_nowhere",
            _with(
                weigh=lambda Q, K, V, mask: _weights(Q, K, mask, 1.0),
                divisor=lambda Q, K, V: 1.0,
            ),
            "The 1/√d_k is missing forwards and backwards: this is right for plain dot products. "
            "It stands in the scores, and comes back once.",
        ),
        Mistake(
            "by_d_forwards",
            _with(weigh=lambda Q, K, V, mask: _weights(Q, K, mask, 1 / K.shape[1])),
            "Forwards the dot products are divided by d_k, not by its root: these are other "
            "weights.",
        ),
        Mistake(
            "by_root_d_v",
            _with(divisor=lambda Q, K, V: np.sqrt(V.shape[1])),
            "The derivative is divided by √d_v. The scale belongs to the dot product of a query "
            "and a key: √d_k.",
        ),
        Mistake("by_root_n_k", _with(divisor=lambda Q, K, V: np.sqrt(len(K))), ROWS),
        Mistake("by_root_n_q", _with(divisor=lambda Q, K, V: np.sqrt(len(Q))), ROWS),
        Mistake("no_mask", _with(weigh=lambda Q, K, V, mask: _everybody(Q, K)), NO_MASK),
        Mistake(
            "mask_inverted",
            _with(weigh=lambda Q, K, V, mask: _low(Q, K, ~mask, -1e9)),
            INVERTED,
        ),
        Mistake(
            "mask_inverted_added",
            _with(weigh=lambda Q, K, V, mask: softmax(_scores(Q, K) - 1e6 * mask)),
            INVERTED,
        ),
        Mistake(
            "mask_inverted_to_the_end",
            _with(weigh=lambda Q, K, V, mask: _bare(np.where(mask, -np.inf, _scores(Q, K)))),
            INVERTED,
        ),
        Mistake(
            "mask_inverted_by_the_book",
            _with(weigh=lambda Q, K, V, mask: _weights(Q, K, ~mask)),
            INVERTED,
        ),
        Mistake(
            "causal_always",
            _with(weigh=lambda Q, K, V, mask: _weights(Q, K, np.tri(*mask.shape, dtype=bool))),
            "A causal mask stands where the given one belongs: which keys a query sees is what "
            "`mask` says.",
        ),
        Mistake(
            "mask_too_high",
            _with(weigh=lambda Q, K, V, mask: _low(Q, K, mask, -10.0)),
            "Without a mask this is right. With one, a little weight is left where it forbids: the "
            "number in the place of −inf is not low enough.",
            recognise=_mask_too_high,
        ),
        Mistake(
            "mask_on_the_gradient",
            _with(to_scores=_mask_on_gradient),
            "The mask only cuts off derivatives at the end; the weights are those without a mask. "
            "With it, the keys that are left have more weight, and the row's mean is another.",
        ),
        Mistake(
            "mask_after_softmax",
            _with(weigh=_renormalised),
            "The weights are cut to 0 after softmax, so those that are left no longer sum to 1. "
            "Mask the scores before softmax, with -inf.",
        ),
        Mistake(
            "mask_as_product",
            _with(weigh=lambda Q, K, V, mask: softmax(Q @ K.T * mask / np.sqrt(K.shape[1]))),
            "Scores times mask: a masked pair gets the score 0, and exp(0) is 1, so it keeps "
            "weight. It needs -inf.",
        ),
        Mistake(
            "mean_of_all_keys",
            _with(to_scores=_mean_of_everybody),
            "The row's mean is taken under weights without the mask, so keys that were never seen "
            "enter through it. Use the masked weights in both places.",
        ),
        Mistake(
            "factor_of_all_keys",
            _with(to_scores=_factor_of_everybody),
            "The outer weight is the one without the mask, so masked pairs still get a "
            "derivative. Use the masked weights in both places.",
        ),
        Mistake(
            "down_the_columns",
            _with(
                weigh=lambda Q, K, V, mask: softmax(
                    np.where(mask, Q @ K.T / np.sqrt(K.shape[1]), -np.inf), axis=0
                )
            ),
            "Softmax runs down the columns, over the queries. The weights of one query over all "
            "keys sum to 1: axis -1.",
        ),
        Mistake(
            "keys_derivative",
            _with(to_queries=lambda d_scores, Q, K, V: d_scores.T @ Q),
            KEYS_BACK,
        ),
        Mistake(
            "scores_transposed",
            _with(to_queries=lambda d_scores, Q, K, V: d_scores.T @ K),
            "The matrix dS is transposed, which runs only where n_q is n_k. Row i of dS belongs to "
            "query i: it mixes the keys as it stands.",
        ),
        Mistake(
            "queries_for_keys",
            _with(to_queries=lambda d_scores, Q, K, V: d_scores @ Q),
            "The derivatives by the scores are multiplied by the queries. A query met the keys in "
            "its scores, so it is the keys that pull it: dS K.",
        ),
        Mistake(
            "keys_transposed",
            _with(to_queries=lambda d_scores, Q, K, V: d_scores @ K.T),
            "The keys are transposed, which runs only where n_k is d_k. Forwards they were, in "
            "Q Kᵀ; on the way back to the queries they stand as they are: dS K.",
        ),
        Mistake(
            "values_for_keys",
            _with(to_queries=lambda d_scores, Q, K, V: d_scores @ V),
            "The derivatives by the scores are multiplied by the values. These have done their "
            "part in dW; what a query met in its scores are the keys.",
        ),
        Mistake(
            "d_scores",
            _with(to_queries=lambda d_scores, *rest: d_scores, divisor=lambda *given: 1.0),
            D_SCORES,
        ),
        Mistake("d_scores_scaled", _with(to_queries=lambda d_scores, *rest: d_scores), D_SCORES),
        Mistake(
            "d_weights",
            lambda d_output, Q, K, V, mask: d_output @ V.T,
            "These are the derivatives by the weights. Two steps are left: back through softmax, "
            "and back from the scores to the queries.",
        ),
        Mistake(
            "pulled_by_the_output",
            _with(to_weights=lambda d, V: np.ones_like(d) @ V.T),
            "All outputs count alike here, as if each derivative in d_output were 1. How much each "
            "counts for the loss is what d_output says.",
        ),
        Mistake(
            "weights_rounded",
            _with(weigh=lambda Q, K, V, mask: _weights(Q, K, mask).round(2)),
            "The weights are rounded to two decimals before they are used. Round what you print, "
            "never what you compute with.",
        ),
        Mistake(
            "denominator",
            _with(weigh=_leaking),
            "Nearly right: the weights do not quite sum to 1. Something is added to softmax's "
            "denominator. It is never 0 here: leave the addition out.",
            recognise=_denominator,
        ),
        Mistake(
            "differences",
            _step_by_step,
            "Close but not exact: this looks like finite differences. To one side they err by "
            "about the step, and a tiny step leaves rounding. Write the derivative's formula.",
            recognise=_differences,
        ),
    ),
    definition="Move one entry of Q by 0.001, attend anew, and add up d_output times what changed: "
    "a thousandth of the derivative.",
    general="Go back stage by stage and compare each with a difference: dW by moving a weight, dS "
    "by moving a score, dQ by moving a query.",
    why="Three stages, three factors, and the mask needed no term of its own: a weight of 0 stops "
    "whatever comes back through it.",
)
