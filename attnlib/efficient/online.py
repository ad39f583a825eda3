"""Online softmax: keys arrive a block at a time, and what was summed so far is corrected."""

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


@checked(
    also=refuse_large_scores,
    Q="(..., n_q, d_k)",
    K="(..., n_k, d_k)",
    V="(..., n_k, d_v)",
    block_q=_checks.count,
    block_k=_checks.count,
    causal=_checks.boolean,
)
def online_softmax(Q, K, V, *, block_q=256, block_k=512, causal=False):
    r"""Attend with blocks of queries and of keys, keeping a running maximum and a running sum.

    Parameters
    ----------
    Q : array_like
        Queries, one in each row.
    K : array_like
        Keys, one in each row.
    V : array_like
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    block_q, block_k : int, optional
        Number of queries that are answered together, and of keys that arrive together.
    causal : bool, optional
        Whether a query attends only to its own position and earlier ones, the last query
        standing at the last key.  Blocks that no query may see are left out.

    Returns
    -------
    ndarray, shape (..., n_q, d_v)
        The output of `attnlib.scaled_dot_product_attention`, but for rounding.

    Notes
    -----
    Each query keeps three things: the largest score so far, m; the sum of exponentials, l; the
    sum of values weighted by them, o.  A block of scores s with values V changes them to
    (Milakov and Gimelshein 2018; Rabe and Staats 2021; on a GPU Dao et al. 2022):

    .. math:: m' = \max(m, \max_j s_j), \qquad c = e^{m - m'}

    .. math:: l' = c \, l + \sum_j e^{s_j - m'}, \qquad o' = c \, o + \sum_j e^{s_j - m'} \v{v_j}

    The factor c turns what was measured from the old maximum into what it would have been from
    the new one.  At the end :math:`\v{y} = o / l`.  The scores in memory are ``block_q`` ×
    ``block_k``, however many keys there are.

    Examples
    --------
    The two keys arrive one after the other; the weights are 1/4 and 3/4, and ¾ of 8 is 6.

    >>> import numpy as np
    >>> K, V = np.log([[1], [3]]), [[0], [8]]
    >>> online_softmax([[1]], K, V, block_k=1).round(6)
    array([[6.]])
    """
    Q, K, V = same_batch(Q, K, V)
    scale = K.shape[-1] ** -0.5
    n_q, n_k = Q.shape[-2], K.shape[-2]
    # Query i may see the keys up to number first + i, of all keys if it is not causal.
    first = first_position(n_q, n_k) if causal else n_k
    output = np.empty((*Q.shape[:-1], V.shape[-1]), V.dtype)
    for head in np.ndindex(Q.shape[:-2]):
        for rows in slices(n_q, block_q):
            seen = min(first + rows.stop, n_k)
            output[head][rows] = _answers(
                scale * Q[head][rows], K[head][:seen], V[head][:seen], block_k, first + rows.start
            )
    return output


def _answers(Q, K, V, block_k, first):
    """Return the output of some queries; query i may see the keys up to number `first` + i."""
    highest = np.full((len(Q), 1), -np.inf, Q.dtype)
    total = np.zeros((len(Q), 1), Q.dtype)
    output = np.zeros((len(Q), V.shape[-1]), V.dtype)
    for columns in slices(len(K), block_k):
        scores = Q @ K[columns].T
        if columns.stop > first:
            key, last = np.arange(columns.start, columns.stop), first + np.arange(len(Q))
            np.copyto(scores, -np.inf, where=key > last[:, None])
        new_highest = np.maximum(highest, scores.max(axis=-1, keepdims=True))
        correction = np.exp(highest - new_highest)
        powers = exponentials(scores, new_highest)
        total = correction * total + powers.sum(axis=-1, keepdims=True)
        output = correction * output + powers @ V[columns]
        highest = new_highest
    return output / total
