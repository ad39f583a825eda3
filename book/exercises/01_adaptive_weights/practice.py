"""What the practice of chapter 1 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import softmax


def filter_weights(x, h):
    """The weights of the adaptive filter, by attnlib, a row for each output."""
    return softmax(-((x[:, None] - x) ** 2) / (2 * h**2))


def three_readings(rng):
    """Three readings, a place among them, a bandwidth, and the bells and weights there."""
    x = rng.choice(np.arange(0, 3.5, 0.5), 3, replace=False)
    t, h = rng.integers(3), rng.choice([0.5, 1.0, 1.5])
    place = ["first", "second", "third"][t]
    gaps = np.abs(x - x[t])
    bells = np.exp(-(gaps**2) / (2 * h**2))
    w = bells / bells.sum()

    def weights_by(exponents):
        other = np.exp(-exponents)
        return other / other.sum()

    def output_by(exponents):
        return weights_by(exponents) @ x

    numbers = dict(x=x, t=t, h=h, place=place, gaps=gaps, bells=bells, w=w)
    return numbers | dict(weights_by=weights_by, output_by=output_by)


def weights(rng):
    drawn = three_readings(rng)
    return drawn, filter_weights(drawn["x"], drawn["h"])[drawn["t"]]


def output(rng):
    drawn, answer = weights(rng)
    return drawn, answer @ drawn["x"]


def running_average(rng):
    x = rng.choice(np.arange(1, 10), 3, replace=False)
    a = rng.choice([0.1, 0.2, 0.25, 0.4])
    past = np.arange(3)[::-1]
    w = a * (1 - a) ** past
    first = a * x[0]
    second = (1 - a) * first + a * x[1]
    third = (1 - a) * second + a * x[2]
    return dict(x=x, a=a, past=past, w=w, first=first, second=second, third=third), w @ x
