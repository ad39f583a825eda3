"""What the practice of chapter 10 draws: numbers, and the answer by attnlib."""

from math import cos, sin

import numpy as np

from attnlib.exercises.engine.practising import short
from attnlib.positions import rotary, sinusoidal


def neat(x):
    """Three decimals after a minus and a zero; four would be too long to type."""
    return round(x, 3) if -1 < x < 0 else x


def is_neat(x):
    """Whether that loses nothing that counts."""
    return abs(neat(x) - x) <= 5e-4 * abs(x)


def term(x):
    """A number in a sum or a product: in brackets where it is negative."""
    return f"({short(neat(x))})" if x < 0 else short(x)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


def turned(x, angle):
    return [x[0] * cos(angle) - x[1] * sin(angle), x[0] * sin(angle) + x[1] * cos(angle)]


def entry(rng):
    sizes = ((4, 100), (4, 25), (4, 16), (6, 1000), (6, 64))  # frequencies that can be read off
    d, base = sizes[rng.integers(len(sizes))]
    i, t = int(rng.integers(1, d // 2)), int(rng.integers(2, 16))
    omega = round(base ** (-2 * i / d), 9)
    angle = t * omega
    if not (is_neat(sin(angle)) and is_neat(cos(angle))):
        return entry(rng)
    numbers = dict(d=d, base=base, i=i, t=t, omega=omega, angle=angle)
    return numbers, sinusoidal(t + 1, d, base)[t, 2 * i : 2 * i + 2]


def similarity(rng):
    base = int(rng.choice([100, 25, 16]))
    t, s = (int(n) for n in rng.choice(np.arange(1, 15), 2, replace=False))
    omega = base**-0.5
    shift = s - t
    slow = round(shift * omega, 9)
    first, second = cos(shift), cos(slow)
    if not is_neat(first + second):
        return similarity(rng)
    P = sinusoidal(max(t, s) + 1, 4, base)
    numbers = dict(base=base, t=t, s=s, omega=omega)
    numbers |= dict(shift=shift, slow=slow, first=first, second=second)
    return numbers, P[t] @ P[s]


def score(rng):
    base = int(rng.choice([100, 25, 16]))
    t, s = (int(n) for n in rng.choice(np.arange(1, 13), 2, replace=False))
    omega = base**-0.5
    q, k = rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], (2, 2))
    angle = round((s - t) * omega, 9)
    x, y = turned(k, angle)
    result = dot(q, [x, y])
    if not is_neat(result):
        return score(rng)
    row_q, row_k = rotary([[0, 0, *q], [0, 0, *k]], [t, s], base)
    numbers = dict(t=t, s=s, omega=omega, q=q, k=k, angle=angle, x=x, y=y, result=result)
    return numbers, row_q @ row_k
