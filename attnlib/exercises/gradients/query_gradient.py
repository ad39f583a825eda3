"""From the derivatives by the outputs all the way back to the queries."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


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
    mean=lambda w, d: (w * d).sum(axis=-1, keepdims=True),
    to_scores=None,
    to_queries=lambda d_scores, Q, K, V: d_scores @ K,
    divisor=lambda Q, K, V: np.sqrt(K.shape[1]),
):
    """query_gradient with one step replaced."""

    def wrong(d_output, Q, K, V, mask):
        w = weigh(Q, K, V, mask)
        d_weights = to_weights(d_output, V)
        if to_scores is None:
            d_scores = w * (d_weights - mean(w, d_weights))
        else:
            d_scores = to_scores(w, d_weights, Q, K, mask)
        return to_queries(d_scores, Q, K, V) / divisor(Q, K, V)

    return wrong


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


def _differences(values, cases):
    """Near the derivatives in every case, but as far off as differences are."""
    off = _off(values, cases)
    return 1e-9 < min(off) and max(off) < 0.05


def _mask_too_high(values, cases):
    """Right without a mask, and nearly right with one."""
    off = _off(values, cases)
    masked = [not case.args[-1].all() for case in cases]
    return all(1e-9 < o < 0.5 if hidden else o < 1e-9 for o, hidden in zip(off, masked))


MEAN = (
    "The mean that softmax subtracts is missing: ds = w * dw. A score that rises lowers all other "
    "weights of its row, and the loss feels them too."
)
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
                np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]], bool),
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
                mean=lambda w, d: (w * d).sum(axis=-1),
                divisor=lambda Q, K, V: 1.0,
            ),
            "Three things at once: dY V for dY Vᵀ, the means of the rows laid along the columns, "
            "and no 1/√d_k. Where sizes are equal it runs all the same.",
        ),
        Mistake(
            "V_not_transposed_and_keepdims",
            _with(to_weights=lambda d, V: d @ V, mean=lambda w, d: (w * d).sum(axis=-1)),
            "Two things at once: dY is multiplied by V as it stands, where Vᵀ belongs, and the "
            "means of the rows have lost their axis (keepdims=True).",
        ),
        Mistake(
            "keepdims_and_no_scale",
            _with(mean=lambda w, d: (w * d).sum(axis=-1), divisor=lambda Q, K, V: 1.0),
            "Two things at once: the means of the rows have lost their axis (keepdims=True), and "
            "the 1/√d_k is missing on the way back.",
        ),
        Mistake(
            "no_mean_and_no_mask",
            _with(weigh=lambda Q, K, V, mask: _everybody(Q, K), mean=lambda w, d: 0.0),
            "Two things at once: the mask plays no part, and the mean that softmax subtracts is "
            "missing.",
        ),
        Mistake(
            "diagonal_only",
            _with(mean=lambda w, d: w * d),
            "Only the diagonal of softmax's Jacobian is used, w (1 - w). A score moves every "
            "weight of its row: subtract the row's mean of dw under the weights.",
        ),
        Mistake("no_mean", _with(mean=lambda w, d: 0.0), MEAN),
        Mistake(
            "plain_mean",
            _with(mean=lambda w, d: d.mean(axis=-1, keepdims=True)),
            "The plain mean of dw is subtracted. It is the mean under the weights: each entry "
            "counts by its weight.",
        ),
        Mistake(
            "plain_sum",
            _with(mean=lambda w, d: d.sum(axis=-1, keepdims=True)),
            "The sum of the row of dw is subtracted. Each entry counts by its weight before they "
            "are added.",
        ),
        Mistake(
            "divided_by_n_k",
            _with(mean=lambda w, d: (w * d).mean(axis=-1, keepdims=True)),
            "The products of weights and dw are averaged, so they are divided by n_k as well. The "
            "weights sum to 1 already: add the products.",
        ),
        Mistake(
            "mean_down_the_columns",
            _with(mean=lambda w, d: (w * d).sum(axis=0, keepdims=True)),
            "The mean of dw is taken down the columns, over the queries. Softmax ran along each "
            "row, so each row has a mean of its own: axis=-1.",
        ),
        Mistake(
            "mean_of_everything",
            _with(mean=lambda w, d: (w * d).sum()),
            "One sum over all of w * dw is subtracted. Each row has a softmax of its own, and so "
            "a mean of its own.",
        ),
        Mistake(
            "keepdims",
            _with(mean=lambda w, d: (w * d).sum(axis=-1)),
            "The means of the rows have lost their axis, so NumPy lines them up with the columns, "
            "if it can: row i loses the means of other rows. Use keepdims=True.",
        ),
        Mistake(
            "all_pairs",
            _with(mean=lambda w, d: w @ d.T),
            "Weights @ dWᵀ meets every row with every other, where it runs at all. Row i needs its "
            "own alone: multiply entry by entry, and add along the row.",
        ),
        Mistake(
            "first_rows_jacobian",
            _with(
                to_scores=lambda w, d, Q, K, mask: d @ (np.diag(w[0]) - np.outer(w[0], w[0])),
            ),
            "Every row goes through the Jacobian of the first row. Each row has weights of its "
            "own, and so a Jacobian of its own.",
        ),
        Mistake(
            "weight_forgotten",
            _with(to_scores=lambda w, d, Q, K, mask: d - (w * d).sum(axis=-1, keepdims=True)),
            "The outer weight is missing: ds is w times the distance of dw from its mean. A key "
            "without weight moves nothing.",
        ),
        Mistake(
            "softmax_skipped",
            _with(to_scores=lambda w, d, Q, K, mask: d),
            "The derivatives by the weights are used as if they were those by the scores: the way "
            "back through softmax is missing.",
        ),
        Mistake(
            "no_scale",
            _with(divisor=lambda Q, K, V: 1.0),
            "The 1/√d_k is missing on the way back. Scores are scaled dot products: a query moves "
            "them by 1/√d_k times the keys.",
        ),
        Mistake(
            "scaled_twice",
            _with(divisor=lambda Q, K, V: K.shape[1]),
            "The 1/√d_k is applied twice on the way back. It stands once in the scores, so it "
            "comes back once.",
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
            "times_root",
            _with(divisor=lambda Q, K, V: 1 / np.sqrt(K.shape[1])),
            "On the way back you multiply by √d_k. A factor stays what it is: the scores are "
            "1/√d_k times the dot products, so 1/√d_k comes back.",
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
