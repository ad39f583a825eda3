"""What the practice of chapter 16 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import attend, dot, softmax


def step(rng):
    w, c = 0, np.zeros(2)
    while not 0.1 < w < 0.9 or abs(w - 0.5) < 0.06 or min(abs(c)) < 0.15:
        s = rng.choice([-1.0, -0.5, 0.5, 1.0], 2)
        H = rng.integers(0, 5, (2, 2)).astype(float)
        scores = H @ s
        context, weights = attend(s[None], H, H, score=dot)
        w, c = weights[0, 0], context[0]
    half = 1 / (1 + np.exp((scores[1] - scores[0]) / np.sqrt(2)))
    return dict(w=w, c=c, s=s, H=H, scores=scores, half=half), [w, *c]


def loss(rng):
    p = rng.choice([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], 3, replace=False)
    each = -np.log(p)
    loss, product = each.mean(), p.prod()
    bits = loss / np.log(2)
    return dict(loss=loss, p=p, each=each, product=product, bits=bits), [loss, product]


def choose(rng):
    hidden, gap = 0, 0
    while not 0.3 < hidden < 0.9 or abs(gap) < 0.4:
        s, c = rng.choice([0.2, 0.3, 0.4, 0.5, 0.6, 0.8], 2, replace=False)
        W_c = rng.choice([-1.0, -0.5, 0.5, 1.0, 1.5, 2.0], 2)
        U = rng.choice([0.5, 1.0, 1.5, 2.0, 3.0, 4.0], 2, replace=False)
        into = s * W_c[0] + c * W_c[1]
        hidden = np.tanh(into)
        logits = hidden * U
        gap = logits[0] - logits[1]
    p = softmax(logits)[0]
    return dict(hidden=hidden, s=s, c=c, W_c=W_c, U=U, into=into, logits=logits, p=p), [hidden, p]
