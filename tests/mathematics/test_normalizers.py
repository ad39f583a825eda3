"""Normalisers against loops, worked numbers, PyTorch, a projection, and what must always hold."""

import math
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import hardmax, sigmoid_normalize, softmax, softmax_jacobian, sparsemax
from attnlib.examples import four_scores

NORMALIZERS = [softmax, sparsemax, sigmoid_normalize, hardmax]
every_normalizer = pytest.mark.parametrize("normalize", NORMALIZERS, ids=lambda f: f.__name__)
every_function = pytest.mark.parametrize(
    "normalize", [*NORMALIZERS, softmax_jacobian], ids=lambda f: f.__name__
)
temperatures = pytest.mark.parametrize("T", [0.1, 0.5, 1.0, 3.0])
reproducible = settings(max_examples=60, deadline=None, derandomize=True)
rows = hnp.arrays(np.float64, st.integers(1, 8), elements=st.floats(-1e4, 1e4))
some_temperature = st.floats(0.01, 100)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(scale=2, size=shape)


# The definitions, one row at a time, in plain Python.


def softmax_loop(row, T):
    powers = [math.exp(s / T) for s in row]
    return [p / sum(powers) for p in powers]


def sparsemax_loop(row, T):
    """Project onto the simplex: bisect for the threshold at which the weights sum to one."""
    z = [s / T for s in row]
    low, high = max(z) - 1, max(z)
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(s - middle, 0) for s in z) > 1:
            low = middle
        else:
            high = middle
    return [max(s - high, 0) for s in z]


def sigmoid_loop(row, T):
    sigmoids = [1 / (1 + math.exp(-s / T)) for s in row]
    return [s / sum(sigmoids) for s in sigmoids]


def hardmax_loop(row, T):
    winner = list(row).index(max(row))
    return [float(i == winner) for i in range(len(row))]


LOOPS = {
    softmax: softmax_loop,
    sparsemax: sparsemax_loop,
    sigmoid_normalize: sigmoid_loop,
    hardmax: hardmax_loop,
}


@temperatures
@every_normalizer
def test_equals_a_loop_over_rows(normalize, T):
    scores = draw(3, 5, 7)
    weights = normalize(scores, temperature=T)
    for b in range(3):
        for i in range(5):
            expected = LOOPS[normalize](scores[b, i].tolist(), T)
            assert_allclose(weights[b, i], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("normalize", "expected"),
    [
        (softmax, [0.14930, 0.01109, 0.81728, 0.02233]),
        (sparsemax, [0, 0, 1, 0]),
        (hardmax, [0, 0, 1, 0]),
    ],
)
def test_worked_numbers(normalize, expected):
    assert_array_equal(normalize(four_scores()).round(5), expected)


def test_sparsemax_worked_by_hand():
    assert_allclose(sparsemax([1, 0.5, -1]), [0.75, 0.25, 0], atol=1e-15)
    assert_allclose(sparsemax([0.3, 0.2, 0.1]), [1.3 / 3, 1 / 3, 0.7 / 3], atol=1e-15)
    assert_array_equal(sparsemax([5, 4, -np.inf]), [1, 0, 0])


@temperatures
@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
def test_equals_torch(axis, T):
    scores = draw(3, 5, 7)
    t = torch.tensor(scores) / T
    assert_allclose(softmax(scores, axis, T), torch.softmax(t, axis), atol=1e-12)
    sigmoids = torch.sigmoid(t)
    expected = sigmoids / sigmoids.sum(axis, keepdim=True)
    assert_allclose(sigmoid_normalize(scores, axis, T), expected, atol=1e-12)
    best = torch.zeros_like(t).scatter(axis, t.argmax(axis, keepdim=True), 1.0)
    assert_array_equal(hardmax(scores, axis, T), best)


@every_normalizer
def test_every_axis_is_the_last_axis_moved(normalize):
    scores = draw(3, 5, 7)
    for axis in range(-3, 3):
        moved = normalize(np.moveaxis(scores, axis, -1))
        weights = normalize(scores, axis=axis)
        assert_array_equal(weights, np.moveaxis(moved, -1, axis))
        assert_allclose(weights.sum(axis=axis), 1, rtol=1e-14)


@every_normalizer
@reproducible
@given(row=rows, T=some_temperature)
def test_weights_are_a_distribution_that_keeps_the_order(normalize, row, T):
    weights = normalize(row, temperature=T)
    assert (weights >= 0).all() and (weights <= 1).all()
    assert_allclose(weights.sum(), 1, rtol=1e-13)
    best_first = np.argsort(-row, kind="stable")
    assert (np.diff(weights[best_first]) <= 0).all()


