"""The pairs of the busiest process in a ring under a causal mask."""

import numpy as np

from attnlib.exercises import Case


def busiest(owner, world):
    """Query i, from 0, has i + 1 keys; each process adds up those of its queries."""
    pairs = np.arange(1, len(owner) + 1)
    return max(int(pairs[owner == rank].sum()) for rank in range(world))


CASES = (
    Case("two positions, two processes", ([0, 1], 2)),
    Case("contiguous", ([0, 0, 0, 1, 1, 1], 2)),
    Case("striped", ([0, 1, 2, 0, 1, 2, 0, 1, 2], 3)),
    Case("the first process is the busiest", ([1, 1, 2, 2, 2, 0, 1, 0, 0], 3)),
    Case("the last position is not the busiest's", ([0, 2, 0, 1, 1, 1, 1, 2], 3)),
    Case("dealt out unevenly", ([2, 0, 1, 1, 3, 1, 1, 0, 2, 3, 1], 4)),
    Case("one process has nothing", ([0, 0, 2, 0, 2, 2, 0], 3)),
    Case("most rows, but early ones", ([1, 1, 1, 1, 0, 0, 0], 2)),
    Case("a single process", ([0, 0, 0, 0], 1)),
)


def per_process(owner, world, counts):
    """What each process adds up, of these counts, one for each position."""
    return np.array([counts[owner == rank].sum() for rank in range(world)])
