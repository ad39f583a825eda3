"""What the practice of chapter 7 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import MultiHeadAttention, scores, softmax


def three_tokens(rng):
    X = rng.permutation([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0], [2.0, 1.0]])[:3]
    W_Q, W_K = rng.choice([-1.0, 0.0, 1.0, 2.0], (2, 2, 2))
    W_V = np.sort(rng.choice(np.arange(1.0, 7.0), 2, replace=False))[::-1, None]
    i, j = rng.choice(3, 2, replace=False)
    output, (weights,) = MultiHeadAttention(W_Q, W_K, W_V, np.eye(1), n_heads=1)(X)
    if not 0.02 < weights[i, j] < 0.98:  # two decimals are to be enough
        return three_tokens(rng)
    Q, K, v = X @ W_Q, X @ W_K, X @ W_V[:, 0]
    raw = Q @ K.T
    W = softmax(raw / np.sqrt(2))
    powers = np.exp(raw[i] / np.sqrt(2))
    w = powers / powers.sum()

    def answers(W):
        return W[i, j], W[i] @ v

    numbers = dict(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, i=i, j=j, Q=Q)
    numbers |= dict(K=K, v=v, raw=raw, W=W, powers=powers, w=w, answers=answers)
    return numbers, [weights[i, j], output[i, 0]]


def way_back(rng):
    W_Q, W_K = rng.choice([-1.0, 0.0, 1.0, 2.0], (2, 2, 2))
    X = rng.choice([-1.0, 1.0, 2.0, 3.0], (2, 2))
    Q, K = X @ W_Q, X @ W_K
    there, back = Q[0] @ K[1], Q[1] @ K[0]
    if -1 in (there, back) or max(abs(there), abs(back)) > 20:
        return way_back(rng)

    def both(Q, K):
        return np.array([Q[0] @ K[1], Q[1] @ K[0]]) / np.sqrt(2)

    S = scores.scaled_dot(X @ W_Q, X @ W_K)
    numbers = dict(W_Q=W_Q, W_K=W_K, X=X, Q=Q, K=K, there=there, back=back, both=both)
    return numbers, [S[0, 1], S[1, 0]]


def removed(rng):
    parts = rng.permutation([(10, 6, 4), (8, 8, 4), (12, 5, 3), (9, 6, 5), (10, 8, 2)])[0]
    w = rng.permutation(parts) / 20
    v = rng.choice(np.arange(1.0, 16.0), 3, replace=False)
    j = int(rng.integers(3))
    itself = (j + 1 + int(rng.integers(2))) % 3
    places = "first", "second", "third"
    others = np.arange(3) != j
    left, added = w[others] @ v[others], w @ v + w[j] * v[j]
    removed = softmax(np.log(w[others])) @ v[others]
    twice = softmax(np.log([*w, w[j]])) @ [*v, v[j]]
    numbers = dict(removed=removed, w=w, v=v, j=j, itself=itself)
    numbers |= dict(places=places, others=others, left=left, added=added, twice=twice)
    return numbers, [removed, twice]
