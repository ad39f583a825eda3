"""Attention to near keys only, and to a few that everyone may see."""

import numpy as np

from attnlib import _checks, _shapes
from attnlib.efficient._inputs import blocks, exponentials, queries_keys_values
from attnlib.efficient.rows import answers


@_checks.reports_overflow
def sliding_window(Q, K, V, *, width, n_global=0, causal=False, block=256):
    r"""Attend to the keys that are fewer than `width` positions away, and to a few global ones.

    Parameters
    ----------
    Q : array_like, shape (..., n_q, d_k)
        Queries, one in each row; no more than keys.
    K : array_like, shape (..., n_k, d_k)
        Keys, one in each row.
    V : array_like, shape (..., n_k, d_v)
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    width : int
        How far the window reaches, the query's own position included: 1 is this position alone.
    n_global : int, optional
        The first so many positions are global: all queries may attend to them, and they may
        attend to all keys.
    causal : bool, optional
        Whether a query attends only to its own position and earlier ones, global ones included.
    block : int, optional
        Number of queries that are answered together.

    Returns
    -------
    ndarray, shape (..., n_q, d_v)
        The output of `attnlib.scaled_dot_product_attention` with this mask, but for rounding.

    Raises
    ------
    ValueError
        If the shapes do not fit, a number is NaN, infinite or so large that scores or sums of
        values might overflow, a count is too small, or there are more queries than keys.
    TypeError
        If an argument is of the wrong type.

    Notes
    -----
    As in `attnlib.masks.sliding_window`, the last query stands at the last key, so query i has
    position :math:`p_i = i + (n_k - n_q)`.  With g global positions (Beltagy et al. 2020):

    .. math:: M_{ij} = \text{True} \iff |p_i - j| < \text{width} \;\text{or}\; j < g
              \;\text{or}\; p_i < g

    A query computes the scores of its block's window alone, at most ``2 width + block + g``, so
    time and memory grow with n and not with n².

    Examples
    --------
    Equal scores, so the output is the mean of the values in reach: of 0 and 3, then of all three,
    then of 3 and 6.

    >>> sliding_window([[0]] * 3, [[1]] * 3, [[0], [3], [6]], width=2)
    array([[1.5],
           [3. ],
           [4.5]])
    """
    width = _checks.count(width, "width")
    n_global = _checks.count(n_global, "n_global", least=0)
    block, causal = _checks.count(block, "block"), _checks.boolean(causal, "causal")
    Q, K, V = queries_keys_values(Q, K, V)
    n_q, n_k = Q.shape[-2], K.shape[-2]
    first = _shapes.first_position(n_q, n_k)
    width, n_global, scale = min(width, n_k), min(n_global, n_k), K.shape[-1] ** -0.5
    output = np.empty((*Q.shape[:-1], V.shape[-1]), V.dtype)
    for rows in blocks(n_q, block):
        position = np.arange(rows.start, rows.stop)[:, None] + first
        low = max(position[0, 0] - width + 1, 0)
        high = min(position[-1, 0] + width, n_k)
        key = np.r_[: min(n_global, low), low:high]
        allowed = (np.abs(position - key) < width) | (key < n_global)
        if causal:
            allowed &= key <= position
        for head in np.ndindex(Q.shape[:-2]):
            scores = (scale * Q[head][rows]) @ K[head][key].T
            np.copyto(scores, -np.inf, where=~allowed)
            powers = exponentials(scores, scores.max(axis=-1, keepdims=True))
            output[head][rows] = (powers @ V[head][key]) / powers.sum(axis=-1, keepdims=True)
    if not causal:  # global queries see all keys; with causal=True all theirs are global
        asking = max(n_global - first, 0)
        output[..., :asking, :] = answers(Q[..., :asking, :], K, V, block, None, False)
    return output
