"""Scores against loops, worked numbers, PyTorch, and what must always hold."""

import sys
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import dot, dot_cost, scaled_dot
from attnlib.examples import three_rows, toy, two_queries
from tests.helpers.oracles import draw

every_score = pytest.mark.parametrize("score", [dot, scaled_dot], ids=lambda f: f.__name__)


def loop(Q, K, scale):
    """Score every pair, one product at a time."""
    scores = []
    for q in Q:
        scores.append([scale * sum(a * b for a, b in zip(q, k, strict=True)) for k in K])
    return scores


def test_equals_a_loop_over_pairs():
    Q, K = draw(3, 5), draw(7, 5, seed=1)
    assert_allclose(dot(Q, K), loop(Q, K, 1), atol=1e-14)
    assert_allclose(scaled_dot(Q, K), loop(Q, K, 5**-0.5), atol=1e-14)
    assert_allclose(scaled_dot(Q, K, scale=0.3), loop(Q, K, 0.3), atol=1e-14)


def test_worked_numbers():
    Q, K, _ = toy()
    assert_array_equal(dot(Q, K), [[1, 1, -2], [-1, -1, 2]])
    Q, K, _ = two_queries()
    assert_array_equal(dot(Q, K), [[1, 0, 1], [0, 1, 1]])
    X, _, _ = three_rows()
    half = 0.5**0.5
    assert_allclose(
        scaled_dot(X, X), [[half, 0, half], [0, half, half], [half, half, 2 * half]], rtol=1e-15
    )


@pytest.mark.parametrize(
    ("batch_q", "batch_k"), [((), ()), ((2,), (2,)), ((2, 1), (11,)), ((), (2, 3)), ((1,), (4,))]
)
def test_equals_torch_with_broadcast_batches(batch_q, batch_k):
    Q, K = draw(*batch_q, 3, 5), draw(*batch_k, 7, 5, seed=1)
    expected = torch.einsum("...id,...jd->...ij", torch.tensor(Q), torch.tensor(K)).numpy()
    assert dot(Q, K).shape == (*np.broadcast_shapes(batch_q, batch_k), 3, 7)
    assert_allclose(dot(Q, K), expected, atol=1e-12)
    assert_allclose(scaled_dot(Q, K), expected / 5**0.5, atol=1e-12)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(n_q=st.integers(1, 6), n_k=st.integers(1, 6), d=st.integers(1, 6), seed=st.integers(0, 99))
def test_what_holds_for_every_dot_product(n_q, n_k, d, seed):
    Q, K = draw(n_q, d, seed=seed), draw(n_k, d, seed=seed + 100)
    for score in (dot, scaled_dot):
        scores = score(Q, K)
        assert_allclose(scores, score(K, Q).T, atol=1e-13)
        assert_allclose(score(3 * Q, K), 3 * scores, atol=1e-13)
        assert_allclose(score(Q, K[::-1]), scores[:, ::-1], atol=1e-13)
        assert_allclose(score(Q[:1], K), scores[:1], atol=1e-13)
    assert_allclose(scaled_dot(Q, K) * d**0.5, dot(Q, K), atol=1e-13)


def test_scaled_random_scores_have_variance_one():
    Q, K = draw(300, 64), draw(300, 64, seed=1)
    assert abs(scaled_dot(Q, K).var() - 1) < 0.05
    assert abs(dot(Q, K).var() / 64 - 1) < 0.05


@every_score
def test_one_query_one_key_and_no_query(score):
    assert score([[2.0]], [[3.0]]).shape == (1, 1)
    assert score(np.zeros((0, 5)), np.zeros((7, 5))).shape == (0, 7)


def test_counts_may_be_very_large():
    assert dot_cost(sys.maxsize, 1, 1) == sys.maxsize
    with pytest.raises(ValueError, match=r"n_q=\d+ is too large"):
        dot_cost(sys.maxsize + 1, 1, 1)


def test_a_scale_may_be_any_real_number():
    for one_half in (Fraction(1, 2), np.float32(0.5), 0.5):
        assert_array_equal(scaled_dot([[2]], [[3]], scale=one_half), [[3]])
    assert_array_equal(scaled_dot([[2]], [[3]], scale=10), [[60]])


def test_a_scale_too_large_for_float32_is_refused():
    one = np.ones((1, 1), np.float32)
    with pytest.raises(ValueError, match="overflows float32"):
        scaled_dot(one, one, scale=1e300)
