"""Weights under a mask."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def masked_weights(scores, mask):
    """Softmax of the scores, with -inf where the mask is False."""
    return softmax(np.where(mask, scores, -np.inf))


def _filled(fill):
    """Softmax with another number where the mask is False."""
    return lambda scores, mask: softmax(np.where(mask, scores, fill))


def _after(weigh):
    """What is done with the weights of all keys."""
    return lambda scores, mask: weigh(softmax(scores), mask)


def _by_hand(scores, axis=-1):
    """Softmax that gives NaN where attnlib's refuses."""
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _of_all(scores, mask):
    exponentials = np.exp(np.where(mask, scores, -np.inf))
    return exponentials / exponentials.sum()


def _alike(implied):
    """Whether masked keys weigh as if their scores were all of one kind.

    Takes a function of the score that a weight stands for and of the score that was given.
    """

    def recognised(values, cases):
        found = []
        for weights, case in zip(values, cases):
            scores, mask = case.args[0], np.broadcast_to(case.args[1], weights.shape)
            if case.rare or mask.all():
                continue
            if not (weights > 0).all():
                return False
            shift = np.log(weights) - scores
            level = np.nanmean(np.where(mask, shift, np.nan), axis=-1, keepdims=True)
            if not np.allclose((shift - level)[mask], 0):
                return False
            found.extend(implied(np.log(weights) - level, scores)[~mask])
        return bool(found) and np.allclose(found, found[0], atol=1e-4)

    return recognised


LOWER = np.array([[True, False, False], [True, True, False], [True, True, True]])
WORDS = np.array([[True, True, True, False, False]] * 2)
LATE = np.array([[False, True, True], [True, False, True]])
INVERTED = (
    "The mask is inverted: the allowed keys are taken out, and the forbidden ones weigh. True "
    "means that a query may attend."
)
ONE_SUM = (
    "All exponentials are divided by one sum, so all weights together are 1. Each row has its own "
    "sum: axis=-1, with keepdims=True."
)
DOWN = "Softmax runs down the columns. A row holds one query's scores: axis=-1, the keys."
LEAKS = (
    "A masked key still gets some weight: what stands in the place of its score is a finite "
    "number, and not far enough below the others. Only −∞ has the exponential 0: write -np.inf."
)


