"""A test of attention that finds softmax on the wrong axis."""

import numpy as np

from attnlib import scaled_dot_product_attention, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def gives_means(attention, Q, K):
    """Values of 1 come out as 1."""
    return np.allclose(attention(Q, K, np.ones((len(K), 1))), 1)


def attends(Q, K, V):
    return scaled_dot_product_attention(Q, K, V)[0]


def means_of_all(Q, K, V):
    return np.repeat(V.mean(axis=0, keepdims=True), len(Q), axis=0)


def over_queries(Q, K, V):
    return softmax(Q @ K.T, axis=0) @ V


def not_divided(Q, K, V):
    return np.exp(Q @ K.T) @ V


def gates(Q, K, V):
    return 1 / (1 + np.exp(-Q @ K.T)) @ V


def half(Q, K, V):
    return softmax(Q @ K.T) @ V / 2


def doubled(Q, K, V):
    return 2 * softmax(Q @ K.T) @ V


def masked_afterwards(Q, K, V):
    return (softmax(Q @ K.T) * np.tri(len(Q), len(K))) @ V


def first_row_kept(Q, K, V):
    return (softmax(Q @ K.T) * np.tri(len(Q), len(K)).T) @ V


CASES = (
    Case("attention", (attends, *draw((2, 1), (2, 1)))),
    Case("a plain mean", (means_of_all, *draw((2, 2), (4, 2)))),
    Case("attention", (attends, *draw((3, 2), (5, 2)))),
    Case("weights that are halved", (half, *draw((2, 2), (3, 2)))),
    Case("weights that are doubled", (doubled, *draw((2, 3), (3, 3)))),
    Case("powers that are not divided", (not_divided, *draw((2, 3), (4, 3)))),
    Case("gates", (gates, *draw((3, 1), (4, 1)))),
    Case("a mask after softmax", (masked_afterwards, *draw((3, 3), (3, 3)))),
    Case("a mask after softmax", (first_row_kept, *draw((4, 2), (4, 2)))),
    Case("softmax over the queries", (over_queries, *draw((4, 3), (4, 3)))),
    Case("softmax over the queries", (over_queries, *draw((2, 4), (5, 4)))),
)
