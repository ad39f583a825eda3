"""One step of Adam."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def adam_step(theta, d, mean, square, t, rate):
    """Running means, made fair, and a step of their ratio."""
    return adam(theta, d, mean, square, t, rate, 0.9, 0.999)


def adam(theta, d, mean, square, t, rate, a, b):
    """With other shares that are kept."""
    mean = a * mean + (1 - a) * d
    square = b * square + (1 - b) * d**2
    fair_mean, fair_square = mean / (1 - a**t), square / (1 - b**t)
    return np.stack([theta - rate * fair_mean / (np.sqrt(fair_square) + 1e-8), mean, square])


def moved(theta, mean, square, t, rate):
    with np.errstate(all="ignore"):
        fair = np.sqrt(square / (1 - 0.999**t)) + 1e-8
        return np.stack([theta - rate * mean / (1 - 0.9**t) / fair, mean, square])


def old(theta, mean, square, t, rate):
    return moved(theta, mean, square, t, rate)[0]


def unsquared(theta, d, mean, square, t, rate):
    return moved(theta, 0.9 * mean + 0.1 * d, 0.999 * square + 0.001 * d, t, rate)


def squared_sum(theta, d, mean, square, t, rate):
    return moved(theta, 0.9 * mean + 0.1 * d, 0.999 * square + (0.001 * d) ** 2, t, rate)


def squared_mean(theta, d, mean, square, t, rate):
    mean = 0.9 * mean + 0.1 * d
    return moved(theta, mean, 0.999 * square + 0.001 * mean**2, t, rate)


def adam_sums(theta, d, mean, square, t, rate):
    return moved(theta, 0.9 * mean + d, 0.999 * square + d**2, t, rate)


def arguments(m, t, rate):
    theta, d, mean, root = draw((m,), (m, 1), (1, m), (m, 1, 1))
    return theta, d.ravel(), mean.ravel() / 2, (root.ravel() ** 2 + 0.1) / 4, t, rate


CASES = (
    Case("the first step", ([1.0, -2.0], [0.5, -4.0], [0.0, 0.0], [0.0, 0.0], 1, 0.1)),
    Case("a later step", arguments(3, 2, 0.05)),
    Case("a later step", arguments(5, 7, 0.3)),
    Case("a later step", arguments(4, 900, 0.01)),
    Case("tiny derivatives", ([0.5, 1.5], [2e-8, -5e-8], [1e-8, 3e-8], [1e-16, 4e-16], 30, 0.2)),
    Case("a derivative of 0", ([0.7, 1.3], [0.0, 2.5], [0.0, 0.4], [0.0, 1.1], 3, 0.02), rare=True),
)
