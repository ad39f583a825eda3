"""Gradients of normalisers, and finite differences, against loops, PyTorch and worked numbers."""

import math
import tracemalloc

import numpy as np
import pytest
import torch
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
from attnlib.gradients import (
    finite_difference,
    sigmoid_normalize_vjp,
    softmax_vjp,
    sparsemax_vjp,
)
from tests.helpers.oracles import draw

VJPS = {softmax: softmax_vjp, sparsemax: sparsemax_vjp, sigmoid_normalize: sigmoid_normalize_vjp}
JACOBIANS = {
    softmax: softmax_jacobian,
    sparsemax: sparsemax_jacobian,
    sigmoid_normalize: sigmoid_normalize_jacobian,
}
every_normalizer = pytest.mark.parametrize("normalize", list(VJPS), ids=lambda f: f.__name__)
every_vjp = pytest.mark.parametrize("vjp", list(VJPS.values()), ids=lambda f: f.__name__)
temperatures = pytest.mark.parametrize("T", [0.5, 1.0, 3.0])
reproducible = settings(max_examples=50, deadline=None, derandomize=True)
rows = hnp.arrays(np.float64, st.integers(1, 8), elements=st.floats(-1e4, 1e4))
some_temperature = st.floats(0.01, 100)


def go_back(normalize, d_weights, scores, T=1.0):
    """Go back from weights to scores; only `sigmoid_normalize_vjp` is given the scores."""
    if normalize is sigmoid_normalize:
        return sigmoid_normalize_vjp(d_weights, scores, T)
    return VJPS[normalize](d_weights, normalize(scores, temperature=T), T)


def slopes_of_softmax(row, T):
    powers = [math.exp(s / T) for s in row]
    w = [p / sum(powers) for p in powers]
    return [[w[i] * ((i == j) - w[j]) / T for j in range(len(w))] for i in range(len(w))]


def slopes_of_sparsemax(row, T):
    """Drop the least score until all that are left get more than nothing."""
    left = sorted(range(len(row)), key=lambda i: row[i])
    while row[left[0]] / T <= (sum(row[i] / T for i in left) - 1) / len(left):
        left.pop(0)
    n = range(len(row))
    inside = [[i in left and j in left for j in n] for i in n]
    return [[inside[i][j] * ((i == j) - 1 / len(left)) / T for j in n] for i in n]


def slopes_of_sigmoid(row, T):
    sigmoids = [1 / (1 + math.exp(-s / T)) for s in row]
    total, n = sum(sigmoids), range(len(row))
    moved = [a * (1 - a) / T for a in sigmoids]
    return [[((i == j) - sigmoids[i] / total) * moved[j] / total for j in n] for i in n]


SLOPES = {
    softmax: slopes_of_softmax,
    sparsemax: slopes_of_sparsemax,
    sigmoid_normalize: slopes_of_sigmoid,
}


def torch_sparsemax(z):
    ordered = z.sort(-1, descending=True).values
    totals = ordered.cumsum(-1) - 1
    n_kept = (torch.arange(1, z.shape[-1] + 1) * ordered > totals).sum(-1, keepdim=True)
    return torch.relu(z - totals.gather(-1, n_kept - 1) / n_kept)


TORCH = {
    softmax: lambda z: torch.softmax(z, -1),
    sparsemax: torch_sparsemax,
    sigmoid_normalize: lambda z: torch.sigmoid(z) / torch.sigmoid(z).sum(-1, keepdim=True),
}


@temperatures
@every_normalizer
def test_equals_a_loop_over_weights_and_scores(normalize, T):
    scores, d_weights = draw(3, 5, 7), draw(3, 5, 7, seed=1)
    d_scores = go_back(normalize, d_weights, scores, T)
    assert d_scores.shape == (3, 5, 7)
    for index in np.ndindex(3, 5):
        slopes = SLOPES[normalize](scores[index].tolist(), T)
        d = d_weights[index].tolist()
        expected = [sum(d[i] * slopes[i][j] for i in range(7)) for j in range(7)]
        assert_allclose(d_scores[index], expected, atol=1e-13)


