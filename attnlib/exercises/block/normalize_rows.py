"""Layer normalisation, by its definition."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def normalize_rows(X, gain, bias, epsilon):
    """Each row with mean 0 and variance 1, then times the gain, plus the bias."""
    mean = X.mean(axis=-1, keepdims=True)
    variance = ((X - mean) ** 2).mean(axis=-1, keepdims=True)
    return gain * (X - mean) / np.sqrt(variance + epsilon) + bias


def _mean(X, axis=-1):
    return X.mean(axis=axis, keepdims=True)


def _variance(X, axis=-1):
    return X.var(axis=axis, keepdims=True)


def _with(
    *,
    centre=lambda X: X - _mean(X),
    variance=_variance,
    divisor=lambda variance, epsilon: np.sqrt(variance + epsilon),
    finish=lambda Z, gain, bias: gain * Z + bias,
):
    """normalize_rows with one step replaced."""

    def wrong(X, gain, bias, epsilon):
        return finish(centre(X) / divisor(variance(X), epsilon), gain, bias)

    return wrong


def _along(axes):
    """Mean and variance along other axes than the last."""

    def wrong(X, gain, bias, epsilon):
        found = tuple(axis for axis in axes if -axis <= X.ndim)
        Z = (X - _mean(X, found)) / np.sqrt(_variance(X, found) + epsilon)
        return gain * Z + bias

    return wrong


def _without_keepdims(X, gain, bias, epsilon):
    Z = (X - X.mean(axis=-1)) / np.sqrt(X.var(axis=-1) + epsilon)
    return gain * Z + bias


def _mean_of_what_was_divided(X, gain, bias, epsilon):
    Z = X / np.sqrt(_variance(X) + epsilon) - _mean(X)
    return gain * Z + bias


EXERCISE = Exercise(
    signature="normalize_rows(X, gain, bias, epsilon)",
    task="Write normalize_rows(X, gain, bias, epsilon): layer normalisation. Each row gets mean 0 "
    "and variance 1, up to epsilon, then each of its numbers its gain and its bias.",
    returns="an array of the shape of X",
    reference=normalize_rows,
    own=True,
    cases=(
        Case(
            "a row",
            (np.array([[3.0, 3.0, -3.0, 5.0]]), np.ones(4), np.zeros(4), 1e-9),
        ),
        Case(
            "a large epsilon",
            (
                np.array([[0.5, 2.5, -1.0], [1.0, 1.5, 0.5]]),
                np.array([1.0, 2.0, -1.0]),
                np.array([0.0, 3.0, 1.0]),
                0.5,
            ),
        ),
        Case(
            "a row of equal numbers",
            (np.array([[2.0, 2.0, 2.0], [1.0, 0.0, 5.0]]), np.ones(3), np.array([0, 1.0, 2]), 1e-5),
        ),
        Case("as many rows as numbers", (*draw((4, 4), (4,), (4,)), 1e-5)),
        Case("more rows than numbers", (*draw((5, 2), (2,), (2,)), 1e-3)),
        Case("a batch", (*draw((2, 3, 5), (5,), (5,)), 0.1)),
    ),
    mistakes=(
        Mistake(
            "n_minus_1",
            _with(variance=lambda X: X.var(axis=-1, ddof=1, keepdims=True)),
            "The squares are divided by m − 1. That estimates the variance of a population from a "
            "sample; a row is all there is, so its m squares are divided by m.",
        ),
        Mistake(
            "epsilon_outside",
            _with(divisor=lambda variance, epsilon: np.sqrt(variance) + epsilon),
            "The epsilon is added to the root. It belongs to the variance, inside the root.",
        ),
        Mistake(
            "epsilon_forgotten",
            _with(divisor=lambda variance, epsilon: np.sqrt(variance)),
            "The epsilon is left out. It is small, but a row of equal numbers has the variance 0, "
            "and 0 / 0 is not a number.",
        ),
        Mistake(
            "epsilon_squared",
            _with(divisor=lambda variance, epsilon: np.sqrt(variance + epsilon**2)),
            "The epsilon is squared. It is added to the variance as it is.",
        ),
        Mistake(
            "epsilon_fixed",
            _with(divisor=lambda variance, epsilon: np.sqrt(variance + 1e-5)),
            "The epsilon is always 1e-5 here. It is an argument: use the one that is given.",
        ),
        Mistake(
            "epsilon_at_the_end",
            lambda X, gain, bias, epsilon: (
                gain * (X - _mean(X)) / np.sqrt(_variance(X)) + bias + epsilon
            ),
            "The epsilon is added to the result. It belongs to the variance, so that no row is "
            "divided by 0.",
        ),
        Mistake(
            "variance_not_rooted",
            _with(divisor=lambda variance, epsilon: variance + epsilon),
            "You divide by the variance. To get the variance 1, divide by its root.",
        ),
        Mistake(
            "columns",
            _along((-2,)),
            "Mean and variance are taken along the items, for each component. Layer norm looks at "
            "one row alone: axis=-1.",
        ),
        Mistake(
            "first_axis",
            lambda X, gain, bias, epsilon: (
                gain * (X - _mean(X, 0)) / np.sqrt(_variance(X, 0) + epsilon) + bias
            ),
            "Mean and variance are taken along axis 0, which mixes items, and in a batch texts. "
            "Layer norm looks at one row alone: axis=-1.",
        ),
        Mistake(
            "everything",
            lambda X, gain, bias, epsilon: (
                gain * (X - X.mean()) / np.sqrt(X.var() + epsilon) + bias
            ),
            "One mean and one variance serve the whole array. Each row has its own: axis=-1, "
            "keepdims=True.",
        ),
        Mistake(
            "whole_matrix",
            _along((-2, -1)),
            "One mean and one variance serve all rows of a text. Each row has its own.",
        ),
        Mistake(
            "axes_lost",
            _without_keepdims,
            "The means have lost their axis, so with as many rows as numbers each number gets "
            "another row's. Write keepdims=True.",
        ),
        Mistake(
            "mean_not_subtracted",
            _with(centre=lambda X: X),
            "The mean is not subtracted from the row, only used for the variance.",
        ),
        Mistake(
            "mean_subtracted_afterwards",
            _mean_of_what_was_divided,
            "The row is divided first, and then its old mean is subtracted. Subtract the mean "
            "first, then divide.",
        ),
        Mistake(
            "squares_not_centred",
            _with(variance=lambda X: (X**2).mean(axis=-1, keepdims=True)),
            "The mean of the squares stands for the variance. The variance is the mean of the "
            "squared distances from the mean.",
        ),
        Mistake(
            "root_mean_square",
            _with(centre=lambda X: X, variance=lambda X: (X**2).mean(axis=-1, keepdims=True)),
            "The mean is left out altogether: the row is divided by the root of its mean square. "
            "Models exist that do this (RMSNorm), but it is another norm.",
        ),
        Mistake(
            "summed_squares",
            _with(variance=lambda X: X.shape[-1] * _variance(X)),
            "The squares are summed but not divided by m, so every row gets the length 1. A "
            "variance is a mean.",
        ),
        Mistake(
            "mean_of_distances",
            _with(
                variance=lambda X: abs(X - _mean(X)).mean(axis=-1, keepdims=True),
                divisor=lambda distance, epsilon: distance + epsilon,
            ),
            "You divide by the mean distance from the mean. What is wanted is the root of the mean "
            "squared distance.",
        ),
        Mistake(
            "length_and_epsilon",
            _with(
                variance=lambda X: X.shape[-1] * _variance(X),
                divisor=lambda variance, epsilon: np.sqrt(variance) + epsilon,
            ),
            "You divide by the length of the centred row, so every row gets the length 1. The "
            "squares are to be averaged, not summed, and epsilon stands inside the root.",
        ),
        Mistake(
            "one_mean_for_all",
            _with(centre=lambda X: X - X.mean()),
            "One mean, that of the whole array, is subtracted from every row. Each row has its "
            "own: axis=-1, keepdims=True.",
        ),
        Mistake(
            "one_variance_for_all",
            _with(variance=lambda X: (X - _mean(X)).var()),
            "One variance serves all rows. Each row has its own: axis=-1, keepdims=True.",
        ),
        Mistake(
            "epsilon_subtracted",
            _with(divisor=lambda variance, epsilon: np.sqrt(variance - epsilon)),
            "The epsilon is subtracted. It is added to the variance, so that no root is 0 or of "
            "something negative.",
        ),
        Mistake(
            "at_least_epsilon",
            _with(divisor=lambda variance, epsilon: np.maximum(np.sqrt(variance), epsilon)),
            "The epsilon is the least that you divide by. That avoids 0 / 0 as well, but here it "
            "is added to the variance, in every row.",
        ),
        Mistake(
            "variance_at_least_epsilon",
            _with(divisor=lambda variance, epsilon: np.sqrt(np.maximum(variance, epsilon))),
            "The epsilon is the least that the variance can be. That avoids 0 / 0 as well, but "
            "here it is added to the variance, in every row.",
        ),
        Mistake(
            "only_against_0",
            _with(divisor=lambda variance, epsilon: np.where(variance, np.sqrt(variance), 1)),
            "Each row whose variance is not 0 is divided by its root alone. The epsilon is added "
            "to the variance in every row, not only where 0 / 0 threatens.",
        ),
        Mistake(
            "brackets_of_the_product",
            lambda X, gain, bias, epsilon: (
                gain * X - _mean(X) / np.sqrt(_variance(X) + epsilon) + bias
            ),
            "Only the mean is divided. Put brackets round X minus its mean, then divide.",
        ),
        Mistake(
            "brackets_of_the_quotient",
            lambda X, gain, bias, epsilon: (
                gain * (X - _mean(X) / np.sqrt(_variance(X) + epsilon)) + bias
            ),
            "Only the mean is divided. Put brackets round X minus its mean, then divide.",
        ),
        Mistake(
            "range",
            _with(
                variance=lambda X: X.max(axis=-1, keepdims=True) - X.min(axis=-1, keepdims=True),
                divisor=lambda reach, epsilon: reach + epsilon,
            ),
            "You divide by the distance from the smallest number to the largest. What is wanted is "
            "the root of the mean squared distance from the mean.",
        ),
        Mistake(
            "no_gain",
            _with(finish=lambda Z, gain, bias: Z + bias),
            "The gain is left out: each component is multiplied by its gain.",
        ),
        Mistake(
            "no_bias",
            _with(finish=lambda Z, gain, bias: gain * Z),
            "The bias is left out: it is added at the end.",
        ),
        Mistake(
            "neither",
            _with(finish=lambda Z, gain, bias: Z),
            "The rows are normalised, but gain and bias are left out.",
        ),
        Mistake(
            "bias_before_gain",
            _with(finish=lambda Z, gain, bias: gain * (Z + bias)),
            "The bias is added before the gain, so it is multiplied too. First times the gain, "
            "then plus the bias.",
        ),
        Mistake(
            "gain_before",
            lambda X, gain, bias, epsilon: normalize_rows(gain * X, 1.0, bias, epsilon),
            "The gain is multiplied in before the row is normalised, which takes most of it away "
            "again. Normalise first.",
        ),
        Mistake(
            "both_before",
            lambda X, gain, bias, epsilon: normalize_rows(gain * X + bias, 1.0, 0.0, epsilon),
            "Gain and bias are applied before the row is normalised. They are what it gets "
            "afterwards.",
        ),
        Mistake(
            "one_for_each_row",
            _with(finish=lambda Z, gain, bias: gain[:, None] * Z + bias[:, None]),
            "Gain and bias are used one for each row. They have one number for each component, the "
            "same in every row: gain * rows, without a new axis.",
        ),
        Mistake(
            "a_gain_for_each_row",
            _with(finish=lambda Z, gain, bias: gain[:, None] * Z + bias),
            "The gain is used one for each row. It has one number for each component, the same in "
            "every row: gain * rows, without a new axis.",
        ),
        Mistake(
            "divided_by_gain",
            _with(finish=lambda Z, gain, bias: Z / gain + bias),
            "You divide by the gain. Each component is multiplied by its gain.",
        ),
    ),
    definition="With gain 1, bias 0 and a tiny epsilon, each row should have mean 0 and "
    "variance 1.",
    general="Print mean and variance of each row, with their shapes. Then the row minus its mean, "
    "then divided, then gain and bias: one step a line.",
    why="Two numbers a row, its mean and its standard deviation, are all that is taken away. What "
    "the row was like in all other respects stays.",
)
