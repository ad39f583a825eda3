"""Attention over the neighbours in a graph: its two additive scores, and a step over edges."""

import math

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.parameters import Parameters

SLOPE = 0.2  # of leaky relu below 0, as in the original


@checked(z=_checks.numbers, slope=_checks.number)
def leaky_relu(z, slope=SLOPE):
    """Keep what is positive, and multiply what is negative by a small slope.

    Parameters
    ----------
    z : array_like
        Numbers, in any shape.
    slope : float, optional
        The slope below 0.

    Returns
    -------
    ndarray, same shape as `z`

    Examples
    --------
    >>> leaky_relu(np.array([3.0, -3.0]))
    array([ 3. , -0.6])
    """
    return np.where(z > 0, z, slope * z)


class StaticAdditive(Parameters):
    r"""Score each pair by the sum of a number of the query and a number of the key.

    Parameters
    ----------
    a_q : array_like
        Makes one number of a query.
    a_k : array_like
        Makes one number of a key.

    Notes
    -----
    The score of the original graph attention network (Veličković et al. 2018), written with the two
    halves of its vector a.  A call ``(Q, K)`` takes shapes (..., n_q, d_q) and (..., n_k, d_k), and
    returns scores of shape (..., n_q, n_k):

    .. math:: s_{ij} = \mathrm{LeakyReLU}(\q{q_i} \cdot a_q + \k{k_j} \cdot a_k)

    All queries rank the keys alike, because leaky relu rises: Brody et al. (2022) call it static.

    Examples
    --------
    >>> score = StaticAdditive(a_q=[1], a_k=[1])
    >>> score([[2], [-4]], [[1], [3]])
    array([[ 3. ,  5. ],
           [-0.6, -0.2]])
    """

    a_q: Shape("(d_q,)")
    a_k: Shape("(d_k,)")

    @checked(Q="(..., n_q, d_q)", K="(..., n_k, d_k)")
    def __call__(self, Q, K):
        """Score queries ``Q``, shape (..., n_q, d_q), against keys ``K``, shape (..., n_k, d_k)."""
        return leaky_relu((Q @ self.a_q)[..., :, None] + (K @ self.a_k)[..., None, :])


class DynamicAdditive(Parameters):
    r"""Score each pair by a small network that sees query and key together, with leaky relu inside.

    Parameters
    ----------
    W_q : array_like
        Takes a query to the hidden layer of d_a units.
    W_k : array_like
        Takes a key there.
    v : array_like
        What each hidden unit contributes to the score.

    Notes
    -----
    The score of GATv2 (Brody et al. 2022), and that of `attnlib.Additive` with leaky relu for tanh.
    A call ``(Q, K)`` takes shapes (..., n_q, d_q) and (..., n_k, d_k), and returns scores of shape
    (..., n_q, n_k):

    .. math:: s_{ij} = \sum_a v_a \, \mathrm{LeakyReLU}(\q{q_i} W_q + \k{k_j} W_k)_a

    Examples
    --------
    Two hidden units, the sum and its negative, add up to 0.8 times the size of the sum.

    >>> score = DynamicAdditive(W_q=[[1, -1]], W_k=[[1, -1]], v=[1, 1])
    >>> score([[1], [-1]], [[1], [-1]])
    array([[1.6, 0. ],
           [0. , 1.6]])
    """

    W_q: Shape("(d_q, d_a)")
    W_k: Shape("(d_k, d_a)")
    v: Shape("(d_a,)")

    @checked(Q="(..., n_q, d_q)", K="(..., n_k, d_k)")
    def __call__(self, Q, K):
        """Score queries ``Q``, shape (..., n_q, d_q), against keys ``K``, shape (..., n_k, d_k)."""
        from_query, from_key = Q @ self.W_q, K @ self.W_k
        return leaky_relu(from_query[..., :, None, :] + from_key[..., None, :, :]) @ self.v


def _pairs(edges, name):
    """Return `edges` as integers of shape (n_edges, 2)."""
    edges = _checks.any_array(edges, name)
    if edges.dtype == bool:
        raise TypeError(f"{name} holds truth values. Of a mask give np.argwhere(mask).")
    if _checks.integers(edges, name).ndim != 2 or edges.shape[1] != 2:
        raise ValueError(
            f"{name} has shape {edges.shape}, expected (n_edges, 2): pairs of nodes. "
            f"Of a mask give np.argwhere(mask)."
        )
    return edges


def _each_asks(Q, edges, **others):
    n = len(Q)
    outside = ((edges < 0) | (edges >= n)).any(axis=1)
    if outside.any():
        pair = edges[outside][0].tolist()
        raise ValueError(f"edges holds {pair}, but the nodes are numbered from 0 to {n - 1}.")
    for i in np.setdiff1d(np.arange(n), edges[:, 0])[:1]:
        raise ValueError(
            f"edges lets node {i} ask nobody. List both directions, and [{i}, {i}] if it may look "
            f"at itself."
        )


@checked(also=_each_asks, Q="(n, d_k)", K="(n, d_k)", V="(n, d_v)", edges=_pairs)
def attend_edges(Q, K, V, edges):
    r"""Attend along the edges of a graph, one score an edge and no table of all pairs.

    Parameters
    ----------
    Q : array_like
        Queries, a row for each node.
    K : array_like
        Keys.
    V : array_like
        Values.
    edges : array_like of int, shape (n_edges, 2)
        Pairs: a node that asks, and a neighbour that it may look at.  Each node asks at least once.
        Where both may ask, both directions have to be listed, and so has a node's look at itself.

    Returns
    -------
    output : ndarray, shape (n, d_v)
        One answer for each node.
    weights : ndarray, shape (n_edges,)
        One for each edge; those of a node that asks sum to one.

    Notes
    -----
    Equal to `attnlib.scaled_dot_product_attention` with the mask of these edges.

    Examples
    --------
    >>> X = np.array([[1.0], [-1.0]])
    >>> output, weights = attend_edges(X, X, X, [[0, 0], [0, 1], [1, 1]])
    >>> weights.round(2)
    array([0.88, 0.12, 1.  ])
    """
    asks, looks_at = edges.T
    order = np.argsort(asks, kind="stable")
    asks, looks_at = asks[order], looks_at[order]
    starts = np.flatnonzero(np.diff(asks, prepend=-1))

    scores = (Q[asks] * K[looks_at]).sum(axis=1) / math.sqrt(K.shape[1])
    e = np.exp(scores - np.maximum.reduceat(scores, starts)[asks])
    w = e / np.add.reduceat(e, starts)[asks]
    output = np.add.reduceat(w[:, None] * V[looks_at], starts)

    weights = np.empty_like(w)
    weights[order] = w
    return output, weights
