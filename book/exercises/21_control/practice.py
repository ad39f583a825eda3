"""What the practice of chapter 21 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import softmax
from attnlib.data.cartpole import TAU, TEACHER
from attnlib.exercises.engine.practising import short


def term(x):
    """A number in a sum or a product: in brackets where it is negative."""
    return f"({short(x)})" if x < 0 else short(x)


def speed(rng):
    answer = 0
    while not 0.2 < answer < 3:
        w = rng.choice([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
        lag = np.sort(rng.choice(np.arange(1, 7), 2, replace=False))
        now, *theta = rng.choice(np.arange(1, 16), 3, replace=False) / 100
        theta, weights = np.array(theta), np.array([w, 1 - w])
        back, mean = weights @ lag, weights @ theta
        answer = (now - mean) / (TAU * back)
    numbers = dict(answer=answer, w=w, lag=lag, now=now, theta=theta, back=back, mean=mean)
    return numbers, [back, answer]


def weigh(rng):
    gap, slope = rng.choice([1.0, 1.5, 2.0, 2.5, 3.0]), rng.choice([0.3, 0.5, 0.7, 1.0])
    missing = int(rng.integers(3))
    seen, lag = np.arange(3) != missing, np.arange(3)
    scores = gap * seen - slope * lag
    below = scores - scores.max()
    e = np.exp(below)
    no_loss, no_slope = softmax(gap - slope * lag), softmax(gap * seen)
    hard = softmax(np.where(seen, scores, -np.inf))
    answer = softmax(scores)
    numbers = dict(gap=gap, slope=slope, missing=missing, scores=scores, below=below)
    numbers |= dict(e=e, no_loss=no_loss, no_slope=no_slope, hard=hard, answer=answer)
    return numbers, answer


def push(rng):
    number = 0
    while abs(number) < 0.05:
        x, v = rng.integers(-9, 10, 2) / 10
        angle, before = rng.choice(np.arange(-9, 10), 2, replace=False) / 100
        spin = (angle - before) / TAU
        number = np.array([x, v, angle, spin]) @ TEACHER
    return dict(number=number, x=x, v=v, angle=angle, before=before, spin=spin), [spin, number]
