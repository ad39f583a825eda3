"""Chapter 8's exercises: references by plain loops and against attnlib, each leak by its layer."""

import math

import numpy as np
import pytest

from attnlib import masks, scaled_dot_product_attention
from attnlib.exercises import find
from attnlib.heads import MultiHeadAttention


def reference(name):
    return find(f"masks.{name}").reference


@pytest.mark.parametrize("n_q, n_k", [(1, 1), (1, 6), (4, 4), (3, 7)])
def test_causal_mask_equals_a_plain_loop(n_q, n_k):
    expected = [[n_k - n_q + i >= j for j in range(n_k)] for i in range(n_q)]
    np.testing.assert_array_equal(reference("causal_mask")(n_q, n_k), expected)
    np.testing.assert_array_equal(masks.causal(n_q, n_k), expected)


def test_masked_weights_equal_a_plain_loop():
    rng = np.random.default_rng(0)
    scores, mask = rng.normal(size=(4, 5)), rng.random((4, 5)) < 0.6
    mask[:, 2] = True
    for i, weights in enumerate(reference("masked_weights")(scores, mask)):
        powers = [math.exp(s) if allowed else 0 for s, allowed in zip(scores[i], mask[i])]
        np.testing.assert_allclose(weights, np.divide(powers, sum(powers)))


def test_batch_mask_equals_attnlib():
    lengths, n = [3, 1, 5], 5
    mask = reference("batch_mask")(np.array(lengths), n)
    for b, i, j in np.ndindex(3, 5, 5):
        assert mask[b, i, j] == (j <= i and j < lengths[b])
    np.testing.assert_array_equal(masks.causal(n) & masks.padding(lengths, n), mask)


@pytest.mark.parametrize("n_new", [1, 2])
def test_cached_step_equals_last_rows_of_one_pass(n_new):
    rng = np.random.default_rng(1)
    layer = MultiHeadAttention.random(rng, d_model=6, n_heads=2, d_k=3, d_v=4)
    Q, K, V = layer.project(rng.normal(size=(5, 6)))
    whole, _ = scaled_dot_product_attention(Q, K, V, mask=masks.causal(5))
    new, old = slice(5 - n_new, None), slice(0, 5 - n_new)
    step = reference("cached_step")(Q[:, new], K[:, new], V[:, new], K[:, old], V[:, old])
    np.testing.assert_allclose(step, whole[:, new])


def test_looks_ahead_accepts_causal_layers_only():
    causal_layers = {"causal_attention", "running_mean", "the_one_before", "each_alone"}
    for case in find("masks.looks_ahead").cases:
        layer, X = case.args
        assert reference("looks_ahead")(layer, X) == (layer.__name__ not in causal_layers)
