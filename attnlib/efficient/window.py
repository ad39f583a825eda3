"""Attention to near keys only, and to a few that everyone may see."""

from functools import partial

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.efficient._inputs import (
    exponentials,
    first_position,
    refuse_large_scores,
    same_batch,
    slices,
)
from attnlib.efficient.rows import attend_in_blocks


@checked(
    also=refuse_large_scores,
    Q="(..., n_q, d_k)",
    K="(..., n_k, d_k)",
    V="(..., n_k, d_v)",
    width=_checks.count,
    n_global=partial(_checks.count, least=0),
    causal=_checks.boolean,
    block=_checks.count,
)
def window_attention(Q, K, V, *, width, n_global=0, causal=False, block=256):
    r"""Attend only to keys fewer than `width` positions away, and to a few global ones.

    Parameters
    ----------
    Q : array_like
        Queries, one in each row; no more than keys.
    K : array_like
        Keys, one in each row.
    V : array_like
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    width : int
        How far the window reaches, the query's own position included: 1 is this position alone.
    n_global : int, optional
        Number of global positions, the first of all: all queries may attend to them, and they may
        attend to all keys.
    causal : bool, optional
        Whether a query attends only to its own position and earlier ones, global ones included.
    block : int, optional
        Number of queries that are answered together.

    Returns
    -------
    ndarray, shape (..., n_q, d_v)
        The output of `attnlib.scaled_dot_product_attention` with this mask, but for rounding.

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

    >>> window_attention([[0]] * 3, [[1]] * 3, [[0], [3], [6]], width=2)
    array([[1.5],
           [3. ],
           [4.5]])
    """
    Q, K, V = same_batch(Q, K, V)
    n_q, n_k = Q.shape[-2], K.shape[-2]
    first = first_position(n_q, n_k)
    width, n_global, scale = min(width, n_k), min(n_global, n_k), K.shape[-1] ** -0.5
    output = np.empty((*Q.shape[:-1], V.shape[-1]), V.dtype)
    for rows in slices(n_q, block):
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
        output[..., :asking, :] = attend_in_blocks(Q[..., :asking, :], K, V, block, None, False)
    return output
