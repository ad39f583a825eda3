"""Weights under a mask."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import not_negative, sums_to_one


def masked_weights(scores, mask):
    """Softmax of the scores, with -inf where the mask is False."""
    return softmax(np.where(mask, scores, -np.inf))


LOWER = np.tri(3, dtype=bool)

WORDS = np.array([[True, True, True, False, False]] * 2)

LATE = np.array([[False, True, True], [True, False, True]])

CASES = (
    Case("one row", (*draw((1, 3)), [[True, False, True]])),
    Case("a causal mask", (*draw((3, 3)), LOWER)),
    Case("padding", (*draw((2, 5)), WORDS)),
    Case("one key", (*draw((2, 1)), [[True], [True]])),
    Case(
        "scores far below zero",
        (np.array([[1.0, 2.0, 0.0], [2.0, 0.0, 1.0]]) - 3e12, LATE),
        rare=True,
    ),
    Case(
        "rows far from one another",
        (
            [[0.0, 1.0, 2.0], [1000.0, 1001.5, 1002.0]],
            [[True, True, True], [True, True, False]],
        ),
        rare=True,
    ),
    Case(
        "a masked score far above the others",
        ([[3e12, 1.5, 0.5], [-1.5, 3e12, 0.5]], LATE),
        rare=True,
    ),
)


def forbidden_is_zero(weights, scores, mask):
    """A property: a forbidden key has no weight."""
    if weights[~np.broadcast_to(mask, weights.shape)].any():
        return "A key that the mask forbids should weigh exactly 0."
    return None


PROPERTIES = (not_negative, forbidden_is_zero, sums_to_one)


def by_hand(scores, axis=-1):
    """Softmax that gives NaN where attnlib's refuses."""
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def finite_fill(values, cases):
    """Whether masked keys weigh as if one finite number were their score."""
    return one_number(values, cases, lambda implied, scores: implied)


def finite_addition(values, cases):
    """Whether masked keys weigh as if one finite number were added to their scores."""
    return one_number(values, cases, lambda implied, scores: implied - scores)


def one_number(values, cases, number):
    """Whether ``number`` is one and the same for all masked keys that have a weight.

    It takes the scores that the weights imply and those that came in.
    """
    numbers = []
    for weights, case in zip(values, cases):
        scores, mask = case.args[0], np.broadcast_to(case.args[1], weights.shape)
        if case.rare or mask.all():
            continue
        if not (weights > 0).all():
            return False
        shift = np.where(mask, np.log(weights) - scores, np.nan)
        level = np.nanmean(shift, axis=-1, keepdims=True)
        if not np.allclose((shift - level)[mask], 0):
            return False
        numbers.extend(number(np.log(weights) - level, scores)[~mask])
    return bool(numbers) and np.allclose(numbers, numbers[0], atol=1e-4)