EXERCISE = Exercise(
    signature="masked_weights(scores, mask)",
    task="Write masked_weights(scores, mask): softmax of each row of the scores over the keys that "
    "the mask allows; every other key gets the weight 0. Each row has a key.",
    returns="an array of shape (n_q, n_k)",
    reference=masked_weights,
    cases=(
        Case("one row", (*draw((1, 3)), np.array([[True, False, True]]))),
        Case("a causal mask", (*draw((3, 3)), LOWER)),
        Case("padding", (*draw((2, 5)), WORDS)),
        Case(
            "scores far below zero",
            (np.array([[1.0, 2.0, 0.0], [2.0, 0.0, 1.0]]) - 3e12, LATE),
            rare=True,
        ),
        Case(
            "rows far from one another",
            (
                np.array([[0.0, 1.0, 2.0], [1000.0, 1001.5, 1002.0]]),
                np.array([[True, True, True], [True, True, False]]),
            ),
            rare=True,
        ),
        Case(
            "a masked score far above the others",
            (np.array([[3e12, 1.5, 0.5], [-1.5, 3e12, 0.5]]), LATE),
            rare=True,
        ),
    ),
    mistakes=(
        Mistake(
            "inverted", lambda scores, mask: softmax(np.where(mask, -np.inf, scores)), INVERTED
        ),
        Mistake(  # attnlib's softmax, which the notebook has imported, refuses a lost row
            "inverted_by_hand",
            lambda scores, mask: _by_hand(np.where(mask, -np.inf, scores)),
            INVERTED,
        ),
        Mistake(
            "after",
            _after(lambda w, mask: w * mask),
            "The mask comes after softmax, so the weights of a row no longer sum to 1; and the "
            "forbidden scores are still in what is left, through the sum Z that divides it.",
        ),
        Mistake(
            "times",
            lambda scores, mask: softmax(scores * mask),
            "The scores are multiplied by the mask, or filled with 0. A score of 0 is a score like "
            "any other, with exp(0) = 1: it may even be the largest. Put -np.inf there.",
        ),
        Mistake(
            "added",
            lambda scores, mask: softmax(scores + mask),
            "The mask itself is added to the scores, 1 where a key is allowed and 0 elsewhere. "
            "That favours the allowed keys by a factor e. What is to be added is 0 and −∞.",
        ),
        Mistake(
            "zero_times_infinity",
            lambda scores, mask: _by_hand(scores + (1 - mask) * -np.inf),
            "In (1 - mask) * -np.inf an allowed key gets 0 times infinity, and that is NaN. Choose "
            "between two numbers instead: np.where(mask, scores, -np.inf).",
        ),
        Mistake("finite_fill", _filled(-10.0), LEAKS, recognise=_alike(lambda s, given: s)),
        Mistake(
            "finite_addition",
            lambda scores, mask: softmax(scores + np.where(mask, 0.0, -10.0)),
            "A masked key still gets some weight: what is added to its score is finite, and not "
            "large enough. Only −∞ takes out any score.",
            recognise=_alike(lambda s, given: s - given),
        ),
        Mistake(
            "fill_too_high",
            _filled(-1e9),
            "On common scores this is right. But masked scores are replaced by a finite number, "
            "and where the allowed ones lie even lower, the forbidden keys get all the weight. "
            "Only -np.inf is below every score.",
        ),
        Mistake(
            "added_finite",
            lambda scores, mask: softmax(scores + np.where(mask, 0.0, -1e4)),
            "On common scores this is right. But a finite number is added to masked scores, and "
            "one that is far above the others stays above them: beside 0, with −10⁴ added, a "
            "masked 20,000 does. Only −∞ takes out any score.",
        ),
        Mistake(
            "whole_table",
            _of_all,
            ONE_SUM,
        ),
        Mistake(
            "down_the_columns",
            lambda scores, mask: _by_hand(np.where(mask, scores, -np.inf), axis=-2),
            DOWN,
        ),
        Mistake(
            "no_keepdims",
            lambda scores, mask: (lambda e: e / e.sum(axis=-1))(
                np.exp(np.where(mask, scores, -np.inf))
            ),
            "The sums of the rows have lost their axis, so NumPy lines them up with the columns, "
            "if it can. Use keepdims=True.",
        ),
        Mistake(
            "no_keepdims_twice",
            lambda scores, mask: (lambda e: e / e.sum(axis=-1))(
                (lambda kept: np.exp(kept - kept.max(axis=-1)))(np.where(mask, scores, -np.inf))
            ),
            "The maxima and the sums of the rows have the shape (n_q,), so NumPy lines them up "
            "with the columns of (n_q, n_k), if it can. keepdims=True makes them columns, of "
            "shape (n_q, 1).",
        ),
        Mistake(
            "no_maximum",
            lambda scores, mask: (lambda e: e / e.sum(axis=-1, keepdims=True))(
                np.exp(np.where(mask, scores, -np.inf))
            ),
            "On common scores this is right. But the exponential of a score far below 0 is too "
            "small for a float, and that of one far above is too large. If a whole row is 0, its "
            "weights are 0/0. Subtract the largest allowed score of the row first.",
        ),
        Mistake(
            "one_maximum",
            lambda scores, mask: (lambda e: e / e.sum(axis=-1, keepdims=True))(
                (lambda kept: np.exp(kept - kept.max()))(np.where(mask, scores, -np.inf))
            ),
            "On common scores this is right. But one maximum is subtracted from the whole matrix. "
            "A row that lies far below it has only exponentials of 0, and its weights are 0/0. "
            "Each row needs the maximum of its own: axis=-1, with keepdims=True.",
        ),
        Mistake(
            "renormalised",
            _after(lambda w, mask: w * mask / (w * mask).sum(axis=-1, keepdims=True)),
            "On common scores this is right, as dividing by the sum that is left gives what "
            "masking before gives. But the largest score that is subtracted may be a masked one, "
            "and then all that is left underflows: 0/0. Mask before softmax.",
        ),
        Mistake(
            "no_softmax",
            lambda scores, mask: np.where(mask, scores, -np.inf),
            "These are the masked scores: softmax is missing.",
        ),
        Mistake(
            "not_divided",
            lambda scores, mask: np.exp(np.where(mask, scores, -np.inf)),
            "The exponentials are not divided by the sum of their row.",
        ),
        Mistake(
            "divided_twice",
            lambda scores, mask: softmax(_after(lambda w, m: w * m)(scores, mask)),
            "Softmax is applied twice, once before the mask and once after. Mask the scores, then "
            "apply it once.",
        ),
        Mistake(
            "not_masked",
            lambda scores, mask: softmax(scores),
            "The mask plays no part. np.where and np.putmask do not look alike: np.where returns "
            "a new array, whose result has to be used.",
        ),
        Mistake(
            "transposed",
            lambda scores, mask: softmax(np.where(mask.T, scores, -np.inf)),
            "The mask is transposed. Row i of it belongs to query i, as row i of the scores does.",
        ),
    ),
    properties=(
        not_negative,
        lambda weights, scores, mask: (
            "A key that the mask forbids should weigh exactly 0."
            if weights[~np.broadcast_to(mask, weights.shape)].any()
            else None
        ),
        sums_to_one,
    ),
    definition="A row should be the softmax of its allowed scores alone, with 0 in the other "
    "places.",
    general="Take one row, cross out the forbidden scores, compute softmax of those that are left "
    "by hand, and compare.",
    why="A key whose score is −∞ is no key at all: its exponential is 0, and it is in no sum.",
)
