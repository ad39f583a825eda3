"""Local exponents, of those sizes only that are clear of the overhead."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def exponents(n, t):
    """The local exponents between neighbouring sizes."""
    return np.diff(np.log(t)) / np.diff(np.log(n))


def slopes(sizes, times, overhead):
    """Differences of logarithms, over sizes above twenty times the overhead."""
    clear = times > 20 * overhead
    return exponents(sizes[clear], times[clear])


def scattered(sizes, parts, overhead, place):
    """Times a + bn + cn² that scatter a little and rise."""
    n = np.array(sizes, float)
    a, b, c = parts
    (scatter,) = draw((len(n) + place,))
    t = (a + b * n + c * n * n) * (1 + 0.02 * np.tanh(scatter[place:]))
    return n, np.maximum.accumulate(t * (1 + 1e-6 * np.arange(len(n)))), overhead


CASES = (
    Case(
        "three sizes, doubled, all clear",
        ([100.0, 200.0, 400.0], [3.0, 6.0, 24.0], 0.01),
    ),
    Case("sizes that are no doublings", scattered([50, 70, 210, 300], (0, 0.5, 0.01), 0.001, 0)),
    Case(
        "small sizes near the overhead",
        scattered([8, 16, 64, 192, 512], (0.3, 0.01, 2e-4), 0.03, 1),
    ),
    Case(
        "sizes with a time between one and twenty overheads",
        scattered([10, 30, 100, 400, 1000, 3000], (2.0, 0.1, 1e-3), 0.9, 2),
    ),
    Case(
        "a median that drops, and times next to twenty overheads",
        (
            [10.0, 20.0, 40.0, 80.0, 200.0, 320.0],
            [0.1, 1.9, 3.0, 1.0, 2.1, 9.0],
            0.1,
        ),
    ),
    Case(
        "a time of exactly twenty overheads",
        ([2.0, 6.0, 12.0], [10.0, 15.0, 45.0], 0.5),
    ),
    Case(
        "a time below the overhead",
        (
            [4.0, 12.0, 48.0, 96.0, 160.0],
            [0.0021, 0.0031, 0.0494, 0.197, 0.563],
            0.0024,
        ),
    ),
)
