"""What the practice of chapter 11 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib.blocks import EncoderBlock, feed_forward, layer_norm
from attnlib.cost import block_cost


def relu(x):
    return np.maximum(x, 0)


def norm(rng):
    k, normed = int(rng.integers(4)), np.zeros(4)
    while abs(normed[k]) < 1:  # three digits would be too few, four too long
        x = rng.integers(-4, 10, 4).astype(float)
        x[3] = 4.0 * round(x[:3].mean()) - x[:3].sum()
        if x.std():
            gain, bias = rng.choice([2.0, 3.0, -2.0]), rng.choice([1.0, -1.0, 4.0, 5.0])
            (normed,) = layer_norm([x], np.full(4, gain), np.full(4, bias), 1e-12)
    mean = x.mean()
    squares = (x - mean) ** 2
    variance = squares.mean()
    sigma, wide, size = np.sqrt(variance), x.std(ddof=1), np.sqrt((x**2).mean())
    away = x[k] - mean
    numbers = dict(k=k, x=x, mean=mean, gain=gain, bias=bias, squares=squares)
    numbers |= dict(variance=variance, sigma=sigma, wide=wide, size=size, away=away)
    return numbers, [mean, sigma, normed[k]]


def step(rng):
    x = rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], 2)
    W_1, W_2 = rng.choice([-2.0, -1.0, 1.0, 2.0], (2, 2, 2))
    b_1, b_2 = rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], (2, 2))
    sums = x @ W_1 + b_1
    hidden = relu(sums)
    brought = hidden @ W_2 + b_2
    numbers = dict(x=x, W_1=W_1, W_2=W_2, b_1=b_1)
    numbers |= dict(b_2=b_2, sums=sums, hidden=hidden, brought=brought)
    return numbers, x + feed_forward(x[None], W_1, b_1, W_2, b_2)[0]


def parameters(rng):
    m, bias = int(rng.choice([4, 6, 8, 10, 12, 14, 16])), int(rng.integers(2))
    h = int(rng.choice([m // 2, 3 * m // 2, 2 * m, 3 * m, 4 * m]))
    matrices, without = 4 * m * m, 2 * m * h
    attention, network = matrices + 4 * m * bias, without + h + m
    total = attention + network + 4 * m
    otherwise = matrices + 4 * m * (1 - bias)
    block = EncoderBlock.random(np.random.default_rng(0), m, 2, h, bias=bool(bias))
    parts = block.attention, block.feed_forward, block
    numbers = dict(m=m, bias=bias, h=h, matrices=matrices, without=without)
    numbers |= dict(attention=attention, network=network, total=total, otherwise=otherwise)
    return numbers, [part.parameter_count for part in parts]


def operations(rng):
    m = int(rng.choice([4, 6, 8, 10]))
    n, h = int(rng.integers(3, 13)), int(rng.choice([2, 3, 4])) * m
    matrices, pairs, network = 4 * n * m * m, 2 * n * n * m, 2 * n * m * h
    steps = block_cost(n, m, 2, h).naive.steps
    made = steps["projections"].multiply_adds + steps["output projection"].multiply_adds
    mixed = steps["scores"].multiply_adds + steps["weigh"].multiply_adds
    numbers = dict(m=m, n=n, h=h, matrices=matrices, pairs=pairs, network=network)
    return numbers, [made, mixed, steps["feed-forward"].multiply_adds]
