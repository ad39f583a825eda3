"""Exercises of chapter 4: the size of scores, and what it does to weights and gradients."""

import numpy as np

from .exercise import Case, Exercise, Mistake
from .showing import show


def _scores(factor):
    """Dot products of all queries with all keys, times factor(d_k, n_k)."""
    return lambda Q, K: (
        Q @ np.swapaxes(K, -1, -2) * factor(np.float64(K.shape[-1]), np.float64(K.shape[-2]))
    )


scaled_scores = _scores(lambda d, n: 1 / np.sqrt(d))


def _scaled_by(number):
    """Dot products of all queries with all keys over the root of a number taken of the arrays."""
    return lambda Q, K: Q @ np.swapaxes(K, -1, -2) / np.sqrt(number(Q, K))


def _softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


FIRST_AXIS = (
    "The scale comes from the first axis, which counts queries or keys, or in a batch the items. "
    "A dot product has d_k terms, however many rows there are: d_k is the last axis."
)


def _draw(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).round(1)


SCALED_SCORES = Exercise(
    name="scaling.scaled_scores",
    signature="scaled_scores(Q, K)",
    task="Write scaled_scores(Q, K): the dot product of every query with every key, divided by "
    "√d_k, for any leading axes.",
    returns="an array of shape (..., n_q, n_k)",
    reference=scaled_scores,
    cases=(
        Case("as many keys as queries", (np.array([[1.0, 2.0], [0.0, 1.0]]), _draw(2, 2))),
        Case("more keys than queries", (_draw(2, 4), _draw(3, 4))),
        Case("a batch", (_draw(2, 2, 3), _draw(2, 4, 3))),
        Case("a batch with heads", (_draw(2, 3, 2, 5), _draw(2, 3, 4, 5))),
    ),
    mistakes=(
        Mistake(
            "no_scale",
            _scores(lambda d, n: 1.0),
            "The scale is missing: these are the plain dot products. Divide them by √d_k.",
        ),
        Mistake(
            "by_d",
            _scores(lambda d, n: 1 / d),
            "The scores are divided by d_k, not by its root. Their spread then shrinks as d_k "
            "grows, where it should stay the same.",
        ),
        Mistake(
            "by_root_n",
            _scores(lambda d, n: 1 / np.sqrt(n)),
            "The scale comes from the number of keys. A dot product has d_k terms, however many "
            "keys there are: d_k is the last axis of K, not the one before.",
        ),
        Mistake("by_root_first_of_Q", _scaled_by(lambda Q, K: Q.shape[0]), FIRST_AXIS),
        Mistake("by_root_first_of_K", _scaled_by(lambda Q, K: K.shape[0]), FIRST_AXIS),
        Mistake(
            "softmaxed",
            lambda Q, K: _softmax(scaled_scores(Q, K)),
            "Softmax is applied as well: these are weights, positive and with a sum of 1 in every "
            "row. The scores are asked for, as they stand before softmax.",
        ),
        Mistake(
            "times_root_d",
            _scores(lambda d, n: np.sqrt(d)),
            "The scores are multiplied by √d_k instead of divided, so they grow twice over with "
            "d_k. Look where the brackets end.",
        ),
        Mistake(
            "transposed",
            lambda Q, K: K @ np.swapaxes(Q, -1, -2) / np.sqrt(K.shape[-1]),
            "Rows and columns are exchanged: this is K Qᵀ. Queries go down and keys across, so "
            "the shape is (n_q, n_k).",
        ),
        Mistake(
            "root_of_all",
            lambda Q, K: np.sqrt(Q @ np.swapaxes(K, -1, -2) / K.shape[-1]),
            "The root is taken of the whole fraction, and negative scores become NaN. Only d_k "
            "stands under the root.",
        ),
        Mistake(
            "reversed_axes",
            lambda Q, K: Q @ K.T / np.sqrt(K.shape[-1]),
            "K.T reverses all axes, so it serves matrices only. In a batch exchange the last "
            "two: np.swapaxes(K, -1, -2).",
        ),
    ),
    properties=(
        lambda S, Q, K: (
            "A scaled score should have the sign of its dot product; some here have not."
            if (np.sign(np.round(S, 9)) != np.sign(np.round(Q @ np.swapaxes(K, -1, -2), 9))).any()
            else None
        ),
    ),
    definition="Entry (i, j) should be the dot product of query i and key j over the root of "
    "their length.",
    general="The scores are not the scaled dot products. Take one query and one key, multiply "
    "and sum by hand, then look at the scale.",
    why="One factor keeps the spread of the scores the same for every d_k, if queries and keys "
    "are independent.",
)


