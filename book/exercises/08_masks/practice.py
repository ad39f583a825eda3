"""What the practice of chapter 8 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import softmax
from attnlib.heads import KeyValueCache, MultiHeadAttention
from attnlib.masks import causal, padding


def row(rng):
    scores = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0], 5, replace=False)
    values = rng.choice(np.arange(1.0, 13.0), 5, replace=False)
    seen, ordered = int(rng.integers(2, 4)), int(rng.integers(2))
    mask = causal(5)[seen - 1] if ordered else padding(seen, 5)[0]
    powers = np.exp(scores[:seen])
    w = powers / powers.sum()

    def only(kept):
        return softmax(np.where(kept, scores, -np.inf))

    def answers(weights):
        return weights[0], weights @ values

    numbers = dict(scores=scores, values=values, seen=seen, ordered=ordered, mask=mask)
    numbers |= dict(powers=powers, w=w, only=only, answers=answers)
    return numbers, answers(only(mask))


def cache(rng):
    n_layers, n_heads = int(rng.integers(2, 7)), int(rng.integers(2, 7))
    d_k, d_v = (int(d) for d in rng.choice([4, 8, 16], 2))
    n, each = int(rng.integers(2, 5)) * 500, int(rng.choice([2, 4]))
    item, thousands = n_heads * (d_k + d_v), n * each // 1000

    def counts(numbers):
        return [numbers, numbers * thousands]

    one = KeyValueCache(MultiHeadAttention.random(np.random.default_rng(0), 2, n_heads, d_k, d_v))
    one.step(np.zeros((1, 2)))
    numbers = dict(n_layers=n_layers, n_heads=n_heads, d_k=d_k, d_v=d_v, n=n)
    numbers |= dict(each=each, item=item, thousands=thousands, counts=counts)
    return numbers, counts(n_layers * (one.K.size + one.V.size))


def steps(rng):
    old, new = int(rng.integers(2, 18)), int(rng.integers(3, 7))
    n = old + new
    steps = range(old + 1, n + 1)
    squares = sum(t * t for t in steps)
    masked = (~causal(n)).sum()
    one_row, all_rows = sum(causal(1, t).size for t in steps), sum(causal(t).size for t in steps)
    numbers = dict(steps=steps, old=old, new=new, n=n, squares=squares, masked=masked)
    return numbers, [one_row, all_rows, masked]
