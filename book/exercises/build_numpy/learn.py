"""A training loop that does not know what it trains."""

import numpy as np

from attnlib.exercises import Case

from .adam_step import adam_step
from .rate_at import rate_at


def learn(f, theta, steps, peak, warm_up):
    """The loss and its derivatives, then a step of Adam."""
    return loop(f, theta, steps, peak, warm_up)


def loop(f, theta, steps, peak, warm_up, of=None, keep="both", t=None, first=1, rate=None,
         plain=False, sign=1, swapped=False, stale=False, ones=False, turned=False, gradient="",
         uncorrected=False, divided=False):  # fmt: skip
    """The same with one slip."""
    mean, square, losses, at_start = 0 * theta, 0 * theta, [], f(theta)[1]
    so_far, before = 0 * theta, at_start
    square = square + ones
    for i in range(steps):
        value, d = f(theta)
        losses.append(value)
        so_far, before, last = so_far + d, d, before
        changed = {"added": so_far, "late": last, "clipped": np.clip(d, -1, 1)}
        changed["normed"] = d / (np.linalg.norm(d) + 1e-12)
        d = sign * (at_start if stale else changed.get(gradient, d))
        now = rate(i) if rate else rate_at(min(i, (of or steps) - 1), of or steps, warm_up, peak)
        if plain:
            theta = theta - now * d
            continue
        count = 10**6 if uncorrected else t or i + first
        theta, mean, square = adam_step(theta, d, mean, square, count, now)
        if divided:
            mean, square = mean / (1 - 0.9**count), square / (1 - 0.999**count)
        mean, square = (square, mean) if swapped else (mean, square)
        theta, mean, square = (square, theta, mean) if turned else (theta, mean, square)
        mean = mean if keep in ("both", "mean") else 0 * mean
        square = square if keep in ("both", "square") else 0 * square
    return np.array(losses)


def goes_wrong_at(place):
    """Whether the losses before that one are right in all cases, and it, or for 2 a later one, not.

    Recognises the results of the first step, 1, and of later ones, 2.
    """

    def recognise(came, cases):
        pairs = [(a, learn(*case.args)) for a, case in zip(came, cases)]
        if not all(np.allclose(a[:1], w[:1]) for a, w in pairs):
            return False
        first = any(not np.allclose(a[:2], w[:2]) for a, w in pairs)
        return first == (place == 1) and not all(np.allclose(a, w, 0.02, 0.006) for a, w in pairs)

    return recognise


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
    Case("two steps", (PARABOLA, [3.0], 2, 0.2, 1)),
    Case("one number", (PARABOLA, [2.5], 6, 0.4, 2)),
    Case("several numbers", (BOWL, [1.0, -2.0, 0.5], 8, 0.3, 3)),
    Case("several numbers", (WAVES, [0.3, 1.9, -1.1, 4.2], 12, 0.9, 5)),
    Case("a long fall", (WAVES, [-2.3, 0.8], 7, 0.7, 1)),
)
