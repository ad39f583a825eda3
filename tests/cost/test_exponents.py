"""Fitted exponents against made data with known answers, plain formulas, and optimality."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib.cost import Growth, fit_exponent

reproducible = settings(max_examples=30, deadline=None, derandomize=True)
SIZES = 2.0 ** np.arange(5, 13)


def curve(n, a, b, c):
    return a + b * n + c * n**2


def noisy(times, noise, seed=0, repeats=10):
    """Repetitions whose median is this time."""
    times = np.asarray(times, float)[:, None]
    return times * np.random.default_rng(seed).lognormal(0, noise, (len(times), repeats))


def slope(x, y):
    """Slope of the best straight line, by the schoolbook formula."""
    m = len(x)
    above = m * sum(p * q for p, q in zip(x, y)) - sum(x) * sum(y)
    return above / (m * sum(p * p for p in x) - sum(x) ** 2)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, -0.5])
@pytest.mark.parametrize("factor", [1e-9, 1, 1e4])
def test_a_power_is_found_exactly(p, factor):
    growth = fit_exponent(SIZES, factor * SIZES**p)
    assert_allclose(growth.exponent, p, rtol=1e-12)
    assert_allclose(growth.local_slopes, np.full(7, p), rtol=1e-11)
    assert_allclose(growth.doubling_ratios, np.full(7, 2.0**p), rtol=1e-11)
    assert growth.interval is None and growth.coefficient_intervals is None
    assert growth.used.all() and isinstance(growth, Growth)


def test_worked_numbers():
    """Sizes 1, 2, 4 and times 1, 4, 4: both logarithms over log 2 are 0, 1, 2 and 0, 2, 2."""
    growth = fit_exponent([1, 2, 4], [1, 4, 4])
    assert_allclose(growth.exponent, 1, rtol=1e-14)
    assert_allclose(growth.local_slopes, [2, 0], atol=1e-14)
    assert_allclose(growth.doubling_ratios, [4, 1], rtol=1e-14)
    assert_array_equal(growth.sizes, [1, 2, 4])
    assert_array_equal(growth.times, [1, 4, 4])


@reproducible
@given(m=st.integers(3, 9), seed=st.integers(0, 999))
def test_the_exponent_is_a_slope_of_logarithms(m, seed):
    rng = np.random.default_rng(seed)
    n, t = np.cumsum(rng.uniform(0.1, 5, m)), rng.lognormal(0, 1, m)
    growth = fit_exponent(n, t)
    x, y = [math.log(value) for value in n], [math.log(value) for value in t]
    assert_allclose(growth.exponent, slope(x, y), rtol=1e-8, atol=1e-10)
    local = [(y[i + 1] - y[i]) / (x[i + 1] - x[i]) for i in range(m - 1)]
    assert_allclose(growth.local_slopes, local, rtol=1e-9)
    assert_allclose(growth.doubling_ratios, [2**s for s in local], rtol=1e-9)


MIXTURES = [(3, 2, 1), (0, 2, 1), (3, 0, 1), (3, 2, 0), (3, 0, 0), (0, 2, 0), (0, 0, 1)]


@pytest.mark.parametrize("abc", [*MIXTURES, (1e-3, 1e-6, 1e-9), (1e5, 1e3, 0.1)], ids=str)
def test_a_mixture_is_recovered_exactly(abc):
    growth = fit_exponent(SIZES, curve(SIZES, *abc))
    largest = curve(SIZES, *abc).max()
    for result, true, power in zip(growth.coefficients, abc, SIZES[-1] ** np.arange(3)):
        assert abs(result - true) * power <= 1e-9 * largest
        assert_allclose(result, true, rtol=1e-8, atol=1e-12 * largest)
    assert_allclose(growth.time_at(SIZES), curve(SIZES, *abc), rtol=1e-11)
    assert_allclose(growth.time_at(100), curve(100, *abc), rtol=1e-11)


def test_a_mixture_over_many_decades_is_recovered():
    """The parts differ by up to 10¹⁶ in the largest time, but errors are relative."""
    n = 10.0 ** np.arange(9)
    growth = fit_exponent(n, curve(n, 1, 1, 1))
    assert_allclose(growth.time_at(n), curve(n, 1, 1, 1), rtol=1e-6)
    assert_allclose(growth.coefficients, [1, 1, 1], rtol=1e-5)


@pytest.mark.parametrize("abc", MIXTURES, ids=str)
def test_the_curve_knows_crossing_and_local_exponent(abc):
    _, b, c = abc
    growth = Growth(SIZES, curve(SIZES, *abc), SIZES > 0, 1.0, None, abc, None)
    assert growth.crossing == (b / c if c else math.inf)
    n, step = np.array([1.0, 7.0, 300.0]), 1e-5
    near = [np.log(curve(n * np.exp(s), *abc)) for s in (-step, step)]
    assert_allclose(growth.exponent_at(n), (near[1] - near[0]) / (2 * step), atol=1e-8)
    assert_allclose(growth.exponent_at(7), growth.exponent_at(n)[1], rtol=1e-15)
    assert_array_equal(growth.time_at(n), curve(n, *abc))
    if b and c:
        assert_allclose(b * growth.crossing, c * growth.crossing**2)


@pytest.mark.parametrize("d", [64, 512])
def test_a_mixture_has_no_single_exponent(d):
    """The times of n·d² and n²·d together: the slope rises from 1 to 2, and they cross at d."""
    n = d * 2.0 ** np.arange(-8, 9)
    growth = fit_exponent(n, 1e-9 * (n * d**2 + n**2 * d))
    slopes = growth.local_slopes
    assert (np.diff(slopes) > 0).all() and 1 < slopes[0] < 1.01 and 1.99 < slopes[-1] < 2
    assert 1.3 < growth.exponent < 1.7
    assert_allclose(growth.crossing, d, rtol=1e-9)
    assert_allclose(growth.exponent_at(d), 1.5, rtol=1e-9)
    assert_allclose(growth.exponent_at(np.array([d / 1e4, d * 1e4])), [1, 2], atol=1e-3)
    half = slice(None, 9), slice(8, None)
    low, high = (fit_exponent(n[part], growth.times[part]).exponent for part in half)
    assert low < 1.2 and high > 1.8


def test_sizes_near_the_overhead_are_left_out():
    n = np.array([1.0, 2, 4, 8, 16, 32])
    times = 1e3 * n**2
    clean = fit_exponent(n[2:], times[2:], overhead=300)
    times[:2] = 5999, 6000  # twenty times the overhead is not above it
    growth = fit_exponent(n, times, overhead=300)
    assert_array_equal(growth.used, [False, False, True, True, True, True])
    assert_allclose(growth.exponent, 2, rtol=1e-13)
    assert_allclose(growth.coefficients, clean.coefficients, atol=1e-9)
    assert_array_equal(growth.sizes, n)
    assert_array_equal(growth.times, times)
    assert len(growth.local_slopes) == len(growth.doubling_ratios) == 5
    assert_array_equal(fit_exponent(n, times + 1, overhead=300).used, [False] + [True] * 5)


def test_intervals_leave_out_sizes_near_the_overhead():
    times = noisy(SIZES**2, 0.1)
    near = np.concatenate([np.full((2, 10), 19.0), times[2:]])
    growth = fit_exponent(SIZES, near, overhead=1, resamples=50)
    alone = fit_exponent(SIZES[2:], times[2:], resamples=50)
    assert growth.interval == alone.interval and growth.exponent == alone.exponent
    assert growth.coefficient_intervals == alone.coefficient_intervals


def test_fewer_than_three_clear_sizes_are_refused():
    n = [1, 2, 4, 8]
    fit_exponent(n, [1, 21, 22, 23], overhead=1)
    with pytest.raises(ValueError, match=r"only 2 of 4 sizes .* 20 times .* 1 s.*Measure larger"):
        fit_exponent(n, [1, 20, 21, 22], overhead=1)
    with pytest.raises(ValueError, match="only 0 of 4 sizes"):
        fit_exponent(n, [1, 1, 1, 1], overhead=1)
    for few in ([1], [1, 2]):
        with pytest.raises(ValueError, match=f"^sizes holds {len(few)} sizes.*needs 3.*Measure"):
            fit_exponent(few, few)


def test_numbers_whose_squares_vanish_are_refused():
    for sizes, times, name in (
        ([1e-101, 1, 2], [1, 2, 3], "sizes"),
        ([1, 2, 3], [1e-101] * 3, "times"),
    ):
        with pytest.raises(ValueError, match=f"^{name} holds 1e-101. Give numbers from 1e-100 on"):
            fit_exponent(sizes, times)
    assert_allclose(fit_exponent([1e-100, 1, 1e100], [1e-100, 1, 1e100]).exponent, 1)


def test_the_median_of_the_repetitions_is_fitted():
    times = np.tile(SIZES[:, None] ** 2, (1, 5))
    times[:, 0], times[:, 3] = 1e9, 1e-9
    growth = fit_exponent(SIZES, times, resamples=5)
    assert_allclose(growth.exponent, 2, rtol=1e-12)
    assert_array_equal(growth.times, SIZES**2)


def test_one_column_is_one_time():
    one, column = fit_exponent(SIZES, SIZES), fit_exponent(SIZES, SIZES[:, None])
    assert column.interval is None and column.coefficient_intervals is None
    assert column.exponent == one.exponent and column.coefficients == one.coefficients
    assert fit_exponent(SIZES, noisy(SIZES, 0.1, repeats=2), resamples=5).interval is not None


def test_intervals_are_plain_pairs_around_the_fit():
    growth = fit_exponent(SIZES, noisy(curve(SIZES, 1e5, 1e3, 3), 0.1), resamples=200)
    pairs = [growth.interval, *growth.coefficient_intervals]
    assert len(pairs) == 4 and type(growth.coefficient_intervals) is tuple
    for (low, high), result in zip(pairs, (growth.exponent, *growth.coefficients), strict=True):
        assert low < result < high and {type(low), type(high), type(result)} == {float}
    assert all(low >= 0 for low, _ in growth.coefficient_intervals)


def test_an_interval_holds_its_share_of_resamples():
    """Against a bootstrap of the schoolbook formula with other draws."""
    times, rng = noisy(SIZES**2, 0.2), np.random.default_rng(7)
    x = np.log(SIZES) - np.log(SIZES).mean()
    picks = rng.integers(10, size=(8000, *times.shape))
    again = np.take_along_axis(np.broadcast_to(times, picks.shape), picks, axis=2)
    slopes = np.log(np.median(again, axis=2)) @ x / (x @ x)
    for confidence in (0.6, 0.95):
        growth = fit_exponent(SIZES, times, confidence=confidence)
        assert (
            abs(np.mean((slopes > growth.interval[0]) & (slopes < growth.interval[1])) - confidence)
            < 0.04
        )
        assert abs(np.mean(slopes < growth.interval[0]) - (1 - confidence) / 2) < 0.04


@pytest.mark.parametrize("noise", [0.2])
def test_intervals_cover_the_truth_95_times_in_100(noise):
    """By the binomial law fewer than 106 of 120 happen once in a thousand times."""
    n, abc = 2.0 ** np.arange(12), (100, 10, 0.1)
    times = curve(n, *abc)
    truth = (fit_exponent(n, times).exponent, *abc)
    covered = np.zeros(4)
    for seed in range(120):
        growth = fit_exponent(n, noisy(times, noise, seed, repeats=12), resamples=60)
        pairs = (growth.interval, *growth.coefficient_intervals)
        covered += [low <= true <= high for (low, high), true in zip(pairs, truth, strict=True)]
    assert (covered >= 106).all() and (covered <= 119.5).all(), covered


def test_the_seed_decides_the_answer():
    times = noisy(SIZES, 0.1)

    def interval(**options):
        return fit_exponent(SIZES, times, resamples=30, **options).interval

    assert interval() == interval() == interval(rng=np.random.default_rng(0))
    assert interval() != interval(rng=np.random.default_rng(1))
    explicit = fit_exponent(SIZES, times, 0.0, resamples=1000, confidence=0.95)
    assert fit_exponent(SIZES, times).interval == explicit.interval


def objective(n, t, x):
    return (((curve(n, *x) - t) / t) ** 2).sum()


@reproducible
@given(m=st.integers(3, 12), seed=st.integers(0, 999), spread=st.sampled_from([0.01, 0.5, 2]))
def test_the_best_curve_has_no_negative_coefficient(m, seed, spread):
    """The gradient is 0 where a coefficient is free and not negative where it is held at 0."""
    rng = np.random.default_rng(seed)
    n, t = np.cumsum(rng.uniform(0.5, 20, m)), rng.lognormal(0, spread, m)
    t *= n ** rng.uniform(-1, 3)
    x = np.array(fit_exponent(n, t).coefficients)
    parts = n[:, None] ** np.arange(3) / t[:, None]
    gradient = parts.T @ (parts @ x - 1) / np.linalg.norm(parts, axis=0)
    assert (x >= 0).all() and (gradient > -1e-8).all()
    assert (abs(gradient[x > 0]) < 1e-8).all()
    best = objective(n, t, x)
    for other in rng.exponential(size=(50, 3)) / np.linalg.norm(parts, axis=0):
        assert objective(n, t, other) >= best * (1 - 1e-10)
        assert objective(n, t, x + 1e-3 * other) >= best * (1 - 1e-10)


def test_number_types_lists_and_read_only_arrays():
    times = noisy(SIZES**2, 0.1)
    growth = fit_exponent(SIZES, times, resamples=20)
    arrays = SIZES.astype(int), times.astype(np.float32)
    before = [x.copy() for x in arrays]
    for x in arrays:
        x.setflags(write=False)
    single = fit_exponent(*arrays, resamples=20)
    for x, old in zip(arrays, before, strict=True):
        assert_array_equal(x, old)
    assert_allclose(single.exponent, growth.exponent, rtol=1e-6)
    assert_allclose(single.interval, growth.interval, rtol=1e-5)
    plain = fit_exponent(SIZES.astype(int).tolist(), times.tolist(), resamples=20)
    assert plain.exponent == growth.exponent and plain.interval == growth.interval
    assert plain.sizes.dtype == plain.times.dtype == float and plain.used.dtype == bool
    assert plain.sizes.shape == plain.times.shape == plain.used.shape == (8,)
    assert plain != fit_exponent(SIZES, times, resamples=20) and len({plain, plain}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.exponent = 2


@pytest.mark.parametrize(
    ("sizes", "times", "error", "message"),
    [
        ([1, 1, 2], [1, 2, 3], ValueError, r"^sizes must be one rising row .* not \[1\. 1\. 2\.\]"),
        ([3, 2, 1], [1, 2, 3], ValueError, r"^sizes must be one rising row .*Sort"),
        ([0, 1, 2], [1, 2, 3], ValueError, r"^sizes must be one rising row of numbers above 0"),
        ([-1, 1, 2], [1, 2, 3], ValueError, r"^sizes must be one rising row of numbers above 0"),
        ([[1, 2, 3]], [1, 2, 3], ValueError, "^sizes must be one rising row"),
        (5, [1, 2, 3], ValueError, "^sizes must be one rising row"),
        ([1, 2, np.nan], [1, 2, 3], ValueError, r"^sizes of shape \(3,\) holds nan at index 2"),
        (["a", "b", "c"], [1, 2, 3], TypeError, "^sizes holds .*only integers and floats"),
        ([True, True, True], [1, 2, 3], TypeError, "^sizes holds bool"),
        ([1, 2, 3], [1, 2], ValueError, r"^sizes has shape \(3,\) and times has shape \(2,\)"),
        ([1, 2, 3], 5, ValueError, r"times has shape \(\)\. Give one time, or one row"),
        ([1, 2, 3], [[1, 2, 3]], ValueError, r"times has shape \(1, 3\)"),
        ([1, 2, 3], np.ones((3, 2, 2)), ValueError, r"times has shape \(3, 2, 2\)"),
        ([1, 2, 3], np.ones((3, 0)), ValueError, r"times has shape \(3, 0\)"),
        ([], [], ValueError, r"times has shape \(0,\)"),
        ([1, 2, 3], [1, 0, 3], ValueError, r"^times\[1\].* not above 0"),
        ([1, 2, 3], [[1, 1], [1, 1], [1, -2]], ValueError, r"^times\[\(2, 1\)\].* not above 0"),
        ([1, 2, 3], [1, np.inf, 3], ValueError, r"^times of shape \(3,\) holds inf at index 1"),
        ([1, 2, 3], [[1], [1, 2], [1]], ValueError, "^times is ragged"),
        ([1, 2, 3], [None] * 3, TypeError, "^times holds object"),
        (
            [1, 2, 1e101],
            [1, 2, 3],
            ValueError,
            r"^sizes holds 1e\+101\. Give numbers up to 1e\+100",
        ),
        (
            [1, 2, 3],
            [1, 1e101, 3],
            ValueError,
            r"^times holds 1e\+101\. Give numbers up to 1e\+100",
        ),
    ],
)
def test_bad_sizes_and_times_are_refused_by_name(sizes, times, error, message):
    with pytest.raises(error, match=message):
        fit_exponent(sizes, times)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"overhead": -1e-9}, ValueError, r"^overhead=-1e-09 is negative\. Give a time in seconds"),
        ({"overhead": math.inf}, ValueError, "^overhead=inf is not finite"),
        ({"overhead": "much"}, TypeError, "^overhead must be one real number"),
        ({"overhead": [1.0]}, TypeError, "^overhead must be one real number"),
        ({"resamples": 0}, ValueError, "^resamples=0 is too small"),
        ({"resamples": 10.0}, TypeError, "^resamples must be an integer"),
        ({"confidence": 0}, ValueError, "^confidence=0 must lie between 0 and 1"),
        ({"confidence": 1}, ValueError, r"^confidence=1 .*between 0 and 1\. Give, say, 0\.95"),
        ({"confidence": 95}, ValueError, "^confidence=95 must lie"),
        ({"confidence": -0.1}, ValueError, "^confidence=-0.1 must lie"),
        ({"confidence": None}, TypeError, "^confidence must be one real number"),
        ({"rng": 0}, TypeError, r"^rng must be a NumPy generator, not 0.*default_rng"),
        ({"rng": np.random}, TypeError, "^rng must be a NumPy generator"),
    ],
)
@pytest.mark.parametrize("times", [[1, 2, 3], [[1, 2], [3, 4], [5, 6]]], ids=["one", "several"])
def test_bad_options_are_refused_by_name(options, error, message, times):
    with pytest.raises(error, match=message):
        fit_exponent([1, 2, 3], times, **options)
