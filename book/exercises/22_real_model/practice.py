"""What the practice of chapter 22 draws: levels and sizes, and the answers by attnlib."""

import numpy as np

from attnlib import KeyValueCache, MultiHeadAttention
from attnlib.data import gguf


def level(rng):
    a, b = float(rng.choice([0.25, 0.5, 0.75])), float(rng.integers(2, 16)) / 4
    low, high = (int(i) for i in rng.choice(np.arange(2, 16), 2, replace=False))
    block = np.zeros(1, gguf.BLOCKS[3][1])
    block["scale"], block["least"], block["q"][0, 0] = a, -b, 16 * high + low
    x = gguf.numbers(block)[0, [0, 16]].astype(float)
    return dict(a=a, b=b, low=low, high=high, byte=16 * high + low, x=list(x)), list(x)


def cache(rng):
    groups, share = int(rng.integers(2, 5)), int(rng.integers(3, 5))
    blocks, d, n = (int(rng.choice(x)) for x in ([12, 24, 32], [16, 32, 64], [500, 2000, 6000]))
    heads = groups * share
    attention = MultiHeadAttention.random(rng, heads, heads, d, n_kv_heads=groups)
    kept = KeyValueCache(attention)
    kept.step(np.zeros((1, heads)))
    numbers = blocks * (kept.K.size + kept.V.size)
    kb, mb = 2 * numbers / 1000, 2 * numbers * n / 1e6
    sizes = dict(blocks=blocks, heads=heads, groups=groups, d=d, n=n)
    return sizes | dict(numbers=numbers, kb=kb, mb=mb), [kb, mb]
