"""What the practice of chapter 13 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import causal
from attnlib.efficient import online_softmax
from attnlib.masks import sliding_window


def four_digits(x):
    """The number on a pocket calculator's sheet, from which one goes on."""
    return float(f"{x:.4g}")


def block(rng):
    a = int(rng.choice([2, 4, 5]))
    second = int(rng.integers(1, a + 1))
    larger = int(rng.choice([8, 10, 20]))
    other = int(rng.integers(1, larger))
    v = rng.choice(np.arange(1, 13), size=4, replace=False)
    total, output = 1 + second / a, v[0] + v[1] * second / a
    c, power = a / larger, other / larger
    fresh, weighted = 1 + power, v[2] + power * v[3]
    new_total, new_output = four_digits(c * total + fresh), four_digits(c * output + weighted)
    keys = np.log([[a], [second], [larger], [other]])
    answer = online_softmax([[1]], keys, v[:, None].astype(float), block_k=2).item()
    numbers = dict(a=a, larger=larger, other=other, v=v)
    numbers |= dict(total=total, output=output, c=c, power=power)
    numbers |= dict(fresh=fresh, weighted=weighted, new_total=new_total, new_output=new_output)
    return numbers, [(a + second + larger + other) / larger, answer]


def pairs(rng):
    u = int(rng.integers(3, 20))
    n = int(rng.integers(3 * u, 8 * u))
    corner = u * (u - 1) // 2
    back, both = n * u - corner, n * (2 * u - 1) - 2 * corner
    near = sliding_window(n, n, width=u)
    numbers = dict(u=u, n=n, corner=corner, back=back, both=both)
    return numbers, [(near & causal(n)).sum(), near.sum()]


def cache(rng):
    groups = int(rng.choice([3, 5]))
    heads, width = groups * int(rng.choice([2, 4, 8])), int(rng.choice([8, 10, 12]))
    layers, size = int(rng.choice([7, 9, 10])), int(rng.choice([4, 8]))
    thousands = int(rng.integers(2, 10))
    word = 2 * groups * width * layers * size
    megabytes = thousands * word / 1000
    numbers = dict(groups=groups, heads=heads, width=width, layers=layers)
    numbers |= dict(size=size, thousands=thousands, word=word, megabytes=megabytes)
    return numbers, [megabytes, heads / groups]
