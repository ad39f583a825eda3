"""Masks that depend on what the items are: words or padding, neighbours in a graph or not."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked


@checked(n_k=_checks.count)
def padding(lengths, n_k):
    r"""Let queries attend to the words of a sequence, not to the padding behind them.

    Parameters
    ----------
    lengths : array_like of int, shape (...)
        How many of the keys are words, one number from 1 to `n_k` for each sequence of a batch.
    n_k : int
        Number of keys, padding included: the length of the longest sequence, or more.

    Returns
    -------
    ndarray of bool, shape (..., 1, n_k)
        True where the key is a word.  The axis of length 1 serves every query.

    Notes
    -----
    For sequence b with :math:`n_b` words:

    .. math:: M_{b1j} = \text{True} \iff j \le n_b

    The queries that stand on padding are answered too; their outputs mean nothing, and whoever
    goes on with them (a loss, a mean) has to leave them out.

    Examples
    --------
    Two sequences of 3 and 1 words, padded to 4:

    >>> padding([3, 1], 4).astype(int)
    array([[[1, 1, 1, 0]],
           [[1, 0, 0, 0]]])

    Causal and padded, in one mask for each sequence:

    >>> from attnlib.masks import causal
    >>> (causal(4) & padding([3, 1], 4)).shape
    (2, 4, 4)
    """
    lengths = _checks.any_array(lengths, "lengths")
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths holds {lengths.dtype}, but must hold integers: counts of words.")
    bad = (lengths < 1) | (lengths > n_k)
    if bad.any():
        at = f" at index {_checks.show(_checks.first_index(bad))}" if lengths.ndim else ""
        raise ValueError(
            f"lengths holds {lengths[bad][0]}{at}, but each length must be from 1 to n_k={n_k}. "
            f"Leave an empty sequence out of the batch, or give a larger n_k."
        )
    return np.arange(n_k) < lengths[..., None, None]


@checked(self_loops=_checks.boolean)
def from_graph(adjacency, self_loops=True):
    r"""Let each node of a graph attend to its neighbours.

    Parameters
    ----------
    adjacency : array_like of bool or numbers, shape (..., n, n)
        Entry (i, j) is True, or a number other than 0, where node i may look at node j.
    self_loops : bool, optional
        Whether each node may attend to itself as well.  If not, the diagonal of `adjacency`
        decides, and each node needs a neighbour.

    Returns
    -------
    ndarray of bool, shape (..., n, n)
        True where node i may attend to node j.

    Notes
    -----
    With the edges E of the graph (Veličković et al. 2018 mask attention this way):

    .. math:: M_{ij} = \text{True} \iff (i, j) \in E \ \text{ or } \ i = j

    A row says where a node looks.  In a directed graph whose edges point from the sender to the
    receiver, that is the transposed adjacency matrix.

    Examples
    --------
    A path of three nodes: the two ends do not see each other.

    >>> from_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]]).astype(int)
    array([[1, 1, 0],
           [1, 1, 1],
           [0, 1, 1]])
    """
    edges = _checks.any_array(adjacency, "adjacency")
    if edges.dtype != bool:
        edges = _checks.numbers(edges, "adjacency") != 0
    if edges.ndim < 2 or edges.shape[-1] != edges.shape[-2] or edges.shape[-1] == 0:
        raise ValueError(
            f"adjacency has shape {edges.shape}, expected (..., n, n): a row and a column for each "
            f"node."
        )
    mask = edges | (np.eye(edges.shape[-1], dtype=bool) & self_loops)
    alone = ~mask.any(axis=-1)
    if alone.any():
        raise ValueError(
            f"node {_checks.show(_checks.first_index(alone))} has no neighbour in adjacency and "
            f"may attend to nothing. Set self_loops=True, or leave the node out."
        )
    return mask