@temperatures
@every_normalizer
def test_equals_torch_and_the_jacobian_and_finite_differences(normalize, T):
    scores, d_weights = draw(2, 3, 7), draw(2, 3, 7, seed=1)
    d_scores = go_back(normalize, d_weights, scores, T)
    s = torch.tensor(scores, requires_grad=True)
    weights = TORCH[normalize](s / T)
    assert_allclose(normalize(scores, temperature=T), weights.detach(), atol=1e-12)
    (expected,) = torch.autograd.grad(weights, s, torch.tensor(d_weights))
    assert_allclose(d_scores, expected, atol=1e-10)
    jacobian = JACOBIANS[normalize](scores, T)
    assert_allclose(d_scores, np.einsum("...i,...ij->...j", d_weights, jacobian), atol=1e-13)
    slope = finite_difference(lambda s: (d_weights * normalize(s, temperature=T)).sum(), scores)
    assert_allclose(d_scores, slope, atol=1e-7)


def test_worked_softmax():
    assert_array_equal(softmax_vjp([1, 0], [0.25, 0.75]), [3 / 16, -3 / 16])
    assert_array_equal(softmax_vjp([1, 0], [0.25, 0.75], 2), [3 / 32, -3 / 32])
    assert_array_equal(softmax_vjp([4, 0, 8], [0.5, 0.25, 0.25]), [0, -1, 1])
    assert_array_equal(softmax_vjp([[4, 0, 8]], [[0.5, 0.5, 0]], temperature=0.5), [[2, -2, 0]])


def test_worked_sparsemax():
    assert_array_equal(sparsemax_vjp([3, 7, 100, -5], [0.9, 0.1, 0, 0]), [-2, 2, 0, 0])
    assert_array_equal(sparsemax_vjp([3, 7, 8, 100], [0.7, 0.1, 0.2, 0], 4), [-0.75, 0.25, 0.5, 0])
    several = sparsemax_vjp([[1, 3], [5, 8]], [[0.5, 0.5], [0, 1]])
    assert_array_equal(several, [[-1, 1], [0, 0]])


def test_worked_sigmoid():
    """The sigmoids are 3/4 and 1/2, so the weights 3/5 and 2/5, and what is left 1/4 and 1/2."""
    log3 = math.log(3)
    assert_allclose(sigmoid_normalize_vjp([1, 0], [log3, 0]), [0.06, -0.12], rtol=1e-14)
    assert_allclose(sigmoid_normalize_vjp([1, 0], [2 * log3, 0], 2), [0.03, -0.06], rtol=1e-14)


@every_normalizer
@reproducible
@given(row=rows, T=some_temperature, seed=st.integers(0, 99))
def test_what_holds_for_all_rows(normalize, row, T, seed):
    rng = np.random.default_rng(seed)
    d, other = rng.normal(size=(2, len(row)))
    weights = normalize(row, temperature=T)
    back = go_back(normalize, d, row, T)
    close = {"rtol": 1e-10, "atol": 1e-12 / T}
    assert (back[weights == 0] == 0).all()
    both = go_back(normalize, 3 * d - other, row, T)
    assert_allclose(both, 3 * back - go_back(normalize, other, row, T), **close)
    assert_allclose(go_back(normalize, np.full(len(row), 5.0), row, T), 0, atol=1e-12 / T)
    order = rng.permutation(len(row))
    assert_allclose(go_back(normalize, d[order], row[order], T), back[order], **close)
    batch = go_back(normalize, np.array([[other], [d]]), np.array([[row - 1], [row]]), T)
    assert_allclose(batch[1, 0], back, **close)
    if normalize is not sigmoid_normalize:
        assert_allclose(back.sum(), 0, atol=1e-12 / T)


