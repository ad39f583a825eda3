"""What a ring costs, known before it runs: pairs of query and key, and bytes sent."""

import numpy as np

from attnlib import _checks
from attnlib.ring.layout import own_rows, rows_per_process


def visible_keys(n, rank, source, world, layout="contiguous", causal=False):
    """Count for each query of `rank` the keys of `source` that it may attend to.

    Both layouts keep the order of the sequence within a process, so these are always the first keys
    of a block.  Striped, the keys from a later rank hide one more than those from an earlier one:

    >>> visible_keys(16, 2, 1, 4, "striped", causal=True)
    array([1, 2, 3, 4])
    >>> visible_keys(16, 2, 3, 4, "striped", causal=True)
    array([0, 1, 2, 3])
    """
    queries, keys = (np.arange(n)[own_rows(n, r, world, layout)] for r in (rank, source))
    if not _checks.boolean(causal, "causal"):
        return np.full(len(queries), len(keys))
    return np.searchsorted(keys, queries, side="right")


def pairs_per_step(n, world, layout="contiguous", causal=False):
    r"""Count the pairs of query and key that each process has to compute in each step.

    Parameters
    ----------
    n, world : int
        Rows of the whole sequence, and processes in the ring.
    layout : str, optional
        ``"contiguous"`` or ``"striped"``, as for `shard`.
    causal : bool, optional
        True if no query may attend to a later position.

    Returns
    -------
    ndarray of int, shape (world, world)
        Pairs for each rank (down) and step (across), for one head of one sequence.

    Notes
    -----
    Position t of a query and u of a key, on ranks r and s (Liu et al. 2024; striped: Brandon
    et al. 2023):

    .. math:: N_{r, \text{step}} = \left| \{ (t, u) : t \in r, \; u \in s, \; u \le t \} \right|,
              \qquad s = (r - \text{step}) \bmod P

    Without a causal mask every entry is (n / P)².

    Examples
    --------
    Contiguous, rank 0 has nothing to do after its own block; striped, every step has work for all:

    >>> pairs_per_step(8, 2, "contiguous", causal=True)
    array([[10,  0],
           [10, 16]])
    >>> pairs_per_step(8, 2, "striped", causal=True)
    array([[10,  6],
           [10, 10]])
    """
    ranks = range(_checks.count(world, "world"))
    blocks = [[(rank, (rank - step) % world) for step in ranks] for rank in ranks]
    visible = [[visible_keys(n, *block, world, layout, causal) for block in row] for row in blocks]
    return np.sum(visible, axis=-1)


def bytes_sent(n, n_heads, d, world, itemsize=4, batch=1):
    r"""Return how many bytes each process sends in one pass round the ring.

    Parameters
    ----------
    n, n_heads, d, world, batch : int
        Rows of the whole sequence, heads, entries of a key and of a value, processes, sequences.
    itemsize : int, optional
        Bytes of one number: 4 for float32, 8 for float64.

    Returns
    -------
    int
        Bytes, the same for every process.

    Notes
    -----
    Each process passes P − 1 blocks of keys and values on (Liu et al. 2024):

    .. math:: (P - 1) \cdot 2 \cdot (n / P) \cdot H \cdot d \cdot \text{itemsize} \cdot \text{batch}

    The work grows with n²: a longer sequence hides the messages better.

    Examples
    --------
    >>> bytes_sent(4096, 8, 64, 4)
    12582912
    """
    numbers = {"n_heads": n_heads, "d": d, "itemsize": itemsize, "batch": batch}
    n_heads, d, itemsize, batch = (_checks.count(x, name) for name, x in numbers.items())
    return (world - 1) * 2 * rows_per_process(n, world) * n_heads * d * itemsize * batch
