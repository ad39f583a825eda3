"""The least times of naive and of fused attention."""

import numpy as np

from attnlib.exercises import Case


def floors(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s):
    """The slowest of arithmetic, memory and exponentials, for each of the two ways."""

    def least(pairs, numbers):
        return max(
            4 * pairs * d / flops_per_s,
            itemsize * numbers / bytes_per_s,
            pairs / exponentials_per_s,
        )

    allowed, passes = (n * (n + 1) // 2, 6) if causal else (n * n, 4)
    return np.array([least(n * n, passes * n * n + 4 * n * d), least(allowed, 4 * n * d)])


CASES = (
    Case("memory as the limit", (3, 2, 4, False, 100.0, 40.0, 10.0)),
    Case("arithmetic as the limit", (10, 4, 2, False, 50.0, 1000.0, 900.0)),
    Case("exponentials as the limit", (8, 2, 2, False, 1e4, 1.1e4, 10.0)),
    Case("another limit for each way", (20, 4, 2, False, 1000.0, 400.0, 800.0)),
    Case("a mask with arithmetic as the limit", (6, 4, 2, True, 20.0, 400.0, 1000.0)),
    Case("a mask with memory as the limit", (5, 3, 4, True, 1000.0, 10.0, 900.0)),
    Case("a mask with exponentials as the limit", (7, 2, 2, True, 1e4, 1.2e4, 10.0)),
)


def in_turns(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s, arrays=2):
    """Naive attention as kernels one after another, each with a least time of its own."""
    table, pair = n * n, arrays * n * d
    kernels = [(2 * table * d, pair + table, 0), (0, 2 * table, table)]
    kernels += [(0, 2 * table, 0)] if causal else []
    kernels += [(2 * table * d, table + pair, 0)]
    rates = flops_per_s, bytes_per_s / itemsize, exponentials_per_s
    naive = sum(max(x / rate for x, rate in zip(kernel, rates)) for kernel in kernels)
    fused = floors(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s)[1]
    return np.array([naive, fused])