def test_a_shift_of_all_scores_matters_to_sigmoid_only():
    scores, d = draw(5, 7), draw(5, 7, seed=1)
    assert np.abs(sigmoid_normalize_vjp(d, scores).sum(axis=-1)).min() > 1e-4


@every_normalizer
def test_a_masked_score_gets_exactly_nothing_and_the_rest_is_as_without_it(normalize):
    scores, d = draw(5, 7), draw(5, 7, seed=1)
    with_hole, d_hole = np.insert(scores, 3, -np.inf, axis=1), np.insert(d, 3, 1e4, axis=1)
    back = go_back(normalize, d_hole, with_hole, 0.7)
    assert (back[:, 3] == 0).all()
    expected = go_back(normalize, d, scores, 0.7)
    assert_allclose(np.delete(back, 3, axis=1), expected, atol=1e-14)


@every_normalizer
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_scores_neither_overflow_nor_warn(normalize, dtype):
    scores = np.array([[1e4, -1e4, -1e4], [-1e4, 1 - 1e4, -2e4], [1e4, 1e4, 1e4]], dtype)
    back = go_back(normalize, draw(3, 3).astype(dtype), scores, 0.5)
    assert back.dtype == dtype and np.isfinite(back).all()
    assert_array_equal(back[0], [0, 0, 0])


def test_sigmoid_of_very_negative_scores_goes_back_as_softmax_and_of_large_ones_not_at_all():
    scores, d = np.array([-1e4, -1e4 + 1, -1e4 - 2]), draw(3)
    assert_allclose(sigmoid_normalize_vjp(d, scores), softmax_vjp(d, softmax(scores)), rtol=1e-12)
    assert_array_equal(sigmoid_normalize_vjp(d, -scores), [0, 0, 0])
    assert_array_equal(sigmoid_normalize_vjp(d, [-1e30, -1e30, 1e30], 1e-30), [0, 0, 0])


def test_softmax_where_one_weight_is_nearly_all_leaves_nothing_and_makes_no_jacobian():
    assert_allclose(softmax_vjp(draw(3), softmax([40.0, 0, 0])), 0, atol=1e-16)
    n = 3000
    weights, d = softmax(draw(n)), draw(n, seed=1)
    tracemalloc.start()
    softmax_vjp(d, weights)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * n


@every_vjp
def test_number_types(vjp):
    d, given = draw(3, 5), softmax(draw(3, 5, seed=1))
    single = vjp(d.astype(np.float32), given.astype(np.float32), np.float64(0.5))
    assert single.dtype == np.float32
    assert_allclose(single, vjp(d, given, 0.5), atol=1e-6)
    assert vjp(d, given.astype(np.float32)).dtype == np.float64
    for dtype in (np.int64, np.int8, np.float16):
        assert vjp(np.array([[3, 1]], dtype), np.array([[1, 0]], dtype)).dtype == np.float64
    assert_array_equal(vjp([3, 1], [1, 0]), vjp(np.array([3.0, 1]), np.array([1.0, 0])))


@every_vjp
def test_arguments_are_not_changed(vjp):
    arrays = [draw(3, 5), softmax(draw(3, 5, seed=1))]
    before = [x.copy() for x in arrays]
    for x in arrays:
        x.setflags(write=False)
    vjp(*arrays)
    for x, old in zip(arrays, before, strict=True):
        assert_array_equal(x, old)


@every_vjp
def test_one_score_gets_nothing_and_no_rows_is_no_error(vjp):
    assert_array_equal(vjp([[7.0]], [[1.0]]), [[0]])
    assert vjp(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)


