"""What the practice of chapter 2 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import attend, dot, hardmax, softmax


def weights(rng):
    s = rng.choice(np.arange(-2.0, 4.0), 3, replace=False)
    e = np.exp(s)
    Z = e.sum()
    return dict(s=s, e=e, Z=Z), softmax(s)


def lookup(rng):
    q = rng.choice([-2.0, -1.0, 1.0, 2.0], 2)
    K = rng.integers(-1, 2, (3, 2)).astype(float)
    v = rng.choice(np.arange(0.0, 11.0), 3, replace=False)
    s = K @ q
    e = np.exp(s)
    Z = e.sum()
    w = e / Z
    return dict(q=q, K=K, v=v, s=s, e=e, Z=Z, w=w), attend(q[None], K, v[:, None], score=dot)[0][0]


def two_weights(rng):
    low = rng.choice(np.arange(-2.0, 2.25, 0.25))
    high = low + rng.choice(np.arange(0.5, 3.25, 0.25))
    first, second = softmax(np.array([high, low]))
    return dict(low=low, high=high), first / second
