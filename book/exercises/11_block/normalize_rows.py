"""Layer normalisation, by its definition."""

import numpy as np

from attnlib.exercises import Case
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


CASES = (
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
)
