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


#: What stands in mean, and in square, after a slip.
MEANS = {
    "exchanged": lambda mean, d: 0.1 * mean + 0.9 * d,
    "all of d": lambda mean, d: 0.9 * mean + d,
    "all kept": lambda mean, d: mean + 0.1 * d,
    "one factor": lambda mean, d: 0.9 * (mean + 0.1 * d),
    "minus": lambda mean, d: 0.9 * mean - 0.1 * d,
    "slow": lambda mean, d: 0.999 * mean + 0.001 * d,
}
SQUARES = {
    "exchanged": lambda square, d: 0.001 * square + 0.999 * d**2,
    "all of d²": lambda square, d: 0.999 * square + d**2,
    "all kept": lambda square, d: square + 0.001 * d**2,
    "one factor": lambda square, d: 0.999 * (square + 0.001 * d**2),
    "sizes": lambda square, d: 0.999 * square + 0.001 * abs(d),
    "doubled": lambda square, d: 0.999 * square + 0.002 * d,
    "doubled sizes": lambda square, d: 0.999 * square + 0.002 * abs(d),
    "summed": lambda square, d: 0.999 * square + 0.001 * (d @ d),
    "averaged": lambda square, d: 0.999 * square + 0.001 * (d @ d) / len(d),
    "fast": lambda square, d: 0.9 * square + 0.1 * d**2,
}
SAME = {"doubled sizes": "doubled", "summed": "one for all", "averaged": "one for all"}


def slip(came, cases, row, before, right, slips):
    """The name of the slip in one row, "other" if it is none of these, None if the row is right."""

    def holds(step):
        pairs = [(a[row], step(case.args[before], case.args[1])) for a, case in zip(came, cases)]
        return all(np.allclose(a, b, 1e-6, 1e-8) for a, b in pairs)

    if holds(right):
        return None
    found = next((name for name, step in slips.items() if holds(step)), "other")
    return SAME.get(found, found)


def mean_slip(came, cases):
    return slip(came, cases, 1, 2, lambda mean, d: 0.9 * mean + 0.1 * d, MEANS)


def mean_is(name):
    return lambda came, cases: mean_slip(came, cases) == name


def square_is(name):
    def recognise(came, cases):
        if mean_slip(came, cases):
            return False
        return name == slip(came, cases, 2, 3, lambda s, d: 0.999 * s + 0.001 * d**2, SQUARES)

    return recognise


def arguments(m, t, rate):
    theta, d, mean, root = draw((m,), (m, 1), (1, m), (m, 1, 1))
    return theta, d.ravel(), mean.ravel() / 2, (root.ravel() ** 2 + 0.1) / 4, t, rate


TINY = ([0.5, 1.5, 2.5], [2e-8, -5e-8, 3e-9], [1e-8, 3e-8, 1e-9], [1e-16, 4e-16, 1e-18], 30, 0.2)

CASES = (
    Case("the first step", ([1.0, -2.0], [0.5, -4.0], [0.0, 0.0], [0.0, 0.0], 1, 0.1)),
    Case("a later step", arguments(3, 2, 0.05)),
    Case("a later step", arguments(5, 7, 0.3)),
    Case("a later step", arguments(4, 900, 0.01)),
    Case("tiny derivatives", TINY),
    Case("a derivative of 0", ([0.7, 1.3], [0.0, 2.5], [0.0, 0.4], [0.0, 1.1], 3, 0.02), rare=True),
)
