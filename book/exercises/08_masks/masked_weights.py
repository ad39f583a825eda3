"""Weights under a mask."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def masked_weights(scores, mask):
    """Softmax of the scores, with -inf where the mask is False."""
    return softmax(np.where(mask, scores, -np.inf))


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

CASES = (
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
)

PROPERTIES = (
    not_negative,
    lambda weights, scores, mask: (
        "A key that the mask forbids should weigh exactly 0."
        if weights[~np.broadcast_to(mask, weights.shape)].any()
        else None
    ),
    sums_to_one,
)
