"""What the practice of chapter 19 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import scaled_dot_product_attention, softmax
from attnlib.networks.graphs import DynamicAdditive, StaticAdditive, leaky_relu


def original(rng):
    w = np.full(2, 0.5)
    while min(abs(w - 0.5)) < 0.03 or abs(w[0] - w[1]) < 0.04 or max(abs(w - 0.5)) > 0.47:
        p = rng.choice(np.arange(-6, 7) / 2, 2, replace=False)
        r = rng.choice(np.arange(-4, 5) / 2, 2, replace=False)
        sums = p[:, None] + r
        scores = StaticAdditive(a_q=[1.0], a_k=[1.0])(p[:, None], r[:, None])
        w = softmax(scores)[:, 0]
    plain = softmax(r)[0]
    relu = softmax(np.maximum(sums, 0))[:, 0]
    return dict(w=w, p=p, r=r, sums=sums, scores=scores, plain=plain, relu=relu), w


def neighbours(rng):
    y = 9.0
    while not 0.1 < y < 3:
        four = rng.choice([-1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0], 4, replace=False)
        x, a, b, c = four
        three = four[:3, None]
        Q = np.array([[x]])
        output, weights = scaled_dot_product_attention(Q, three, three)
        y, w = output[0, 0], weights[0]
    scores = x * four[:3]
    e = np.exp(scores)
    everybody = softmax(x * four)
    zeroed = softmax(np.append(scores, 0.0))
    others = softmax(scores[1:])
    numbers = dict(y=y, four=four, x=x, a=a, b=b, c=c)
    numbers |= dict(w=w, scores=scores, e=e, everybody=everybody, zeroed=zeroed, others=others)
    return numbers, [w[0], y]


def dynamic(rng):
    w = 0.5
    while not 0.06 < w < 0.94 or abs(w - 0.5) < 0.05:
        q = rng.choice([-2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0])
        k = rng.choice([-2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0], 2, replace=False)
        v = rng.choice([0.5, 1.5, 2.0, 2.5])
        score = DynamicAdditive(W_q=[[1.0, -1.0]], W_k=[[1.0, -1.0]], v=[v, v])
        s = score([[q]], k[:, None])[0]
        w = softmax(s)[0]
    z = q + k
    units = leaky_relu(np.stack([z, -z], axis=1))
    relu = np.abs(z)
    return dict(w=w, q=q, k=k, v=v, s=s, z=z, units=units, relu=relu), [s[0], w]
