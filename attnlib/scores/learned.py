"""The scores that learn: bilinear, additive, location."""

import numpy as np

from attnlib import _checks, _shapes
from attnlib.parameters import Parameters, holds_parameters, keep
from attnlib.scores.products import dot_cost


@holds_parameters
class Bilinear(Parameters):
    r"""Score each pair by a dot product that first passes through a learned matrix.

    Parameters
    ----------
    W : array_like, shape (d_q, d_k)
        Says how much each component of a query has to do with each component of a key.

    Raises
    ------
    ValueError
        If `W` has another number of axes, is empty, or holds NaN or infinity.  In a call: as for
        `dot`, and if a row of ``Q`` has not d_q entries or a row of ``K`` not d_k.
    TypeError
        If an array holds anything but integers and floats.

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

    W: np.ndarray

    def __post_init__(self):
        keep(self, W=_shapes.shaped(self.W, "W", ("d_q", "d_k"), "one matrix for all pairs"))

    @_checks.reports_overflow
    def __call__(self, Q, K):
        """Score queries ``Q``, shape (..., n_q, d_q), against keys ``K``, shape (..., n_k, d_k)."""
        Q, K = _shapes.queries_and_keys(Q, K)
        d_q, d_k = self.W.shape
        _shapes.width(Q, "Q", d_q, f"W has shape {self.W.shape}, one row for each")
        _shapes.width(K, "K", d_k, f"W has shape {self.W.shape}, one column for each")
        return Q @ self.W @ np.swapaxes(K, -1, -2)

    def cost(self, n_q, n_k):
        """Count the multiply-adds for ``n_q`` queries and ``n_k`` keys: project, then match."""
        d_q, d_k = self.W.shape
        return dot_cost(n_q, d_k, d_q) + dot_cost(n_q, n_k, d_k)


@holds_parameters
class Additive(Parameters):
    r"""Score each pair by a small network with one hidden layer that sees query and key.

    Parameters
    ----------
    W_q : array_like, shape (d_q, d_a)
        Takes a query to the hidden layer of d_a units.
    W_k : array_like, shape (d_k, d_a)
        Takes a key there.
    v : array_like, shape (d_a,)
        What each hidden unit contributes to the score.

    Raises
    ------
    ValueError
        If the shapes do not fit, an array is empty, or a number is NaN or infinite.  In a call: as
        for `dot`, and if a row of ``Q`` has not d_q entries or a row of ``K`` not d_k.
    TypeError
        If an array holds anything but integers and floats.

    Notes
    -----
    The first score of all (Bahdanau et al. 2015).  A call ``(Q, K)`` takes shapes (..., n_q, d_q)
    and (..., n_k, d_k), and returns scores of shape (..., n_q, n_k):

    .. math:: s_{ij} = \sum_{a} v_a \tanh\left(\q{q_i} W_q + \k{k_j} W_k\right)_a

    A score never leaves :math:`\pm \sum_a |v_a|`.  Each pair has a hidden layer of its own, so the
    call holds :math:`n_q n_k d_a` numbers at once, and as many hyperbolic tangents are computed.

    Examples
    --------
    The hidden unit adds the query 2 and the key −2, and tanh 0 is 0.  For the key 1 it is tanh 3.

    >>> score = Additive(W_q=[[1]], W_k=[[1]], v=[10])
    >>> score([[2]], [[-2], [1]]).round(3)
    array([[0.   , 9.951]])
    """

    W_q: np.ndarray
    W_k: np.ndarray
    v: np.ndarray

    def __post_init__(self):
        v = _shapes.shaped(self.v, "v", ("d_a",), "one number for each hidden unit")
        d_a, why = v.shape[0], f"v has shape {v.shape}, one column for each hidden unit"
        W_q = _shapes.shaped(self.W_q, "W_q", ("d_q", d_a), why)
        W_k = _shapes.shaped(self.W_k, "W_k", ("d_k", d_a), why)
        keep(self, W_q=W_q, W_k=W_k, v=v)

    @_checks.reports_overflow
    def __call__(self, Q, K):
        """Score queries ``Q``, shape (..., n_q, d_q), against keys ``K``, shape (..., n_k, d_k)."""
        Q, K = _shapes.queries_and_keys(Q, K)
        _shapes.width(Q, "Q", len(self.W_q), f"W_q has shape {self.W_q.shape}, one row for each")
        _shapes.width(K, "K", len(self.W_k), f"W_k has shape {self.W_k.shape}, one row for each")
        from_query, from_key = Q @ self.W_q, K @ self.W_k
        return np.tanh(from_query[..., :, None, :] + from_key[..., None, :, :]) @ self.v

    def cost(self, n_q, n_k):
        """Count the multiply-adds for ``n_q`` queries and ``n_k`` keys; tanh is not counted."""
        n_q, n_k = _checks.count(n_q, "n_q"), _checks.count(n_k, "n_k")
        (d_q, d_a), d_k = self.W_q.shape, len(self.W_k)
        return dot_cost(n_q, d_a, d_q) + dot_cost(n_k, d_a, d_k) + dot_cost(n_q, n_k, d_a)


@holds_parameters
class Location(Parameters):
    r"""Score each position from the query alone: the keys do not matter, only where they stand.

    Parameters
    ----------
    W : array_like, shape (d_q, n_max)
        Takes a query to one score for each of n_max positions.
    b : array_like, shape (n_max,)
        The score of each position before any query is seen.

    Raises
    ------
    ValueError
        If the shapes do not fit, an array is empty, or a number is NaN or infinite.  In a call: as
        for `dot`, if a row of ``Q`` has not d_q entries, and if there are more than n_max keys.
    TypeError
        If an array holds anything but integers and floats.

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

    W: np.ndarray
    b: np.ndarray

    def __post_init__(self):
        W = _shapes.shaped(self.W, "W", ("d_q", "n_max"), "one column for each position")
        why = f"W has shape {W.shape}, one number for each column"
        keep(self, W=W, b=_shapes.shaped(self.b, "b", (W.shape[1],), why))

    @_checks.reports_overflow
    def __call__(self, Q, K):
        """Score queries ``Q``, shape (..., n_q, d_q), against keys ``K``, shape (..., n_k, d_k)."""
        Q, K = _shapes.queries_and_keys(Q, K)
        _shapes.width(Q, "Q", len(self.W), f"W has shape {self.W.shape}, one row for each")
        n_k = self._positions(K.shape[-2], f"K has shape {K.shape}, so {K.shape[-2]}")
        scores = Q @ self.W[:, :n_k] + self.b[:n_k]
        return np.broadcast_to(scores, _shapes.scores_shape(Q, K)).copy()

    def cost(self, n_q, n_k):
        """Count the multiply-adds for ``n_q`` queries and ``n_k`` keys."""
        n_k = self._positions(_checks.count(n_k, "n_k"), f"n_k={n_k}")
        return dot_cost(n_q, n_k, len(self.W))

    def _positions(self, n_k, found):
        """Return the number of keys if there is a position for each."""
        if n_k > len(self.b):
            raise ValueError(
                f"{found} keys, but W of shape {self.W.shape} has scores for only {len(self.b)} "
                f"positions. Give fewer keys, or a W and b for more positions."
            )
        return n_k
