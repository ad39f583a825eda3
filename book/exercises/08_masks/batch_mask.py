"""A causal mask for sequences of different lengths."""

import numpy as np

from attnlib.exercises import Case


def batch_mask(lengths, n):
    """Causal, and no key that is padding; one matrix for each sequence."""
    words = np.arange(n) < lengths[:, None, None]
    return words & np.tri(n, dtype=bool)


CASES = (
    Case("one sequence", ([2], 3)),
    Case("a full and a short one", ([3, 1], 3)),
    Case("a single place", ([1, 1], 1)),
    Case("as many sequences as places", ([2, 4, 1, 3], 4)),
    Case("more sequences than places", ([1, 2, 2, 1], 2)),
)
