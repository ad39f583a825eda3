"""From the derivatives by the scores to the matrix that makes the keys."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from ._scale import scale_mistakes


def key_matrix_gradient(d_scores, X_Q, X_KV, W_Q):
    """Scores to keys, keys to the matrix that made them, summed over the batch."""
    Q = X_Q @ W_Q
    d_K = d_scores.mT @ Q / np.sqrt(Q.shape[-1])
    return _summed(X_KV.mT @ d_K)


def _summed(products):
    return products.reshape(-1, *products.shape[-2:]).sum(axis=0)


def _with(
    *,
    queries=lambda X_Q, X_KV, W_Q: X_Q @ W_Q,
    to_keys=lambda d_scores, Q: d_scores.mT @ Q,
    divisor=lambda X_Q, X_KV, W_Q: np.sqrt(W_Q.shape[1]),
    to_matrix=lambda d_K, X_Q, X_KV: X_KV.mT @ d_K,
    gather=_summed,
):
    """key_matrix_gradient with one step replaced."""

    def wrong(d_scores, X_Q, X_KV, W_Q):
        d_K = to_keys(d_scores, queries(X_Q, X_KV, W_Q)) / divisor(X_Q, X_KV, W_Q)
        return gather(to_matrix(d_K, X_Q, X_KV))

    return wrong


def _over_batch(gathered):
    """What gathers the products of a batch, and leaves a single matrix alone."""
    return lambda products: products if products.ndim == 2 else gathered(products)


def _summed_before(d_scores, X_Q, X_KV, W_Q):
    d_K = d_scores.mT @ (X_Q @ W_Q) / np.sqrt(W_Q.shape[1])
    if d_K.ndim == 3:
        d_K, X_KV = d_K.sum(axis=0), X_KV.sum(axis=0)
    return X_KV.T @ d_K


def _batch_transposed(d_scores, X_Q, X_KV, W_Q):
    """With .T, which reverses all axes of a batch."""
    return X_KV.T @ (d_scores.T @ (X_Q @ W_Q)) / np.sqrt(W_Q.shape[1])


CASES = (
    Case(
        "one query and one key",
        (
            np.array([[2.0]]),
            np.array([[1.0, -1.0]]),
            np.array([[3.0, 5.0]]),
            np.array([[1.0, 0.0], [2.0, 4.0]]),
        ),
    ),
    Case("all sizes equal", draw(*[(3, 3)] * 4)),
    Case("all sizes different", draw((3, 4), (3, 5), (4, 6), (5, 2))),
    Case("a batch", draw((2, 3, 4), (2, 3, 5), (2, 4, 6), (5, 3))),
)

MORE_0 = {
    m.name: m.answer
    for m in scale_mistakes(lambda root: _with(divisor=lambda X_Q, X_KV, W_Q: root(W_Q.shape[1])))
}
