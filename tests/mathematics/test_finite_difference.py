"""Finite differences against slopes known by hand, and what they ask of a function."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib.gradients import finite_difference
from tests.helpers.oracles import draw


def test_slopes_known_by_hand():
    assert_allclose(finite_difference(lambda x: (x**2).sum(), [1, -3]), [2, -6], rtol=1e-9)
    product = finite_difference(lambda x: x[0, 0] * x[0, 1] * x[1, 0], [[2, 3], [5, 7]])
    assert_allclose(product, [[15, 10], [6, 0]], rtol=1e-9)
    assert_allclose(finite_difference(math.exp, 1), math.e, rtol=1e-9)
    assert_allclose(finite_difference(lambda x: x**3, 0.0), 0, atol=1e-9)


def test_axes_of_the_result_come_first():
    A, x = draw(2, 3, 5, 7), draw(5, 7, seed=1)
    slopes = finite_difference(lambda x: np.einsum("abij,ij->ab", A, x), x)
    assert slopes.shape == (2, 3, 5, 7) and slopes.dtype == np.float64
    assert_allclose(slopes, A, atol=1e-8)
    assert finite_difference(lambda x: x.sum(), np.zeros((3, 0))).shape == (3, 0)
    assert finite_difference(lambda x: x[:0], np.zeros(3)).shape == (0, 3)


def test_the_slope_of_the_identity_is_exact():
    for x in (draw(5), 1e6 * draw(5), np.array([0.0, 1 / 3, -1e-9, 7e11])):
        assert_array_equal(finite_difference(lambda x: x, x), np.eye(len(x)))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(x=st.floats(-1e8, 1e8))
def test_ten_digits_at_every_size(x):
    slope = finite_difference(lambda x: x**2, x)
    assert slope.shape == ()
    assert_allclose(slope, 2 * x, rtol=1e-9, atol=1e-10)
    around = math.remainder(x, 3)
    assert_allclose(finite_difference(np.sin, around), math.cos(around), atol=1e-9)


def test_f_gets_float64_copies_twice_per_entry():
    seen = []

    def f(x):
        seen.append((x.dtype, x.shape))
        total = x.sum()
        x[:] = 1e6
        return total

    x = draw(2, 3).astype(np.float32)
    before = x.copy()
    x.setflags(write=False)
    assert_allclose(finite_difference(f, x), np.ones((2, 3)), rtol=1e-9)
    assert_array_equal(x, before)
    assert set(seen) == {(np.dtype(np.float64), (2, 3))}
    assert 12 <= len(seen) <= 13


def test_entries_move_both_ways_by_the_best_step():
    for x, step in ((0.5, 6.0555e-6), (-0.0, 6.0555e-6), (-200, 1.2111e-3)):
        seen = []
        finite_difference(lambda x, seen=seen: seen.append(x) or 0, x)
        moved = sorted(float(x_) - x for x_ in seen)
        assert_allclose([moved[0], moved[-1]], [-step, step], rtol=1e-4)


def test_integers_and_float32_results_are_taken():
    assert finite_difference(lambda x: 3 * x, [1, 2]).dtype == np.float64
    slope = finite_difference(lambda x: np.float32(2) * x.astype(np.float32), [1.0])
    assert slope.dtype == np.float64
    assert finite_difference(lambda x: 7, [1, 2]).tolist() == [0, 0]


def test_unusable_results_of_f_are_refused():
    def returns(result):
        return lambda x: result

    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"the result of f .* holds {bad}"):
            finite_difference(returns([0.0, bad]), [1.0])
    for bad in (None, "1", True, 1j):
        with pytest.raises(TypeError, match=r"the result of f holds .* only integers and floats"):
            finite_difference(returns(bad), [1.0])
    with pytest.raises(ValueError, match="the result of f is ragged"):
        finite_difference(lambda x: [[1, 2], [3]], [1.0])
    with pytest.raises(ValueError, match=r"f returned shape \(1,\) here and \(2,\) at x itself"):
        finite_difference(lambda x: x[x >= 3], [3.0, 4.0])
    with pytest.raises(ValueError, match=r"f returned shape \(2,\) here and \(1,\) at x itself"):
        finite_difference(lambda x: x[x > 3], [3.0, 4.0])


def test_slopes_too_large_are_refused():
    with pytest.raises(ValueError, match="overflow"):
        finite_difference(lambda x: 1.5e308 * np.sign(x), [0.0])
    with pytest.raises(ValueError, match=r"overflow|holds inf"):
        finite_difference(lambda x: x / 2, [np.finfo(float).max])


def test_what_is_no_function_is_refused():
    for bad in (None, 3, "sum", np.ones(3)):
        with pytest.raises(TypeError, match="f must be a function, not"):
            finite_difference(bad, [1.0])
