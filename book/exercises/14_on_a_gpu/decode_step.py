"""The least time of one step of decode: weights are shared, caches are not."""

import numpy as np

from attnlib.exercises import Case


def decode_step(batch, n, d, itemsize, flops_per_s, bytes_per_s):
    """The longer of arithmetic and memory, for the weights and for the caches."""
    weights, cache = 12 * d * d, 2 * n * d
    flops = np.array([2 * batch * weights, 2 * batch * cache])
    moved = itemsize * np.array([weights, batch * cache])
    return np.maximum(flops / flops_per_s, moved / bytes_per_s)


CASES = (
    Case("two sequences", (2, 5, 3, 2, 100.0, 10.0)),
    Case("one sequence", (1, 6, 4, 4, 200.0, 30.0)),
    Case("many sequences, weights wait for arithmetic", (40, 7, 5, 2, 100.0, 80.0)),
    Case("a slow processor, both wait for arithmetic", (3, 9, 4, 2, 10.0, 90.0)),
    Case("a long cache", (4, 50, 3, 4, 150.0, 20.0)),
)
