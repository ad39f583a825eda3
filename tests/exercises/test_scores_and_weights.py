"""Chapter 3: references against attnlib, and which second components pass."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import Additive, Bilinear, softmax, sparsemax
from attnlib.exercises import check, find

SECOND = "scores_and_weights.second_component"
KEYS = np.arange(-2.0, 3.0)


def test_references_agree_with_attnlib_scores():
    rng = np.random.default_rng(3)
    Q, K, W = rng.normal(size=(2, 5)), rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    bilinear_scores = find("scores_and_weights.bilinear_scores").reference
    np.testing.assert_allclose(bilinear_scores(Q, K, W), Bilinear(W)(Q, K))
    W_q, W_k, v = rng.normal(size=(5, 7)), rng.normal(size=(3, 7)), rng.normal(size=7)
    weights = find("scores_and_weights.additive_weights").reference(Q, K, W_q, W_k, v)
    np.testing.assert_allclose(weights, softmax(Additive(W_q, W_k, v)(Q, K)))


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=7))
@settings(deadline=None)
def test_scores_above_the_threshold_are_sparsemax(values):
    scores = np.array(values) / 10
    threshold = find("scores_and_weights.sparsemax_threshold").reference(scores)
    np.testing.assert_allclose(np.maximum(scores - threshold, 0), sparsemax(scores), atol=1e-12)


def winners(heights):
    """Which keys some direction, of many, puts first alone."""
    angle = np.linspace(0, 2 * np.pi, 20_001)
    scores = np.outer(np.cos(angle), KEYS) + np.outer(np.sin(angle), heights)
    ordered = np.sort(scores, axis=1)
    return set(scores.argmax(axis=1)[ordered[:, -1] > ordered[:, -2] + 1e-9])


@given(st.lists(st.integers(-9, 9), min_size=5, max_size=5))
@settings(deadline=None)
def test_heights_pass_if_every_key_wins(heights):
    assert check(SECOND, heights).passed == (len(winners(heights)) == 5)


@pytest.mark.parametrize("factor, lift, slope", [(1e-9, 0, 0), (-3, 1e6, 7), (1, -2, 1e4)])
def test_bends_of_any_size_and_slope_pass(factor, lift, slope):
    assert check(SECOND, factor * KEYS**2 + lift + slope * KEYS).passed
    assert "on one line" in check(SECOND, lift + slope * KEYS).message


def test_reply_lists_keys_that_are_never_best():
    assert "alone: -1, 1." in check(SECOND, np.abs(KEYS)).text
    assert "alone: -1, 0, 1." in check(SECOND, np.ones(5)).text