@every_normalizer
@reproducible
@given(row=rows, T=some_temperature, seed=st.integers(0, 99))
def test_permuting_scores_permutes_weights(normalize, row, T, seed):
    if normalize is hardmax:
        row = np.unique(row)
    order = np.random.default_rng(seed).permutation(len(row))
    permuted = normalize(row[order], temperature=T)
    assert_allclose(permuted, normalize(row, temperature=T)[order], rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("normalize", [softmax, sparsemax, hardmax])
def test_a_common_shift_matters_to_sigmoid_normalize(normalize):
    scores = draw(5, 7)
    assert_allclose(normalize(scores + 3), normalize(scores), atol=1e-13)
    assert np.abs(sigmoid_normalize(scores + 3) - sigmoid_normalize(scores)).max() > 0.01


@reproducible
@given(row=rows, T=some_temperature)
def test_sparsemax_is_the_projection_found_by_bisection(row, T):
    assert_allclose(sparsemax(row, temperature=T), sparsemax_loop(row.tolist(), T), atol=1e-9)


def test_temperature_divides_the_scores():
    scores = draw(5, 7)
    for normalize in (softmax, sparsemax, sigmoid_normalize):
        assert_allclose(normalize(scores, temperature=4), normalize(scores / 4), atol=1e-15)
        assert_allclose(normalize(scores, temperature=1e12), 1 / 7, atol=1e-9)
    for normalize in (softmax, sparsemax):
        assert_allclose(normalize(scores, temperature=1e-6), hardmax(scores), atol=1e-15)
    assert_array_equal(hardmax(scores, temperature=1e12), hardmax(scores))


def test_ties():
    for normalize in (softmax, sparsemax, sigmoid_normalize):
        assert_allclose(normalize([2, 2, 2, 2]), 0.25, rtol=1e-15)
    assert_array_equal(hardmax([[1, 7, 7], [7, 7, 1]]), [[0, 1, 0], [1, 0, 0]])
    assert_array_equal(hardmax([[7, 1], [7, 2], [1, 2]], axis=0), [[1, 0], [0, 1], [0, 0]])


@every_normalizer
def test_masked_scores_get_exactly_nothing(normalize):
    scores = draw(5, 7)
    with_hole = np.insert(scores, 3, -np.inf, axis=1)
    weights = normalize(with_hole, temperature=0.7)
    assert (weights[:, 3] == 0).all()
    assert_allclose(np.delete(weights, 3, axis=1), normalize(scores, temperature=0.7), atol=1e-15)
    assert_array_equal(normalize([-np.inf, -3e4, -np.inf]), [0, 1, 0])


def test_masked_scores_get_nothing_from_sparsemax():
    scores = np.full(1001, -1 + 1e-12)
    scores[0], scores[-500:] = 0, -np.inf
    assert (sparsemax(scores)[-500:] == 0).all()


@every_normalizer
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("T", [1.0, 1e-30, 1e30])
def test_huge_scores_neither_overflow_nor_warn(normalize, dtype, T):
    scores = np.array([[1e4, -1e4, 0], [-1e4, -1e4, -1e4], [1e30, -1e30, 1e30]], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = normalize(scores, temperature=T)
    assert np.isfinite(weights).all()
    assert_allclose(weights.sum(axis=-1), 1, rtol=1e-6)


@every_normalizer
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_largest_numbers_do_not_overflow(normalize, dtype):
    most = np.finfo(dtype).max
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(normalize(np.array([most, -most, -most, -most])), [1, 0, 0, 0])
        assert_array_equal(normalize(np.array([0, -most / 2, -most / 2, -most / 2])), [1, 0, 0, 0])


def test_sigmoid_of_very_negative_scores_behaves_as_softmax():
    """There σ(s) = exp(s) to the last digit, and every σ(s) by itself would be 0."""
    scores = np.array([-1e4, -1e4 + 1, -1e4 - 2])
    assert_allclose(sigmoid_normalize(scores), softmax(scores), rtol=1e-12)
    assert_allclose(sigmoid_normalize([1e4, 5e3, 1e4 + 1]), 1 / 3, rtol=1e-15)
    assert_allclose(sigmoid_normalize([-1e4, 0, 1e4]), [0, 1 / 3, 2 / 3], rtol=1e-15)


@every_function
def test_one_score_gets_everything(normalize):
    assert normalize([[4.0]]).sum() == (0 if normalize is softmax_jacobian else 1)
    assert normalize(np.zeros((0, 3))).shape[:2] == (0, 3)


@every_function
def test_bad_scores_are_refused_by_name(normalize):
    with pytest.raises(ValueError, match=r"scores .* holds nan at .*-inf where a key may not be"):
        normalize([[0, np.nan]])
    with pytest.raises(
        ValueError, match=r"scores has shape \(3, 0\) and axis=-1: there is nothing"
    ):
        normalize(np.zeros((3, 0)))
    with pytest.raises(ValueError, match=r"scores has shape \(\)"):
        normalize(3.0)


@every_function
def test_a_row_without_any_chance_is_named(normalize):
    scores = np.zeros((3, 5, 7))
    scores[2, 4] = -np.inf
    with pytest.raises(ValueError, match=r"scores\[2, 4, :\] is -inf throughout"):
        normalize(scores)
    with pytest.raises(ValueError, match=r"scores\[:\] is -inf throughout"):
        normalize([-np.inf, -np.inf])


@every_normalizer
def test_a_column_without_any_chance_is_named_too(normalize):
    scores = np.zeros((3, 5, 7))
    scores[2, :, 6] = -np.inf
    with pytest.raises(ValueError, match=r"scores\[2, :, 6\] is -inf throughout"):
        normalize(scores, axis=1)
    assert normalize(scores, axis=-1)[2, 0, 6] == 0


@every_function
def test_temperatures_must_be_positive(normalize):
    for bad in (0, -1, np.nan, np.inf, -np.inf, 1e-320):
        with pytest.raises(ValueError, match="temperature"):
            normalize([1.0, 2.0], temperature=bad)
    with pytest.raises(ValueError, match=r"temperature=1e-50 .* range of float32"):
        normalize(np.ones(2, np.float32), temperature=1e-50)


@every_normalizer
def test_bad_axes_are_refused_by_name(normalize):
    for bad in (2, -3, 10):
        with pytest.raises(
            ValueError, match=rf"scores has shape \(2, 3\) and axis={bad}: there is nothing"
        ):
            normalize(np.zeros((2, 3)), axis=bad)
    for bad in (None, 1.0, (0, 1), "0", True):
        with pytest.raises(TypeError, match="axis must be an integer"):
            normalize(np.zeros((2, 3)), axis=bad)
