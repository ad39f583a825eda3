"""Chapter 13: references against plain loops and against attnlib."""

import numpy as np
import pytest

from attnlib import masks, softmax
from attnlib.efficient import linear_attention, window_attention
from attnlib.exercises import find


def reference(name):
    return find(f"cheaper_attention.{name}").reference


@pytest.mark.parametrize("block", [1, 2, 4, 9])
def test_online_row_is_softmax_so_far(block):
    scores, values = np.array([-np.inf, -np.inf, -np.inf, 0.5, -np.inf, 1]), np.eye(6)
    rows = reference("online_row")(scores, values, block)
    for row, start in zip(rows, range(0, 6, block), strict=True):
        end = start + block
        expected = softmax(scores[:end]) @ values[:end] if end > 3 else np.zeros(6)
        np.testing.assert_allclose(row, expected)


@pytest.mark.parametrize("n, width, n_global", [(1, 1, 0), (5, 2, 1), (6, 9, 0), (7, 1, 3)])
def test_window_mask_is_what_attnlib_attends(n, width, n_global):
    mask = reference("window_mask")(n, width, n_global)
    if not n_global:
        np.testing.assert_array_equal(mask, masks.sliding_window(n, n, width))
    X = np.zeros((n, 1))
    means = window_attention(X, X, np.eye(n), width=width, n_global=n_global)
    np.testing.assert_allclose(means, mask / mask.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("memory", [95, 4095, 4096, 4608, 10_000])
def test_longest_text_just_fits(memory):
    n = reference("longest_text")(memory, 6, 3, 4, 2, 4)
    taken = [2 * np.zeros((2, 3, m, 4), np.float32).nbytes for m in (n, n + 1)]
    assert taken[0] <= memory < taken[1]


@pytest.mark.parametrize("n, r, d_v", [(1, 1, 1), (4, 2, 3), (6, 5, 1)])
def test_causal_linear_by_a_plain_loop(n, r, d_v):
    rng = np.random.default_rng(n)
    phi_q, phi_k, V = rng.random((n, r)) + 0.1, rng.random((n, r)), rng.normal(size=(n, d_v))
    for i, answer in enumerate(reference("causal_linear")(phi_q, phi_k, V, 0.7)):
        weights = [0.7 ** (i - j) * float(phi_q[i] @ phi_k[j]) for j in range(i + 1)]
        np.testing.assert_allclose(answer, np.average(V[: i + 1], axis=0, weights=weights))
    unfaded = linear_attention(phi_q, phi_k, V, features=lambda X: X, causal=True)
    np.testing.assert_allclose(reference("causal_linear")(phi_q, phi_k, V, 1), unfaded)


def test_busiest_counts_every_pair():
    owner, pairs = np.random.default_rng(3).integers(0, 4, size=11), [0] * 4
    for i, j in np.ndindex(11, 11):
        pairs[owner[i]] += j <= i
    assert reference("busiest")(owner, 4) == max(pairs)
