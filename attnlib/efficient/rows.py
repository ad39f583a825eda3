"""Attention a block of rows at a time: exact, and never more than a block of scores in memory."""

import numpy as np

from attnlib import _checks, masks
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
    block=_checks.count,
    mask="bool (..., n_q, n_k)",
    causal=_checks.boolean,
)
def row_blocks(Q, K, V, *, block=256, mask=None, causal=False):
    r"""Attend with a block of queries at a time, so that few scores are in memory at once.

    Parameters
    ----------
    Q : array_like
        Queries, one in each row.
    K : array_like
        Keys, one in each row.
    V : array_like
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    block : int, optional
        Number of queries that are answered together.
    mask : array_like of bool, optional
        True where a query may attend to a key.  Its shape broadcasts to (..., n_q, n_k).
    causal : bool, optional
        Whether a query attends only to its own position and earlier ones, the last query
        standing at the last key.  Keys that no query of a block may see are left out.

    Returns
    -------
    ndarray, shape (..., n_q, d_v)
        The output of `attnlib.scaled_dot_product_attention`, but for rounding.

    Notes
    -----
    A row of softmax needs all scores of one query, and none of another.  So any rows R can be
    done alone (Rabe and Staats 2021):

    .. math:: \v{Y_R} = \frac{E_R \v{V}}{\sum_j E_{Rj}}, \qquad
              E_R = \exp\left(\frac{\q{Q_R} \k{K}^\top}{\sqrt{d_k}} - m_R\right)

    with the largest score of each row in :math:`m_R`.  The division comes last, when a row has
    :math:`d_v` entries and no longer :math:`n_k`.  Beside the output there is one block of
    scores in memory, ``block`` × :math:`n_k`, so the memory grows with n and not with n².

    Examples
    --------
    The scores are log 1 and log 3, so the weights are 1/4 and 3/4, and ¾ of 8 is 6.

    >>> import numpy as np
    >>> row_blocks([[1]], np.log([[1], [3]]), [[0], [8]], block=1).round(6)
    array([[6.]])
    """
    Q, K, V = same_batch(Q, K, V)
    if mask is not None:
        mask = np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
    return attend_in_blocks(Q, K, V, block, mask, causal)


def attend_in_blocks(Q, K, V, block, mask, causal, named=tuple):
    """Do the work of `row_blocks` on checked arguments whose leading axes are equal.

    ``named(head)`` turns the index of a head into what an error calls it.
    """
    n_q, n_k = Q.shape[-2], K.shape[-2]
    if causal:
        first = first_position(n_q, n_k)
        block = max(1, min(block, n_q))
        future = ~masks.causal(block)

    def block_of_answers(head, rows, keys):
        """Return one block of the output; its scores are gone when the next block's are made."""
        seen = first + rows.stop if causal else n_k
        scores = Q[head][rows] @ keys[:, :seen]
        size = len(scores)
        if causal:
            np.copyto(scores[:, -size:], -np.inf, where=future[:size, :size])
        if mask is not None:
            np.copyto(scores, -np.inf, where=~mask[head][rows, :seen])
        highest = scores.max(axis=-1, keepdims=True)
        _refuse_lost(highest[:, 0] == -np.inf, named(head), rows)
        powers = exponentials(scores, highest)
        # A product with ones sums the rows, and faster than `sum` does.
        return (powers @ V[head][:seen]) / (powers @ ones[:seen])

    ones = np.ones((n_k, 1), V.dtype)
    output = np.empty((*Q.shape[:-1], V.shape[-1]), V.dtype)
    for head in np.ndindex(Q.shape[:-2]):
        scaled_keys = np.multiply(K[head].T, K.shape[-1] ** -0.5, order="C")
        for rows in slices(n_q, block):
            output[head][rows] = block_of_answers(head, rows, scaled_keys)
    return output


def _refuse_lost(lost, head, rows):
    """Refuse queries that keep no key: `mask` by itself leaves one, but `causal` may take it."""
    if lost.any():
        index = (*head, rows.start + _checks.first_index(lost)[0])
        raise ValueError(
            f"query {_checks.show(index)} may attend to nothing: causal=True and mask together "
            f"rule out all keys for it. Allow each query at least one key, or leave it out."
        )
