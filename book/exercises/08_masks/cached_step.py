"""The newest items, answered from a cache."""

import numpy as np

from attnlib import causal, scaled_dot_product_attention
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def cached_step(Q, K, V, K_old, V_old):
    """Attend to the old keys and the new ones, each new item to no later one."""
    return _attend(Q, _joined(K_old, K), _joined(V_old, V))


def _joined(old, new, axis=-2):
    return np.concatenate([old, new], axis=axis)


def _attend(Q, K, V, mask=causal):
    allowed = mask(Q.shape[-2], K.shape[-2]) if mask else None
    return scaled_dot_product_attention(Q, K, V, mask=allowed)[0]


def _first_at_first(n_q, n_k):
    return np.tri(n_q, n_k, dtype=bool)


def _old_and_itself(n_q, n_k):
    own = np.arange(n_q)[:, None] + n_k - n_q
    return (np.arange(n_k) < n_k - n_q) | (np.arange(n_k) == own)


def _strictly(Q, K, V, K_old, V_old):
    mask = np.arange(K_old.shape[-2] + K.shape[-2]) < (
        np.arange(Q.shape[-2])[:, None] + K_old.shape[-2]
    )
    return scaled_dot_product_attention(Q, _joined(K_old, K), _joined(V_old, V), mask=mask)[0]


def _given(n_heads, n_new, n_old, d_k, d_v):
    new, old = (n_heads, n_new), (n_heads, n_old)
    return draw((*new, d_k), (*new, d_k), (*new, d_v), (*old, d_k), (*old, d_v))


CASES = (
    Case("one old item and one new", _given(1, 1, 1, 2, 2)),
    Case("two new items, one head", _given(1, 2, 1, 2, 2)),
    Case("one new item", _given(2, 1, 3, 4, 3)),
    Case("several new items", _given(2, 3, 2, 4, 5)),
    Case("an empty cache", _given(1, 2, 0, 3, 2)),
)

PROPERTIES = (
    inside(
        lambda Q, K, V, K_old, V_old: _joined(V_old, V).min(axis=-2, keepdims=True),
        lambda Q, K, V, K_old, V_old: _joined(V_old, V).max(axis=-2, keepdims=True),
        "the range of all values, old and new",
    ),
)
