"""Who holds which rows, and what the ring costs: pairs of query and key, and bytes sent."""

import numpy as np
import torch

from attnlib import _checks

LAYOUTS = ("contiguous", "striped")


def own_rows(n, rank, world, layout):
    """Return the slice of a sequence of `n` rows that process `rank` holds."""
    striped = _checks.choice(layout, "layout", LAYOUTS) == "striped"
    if n % world or not 0 <= rank < world:
        remedy = f"Give a multiple of {world} rows and a rank from 0 to {world - 1}"
        raise ValueError(f"n={n} and rank={rank} do not fit {world} processes. {remedy}.")
    m = n // world
    return slice(rank, None, world) if striped else slice(rank * m, (rank + 1) * m)


def shard(X, rank, world, layout="contiguous"):
    """Return the rows of a sequence that one process holds.

    Parameters
    ----------
    X : Tensor or ndarray, shape (..., n, d)
    rank, world : int
        The process, from 0 on, and how many there are.
    layout : str, optional
        ``"contiguous"``: one run of neighbours for each process (Liu et al. 2024).  ``"striped"``:
        dealt out like cards (Brandon et al. 2023), so that row t is on process ``t % world``.

    Returns
    -------
    Tensor or ndarray, shape (..., n / world, d)
        A view of `X`, in the order of the sequence.

    Examples
    --------
    >>> shard(np.arange(4)[:, None], 1, 2, "striped").T
    array([[1, 3]])
    """
    return X[..., own_rows(X.shape[-2], rank, world, layout), :]


def unshard(shards, layout="contiguous"):
    """Put the rows of all processes, in order, together again: the inverse of `shard`.

    >>> unshard([torch.tensor([[0], [2]]), torch.tensor([[1], [3]])], "striped").mT
    tensor([[0, 1, 2, 3]])
    """
    if _checks.choice(layout, "layout", LAYOUTS) == "striped":
        return torch.stack(shards, dim=-2).flatten(-3, -2)
    return torch.cat(shards, dim=-2)


def visible_keys(n, rank, source, world, layout="contiguous", causal=False):
    """Count for each query of `rank` the keys of `source` that it may attend to: the first ones."""
    queries, keys = (np.arange(n)[own_rows(n, r, world, layout)] for r in (rank, source))
    return np.searchsorted(keys, queries if causal else n + queries, side="right")


def pairs_per_step(n, world, layout="contiguous", causal=False):
    """Count the pairs of query and key that each process has to compute in each step.

    In step i the rows of rank r meet the keys of rank r − i (Liu et al. 2024).

    Parameters
    ----------
    n, world : int
        Rows of the whole sequence, and processes in the ring.
    layout, causal : optional
        As for `ring_attention`.

    Returns
    -------
    ndarray of int, shape (rank, step), for one head of one sequence

    Examples
    --------
    >>> pairs_per_step(8, 2, "striped", causal=True).tolist()
    [[10, 6], [10, 10]]
    """
    grid = np.ndindex(world, world)
    pairs = [visible_keys(n, r, (r - i) % world, world, layout, causal).sum() for r, i in grid]
    return np.reshape(pairs, (world, world))


def bytes_sent(n, n_heads, d, world, itemsize=4, batch=1):
    r"""Return how many bytes each process sends in one pass round the ring.

    With `n_heads` heads of width `d`, and P − 1 blocks of keys and values (Liu et al. 2024):

    .. math:: (P - 1) \cdot 2 \cdot (n / P) \cdot H \cdot d \cdot \text{itemsize} \cdot \text{batch}

    >>> bytes_sent(4096, 8, 64, 4)
    12582912
    """
    return (world - 1) * 2 * (n // world) * n_heads * d * itemsize * batch