def softmax_jacobian(w):
    """Derivatives of the weights by the scores, from the weights alone."""
    return np.diag(w) - np.outer(w, w)


SOFTMAX_JACOBIAN = Exercise(
    name="scaling.softmax_jacobian",
    signature="softmax_jacobian(w)",
    task="Write softmax_jacobian(w): from the weights w, the matrix whose entry (i, j) is the "
    "derivative of weight i by score j.",
    returns="an array of shape (n, n)",
    reference=softmax_jacobian,
    cases=(
        Case("two weights", (np.array([0.75, 0.25]),)),
        Case("equal weights", (np.full(4, 0.25),)),
        Case("three weights", (np.array([0.2, 0.5, 0.3]),)),
        Case("all weight on one element", (np.array([0.0, 1.0, 0.0]),)),
    ),
    mistakes=(
        Mistake(
            "diagonal_only",
            lambda w: np.diag(w * (1 - w)),
            "Only the diagonal is filled. Raising one score takes weight from all the others, so "
            "the entries beside the diagonal are not 0: every column should sum to 0.",
        ),
        Mistake(
            "diagonal_vector",
            lambda w: w * (1 - w),
            "This is the diagonal alone, as a vector. Every weight depends on every score, which "
            "takes an (n, n) matrix.",
        ),
        Mistake(
            "plus",
            lambda w: np.diag(w) + np.outer(w, w),
            "The outer product is added where it should be subtracted. Raising score j lowers "
            "every other weight, so entries beside the diagonal are negative.",
        ),
        Mistake(
            "sign",
            lambda w: np.outer(w, w) - np.diag(w),
            "All signs are the wrong way round. Raising a score raises its own weight, so the "
            "diagonal is positive.",
        ),
        Mistake(
            "no_diagonal",
            lambda w: -np.outer(w, w),
            "The term for i = j is missing: this is -w wᵀ alone, by which a weight would fall "
            "when its own score rises.",
        ),
        Mistake(
            "one_minus_outer",
            lambda w: np.outer(w, 1 - w),
            "Beside the diagonal this has w_i (1 - w_j), the formula that holds on the diagonal "
            "only. There should be no 1 where i and j differ.",
        ),
        Mistake(
            "dot_instead_of_outer",
            lambda w: np.diag(w) - w @ w.T,
            "One number is subtracted everywhere: w has one axis, so w.T is w and w @ w.T is the "
            "sum of the squares. The table of all products w_i w_j needs one w down, one across.",
        ),
        Mistake(
            "elementwise_square",
            lambda w: np.diag(w) - w * w,
            "The same row is subtracted everywhere: w * w holds the squares w_j² alone. The table "
            "of all products w_i w_j needs one w down and one across.",
        ),
        Mistake(
            "ones_on_the_diagonal",
            lambda w: np.eye(len(w)) - np.outer(w, w),
            "The diagonal starts from 1 instead of w_i: np.eye(n) is not np.diag(w). A weight "
            "near 0 hardly moves with its own score, yet here its entry is near 1.",
        ),
        Mistake(
            "softmax_again",
            lambda w: softmax_jacobian(_softmax(w)),
            "Softmax is taken of w once more. The argument holds weights already, not scores: "
            "use them as they are.",
        ),
        Mistake(
            "diag_alone",
            lambda w: np.diag(w),
            "This is diag(w): the derivative of the sum in softmax's denominator is missing. "
            "Every score also moves the normalisation.",
        ),
    ),
    properties=(
        lambda J, w: (
            "Raising a score never lowers its own weight: the diagonal should not be negative."
            if (np.diag(J) < -1e-9).any()
            else None
        ),
        lambda J, w: (
            "The weights keep their sum when a score moves, so every column should sum to 0; "
            f"these sum to {show(J.sum(axis=0))}."
            if not np.allclose(J.sum(axis=0), 0, atol=1e-7)
            else None
        ),
    ),
    definition="Entry (i, j) should say how much weight i moves for a small step of score j: try "
    "a step of 0.001 with softmax itself.",
    general="The matrix is not the Jacobian. Take scores np.log(w), raise one of them by 0.001 "
    "and see how softmax moves.",
    why="All entries vanish when one weight nears 1: a saturated softmax passes no gradient, and "
    "that is what the scale prevents.",
)


