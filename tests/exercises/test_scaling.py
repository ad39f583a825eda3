"""Chapter 4: the reference answers against other methods."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import softmax
from attnlib.exercises import check, find

TEMPERATURE = "scaling.temperature_for"


def test_scaled_scores_agree_with_loops():
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 7, 5))
    S = find("scaling.scaled_scores").reference(Q, K)
    for b, i, j in np.ndindex(2, 3, 7):
        assert S[b, i, j] == pytest.approx(sum(Q[b, i] * K[b, j]) / 5**0.5)


def test_softmax_jacobian_agrees_with_finite_differences():
    scores, step = np.array([0.3, -1.0, 2.0, 0.1]), 1e-6
    columns = [
        (softmax(scores + step * e) - softmax(scores - step * e)) / (2 * step) for e in np.eye(4)
    ]
    J = find("scaling.softmax_jacobian").reference(softmax(scores))
    np.testing.assert_allclose(J, np.array(columns).T, atol=1e-9)


def test_score_std_agrees_with_simulation():
    rng = np.random.default_rng(0)
    q, k = rng.normal(0, 2.0, (40_000, 7)), rng.normal(0, 0.5**0.5, (40_000, 7))
    expected = find("scaling.score_std").reference(7, 4.0, 0.5)
    assert (q * k).sum(axis=1).std() == pytest.approx(expected, rel=0.02)


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=6, unique=True), st.floats(0.01, 0.99))
@settings(deadline=None)
def test_temperature_meets_its_target(values, part):
    scores = np.array(values) / 10
    target = 1 / len(scores) + part * (1 - 1 / len(scores))
    T = find(TEMPERATURE).reference(scores, target)
    assert softmax(scores / T).max() == pytest.approx(target, abs=1e-9)


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_temperatures_that_are_not_positive_are_refused(temperature):
    reply = check(TEMPERATURE, lambda scores, target: temperature)
    assert reply.status == "wrong" and "positive number" in reply.text
