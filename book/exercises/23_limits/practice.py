"""What the practice of chapter 23 draws: sizes of models, two keys, and the answers by attnlib."""

import numpy as np

from attnlib.cost import attention_cost


def reading(rng):
    L, P = int(rng.integers(6, 20)), int(rng.integers(2, 20))
    d, n = 64 * int(rng.integers(6, 20)), int(rng.integers(3, 40))
    c = 64 * int(rng.integers(1, 6))
    tokens = 1000 * n
    pairs = attention_cost(tokens, tokens, d, d, causal=True).fused.multiply_adds
    share = pairs / (pairs + P * 1e6 * tokens)
    cache = L * c * n / 1000
    if cache > 99 or abs(share - 0.5) < 0.1 or share > 0.9 or share < 0.06:
        return reading(rng)
    return dict(L=L, P=P, d=d, n=n, c=c, share=share, cache=cache), [share, cache]


def state(rng):
    a = float(rng.choice([0.5, 0.6, 0.7, 0.8]))
    v, w = (int(x) for x in rng.choice([2, 3, 4, 5, 7, 9], 2, replace=False))
    x, y = ((0.6, 0.8), (0.8, 0.6))[int(rng.integers(2))]
    S = (a * np.array([v, 0]) + w * np.array([x, y])).tolist()
    second = x * S[0] + y * S[1]
    return dict(a=a, v=v, w=w, x=x, y=y, S=S, second=second), [S[0], second]
