"""What the practice of chapter 17 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import softmax


def bits(rng):
    p = rng.choice([0.02, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9], 4, replace=False)
    bits = -np.log2(p)
    mean = bits.mean()
    averaged = -np.log2(p.mean())
    return dict(bits=bits, p=p, mean=mean, averaged=averaged), [mean, 2**mean]


def temperature(rng):
    s = np.zeros(3)
    while s.sum() == 0 or s[0] == 0:
        s = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0], 3, replace=False)
    T = float(rng.choice([0.5, 2.0, 4.0]))
    one, other, times = (float(softmax(x)[0]) for x in (s, s / T, s * T))
    powers = one / T
    return dict(s=s, T=T, one=one, other=other, times=times, powers=powers), [one, other]


def mixing(rng):
    h, x = str(rng.choice(["th", "re", "an", "st"])), str(rng.choice([*"aeiou"]))
    T, c = int(rng.integers(2, 7)), int(rng.integers(0, 8))
    N = c + T + int(rng.integers(0, 12))
    lower = float(rng.choice([0.05, 0.1, 0.2, 0.3, 0.4]))
    p = (c + T * lower) / (N + T)
    return dict(h=h, x=x, T=T, c=c, N=N, lower=lower, p=p), [c / N, p]
