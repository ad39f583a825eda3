"""The scores that learn: bilinear, additive, location."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.parameters import Parameters
from attnlib.scores.products import dot_cost


class Bilinear(Parameters):
    r"""Score each pair by a dot product that first passes through a learned matrix.

    Parameters
    ----------
    W : array_like
        Says how much each component of a query has to do with each component of a key.

    Notes
    -----
    Also called general or multiplicative attention (Luong et al. 2015).  A call ``(Q, K)`` takes
    shapes (..., n_q, d_q) and (..., n_k, d_k), and returns scores of shape (..., n_q, n_k):

    .. math:: s_{ij} = \q{q_i} W \k{k_j}^\top, \qquad S = \q{Q} W \k{K}^\top

    A query need not be as long as a key.  If W is the identity, this is `dot`.  If W is
    :math:`W_Q W_K^\top`, it is the dot product of projected queries and keys, with both projections
    in one matrix.

    Examples
    --------
    This matrix matches the first component of a query with the second of a key: 2 · 5 = 10.

    >>> score = Bilinear([[0, 1], [0, 0]])
    >>> score([[2, 3]], [[4, 5]])
    array([[10.]])
    >>> score.parameter_count
    4
    """

    W: Shape("(d_q, d_k)")

    @checked(Q="(..., n_q, d_q)", K="(..., n_k, d_k)")
    def __call__(self, Q, K):
        """Score queries ``Q``, shape (..., n_q, d_q), against keys ``K``, shape (..., n_k, d_k)."""
        return Q @ self.W @ K.mT

    @checked(n_q=_checks.count, n_k=_checks.count)
    def cost(self, n_q, n_k):
        """Count the multiply-adds for ``n_q`` queries and ``n_k`` keys: project, then match."""
        d_q, d_k = self.W.shape
        return dot_cost(n_q, d_k, d_q) + dot_cost(n_q, n_k, d_k)


class Additive(Parameters):
    r"""Score each pair by a small network with one hidden layer that sees query and key.

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
    The first score of all (Bahdanau et al. 2015).  A call ``(Q, K)`` takes shapes (..., n_q, d_q)
    and (..., n_k, d_k), and returns scores of shape (..., n_q, n_k):

    .. math:: s_{ij} = \sum_{a} v_a \tanh\left(\q{q_i} W_q + \k{k_j} W_k\right)_a

    A score never leaves :math:`\pm \sum_a |v_a|`.  Each pair has its own hidden layer, so the
    call holds :math:`n_q n_k d_a` numbers at once, and as many hyperbolic tangents are computed.

    Examples
    --------
    The hidden unit adds the query 2 and the key −2, and tanh 0 is 0.  For the key 1 it is tanh 3.

    >>> score = Additive(W_q=[[1]], W_k=[[1]], v=[10])
    >>> score([[2]], [[-2], [1]]).round(3)
    array([[0.   , 9.951]])
    """

    W_q: Shape("(d_q, d_a)")
    W_k: Shape("(d_k, d_a)")
    v: Shape("(d_a,)")

    @checked(Q="(..., n_q, d_q)", K="(..., n_k, d_k)")
    def __call__(self, Q, K):
        """Score queries ``Q``, shape (..., n_q, d_q), against keys ``K``, shape (..., n_k, d_k)."""
        from_query, from_key = Q @ self.W_q, K @ self.W_k
        return np.tanh(from_query[..., :, None, :] + from_key[..., None, :, :]) @ self.v

    @checked(n_q=_checks.count, n_k=_checks.count)
    def cost(self, n_q, n_k):
        """Count the multiply-adds for ``n_q`` queries and ``n_k`` keys; tanh is not counted."""
        (d_q, d_a), d_k = self.W_q.shape, len(self.W_k)
        return dot_cost(n_q, d_a, d_q) + dot_cost(n_k, d_a, d_k) + dot_cost(n_q, n_k, d_a)


class Location(Parameters):
    r"""Score each position from the query alone: the keys do not matter, only where they stand.

    Parameters
    ----------
    W : array_like
        Takes a query to one score for each of n_max positions.
    b : array_like
        The score of each position before any query is seen.

    Notes
    -----
    Location-based attention (Luong et al. 2015).  A call ``(Q, K)`` takes shapes (..., n_q, d_q)
    and (..., n_k, d_k), and returns scores of shape (..., n_q, n_k), the first :math:`n_k` columns
    of

    .. math:: S = \q{Q} W + b

    Permuting the keys changes no score.  So it cannot look for content; it can learn that word
    three of one language is often word four of another.  It ends at position n_max.

    Examples
    --------
    A query of 1 prefers the first position, a query of −1 the second, whatever the keys are.

    >>> score = Location(W=[[3, -3, 0]], b=[0, 0, 1])
    >>> score([[1], [-1]], [[70], [80]])
    array([[ 3., -3.],
           [-3.,  3.]])
    """

    W: Shape("(d_q, n_max)")
    b: Shape("(n_max,)")

    @checked(Q="(..., n_q, d_q)", K="(..., n_k, d_k)")
    def __call__(self, Q, K):
        """Score queries ``Q``, shape (..., n_q, d_q), against keys ``K``, shape (..., n_k, d_k)."""
        n_k = self.positions(K.shape[-2], f"K has shape {K.shape}, so {K.shape[-2]}")
        scores = Q @ self.W[:, :n_k] + self.b[:n_k]
        batch = np.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
        return np.broadcast_to(scores, (*batch, *scores.shape[-2:])).copy()

    @checked(n_q=_checks.count, n_k=_checks.count)
    def cost(self, n_q, n_k):
        """Count the multiply-adds for ``n_q`` queries and ``n_k`` keys."""
        return dot_cost(n_q, self.positions(n_k, f"n_k={n_k}"), len(self.W))

    def positions(self, n_k, subject):
        """Return `n_k` if each key has a position; else `subject` begins the error."""
        if n_k > len(self.b):
            raise ValueError(
                f"{subject} keys, but W of shape {self.W.shape} has scores for only {len(self.b)} "
                f"positions. Give fewer keys, or a W and b for more positions."
            )
        return n_k
