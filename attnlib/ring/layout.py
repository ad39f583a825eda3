"""Who holds which rows: the two ways to deal a sequence out to the processes of a ring."""

import numpy as np
import torch

from attnlib import _checks

#: Names of the ways to deal rows out.
LAYOUTS = ("contiguous", "striped")


def rows_per_process(n, world):
    r"""Return how many of `n` rows each of `world` processes holds.

    Parameters
    ----------
    n : int
        Number of rows in the whole sequence.
    world : int
        Number of processes in the ring.

    Returns
    -------
    int
        The rows of one process; all hold equally many.

    Raises
    ------
    ValueError
        If there are fewer rows than processes, or the rows cannot be shared evenly.
    TypeError
        If a number is not an integer.

    Notes
    -----
    .. math:: m = n / P

    Examples
    --------
    >>> rows_per_process(4096, 4)
    1024
    """
    n, world = _checks.count(n, "n"), _checks.count(world, "world")
    if n < world:
        raise ValueError(
            f"n={n} is fewer rows than the {world} processes of the ring. "
            f"Give at least n={world}, or start at most {n}."
        )
    if n % world:
        raise ValueError(
            f"n={n} rows cannot be shared evenly by {world} processes. "
            f"Give a multiple of {world}, say n={n - n % world} or n={n - n % world + world}."
        )
    return n // world


def token_positions(n, rank, world, layout):
    r"""Return where in the sequence the rows of one process stand.

    Parameters
    ----------
    n : int
        Number of rows in the whole sequence.
    rank : int
        The process, from 0 to ``world - 1``.
    world : int
        Number of processes in the ring.
    layout : str
        ``"contiguous"``: one run of neighbours for each process.  ``"striped"``: dealt out like
        cards, so row t lives on process ``t % world``.

    Returns
    -------
    ndarray of int, shape (n / world,)
        Positions from 0 to ``n - 1``, in rising order.

    Raises
    ------
    ValueError, TypeError
        As for `rows_per_process`, and for a `rank` or `layout` that there is not.

    Notes
    -----
    Row i of process r stands, with m rows to a process (contiguous: Liu et al. 2024, striped:
    Brandon et al. 2023), at

    .. math:: t = r m + i \quad \text{(contiguous)}, \qquad t = i P + r \quad \text{(striped)}

    Examples
    --------
    >>> token_positions(8, 1, 4, "contiguous"), token_positions(8, 1, 4, "striped")
    (array([2, 3]), array([1, 5]))
    """
    rows = rows_per_process(n, world)
    member(rank, world)
    known(layout)
    if layout == "striped":
        return rank + world * np.arange(rows)
    return rank * rows + np.arange(rows)


def shard(X, rank, world, layout="contiguous"):
    r"""Return the rows of `X` that one process holds.

    Parameters
    ----------
    X : Tensor or ndarray, shape (..., n, d)
        The whole sequence, one row for each token.
    rank : int
        The process, from 0 to ``world - 1``.
    world : int
        Number of processes in the ring.
    layout : str, optional
        ``"contiguous"`` or ``"striped"``, see `token_positions`.

    Returns
    -------
    Tensor or ndarray, shape (..., n / world, d)
        A view of `X`, in the order of `token_positions`.

    Raises
    ------
    ValueError, TypeError
        As for `token_positions`, and for an `X` that has no rows.

    Notes
    -----
    .. math:: X^{(r)}_i = X_{t(r, i)}

    with :math:`t(r, i)` the position that `token_positions` gives.

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
    rows = rows_per_process(X.shape[-2], world)
    member(rank, world)
    known(layout)
    if layout == "striped":
        return X[..., rank::world, :]
    return X[..., rank * rows : (rank + 1) * rows, :]


def unshard(shards, layout="contiguous"):
    r"""Put the rows of all processes together again, in the order of the sequence.

    Parameters
    ----------
    shards : sequence of Tensor or ndarray, each of shape (..., m, d)
        What the processes hold, that of rank 0 first.
    layout : str, optional
        ``"contiguous"`` or ``"striped"``, as it was given to `shard`.

    Returns
    -------
    Tensor, shape (..., m * world, d)
        The whole sequence.

    Raises
    ------
    ValueError
        If there are no shards, their shapes differ, or `layout` is unknown.

    Notes
    -----
    The inverse of `shard`:

    .. math:: X_{t(r, i)} = X^{(r)}_i

    Examples
    --------
    >>> X = np.arange(4)[:, None] * [1, 10]
    >>> unshard([shard(X, r, 2, "striped") for r in range(2)], "striped")
    tensor([[ 0,  0],
            [ 1, 10],
            [ 2, 20],
            [ 3, 30]])
    """
    known(layout)
    parts = [torch.as_tensor(part) for part in shards]
    shapes = [tuple(part.shape) for part in parts]
    if not parts or len(set(shapes)) > 1 or len(shapes[0]) < 2:
        raise ValueError(
            f"shards have the shapes {shapes}. Give one shard of each process, all of one shape "
            f"(..., m, d)."
        )
    if layout == "striped":
        return torch.stack(parts, dim=-2).flatten(-3, -2)
    return torch.cat(parts, dim=-2)


def known(layout):
    """Refuse a `layout` that there is not."""
    if layout not in LAYOUTS:
        raise ValueError(f"layout={layout!r} is unknown. Choose contiguous or striped.")


def member(rank, world):
    """Refuse a `rank` that is not in a ring of `world` processes."""
    if _checks.count(rank, "rank", least=0) >= world:
        raise ValueError(f"rank={rank} is not in a ring of {world}. Count from 0 to {world - 1}.")