@every_vjp
def test_bad_numbers_and_types_are_refused_by_name(vjp):
    given = "scores" if vjp is sigmoid_normalize_vjp else "weights"
    for bad in (np.nan, np.inf):
        row = np.ones((2, 3))
        row[1, 2] = bad
        with pytest.raises(ValueError, match=rf"d_weights of .*\(2, 3\) holds {bad} at .*\(1, 2\)"):
            vjp(row, np.ones((2, 3)))
        with pytest.raises(ValueError, match=rf"^{given} of .*\(2, 3\) holds {bad} at .*\(1, 2\)"):
            vjp(np.ones((2, 3)), row)
    for bad in (["a", "b"], [None, 1.0], [1j, 2j], [True, False], "text"):
        with pytest.raises(TypeError, match=r"d_weights holds .* only integers and floats"):
            vjp(bad, [1.0, 2.0])
        with pytest.raises(TypeError, match=f"^{given} holds .* only integers and floats"):
            vjp([1.0, 2.0], bad)
    with pytest.raises(ValueError, match="d_weights is ragged"):
        vjp([[1, 2], [3]], [[1, 2], [3, 4]])
    with pytest.raises(ValueError, match=f"^{given} is ragged"):
        vjp([[1, 2], [3, 4]], [[1, 2], [3]])
    with pytest.raises(ValueError, match=rf"{given} .*shape \(\)"):
        vjp(1.0, 1.0)


def test_masked_weights_are_a_mistake_but_masked_scores_are_not():
    for vjp in (softmax_vjp, sparsemax_vjp):
        with pytest.raises(ValueError, match=r"weights of shape \(2,\) holds -inf at index 1"):
            vjp([1.0, 1.0], [1.0, -np.inf])
    with pytest.raises(ValueError, match=r"scores\[1, :\] is -inf throughout"):
        sigmoid_normalize_vjp(np.ones((2, 2)), [[1.0, 0.0], [-np.inf, -np.inf]])


def test_a_row_that_sparsemax_cannot_have_returned_is_refused():
    for weights in ([[0.5, 0.5], [0, 0]], [[-1, 0], [0, 1]], np.zeros((2, 2))):
        with pytest.raises(ValueError, match=r"weights .*\(2, 2\) .*without a positive weight"):
            sparsemax_vjp(np.ones((2, 2)), weights)


@every_vjp
def test_bad_temperatures_are_refused_by_name(vjp):
    for bad in (0, -1, np.nan, np.inf, -np.inf, 1e-320):
        with pytest.raises(ValueError, match="temperature"):
            vjp([1.0, 2.0], [0.5, 0.5], temperature=bad)
    for bad in (None, "1", True, [1.0], 1j):
        with pytest.raises(TypeError, match="temperature must be one real number"):
            vjp([1.0, 2.0], [0.5, 0.5], temperature=bad)
    half = np.full(2, 0.5, np.float32)
    with pytest.raises(ValueError, match=r"temperature=1e-50 .* range of float32"):
        vjp(half, half, temperature=1e-50)


@every_vjp
def test_a_result_too_large_for_its_type_is_refused(vjp):
    given = np.array([-1, -1] if vjp is sigmoid_normalize_vjp else [0.5, 0.5])
    for dtype in (np.float32, np.float64):
        d = np.array([1, -1], dtype) * np.finfo(dtype).max
        with pytest.raises(ValueError, match=rf"{vjp.__name__} overflows {d.dtype}\. Scale"):
            vjp(d, given.astype(dtype), 0.01)


def test_finite_difference_equals_slopes_known_by_hand():
    assert_allclose(finite_difference(lambda x: (x**2).sum(), [1, -3]), [2, -6], rtol=1e-9)
    product = finite_difference(lambda x: x[0, 0] * x[0, 1] * x[1, 0], [[2, 3], [5, 7]])
    assert_allclose(product, [[15, 10], [6, 0]], rtol=1e-9)
    assert_allclose(finite_difference(math.exp, 1), math.e, rtol=1e-9)
    assert_allclose(finite_difference(lambda x: x**3, 0.0), 0, atol=1e-9)


