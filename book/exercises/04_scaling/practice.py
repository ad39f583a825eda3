"""What the practice of chapter 4 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import scaled_dot_product_attention, softmax, softmax_jacobian

from .score_std import score_std


def spread(rng):
    d = int(rng.choice([4, 9, 16, 25, 36, 49, 64, 81, 100, 144]))
    q, k = rng.choice([0.25, 1.0, 4.0, 9.0], 2)
    return dict(d=d, q=q, k=k), [score_std(d, q, k), score_std(1, q, k)]


def scaled_weights(rng):
    q = rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0], 4)
    k1, k2 = K = rng.choice([-1.0, 0.0, 1.0], (2, 4))
    raw = K @ q
    s1, s2 = raw / 2
    ((first, _),) = scaled_dot_product_attention(q[None], K, np.eye(2))[1]
    return dict(q=q, k1=k1, k2=k2, raw=raw, s1=s1, s2=s2), [s1, s2, first]


def response(rng):
    tenths = np.sort(rng.choice(np.arange(1, 9), 2, replace=False))
    w = rng.permutation(np.diff([0, *tenths, 10])) / 10
    j = int(rng.integers(3))
    others = [i for i in range(3) if i != j]
    own, beside = np.eye(3)[j], 1 - np.eye(3)[j]
    rates = [x * ((i == j) - w[j]) for i, x in enumerate(w)]
    numbers = dict(w=w, j=j, others=others, own=own, beside=beside, rates=rates)
    return numbers, softmax_jacobian(np.log(w))[:, j]
