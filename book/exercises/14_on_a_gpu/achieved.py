"""The share of a peak that a fused kernel achieves."""

import numpy as np

from attnlib.exercises import Case


def achieved(n, d, n_heads, batch, causal, seconds, peak):
    """FLOPs by formula, over the median time, over the peak."""
    pairs = n * (n + 1) // 2 if causal else n * n
    return 4 * batch * n_heads * pairs * d / np.median(seconds) / peak


CASES = (
    Case("one head", (4, 2, 1, 1, False, [0.5, 0.7, 0.6], 1000.0)),
    Case("heads and sequences", (5, 3, 2, 4, False, [2.0, 1.0, 1.5, 1.2], 2500.0)),
    Case("a causal mask", (6, 4, 3, 1, True, [0.9, 0.8, 1.1], 1500.0)),
    Case("one call interrupted", (9, 2, 2, 3, True, [3.0, 3.1, 44.0, 2.9, 3.3], 900.0)),
    Case("a peak that is too low", (8, 2, 1, 1, False, [0.5, 0.4], 900.0)),
    Case("a causal mask, and one item", (1, 8, 5, 7, True, [0.25, 0.2], 9000.0)),
)
