"""Jacobians of normalisers against worked numbers, and what must always hold."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import (
    sigmoid_normalize,
    sigmoid_normalize_jacobian,
    softmax,
    softmax_jacobian,
    sparsemax,
    sparsemax_jacobian,
)
from tests.helpers.oracles import draw

NORMALIZER = {
    softmax_jacobian: softmax,
    sparsemax_jacobian: sparsemax,
    sigmoid_normalize_jacobian: sigmoid_normalize,
}
every_jacobian = pytest.mark.parametrize("jacobian", NORMALIZER, ids=lambda f: f.__name__)
blind_to_constants = pytest.mark.parametrize("jacobian", [softmax_jacobian, sparsemax_jacobian])
reproducible = settings(max_examples=40, deadline=None, derandomize=True)
rows = hnp.arrays(np.float64, st.integers(1, 7), elements=st.floats(-1e4, 1e4))
mild_rows = hnp.arrays(np.float64, st.integers(1, 7), elements=st.floats(-5, 5))
some_temperature = st.floats(0.01, 100)


def test_worked_softmax():
    """The weights are 1/8, 2/8 and 5/8."""
    expected = np.array([[7, -2, -5], [-2, 12, -10], [-5, -10, 15]]) / 64
    assert_allclose(softmax_jacobian(np.log([1, 2, 5])), expected, atol=1e-15)
    assert_allclose(softmax_jacobian(2 * np.log([1, 2, 5]), 2), expected / 2, atol=1e-15)


def test_worked_sparsemax():
    third = np.array([[2, -1, 0, -1], [-1, 2, 0, -1], [0, 0, 0, 0], [-1, -1, 0, 2]]) / 3
    assert_allclose(sparsemax_jacobian([0.3, 0.2, -5, 0.1]), third, atol=1e-15)
    assert_allclose(sparsemax_jacobian([1.2, 0.8, -20, 0.4], 4), third / 4, atol=1e-15)
    assert_array_equal(sparsemax_jacobian([3, 0]), np.zeros((2, 2)))


def test_worked_sigmoid_normalize():
    """The sigmoids are 3/4 and 1/2, so the weights 3/5 and 2/5: not symmetric."""
    expected = [[0.06, -0.12], [-0.06, 0.12]]
    assert_allclose(sigmoid_normalize_jacobian([math.log(3), 0]), expected, atol=1e-15)
    halved = sigmoid_normalize_jacobian([2 * math.log(3), 0], 2)
    assert_allclose(halved, np.array(expected) / 2, atol=1e-15)


def test_sparsemax_at_a_corner():
    assert_array_equal(sparsemax([1, 0]), [1, 0])
    assert_array_equal(sparsemax_jacobian([1, 0]), np.zeros((2, 2)))
    assert_array_equal(sparsemax_jacobian([1, -1e-9]), np.zeros((2, 2)))
    assert_array_equal(sparsemax_jacobian([1, 1e-9]), [[0.5, -0.5], [-0.5, 0.5]])


@every_jacobian
@reproducible
@given(row=rows, T=some_temperature)
def test_columns_sum_to_zero(jacobian, row, T):
    result = jacobian(row, T) * T
    assert np.isfinite(result).all()
    assert_allclose(result.sum(axis=0), 0, atol=1e-13)
    assert (np.diag(result) >= 0).all() and (np.diag(result) <= 1).all()
    assert (result[~np.eye(len(row), dtype=bool)] <= 0).all()


@blind_to_constants
@reproducible
@given(row=rows, T=some_temperature)
def test_softmax_and_sparsemax_jacobians_are_symmetric(jacobian, row, T):
    result = jacobian(row, T) * T
    assert_allclose(result, result.T, atol=1e-15)
    assert_allclose(result.sum(axis=1), 0, atol=1e-13)
    assert (np.linalg.eigvalsh(result) > -1e-13).all()


@reproducible
@given(row=mild_rows, T=some_temperature)
def test_sparsemax_only_removes_the_mean_of_the_kept(row, T):
    result = sparsemax_jacobian(row, T) * T
    kept = sparsemax(row, temperature=T) > 0
    assert_allclose(result @ result, result, atol=1e-13)
    assert_allclose(np.trace(result), kept.sum() - 1, atol=1e-12)
    assert len(np.unique(result[np.ix_(kept, kept)].round(12))) <= 2


@reproducible
@given(row=mild_rows, T=some_temperature)
def test_sigmoid_rows_sum_to_the_slope_by_shifts(row, T):
    result = sigmoid_normalize_jacobian(row, T) * T
    w = sigmoid_normalize(row, temperature=T)
    room = np.array([1 / (1 + math.exp(s / T)) for s in row])
    assert_allclose(result.sum(axis=1), w * (room - (w * room).sum()), atol=1e-13)
    equal = sigmoid_normalize_jacobian(np.full(len(row), row[0]), T) * T
    assert_allclose(equal.sum(axis=1), 0, atol=1e-13)


def test_sigmoid_rows_do_not_sum_to_zero():
    scores = draw(5, 7)
    step = 1e-6
    slope = (sigmoid_normalize(scores + step) - sigmoid_normalize(scores - step)) / (2 * step)
    sums = sigmoid_normalize_jacobian(scores).sum(axis=-1)
    assert_allclose(sums, slope, atol=1e-9)
    assert (np.abs(sums).max(axis=-1) > 0.01).all()


@every_jacobian
@reproducible
@given(row=mild_rows, T=some_temperature, seed=st.integers(0, 99))
def test_permuting_scores_permutes_rows_and_columns(jacobian, row, T, seed):
    row = np.unique(row.round(3))
    order = np.random.default_rng(seed).permutation(len(row))
    expected = jacobian(row, T)[np.ix_(order, order)]
    assert_allclose(jacobian(row[order], T) * T, expected * T, atol=1e-12)


@every_jacobian
def test_temperature_divides_the_scores_and_then_the_slopes(jacobian):
    scores = draw(3, 5)
    for T in (0.25, 2, 4.0, np.float64(8)):
        assert_allclose(jacobian(scores, T), jacobian(scores / T) / T, atol=1e-14)


@every_jacobian
def test_a_masked_score_neither_answers_nor_matters(jacobian):
    scores = draw(3, 5)
    result = jacobian(np.insert(scores, 2, -np.inf, axis=1), 0.7)
    assert (result[:, 2, :] == 0).all() and (result[:, :, 2] == 0).all()
    rest = np.delete(np.delete(result, 2, axis=1), 2, axis=2)
    assert_allclose(rest, jacobian(scores, 0.7), atol=1e-15)
    assert_array_equal(jacobian([-np.inf, 5, -np.inf])[[0, 2]], np.zeros((2, 3)))


@every_jacobian
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("T", [1.0, 1e-30, 1e30])
def test_large_scores_neither_overflow_nor_warn(jacobian, dtype, T):
    scores = np.array(
        [[1e4, -1e4, 0], [-1e4, -1e4, -1e4], [1e4, 1e4, 1e4], [1e30, 0, -1e30]], dtype
    )
    scores.setflags(write=False)
    result = jacobian(scores, T)
    assert result.dtype == dtype and np.isfinite(result).all()
    assert_allclose(result.sum(axis=-2) * T, 0, atol=1e-6)


@every_jacobian
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_smallest_temperature_and_largest_scores(jacobian, dtype):
    limits = np.finfo(dtype)
    assert np.isfinite(jacobian(np.array([0, 0, limits.max, -limits.max]), limits.tiny)).all()
    result = jacobian(np.zeros(2, dtype), float(limits.tiny))
    assert result.dtype == dtype and np.isfinite(result).all() and result[0, 0] > 0


def test_slopes_of_large_scores():
    opposite = np.array([[1, -1], [-1, 1]])
    for tied, slope in [(softmax_jacobian, 1 / 4), (sparsemax_jacobian, 1 / 2)]:
        for score in (1e4, -1e4):
            assert_allclose(tied([score, score]), slope * opposite, rtol=1e-15)
            assert_array_equal(tied([score, 0, -score]), np.zeros((3, 3)))
    scores = np.array([-1e4, -1e4 + 1, -1e4 - 2])
    assert_allclose(sigmoid_normalize_jacobian(scores), softmax_jacobian(scores), atol=1e-15)
    assert_array_equal(sigmoid_normalize_jacobian([1e4, 1e4, 5e3]), np.zeros((3, 3)))
    # σ is ½ at 0, 1 at 10⁴: weights ⅔ and ⅓, and only the score of 0 has a slope left.
    expected = [[0, -1 / 9], [0, 1 / 9]]
    assert_allclose(sigmoid_normalize_jacobian([1e4, 0]), expected, rtol=1e-14)


@every_jacobian
def test_one_score_has_no_slope(jacobian):
    assert_array_equal(jacobian([[4.0], [-1e4]]), np.zeros((2, 1, 1)))
    assert jacobian(np.zeros((0, 3))).shape == (0, 3, 3)
    assert jacobian(np.zeros((2, 0, 3))).shape == (2, 0, 3, 3)