def test_finite_difference_puts_the_result_before_the_argument():
    A, x = draw(2, 3, 5, 7), draw(5, 7, seed=1)
    slopes = finite_difference(lambda x: np.einsum("abij,ij->ab", A, x), x)
    assert slopes.shape == (2, 3, 5, 7) and slopes.dtype == np.float64
    assert_allclose(slopes, A, atol=1e-8)
    assert finite_difference(lambda x: x.sum(), np.zeros((3, 0))).shape == (3, 0)
    assert finite_difference(lambda x: x[:0], np.zeros(3)).shape == (0, 3)


def test_finite_difference_of_what_changes_nothing_is_exactly_one():
    for x in (draw(5), 1e6 * draw(5), np.array([0.0, 1 / 3, -1e-9, 7e11])):
        assert_array_equal(finite_difference(lambda x: x, x), np.eye(len(x)))


@reproducible
@given(x=st.floats(-1e8, 1e8))
def test_finite_difference_keeps_ten_digits_whatever_the_size_of_x(x):
    slope = finite_difference(lambda x: x**2, x)
    assert slope.shape == ()
    assert_allclose(slope, 2 * x, rtol=1e-9, atol=1e-10)
    around = math.remainder(x, 3)
    assert_allclose(finite_difference(np.sin, around), math.cos(around), atol=1e-9)


def test_finite_difference_calls_f_with_copies_in_float64_twice_for_each_entry():
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


def test_finite_difference_moves_each_entry_by_the_best_step_to_both_sides():
    for x, step in ((0.5, 6.0555e-6), (-0.0, 6.0555e-6), (-200, 1.2111e-3)):
        seen = []
        finite_difference(lambda x, seen=seen: seen.append(x) or 0, x)
        moved = sorted(float(x_) - x for x_ in seen)
        assert_allclose([moved[0], moved[-1]], [-step, step], rtol=1e-4)


def test_finite_difference_takes_integers_and_a_float32_result():
    assert finite_difference(lambda x: 3 * x, [1, 2]).dtype == np.float64
    slope = finite_difference(lambda x: np.float32(2) * x.astype(np.float32), [1.0])
    assert slope.dtype == np.float64
    assert finite_difference(lambda x: 7, [1, 2]).tolist() == [0, 0]


def test_finite_difference_refuses_bad_arguments_by_name():
    for bad in (None, 3, "sum", np.ones(3)):
        with pytest.raises(TypeError, match="f must be a function, not"):
            finite_difference(bad, [1.0])
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=rf"x of shape \(2,\) holds {bad} at index 1"):
            finite_difference(np.sum, [1.0, bad])
    for bad in (["a"], [None], [1j], [True], "1"):
        with pytest.raises(TypeError, match=r"x holds .* only integers and floats"):
            finite_difference(np.sum, bad)
    with pytest.raises(ValueError, match="x is ragged"):
        finite_difference(np.sum, [[1, 2], [3]])


def test_finite_difference_refuses_what_f_may_not_return():
    def gives(result):
        return lambda x: result

    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"the result of f .* holds {bad}"):
            finite_difference(gives([0.0, bad]), [1.0])
    for bad in (None, "1", True, 1j):
        with pytest.raises(TypeError, match=r"the result of f holds .* only integers and floats"):
            finite_difference(gives(bad), [1.0])
    with pytest.raises(ValueError, match="the result of f is ragged"):
        finite_difference(lambda x: [[1, 2], [3]], [1.0])
    with pytest.raises(ValueError, match=r"f returned shape \(1,\) here and \(2,\) at x itself"):
        finite_difference(lambda x: x[x >= 3], [3.0, 4.0])
    with pytest.raises(ValueError, match=r"f returned shape \(2,\) here and \(1,\) at x itself"):
        finite_difference(lambda x: x[x > 3], [3.0, 4.0])


def test_finite_difference_refuses_slopes_beyond_the_largest_float():
    with pytest.raises(ValueError, match="overflow"):
        finite_difference(lambda x: 1.5e308 * np.sign(x), [0.0])
    with pytest.raises(ValueError, match=r"overflow|holds inf"):
        finite_difference(lambda x: x / 2, [np.finfo(float).max])
