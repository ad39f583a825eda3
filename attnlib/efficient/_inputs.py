"""What the ways to compute attention share: checked arguments, and blocks of rows."""

import numpy as np

from attnlib import _shapes


def queries_keys_values(Q, K, V):
    """Return queries, keys and values with the same leading axes and number type, uncopied."""
    Q, K = _shapes.queries_and_keys(Q, K)
    V = _shapes.values(V, Q, K)
    d_k = K.shape[-1]
    _shapes.width(Q, "Q", d_k, f"K has shape {K.shape}, and a key is as long as a query")
    refuse_overflow(Q, K)
    leading = _shapes.leading_axes(Q=Q, K=K, V=V)
    dtype = np.result_type(Q, K, V)
    return tuple(
        np.broadcast_to(X.astype(dtype, copy=False), leading + X.shape[-2:]) for X in (Q, K, V)
    )


def blocks(n, size):
    """Return slices of at most `size` that cover 0 to n."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def exponentials(scores, highest):
    """Return exp(scores - highest), written over `scores`: a new array would cost time."""
    np.subtract(scores, highest, out=scores)
    return np.exp(scores, out=scores)


def refuse_overflow(Q, K):
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
