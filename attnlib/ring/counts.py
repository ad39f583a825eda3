"""What a ring costs, known before it runs: pairs of query and key, and bytes sent."""

import numpy as np

from attnlib import _checks
from attnlib.ring.layout import known, member, rows_per_process


def source_of_step(rank, step, world):
    r"""Return whose keys and values process `rank` holds in ring step `step`.

    Parameters
    ----------
    rank : int
        The process, from 0 to ``world - 1``.
    step : int
        The ring step; in step 0 every process holds its own block.
    world : int
        Number of processes in the ring.

    Returns
    -------
    int
        The rank at which the block began.

    Raises
    ------
    ValueError, TypeError
        If `rank` is not in the ring, or a number is negative or no integer.

    Notes
    -----
    Blocks move one process onwards in each step, so they come from behind:

    .. math:: s = (r - \text{step}) \bmod P

    Examples
    --------
    >>> [source_of_step(1, step, 4) for step in range(4)]
    [1, 0, 3, 2]
    """
    member(rank, _checks.count(world, "world"))
    return (rank - _checks.count(step, "step", least=0)) % world


def visible_keys(n, rank, source, world, layout="contiguous", causal=False):
    r"""Count for each query of `rank` the keys of `source` that it may attend to.

    Both layouts keep the order of the sequence within a process.  So the keys that a query may
    attend to are always the first ones of a block, and a count says which.

    Parameters
    ----------
    n : int
        Number of rows in the whole sequence.
    rank, source : int
        The process with the queries, and the one at which the keys began.
    world : int
        Number of processes in the ring.
    layout : str, optional
        ``"contiguous"`` or ``"striped"``.
    causal : bool, optional
        True if no query may attend to a later position.

    Returns
    -------
    ndarray of int, shape (n / world,)
        For each query a number from 0 to ``n / world``, never falling.

    Raises
    ------
    ValueError, TypeError
        For a size, rank or layout that there is not, as in `attnlib.ring.shard`.

    Notes
    -----
    With m = n / P rows to a process, query i of rank r sees of the block from s, if causal,

    .. math:: \min(m, \max(0, (r - s) m + i + 1)) \quad \text{(contiguous)}, \qquad
              i + [s \le r] \quad \text{(striped)}

    Examples
    --------
    Striped, the keys from a later rank hide one key more than those from an earlier one:

    >>> visible_keys(16, 2, 1, 4, "striped", causal=True)
    array([1, 2, 3, 4])
    >>> visible_keys(16, 2, 3, 4, "striped", causal=True)
    array([0, 1, 2, 3])
    """
    m = rows_per_process(n, world)
    member(rank, world)
    member(source, world)
    known(layout)
    i = np.arange(m)
    if not _checks.boolean(causal, "causal"):
        return np.full(m, m)
    if layout == "striped":
        return i + (source <= rank)
    return np.clip((rank - source) * m + i + 1, 0, m)


def pairs_per_step(n, world, layout="contiguous", causal=False):
    r"""Count the pairs of query and key that each process has to compute in each ring step.

    Parameters
    ----------
    n : int
        Number of rows in the whole sequence.
    world : int
        Number of processes in the ring.
    layout : str, optional
        ``"contiguous"`` or ``"striped"``.
    causal : bool, optional
        True if no query may attend to a later position.

    Returns
    -------
    ndarray of int, shape (world, world)
        Pairs for each rank (down) and step (across), for one head of one sequence.

    Raises
    ------
    ValueError, TypeError
        As for `visible_keys`.

    Notes
    -----
    Position t of a query and u of a key, on ranks r and s (Liu et al. 2024; striped: Brandon
    et al. 2023):

    .. math:: N_{r, \text{step}} = \left| \{ (t, u) : t \in r, \; u \in s, \; u \le t \} \right|,
              \qquad s = (r - \text{step}) \bmod P

    Without a causal mask the condition on order falls away and every entry is (n / P)².

    Examples
    --------
    Contiguous, rank 0 has nothing to do after its own block, and rank 1 has twice as much to do as
    there is in it.  Striped, no step leaves anybody without work:

    >>> pairs_per_step(8, 2, "contiguous", causal=True)
    array([[10,  0],
           [10, 16]])
    >>> pairs_per_step(8, 2, "striped", causal=True)
    array([[10,  6],
           [10, 10]])
    """
    ranks = range(_checks.count(world, "world"))
    return np.array(
        [
            [
                visible_keys(n, r, source_of_step(r, step, world), world, layout, causal).sum()
                for step in ranks
            ]
            for r in ranks
        ]
    )


def bytes_sent(n, n_heads, d, world, itemsize=4, batch=1):
    r"""Return how many bytes each process sends in one pass round the ring.

    Parameters
    ----------
    n, n_heads, d, batch : int
        Rows of the whole sequence, heads, entries of a key (a value has as many), sequences.
    world : int
        Number of processes in the ring.
    itemsize : int, optional
        Bytes of one number: 4 for float32, 8 for float64.

    Returns
    -------
    int
        Bytes, the same for every process.

    Raises
    ------
    ValueError, TypeError
        If a number is below 1 or not an integer, or `world` does not divide `n`.

    Notes
    -----
    Each process passes P − 1 blocks of keys and values on (Liu et al. 2024):

    .. math:: (P - 1) \cdot 2 \cdot \frac{n}{P} \cdot H \cdot d \cdot \text{itemsize}
              \cdot \text{batch}

    It grows with n, the work with n²: a longer sequence hides the messages better.

    Examples
    --------
    >>> bytes_sent(4096, 8, 64, 4)
    12582912
    """
    numbers = {"n_heads": n_heads, "d": d, "itemsize": itemsize, "batch": batch}
    n_heads, d, itemsize, batch = (_checks.count(x, name) for name, x in numbers.items())
    return (world - 1) * 2 * rows_per_process(n, world) * n_heads * d * itemsize * batch