def score_std(d, var_q, var_k):
    """Standard deviation of a dot product of independent zero-mean parts."""
    return float(np.sqrt(d * var_q * var_k))


SCORE_STD = Exercise(
    name="scaling.score_std",
    signature="score_std(d, var_q, var_k)",
    task="Write score_std(d, var_q, var_k): the standard deviation of q·k, with d independent "
    "components of mean 0 and variances var_q and var_k.",
    returns="a single number",
    reference=score_std,
    cases=(
        Case("one component of unit variance", (1, 1.0, 1.0)),
        Case("several components of unit variance", (7, 1.0, 1.0)),
        Case("other variances", (3, 4.0, 0.5)),
        Case("many components", (512, 0.3, 2.0)),
    ),
    mistakes=(
        Mistake(
            "variance",
            lambda d, a, b: d * a * b,
            "This is the variance. The variance of the score is d · var_q · var_k; the standard "
            "deviation is its root.",
        ),
        Mistake(
            "no_d",
            lambda d, a, b: np.sqrt(a * b),
            "This is the standard deviation of a single product q_i k_i. A score sums d of them, "
            "and their variances add.",
        ),
        Mistake(
            "adds_variances",
            lambda d, a, b: np.sqrt(d * (a + b)),
            "The variances of q_i and k_i are added, as for a sum. They are multiplied here: with "
            "mean 0 and independence, Var(q_i k_i) = Var(q_i) Var(k_i).",
        ),
        Mistake(
            "linear_in_d",
            lambda d, a, b: d * np.sqrt(a * b),
            "Here d stands outside the root. Variances of independent terms add, standard "
            "deviations do not: four times as many terms only double the standard deviation.",
        ),
        Mistake(
            "root_d_only",
            lambda d, a, b: np.sqrt(d),
            "This is √d, which holds for unit variances. Both variances take part.",
        ),
        Mistake(
            "variances_outside",
            lambda d, a, b: np.sqrt(d) * a * b,
            "The variances stand outside the root. The variance of the score is "
            "d · var_q · var_k; the standard deviation is the root of all of it.",
        ),
    ),
    definition="Its square should be the variance of a sum of d independent products; draw a "
    "thousand q and k and compare with np.std.",
    general="Start with the variance of one product q_i k_i, then sum d of them, then take the "
    "root once.",
    why="The standard deviation of the scores grows with the root of d: that is the √d_k that "
    "scaling divides by.",
)


def _largest_weight(temperature, scores, target=None):
    """What a temperature does to the highest score: its weight; NaN for T ≤ 0."""
    if not temperature > 0:
        return np.nan
    return 1 / np.exp((scores - scores.max()) / temperature).sum()


def temperature_for(scores, target):
    """Bisect on log T: the largest weight falls from 1 to 1/n as T grows."""
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        too_sharp = _largest_weight(np.exp(middle), scores) > target
        low, high = (middle, high) if too_sharp else (low, middle)
    return float(np.exp(low))


def _gaps(scores):
    return scores.max() - np.delete(scores, scores.argmax())


def _closed_form(gap_of, rivals_of):
    """The temperature if all ``rivals_of`` other scores lay ``gap_of`` below the highest."""
    return lambda scores, target: (
        gap_of(_gaps(scores)) / np.log(rivals_of(scores) * target / (1 - target))
    )


def _bisected(rounds, low=-20.0, high=20.0, *, reversed_=False):
    """temperature_for with few rounds, a narrow interval of log T, or the wrong half kept."""

    def temperature(scores, target):
        a, b = low, high
        for _ in range(rounds):
            middle = (a + b) / 2
            too_sharp = _largest_weight(np.exp(middle), scores) > target
            a, b = (a, middle) if too_sharp == reversed_ else (middle, b)
        return float(np.exp((a + b) / 2))

    return temperature


def _at_the_ends(weights, cases):
    """Each weight far from its target, all but 1 or all but 1/n."""
    return all(
        w > 0.1 * target + 0.9 or w < 0.1 * target + 0.9 / len(scores)
        for w, (scores, target) in zip(weights, (case.args for case in cases))
    )


