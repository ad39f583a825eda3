"""What the practice of chapter 2 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import attend, dot, hardmax, softmax


def weights(rng):
    s = rng.choice(np.arange(-2.0, 4.0), 3, replace=False)
    e = np.exp(s)
    Z = e.sum()
    return locals(), softmax(s)


def lookup(rng):
    q = rng.choice([-2.0, -1.0, 1.0, 2.0], 2)
    K = rng.integers(-1, 2, (3, 2)).astype(float)
    v = rng.choice(np.arange(0.0, 11.0), 3, replace=False)
    s = K @ q
    e = np.exp(s)
    Z = e.sum()
    w = e / Z
    return locals(), attend(q[None], K, v[:, None], score=dot)[0][0]


def two_weights(rng):
    low = rng.choice(np.arange(-2.0, 2.25, 0.25))
    high = low + rng.choice(np.arange(0.5, 3.25, 0.25))
    first, second = softmax(np.array([high, low]))
    return locals(), first / second
