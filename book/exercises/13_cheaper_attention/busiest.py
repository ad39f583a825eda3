"""The pairs of the busiest process in a ring under a causal mask."""

import numpy as np

from attnlib.exercises import Case


def busiest(owner, world):
    """Query i, from 0, has i + 1 keys; each process adds up those of its queries."""
    pairs = np.arange(1, len(owner) + 1)
    return max(int(pairs[owner == rank].sum()) for rank in range(world))


def _of_each(owner, world, each=lambda i, n: i + 1):
    """The pairs of each process, where query i of n has each(i, n)."""
    n = len(owner)
    pairs = np.array([each(i, n) for i in range(n)])
    return np.array([pairs[owner == rank].sum() for rank in range(world)])


def _blocks(owner, world):
    """The pairs of queries and keys, a row for each process and its queries."""
    n = len(owner)
    past = np.tri(n, dtype=bool)
    rows = [[past[owner == r][:, owner == s].sum() for s in range(world)] for r in range(world)]
    return np.array(rows)


def _case(kind, owner, world):
    return Case(kind, (np.array(owner), world))


CASES = (
    _case("two positions, two processes", [0, 1], 2),
    _case("contiguous", [0, 0, 0, 1, 1, 1], 2),
    _case("striped", [0, 1, 2, 0, 1, 2, 0, 1, 2], 3),
    _case("the first process is the busiest", [1, 1, 2, 2, 2, 0, 1, 0, 0], 3),
    _case("the last position is not the busiest's", [0, 2, 0, 1, 1, 1, 1, 2], 3),
    _case("dealt out unevenly", [2, 0, 1, 1, 3, 1, 1, 0, 2, 3, 1], 4),
    _case("one process has nothing", [0, 0, 2, 0, 2, 2, 0], 3),
    _case("most rows, but early ones", [1, 1, 1, 1, 0, 0, 0], 2),
)
