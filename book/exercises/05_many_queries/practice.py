"""What the practice of chapter 5 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import attend, scaled_dot_product_attention, softmax


def shapes(rng):
    n_q, n_k, d_k, d_v = rng.choice(np.arange(2, 40), 4, replace=False)
    b = rng.choice(np.arange(2, 10))
    Q, K, V = np.zeros((b, n_q, d_k)), np.zeros((b, n_k, d_k)), np.zeros((b, n_k, d_v))
    output, weights = scaled_dot_product_attention(Q, K, V)
    return dict(n_q=n_q, n_k=n_k, d_k=d_k, d_v=d_v, b=b), [*weights.shape[1:], *output.shape[1:]]


def by_hand(rng):
    Q, K = rng.choice([-1.0, 0.0, 1.0, 2.0], (2, 2)), rng.choice([-1.0, 0.0, 1.0], (2, 2))
    v1, v2 = v = rng.choice(np.arange(1.0, 13.0), 2, replace=False)
    raw = Q @ K.T
    S = raw / np.sqrt(2)
    E = np.exp(S)
    W = E / E.sum(axis=1, keepdims=True)
    numbers = dict(Q=Q, K=K, v1=v1, v2=v2, v=v, raw=raw, S=S, E=E, W=W)
    return numbers, attend(Q, K, v[:, None])[0][:, 0]


def columns(rng):
    E = np.exp(rng.choice([0.0, 0.6931, 1.0986, 1.3863], (2, 2))).round()
    sums = E.sum(axis=0)
    W = E / sums
    return dict(E=E, sums=sums, W=W), softmax(np.log(E), axis=0).sum(axis=1)
