"""Exercises of chapter 1: their references against loops, mistakes as readers write them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib.exercises import find
from tests.helpers.exercise_replies import as_readers_write


def bells(x, h):
    return np.exp(-((x[:, None] - x) ** 2) / (2 * h**2))


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("kernel_weights", "brackets_missing",
         lambda x, t, h: (lambda e: e / e.sum())(np.exp(-(x[t] - x) ** 2 / 2 * h**2))),
        ("adaptive_filter", "whole_table", lambda x, h: bells(x, h) / bells(x, h).sum() @ x),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"adaptive_weights.{exercise}", mistake, answer)


def test_moving_average_by_hand():
    reference = find("adaptive_weights.moving_average").reference
    np.testing.assert_allclose(reference(np.array([0.0, 3.0, 9.0, 1.0]), 3), [1.5, 4, 13 / 3, 5])


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6), st.floats(0.3, 3))
@settings(deadline=None)
def test_kernel_weights_and_filter_by_loops(values, h):
    x = np.array(values)
    kernel = find("adaptive_weights.kernel_weights").reference
    smooth = find("adaptive_weights.adaptive_filter").reference(x, h)
    for t in range(len(x)):
        raw = [np.exp(-((x[t] - x_j) ** 2) / (2 * h**2)) for x_j in values]
        np.testing.assert_allclose(kernel(x, t, h), np.array(raw) / sum(raw), atol=1e-12)
        expected = sum(r * v for r, v in zip(raw, values)) / sum(raw)
        np.testing.assert_allclose(smooth[t], expected, atol=1e-12)
