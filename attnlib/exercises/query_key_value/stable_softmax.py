"""A softmax that survives any finite scores."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
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


def _then(after):
    """Does something after(w) with the right weights."""
    return lambda scores: after(stable_softmax(scores))


def _divided(total):
    """The shifted exponentials e, divided by total(e)."""

    def weights(scores):
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return e / total(e)

    return weights


def _of(change):
    """The right softmax of change(scores)."""
    return lambda scores: stable_softmax(change(scores))


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


AXIS_0 = (
    "A matrix is normalised over its first axis, down the columns. Each row is one query's "
    "scores, so each row should sum to 1: sum over the last axis."
)
NO_SUM = (
    "These are the exponentials alone: they are not divided by their sum. Print the sum of a row; "
    "the weights of every row should sum to 1."
)
KEEPDIMS = (
    "The rows' maxima or sums have lost their axis, so NumPy lines them up with the columns: a row "
    "gets the number of another row, or the shapes do not fit. Use keepdims=True for both."
)
OTHER_SHIFT = (
    "The scores are shifted by another number than the largest of their row, the mean perhaps. "
    "Where the largest is far above it exp still overflows: after the shift none should exceed 0."
)
FIXED = (
    "The same fixed number is subtracted from all scores. It helps rows near that number only: a "
    "row far below underflows to 0/0. Let each row bring its own number, its maximum."
)
DIVIDED = (
    "The scores are divided. That may prevent the overflow, but it changes their differences, and "
    "with them the weights. Subtract instead: a shift leaves the differences alone."
)
CLIPPED = (
    "Huge scores are cut off, or their infinite exponentials replaced by a large number, so that "
    "10000 and 9999 weigh the same. Nothing need be cut off: shift each row by its maximum."
)
LOGARITHMS = (
    "These are the logarithms of the weights, all at most 0. Return the weights themselves: "
    "exp(shifted) over its sum."
)
SIGN = (
    "The sign is reversed: the smallest score gets the largest weight. Weights should have the "
    "order of their scores; the exponent is the score minus the maximum."
)
ONE_SHIFTED = (
    "Only one of the two, numerator or sum, uses the shifted scores, so the shift does not cancel. "
    "Take the exponentials once, of the shifted scores, and use them in both places."
)
NOT_THE_SUM = (
    "The exponentials are divided by how many they are, or by their mean, instead of by their sum. "
    "Print the sum of a row of weights: it should be 1."
)
AFTER_EXP = (
    "First comes exp and then the maximum, but exp(10000) is infinite already. Subtract the "
    "maximum from the scores, before exp: that is dividing after it, without the overflow."
)
NO_EXP = (
    "An exp is missing: the scores themselves are divided by their sum. Weights of scores that "
    "differ by 1 should have the ratio e, wherever the scores lie."
)
SPREAD = (
    "The scores are scaled, to the same spread or range for every row. That changes their "
    "differences, so rows with close scores get weights as far apart as any. Only shift them."
)
HARD = (
    "Only the largest score has a weight: a hard maximum. Softmax leaves something to the others: "
    "scores that differ by 1 have weights in the ratio e."
)
PARTLY = (
    "A maximum below 0 is not subtracted: by an if, or because the maximum starts at 0. A row near "
    "-10000 then underflows to 0/0. The shift never does harm: take each row's own maximum."
)

EXERCISE = Exercise(
    signature="stable_softmax(scores)",
    task="Write stable_softmax(scores): softmax over the last axis that also survives scores of "
    "10000 and -10000.",
    returns="an array of the shape of scores",
    reference=stable_softmax,
    own=True,
    cases=(
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
    ),
    mistakes=(
        Mistake(
            "no_shift",
            _softmax(shift=lambda s: 0.0),
            "Without a shift, or with a small one such as argmax, exp overflows or vanishes: "
            "exp(10000) is inf, exp(-10000) is 0, and dividing gives NaN. Subtract the largest "
            "score of the row first; the weights stay the same.",
        ),
        Mistake("minus_mean", _softmax(shift=_rowwise(np.mean)), OTHER_SHIFT),
        Mistake("no_sum", lambda s: np.exp(s - s.max(axis=-1, keepdims=True)), NO_SUM),
        Mistake("no_sum_no_shift", np.exp, NO_SUM),
        Mistake("axis_0", _softmax(lambda s: s.max(axis=0), axis=0), AXIS_0),
        Mistake("axis_0_in_sum", _softmax(axis=0), AXIS_0),
        Mistake("no_keepdims", _softmax(lambda s: s.max(axis=-1), keepdims=False), KEEPDIMS),
        Mistake("no_keepdims_in_sum", _softmax(keepdims=False), KEEPDIMS),
        Mistake("no_keepdims_in_max", _softmax(shift=lambda s: s.max(axis=-1)), KEEPDIMS),
        Mistake("over_max", _over_max, DIVIDED),
        Mistake(
            "one_shift_for_all",
            _softmax(shift=lambda s: s.max()),
            "The maximum of the whole array is subtracted. A row far below it underflows to 0/0: "
            "every row needs its own maximum, max(axis=-1, keepdims=True).",
        ),
        Mistake(
            "whole_array",
            _softmax(axis=None),
            "The whole matrix sums to 1 instead of each row. Sum over the last axis only.",
        ),
        Mistake(
            "no_shift_whole_array",
            _softmax(shift=lambda s: 0.0, axis=None),
            "Two things: without a shift exp(10000) overflows, and a matrix is divided by one sum "
            "instead of a sum for each row. Both the maximum and the sum belong to a row.",
        ),
        Mistake(
            "all_whole_array",
            _softmax(shift=np.max, axis=None),
            "Maximum and sum are those of the whole array, so a whole matrix sums to 1. Each row "
            "needs its own: use axis=-1 with keepdims=True for both.",
        ),
        Mistake(
            "axis_0_in_max",
            _softmax(shift=lambda s: s.max(axis=0)),
            "The maxima are taken down the columns of a matrix, so a row's shift comes partly from "
            "other rows. Take the maximum along the last axis, as the sum.",
        ),
        Mistake(
            "axis_1",
            _axis_1,
            "With axis=1 it works for a matrix only: a single row has no axis 1, and NumPy "
            "raises. axis=-1 means the last one, whatever the number of axes.",
        ),
        Mistake(
            "max_of_python",
            _max_of_python,
            "Python's own max and sum run over the rows of a matrix, not along them. NumPy's own "
            "take an axis: scores.max(axis=-1, keepdims=True).",
        ),
        Mistake("minus_min", _softmax(shift=_rowwise(np.min)), OTHER_SHIFT),
        Mistake("minus_first", _softmax(shift=lambda s: s[..., :1]), OTHER_SHIFT),
        Mistake("minus_last", _softmax(shift=lambda s: s[..., -1:]), OTHER_SHIFT),
        Mistake("minus_sum", _softmax(shift=_rowwise(np.sum)), OTHER_SHIFT),
        Mistake(
            "plus_max",
            _softmax(shift=lambda s: -s.max(axis=-1, keepdims=True)),
            "The maximum is added instead of subtracted, so large scores grow larger still. After "
            "the shift the largest score of each row should be 0.",
        ),
        Mistake(
            "minus_largest_size",
            _softmax(shift=lambda s: np.abs(s).max(axis=-1, keepdims=True)),
            "The largest absolute value is subtracted. For a row near -10000 that is +10000, and "
            "everything underflows to 0/0. Take the largest score, with its sign.",
        ),
        Mistake("minus_constant", _softmax(shift=lambda s: 1e4), FIXED),
        Mistake("minus_smaller_constant", _softmax(shift=lambda s: 700.0), FIXED),
        Mistake("over_largest_size", _of(lambda s: s / _rowwise(np.max)(np.abs(s))), DIVIDED),
        Mistake("over_largest_of_all", _of(lambda s: s / np.abs(s).max()), DIVIDED),
        Mistake("over_constant", _of(lambda s: s / 1e4), DIVIDED),
        Mistake(
            "over_root_n",
            _of(lambda s: s / np.sqrt(s.shape[-1])),
            "The scores are divided by a root first, which is not asked for here. Use them as they "
            "are, apart from the shift.",
        ),
        Mistake("clipped_above", _clipped_above, CLIPPED),
        Mistake("infinity_replaced", _infinity_replaced, CLIPPED),
        Mistake("clipped", _of(lambda s: np.clip(s, -700, 700)), CLIPPED, _clipped),
        Mistake(
            "nan_to_zero",
            lambda s: np.nan_to_num(_softmax(shift=lambda s: 0.0)(s)),
            "The NaN that an overflow leaves is replaced by 0, so a row of huge scores has no "
            "weights that sum to 1. Prevent the overflow: shift before exp.",
        ),
        Mistake("shift_if_large", _shift_if_large, PARTLY),
        Mistake("exponentials_divided", _exp_first(np.divide), AFTER_EXP),
        Mistake("exponentials_shifted", _exp_first(np.subtract), AFTER_EXP),
        Mistake("shift_in_numerator", _one_raw(lambda s, z: z, lambda s, z: s), ONE_SHIFTED),
        Mistake("shift_in_sum", _one_raw(lambda s, z: s, lambda s, z: z), ONE_SHIFTED),
        Mistake(
            "shifted_scores",
            lambda s: s - s.max(axis=-1, keepdims=True),
            "These are the shifted scores. Two steps are still to come: exp makes them positive, "
            "and each row is divided by its sum.",
        ),
        Mistake("logarithms", _then(np.log), LOGARITHMS),
        Mistake("logarithms_in_full", _log_softmax, LOGARITHMS),
        Mistake("sign_turned", _softmax_of_differences(lambda s: _rowwise(np.min)(s) - s), SIGN),
        Mistake(
            "sign_turned_at_the_max",
            _softmax_of_differences(lambda s: _rowwise(np.max)(s) - s),
            SIGN,
        ),
        Mistake("divided_by_mean", _divided(_rowwise(np.mean)), NOT_THE_SUM),
        Mistake("divided_by_n", _divided(lambda e: e.shape[-1]), NOT_THE_SUM),
        Mistake(
            "divided_by_norm",
            _divided(_rowwise(np.linalg.norm)),
            "Each row is divided by the root of the sum of its squares, as if a vector were to "
            "have length 1. The weights themselves should sum to 1.",
        ),
        Mistake(
            "another_base",
            _of(lambda s: s * np.log(2)),
            "The powers are of 2, not of e. Softmax takes np.exp: a score that is larger by 1 "
            "should have a weight about 2.718 times as large.",
        ),
        Mistake("hard", lambda s: 1.0 * (s == s.max(axis=-1, keepdims=True)), HARD),
        Mistake(
            "index_of_the_largest",
            lambda s: s.argmax(axis=-1),
            "This is the position of the largest score in each row, argmax. A weight for every "
            "score is asked for, in the shape of scores.",
        ),
        Mistake("no_exp", lambda s: s / s.sum(axis=-1, keepdims=True), NO_EXP),
        Mistake("no_exp_shifted", _shares_above_min, NO_EXP),
        Mistake("no_exp_after_the_shift", _shares_below_max, NO_EXP),
        Mistake(
            "sigmoid",
            lambda s: 1 / (1 + np.exp(-s)),
            "Each score goes through a sigmoid of its own, so a row need not sum to 1. The weights "
            "of a row share one sum: exp of each, divided by the sum of all.",
        ),
        Mistake("standardised", _of(lambda s: s / _rowwise(np.std)(s)), SPREAD),
        Mistake("to_one_range", _of(lambda s: s / _rowwise(np.ptp)(s)), SPREAD),
        Mistake(
            "rows_of_a_row",
            lambda s: np.array([stable_softmax(row) if row.ndim else 1.0 for row in s]),
            "A loop over scores gives the rows of a matrix, but of a single row it gives single "
            "numbers, and each of these gets weight 1. Use axis=-1 instead of a loop.",
        ),
        Mistake(
            "whole_numbers",
            _then(lambda w: w.astype(int)),
            "The weights are stored as whole numbers, so everything below 1 becomes 0. Do not make "
            "the array with dtype=int.",
        ),
        Mistake(
            "type_of_scores",
            lambda s: stable_softmax(s).astype(s.dtype),
            "Whole-number scores give only 0 and 1: the weights are stored in an array of their "
            "type, as np.zeros_like(scores) makes it. np.zeros(scores.shape) holds decimals.",
        ),
        Mistake(
            "float16",
            _in_float16,
            "The numbers are float16, which keeps about three digits: near 10000 its numbers are 8 "
            "apart, so that 10000 and 9999 are one and the same. Leave scores as they come.",
            lambda values, cases: all(
                v.shape == c.args[0].shape and np.allclose(v, _in_float16(*c.args), atol=2e-3)
                for v, c in zip(values, cases)
            ),
        ),
    ),
    properties=(not_negative, sums_to_one),
    definition="In each row the ratio of two weights should be exp of the difference of their "
    "scores.",
    general="These are not softmax weights. Print the sum of each row, which should be 1; then "
    "take two scores of a row and print the ratio of their weights and exp of their difference.",
    why="Softmax sees only differences of scores, so shifting a row costs nothing and keeps exp "
    "in range.",
)
