"""What the practice of chapter 20 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import attend, dot


def found(q, K, v):
    """The first weight of two, and what is found among numbers."""
    output, weights = attend(q[None], K, v[:, None], score=dot)
    return weights[0, 0], output[0, 0]


def exchange(rng):
    apart = 0
    while apart < 0.3:
        q = rng.choice([-1.0, -0.5, 0.5, 1.0], 2)
        K_A, K_B = rng.integers(0, 4, (2, 2, 2)).astype(float)
        v_A, v_B = rng.choice(np.arange(1.0, 10), (2, 2), replace=False)
        scores = K_A @ q
        w, y = found(q, K_A, v_B)
        w_B, y_B = found(q, K_B, v_B)
        _, y_A = found(q, K_A, v_A)
        _, y_BA = found(q, K_B, v_A)
        wrong = [y_A, y_B, y_BA, v_B.mean(), (1 - w) * v_B[0] + w * v_B[1]]
        apart = min(*(abs(y - x) for x in wrong), abs(w - 0.5) * 6, abs(w - w_B) * 6)
        apart = apart if 0.05 < w < 0.95 else 0
    numbers = dict(q=q, K_A=K_A, K_B=K_B, v_A=v_A, v_B=v_B, scores=scores)
    numbers |= dict(w=w, y=y, w_B=w_B, y_B=y_B, y_A=y_A, y_BA=y_BA)
    return numbers, [w, y]


def count(rng):
    n_words = int(rng.integers(5, 40))
    side, patch = int(rng.choice([4, 5, 6, 7, 8])), int(rng.choice([8, 14, 16]))
    d = int(rng.choice([16, 24, 32, 48, 64]))
    pixels, n_patches = side * patch, side * side
    scores, cached = n_words * n_patches, 2 * n_patches * d
    numbers = dict(n_words=n_words, side=side, patch=patch, d=d)
    numbers |= dict(pixels=pixels, n_patches=n_patches, scores=scores, cached=cached)
    return numbers, [scores, cached]
