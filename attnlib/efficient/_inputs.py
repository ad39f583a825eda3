"""What these functions share: equal leading axes, blocks of rows, a bound on the scores."""

import numpy as np

from attnlib._shapes import refuse_more_queries


def same_batch(Q, K, V):
    """Return queries, keys and values with the same leading axes and number type, uncopied."""
    leading = np.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    dtype = np.result_type(Q, K, V)
    return tuple(
        np.broadcast_to(X.astype(dtype, copy=False), leading + X.shape[-2:]) for X in (Q, K, V)
    )


def slices(n, size):
    """Return slices of at most `size` that cover 0 to n."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def first_position(n_q, n_k):
    """Return the position of the first query, with the last query at the last key."""
    refuse_more_queries(n_q, n_k)
    return n_k - n_q


def exponentials(scores, highest):
    """Return exp(scores - highest), written over `scores`: a new array would cost time."""
    np.subtract(scores, highest, out=scores)
    return np.exp(scores, out=scores)


def refuse_large_scores(Q, K, **_):
    """Refuse queries and keys so large that a dot product might leave the number type.

    No dot product, nor any part of its sum, is larger than d_k products of the largest entries.
    """
    largest = [float(max(X.max(initial=0), -X.min(initial=0))) for X in (Q, K)]
    dtype = np.result_type(Q, K)
    if largest[0] * K.shape[-1] > float(np.finfo(dtype).max) / max(largest[1], 1.0):
        raise ValueError(
            f"The scores of Q, shape {Q.shape}, and K, shape {K.shape}, may overflow {dtype}. "
            f"Scale Q or K down."
        )
