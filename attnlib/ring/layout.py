"""Who holds which rows: two ways to deal a sequence out to the processes of a ring."""

import numpy as np
import torch

from attnlib import _checks

LAYOUTS = ("contiguous", "striped")


def rows_per_process(n, world):
    """Return how many of `n` rows each of `world` processes holds."""
    n, world = _checks.count(n, "n"), _checks.count(world, "world")
    if n < world:
        remedy = f"Give at least n={world}, or start at most {n}"
        raise ValueError(f"n={n} is fewer rows than the {world} processes of the ring. {remedy}.")
    if n % world:
        near = f"n={n - n % world} or n={n - n % world + world}"
        remedy = f"Give a multiple of {world}, say {near}"
        raise ValueError(f"n={n} rows cannot be shared evenly by {world} processes. {remedy}.")
    return n // world


def own_rows(n, rank, world, layout):
    """Return the slice of a sequence of `n` rows that process `rank` holds."""
    rows = rows_per_process(n, world)
    _checks.choice(layout, "layout", LAYOUTS)
    if _checks.count(rank, "rank", least=0) >= world:
        raise ValueError(f"rank={rank} is not in a ring of {world}. Count from 0 to {world - 1}.")
    return (
        slice(rank, None, world) if layout == "striped" else slice(rank * rows, (rank + 1) * rows)
    )


def shard(X, rank, world, layout="contiguous"):
    r"""Return the rows of `X` that one process holds.

    Parameters
    ----------
    X : Tensor or ndarray, shape (..., n, d)
        The whole sequence, one row for each token.
    rank, world : int
        The process, from 0 on, and how many there are.
    layout : str, optional
        ``"contiguous"``: one run of neighbours for each process.  ``"striped"``: dealt out like
        cards, so row t lives on process ``t % world``.

    Returns
    -------
    Tensor or ndarray, shape (..., n / world, d)
        A view of `X`, in the order of the sequence.

    Raises
    ------
    ValueError, TypeError
        If the rows cannot be shared evenly, there is no such rank or layout, or `X` has no rows.

    Notes
    -----
    Row i of process r, of P with m rows each, stands (contiguous: Liu et al. 2024, striped:
    Brandon et al. 2023) at

    .. math:: t = r m + i \quad \text{(contiguous)}, \qquad t = i P + r \quad \text{(striped)}

    Examples
    --------
    >>> X = np.arange(4)[:, None] * [1, 10]
    >>> shard(X, 1, 2, "striped")
    array([[ 1, 10],
           [ 3, 30]])
    """
    if not isinstance(X, (torch.Tensor, np.ndarray)):
        raise TypeError(f"X must be a tensor or an array, not {type(X).__name__}. Convert it.")
    if X.ndim < 2:
        raise ValueError(f"X has shape {tuple(X.shape)}, but needs two axes or more, (..., n, d).")
    return X[..., own_rows(X.shape[-2], rank, world, layout), :]


def unshard(shards, layout="contiguous"):
    """Put the rows of all processes together again: the inverse of `shard`.

    Parameters
    ----------
    shards : sequence of Tensor or ndarray, each of shape (..., m, d)
        What the processes hold, that of rank 0 first.
    layout : str, optional
        The layout that `shard` used.

    Returns
    -------
    Tensor, shape (..., m * world, d)
        The whole sequence.

    Examples
    --------
    >>> X = np.arange(4)[:, None] * [1, 10]
    >>> unshard([shard(X, r, 2, "striped") for r in range(2)], "striped")
    tensor([[ 0,  0],
            [ 1, 10],
            [ 2, 20],
            [ 3, 30]])
    """
    _checks.choice(layout, "layout", LAYOUTS)
    parts = [torch.as_tensor(part) for part in shards]
    shapes = [tuple(part.shape) for part in parts]
    if not parts or len(set(shapes)) > 1 or len(shapes[0]) < 2:
        remedy = "Give one shard of each process, all of one shape (..., m, d)"
        raise ValueError(f"shards have the shapes {shapes}. {remedy}.")
    if layout == "striped":
        return torch.stack(parts, dim=-2).flatten(-3, -2)
    return torch.cat(parts, dim=-2)