def _misses(weights, cases):
    """How far each weight lies from its target, in parts of what would take it to 1 or 1/n."""
    for weight, (scores, target) in zip(weights, (case.args for case in cases)):
        yield abs(weight - target) / min(1 - target, target - 1 / len(scores))


def _search_too_narrow(weights, cases):
    """Right for moderate targets, and far off for one of the others."""
    moderate = [miss for miss, c in zip(_misses(weights, cases), cases) if "near" not in c.kind]
    return max(moderate) < 5e-6 and max(_misses(weights, cases)) > 0.25


def _near_the_targets(weights, cases):
    """Not right, but near most targets."""
    misses = np.array([*_misses(weights, cases)])
    exact = np.allclose(weights, [case.args[1] for case in cases], rtol=0, atol=1.5e-6)
    return np.median(misses) < 0.25 and not exact and not _search_too_narrow(weights, cases)


def _said_weight(temperature, scores, target):
    if not temperature > 0:
        return "A temperature is a positive number."
    weight = float(_largest_weight(temperature, scores))
    return f"At this temperature the largest weight is {weight:.7f}, not {target:g}."


TEMPERATURE_FOR = Exercise(
    name="scaling.temperature_for",
    signature="temperature_for(scores, target)",
    task="Write temperature_for(scores, target): a T for which the largest weight of "
    "softmax(scores / T) equals target to within 0.000001.",
    returns="a single number",
    reference=temperature_for,
    view=_largest_weight,
    rtol=0.0,
    atol=1.5e-6,
    cases=(
        Case("two scores", (np.array([2.0, 0.0]), 0.75)),
        Case("two scores", (np.array([-1.0, 3.0]), 0.9)),
        Case("several scores", (np.array([2.1, -0.5, 3.8, 0.2]), 0.6)),
        Case("a target near 1", (np.array([0.3, 0.1, 0.2]), 0.999)),
        Case("a target near 1/n", (np.array([40.0, 10.0, 25.0, 0.0]), 0.26)),
    ),
    mistakes=(
        Mistake(
            "inverse",
            lambda scores, target: 1 / temperature_for(scores, target),
            "This is 1/T. A temperature divides the scores, so a higher one makes the weights "
            "more even.",
        ),
        Mistake(
            "best_rival_only",
            _closed_form(np.min, lambda scores: 1),
            "Only the two highest scores are taken into account. The others hold weight as well, "
            "so the largest weight stays below the target.",
        ),
        Mistake(
            "rivals_alike",
            _closed_form(np.mean, lambda scores: len(scores) - 1),
            "All scores but the highest are replaced by their mean. exp is not linear, so that is "
            "exact for equal rivals only: search for T instead.",
        ),
        Mistake(
            "loose",
            lambda scores, target: round(temperature_for(scores, target), 2),
            "T is right to two decimals only. The largest weight has to meet the target to "
            "0.000001: search on, or round later.",
        ),
        Mistake(
            "wrong_half",
            _bisected(80, reversed_=True),
            "Each search runs to one end of its interval, where the largest weight is near 1 or "
            "near 1/n: most likely it keeps the wrong half. Where the largest weight exceeds the "
            "target, T is too low, so keep the half above.",
            recognise=_at_the_ends,
        ),
        Mistake(
            "too_narrow",
            _bisected(60, -3.0, 3.0),
            "Moderate targets are met, one near 1 or near 1/n is not: most likely the T asked for "
            "lies outside the interval that you search. Start with a wider one; halving makes that "
            "cheap.",
            recognise=_search_too_narrow,
        ),
        Mistake(
            "too_few_rounds",
            _bisected(12),
            "The right idea, not near enough: the largest weight must equal the target to within "
            "0.000001. More rounds of halving come nearer; a fixed grid would need far too many "
            "points.",
            recognise=_near_the_targets,
        ),
    ),
    properties=(_said_weight,),
    definition="The largest weight of softmax(scores / T) should be the target.",
    general="Put your T into softmax and look at the largest weight: too large means T is too "
    "low. Halving an interval that holds the right T finds it in some 40 steps.",
    why="The largest weight falls steadily from 1 to 1/n as T grows, so one T fits: √d_k is one "
    "choice of temperature among many.",
)

EXERCISES = (SCALED_SCORES, SOFTMAX_JACOBIAN, SCORE_STD, TEMPERATURE_FOR)
