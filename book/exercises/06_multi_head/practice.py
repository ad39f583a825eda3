"""What the practice of chapter 6 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import MultiHeadAttention

from .parts import parts


def layer(d, h, k, v):
    return MultiHeadAttention.random(np.random.default_rng(0), d, h, k, v)


def parameters(rng):
    d, h, k, v = (int(n) for n in rng.integers([5, 2, 2, 2], [13, 5, 6, 6]))
    keys, values = d * h * k, h * v * d
    made = layer(d, h, k, v)
    numbers = dict(d=d, h=h, k=k, v=v, keys=keys, values=values)
    return numbers, [made.W_Q.size, made.W_O.size, made.parameter_count]


def shapes(rng):
    n_q, n_k, d, h, k, v = (int(n) for n in rng.integers([2, 3, 6, 2, 2, 2], [7, 9, 13, 6, 6, 6]))
    keys, pairs, merged = h * n_k * k, h * n_q * n_k, n_q * h * v
    made, X_Q, X_KV = layer(d, h, k, v), np.zeros((n_q, d)), np.zeros((n_k, d))
    _, K, V = made.project(X_Q, X_KV)
    _, weights = made(X_Q, X_KV)
    numbers = dict(n_q=n_q, n_k=n_k, d=d, h=h, k=k, v=v, keys=keys, pairs=pairs, merged=merged)
    return numbers, [K.size, weights.size, n_q * h * V.shape[-1]]


def sum_of_heads(rng):
    y = rng.choice([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0], 2, replace=False)
    W_O = rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], (2, 2))
    first, second = y[:, None] * W_O
    total = first + second
    added = parts(y[:, None, None], W_O)[:, 0]
    numbers = dict(y=y, W_O=W_O, first=first, second=second, total=total)
    return numbers, [*added.sum(axis=0), *added[0]]


def one_head(rng):
    a, b = rng.choice(np.arange(1, 20), 2, replace=False)
    w = np.array([a, b]) / (a + b)
    squares = w**2
    s = squares.sum()
    A = w[None]
    numbers = dict(a=a, b=b, w=w, squares=squares, s=s)
    return numbers, ((np.eye(2) - np.linalg.pinv(A) @ A) ** 2).sum(axis=1)
