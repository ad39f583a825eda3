"""The newest items, answered from a cache."""

import numpy as np

from attnlib import attend, causal, scaled_dot_product_attention
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def cached_step(Q, K, V, K_old, V_old):
    """Attend to the old keys and the new ones, each new item to no later one."""
    K, V = np.concatenate([K_old, K], axis=-2), np.concatenate([V_old, V], axis=-2)
    return answers(Q, K, V, causal(Q.shape[-2], K.shape[-2]))


def answers(Q, K, V, mask):
    """The outputs; NaN for a query that sees no key."""
    weights = np.where(mask, np.exp(Q @ K.mT / np.sqrt(K.shape[-1])), 0)
    return weights / weights.sum(axis=-1, keepdims=True) @ V


def arguments(n_heads, n_new, n_old, d_k, d_v):
    new, old = (n_heads, n_new), (n_heads, n_old)
    return draw((*new, d_k), (*new, d_k), (*new, d_v), (*old, d_k), (*old, d_v))


CASES = (
    Case("one old item and one new", arguments(1, 1, 1, 2, 2)),
    Case("two new items, one head", arguments(1, 2, 1, 2, 2)),
    Case("one new item", arguments(2, 1, 3, 4, 3)),
    Case("several new items", arguments(2, 3, 2, 4, 5)),
    Case("an empty cache", arguments(1, 2, 0, 3, 2)),
)


def all_values(V, V_old):
    return np.concatenate([V_old, V], axis=-2)


PROPERTIES = (
    inside(
        lambda Q, K, V, K_old, V_old: all_values(V, V_old).min(axis=-2, keepdims=True),
        lambda Q, K, V, K_old, V_old: all_values(V, V_old).max(axis=-2, keepdims=True),
        "the range of all values, old and new",
    ),
)
