"""A training loop that does not know what it trains."""

import numpy as np

from attnlib.exercises import Case

from .adam_step import adam_step
from .rate_at import rate_at


def learn(f, theta, steps, peak, warm_up):
    """The loss and its derivatives, then a step of Adam."""
    return loop(f, theta, steps, peak, warm_up)


def loop(f, theta, steps, peak, warm_up, of=None, keep="both", t=None, first=1, rate=None,
         plain=False, sign=1, swapped=False, stale=False, ones=False, turned=False):  # fmt: skip
    """The same with one slip."""
    mean, square, losses, at_start = 0 * theta, 0 * theta, [], f(theta)[1]
    square = square + ones
    for i in range(steps):
        value, d = f(theta)
        losses.append(value)
        d = sign * (at_start if stale else d)
        now = rate(i) if rate else rate_at(min(i, (of or steps) - 1), of or steps, warm_up, peak)
        if plain:
            theta = theta - now * d
            continue
        theta, mean, square = adam_step(theta, d, mean, square, t or i + first, now)
        mean, square = (square, mean) if swapped else (mean, square)
        theta, mean, square = (square, theta, mean) if turned else (theta, mean, square)
        mean = mean if keep in ("both", "mean") else 0 * mean
        square = square if keep in ("both", "square") else 0 * square
    return np.array(losses)


def written(code):
    """A function that shows as its own code."""
    function = eval(code, {"np": np})
    function.__name__ = code
    return function


PARABOLA = written("lambda theta: (((theta - 1) ** 2).sum(), 2 * (theta - 1))")
BOWL = written(
    "lambda theta: (theta**2 @ np.arange(1, 4) + theta[0], "
    "2 * theta * np.arange(1, 4) + np.array([1, 0, 0]))"
)
WAVES = written(
    "lambda theta: (theta @ theta / 9 + np.sin(theta).sum(), 2 * theta / 9 + np.cos(theta))"
)

CASES = (
    Case("one step", (PARABOLA, [3.0], 1, 0.2, 0)),
    Case("one number", (PARABOLA, [2.5], 6, 0.4, 2)),
    Case("several numbers", (BOWL, [1.0, -2.0, 0.5], 8, 0.3, 3)),
    Case("several numbers", (WAVES, [0.3, 1.9, -1.1, 4.2], 12, 0.9, 5)),
    Case("no warm-up", (WAVES, [-2.3, 0.8], 5, 0.7, 0)),
)
