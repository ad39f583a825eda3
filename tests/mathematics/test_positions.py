"""Positions against loops, worked numbers, PyTorch, and what must always hold."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import (
    attend,
    causal,
    dot,
    linear_bias,
    rotary,
    scaled_dot,
    sinusoidal,
    sinusoidal_shift,
    wavelengths,
)
from attnlib.gradients import rotary_vjp
from tests.helpers.oracles import draw

reproducible = settings(max_examples=40, deadline=None, derandomize=True)
some_base = st.sampled_from([1.5, 10, 10000.0, 500000.0])
bases = pytest.mark.parametrize("base", [2, 100.0, 10000.0])


# The definitions, one number at a time, in plain Python.


def sinusoidal_loop(n, d_model, base):
    rows = []
    for t in range(n):
        row = []
        for column in range(d_model):
            wave = math.sin if column % 2 == 0 else math.cos
            row.append(wave(t / base ** ((column - column % 2) / d_model)))
        rows.append(row)
    return rows


def rotary_loop(X, positions, base):
    rows = []
    for x, t in zip(X, positions, strict=True):
        row, d = [], len(x)
        for i in range(d // 2):
            angle = t * base ** (-2 * i / d)
            a, b = float(x[2 * i]), float(x[2 * i + 1])
            row += [a * math.cos(angle) - b * math.sin(angle)]
            row += [a * math.sin(angle) + b * math.cos(angle)]
        rows.append(row)
    return rows


def bias_loop(n_q, n_k, n_heads):
    heads = []
    for h in range(1, n_heads + 1):
        slope = 0.5 ** (8 * h / n_heads)
        positions = range(n_k - n_q, n_k)
        heads.append([[-slope * abs(i - j) for j in range(n_k)] for i in positions])
    return heads


def rotary_by_torch(X, positions, base):
    """Turn complex numbers, one for each pair."""
    d = X.shape[-1]
    frequencies = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.tensor(positions, dtype=torch.float64)[..., None] * frequencies
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(X.reshape(*X.shape[:-1], d // 2, 2))
    return torch.view_as_real(pairs * turns).reshape(X.shape)


@bases
@pytest.mark.parametrize(("n", "d"), [(1, 2), (7, 2), (11, 6), (3, 10)])
def test_sinusoids_equal_a_loop_and_torch(n, d, base):
    P = sinusoidal(n, d, base)
    assert P.shape == (n, d) and P.dtype == np.float64
    assert_allclose(P, sinusoidal_loop(n, d, base), atol=1e-13)
    turns = rotary_by_torch(torch.tensor([0.0, 1.0] * (d // 2)).double().tile(n, 1), range(n), base)
    turns = turns * torch.tensor([-1.0, 1.0] * (d // 2))
    assert_allclose(P, turns, atol=1e-13)


@bases
@pytest.mark.parametrize("d", [2, 6, 10])
def test_waves_repeat_after_their_wavelength(d, base):
    lengths = wavelengths(d, base)
    assert lengths.shape == (d // 2,)
    assert_allclose(lengths, [2 * math.pi * base ** (2 * i / d) for i in range(d // 2)])
    for i, length in enumerate(lengths):
        pair = slice(2 * i, 2 * i + 2)
        turn, half = (sinusoidal_shift(x, d, base)[pair, pair] for x in (length, length / 2))
        assert_allclose(turn, np.eye(2), atol=1e-13)
        assert_allclose(half, -np.eye(2), atol=1e-13)
    assert (np.diff(lengths) > 0).all() and lengths[0] == 2 * math.pi
    assert_allclose(lengths[-1], 2 * math.pi * base ** (1 - 2 / d))


def test_worked_sinusoids():
    assert_array_equal(sinusoidal(1, 6), [[0, 1, 0, 1, 0, 1]])
    expected = [[0, 1], [0.841471, 0.540302], [0.909297, -0.416147], [0.14112, -0.989992]]
    assert_array_equal(sinusoidal(4, 2).round(6), expected)
    assert_array_equal(sinusoidal(3, 4)[2].round(6), [0.909297, -0.416147, 0.019999, 0.9998])
    assert_allclose(wavelengths(4) / (2 * math.pi), [1, 100])
    assert_allclose(wavelengths(6, base=1000) / (2 * math.pi), [1, 10, 100])
    assert_array_equal(sinusoidal_shift(math.pi / 2, 2).round(12), [[0, -1], [1, 0]])
    assert_array_equal(sinusoidal_shift(3, 6), sinusoidal_shift(3, 6, base=10000.0))


@reproducible
@given(n=st.integers(2, 9), pairs=st.integers(1, 5), base=some_base)
def test_products_of_sinusoids_depend_on_distance(n, pairs, base):
    P = sinusoidal(n, 2 * pairs, base)
    assert_allclose(np.linalg.norm(P, axis=1), pairs**0.5, rtol=1e-13)
    products = P @ P.T
    for t, s in np.ndindex(n, n):
        omegas = 2 * math.pi / wavelengths(2 * pairs, base)
        assert_allclose(products[t, s], sum(math.cos((t - s) * w) for w in omegas), atol=1e-12)
    assert_array_equal(sinusoidal(n + 3, 2 * pairs, base)[:n], P)


@reproducible
@given(k=st.integers(-6, 6), pairs=st.integers(1, 5), base=some_base, step=st.floats(-3, 3))
def test_shifts_move_sinusoids_and_add_up(k, pairs, base, step):
    d = 2 * pairs
    P, shift = sinusoidal(13, d, base), sinusoidal_shift(k, d, base)
    assert shift.shape == (d, d) and shift.dtype == np.float64
    assert_allclose(P[6] @ shift, P[6 + k], atol=1e-12)
    assert_allclose((P @ shift)[6:7], P[6 + k : 7 + k], atol=1e-12)
    assert_allclose(shift @ shift.T, np.eye(d), atol=1e-13)
    further = sinusoidal_shift(step, d, base)
    assert_allclose(shift @ further, sinusoidal_shift(k + step, d, base), atol=1e-12)
    assert_allclose(sinusoidal_shift(-step, d, base), further.T, atol=1e-15)
    assert_array_equal(sinusoidal_shift(0, d, base), np.eye(d))
    blocks = np.kron(np.eye(pairs), np.ones((2, 2))) == 1
    assert (shift[~blocks] == 0).all()


@bases
@pytest.mark.parametrize("d", [2, 6])
def test_rotary_equals_a_loop_and_torch(d, base):
    X, positions = draw(2, 7, d), np.array([0, 5, -3, 2.5, 100, 1, 1])
    positions.setflags(write=False)
    for b in range(2):
        assert_allclose(rotary(X, base=base)[b], rotary_loop(X[b], range(7), base), atol=1e-13)
        turned = rotary(X, positions, base)
        assert_allclose(turned[b], rotary_loop(X[b], positions, base), atol=1e-13)
    assert_allclose(turned, rotary_by_torch(torch.tensor(X), positions, base), atol=1e-12)


def test_worked_rotary():
    quarter = math.pi / 2
    assert_array_equal(rotary([[3, 4]], [0]), [[3, 4]])
    assert_allclose(rotary([[3, 4], [3, 4]], [quarter, -quarter]), [[-4, 3], [4, -3]], atol=1e-14)
    # With base 16 and d = 4 the second pair turns a quarter as fast.
    turned = rotary([[1, 2, 3, 4]], [4 * quarter], base=16)
    assert_allclose(turned, [[1, 2, -4, 3]], atol=1e-14)
    turned = rotary([[1, 0], [1, 0], [0, 1]]).round(6)
    assert_array_equal(turned, [[1, 0], [0.540302, 0.841471], [-0.909297, -0.416147]])


def test_positions_broadcast():
    X = draw(2, 3, 5, 4)
    per_sequence = np.array([[[0, 1, 2, 3, 4]], [[7, 9, 11, 13, 15]]])
    turned = rotary(X, per_sequence)
    for b, h in np.ndindex(2, 3):
        assert_allclose(turned[b, h], rotary(X[b, h], per_sequence[b, 0]), atol=1e-15)
    assert_allclose(rotary(X, 3), rotary(X, [3] * 5), atol=1e-15)
    assert_allclose(rotary(X, [[[2]], [[4]]])[1], rotary(X[1], [4]), atol=1e-15)
    assert_allclose(rotary(X), rotary(X, np.arange(5)), atol=1e-15)
    assert rotary(np.zeros((0, 4))).shape == (0, 4)


@reproducible
@given(
    n=st.integers(1, 6),
    pairs=st.integers(1, 4),
    base=some_base,
    single=st.booleans(),
    magnitude=st.sampled_from([0, 1e-3, 1, 1e4]),
    seed=st.integers(0, 99),
)
def test_what_holds_for_all_turned_rows(n, pairs, base, single, magnitude, seed):
    dtype = np.float32 if single else np.float64
    X = (magnitude * draw(n, 2 * pairs, seed=seed)).astype(dtype)
    tolerance = (1e-5 if single else 1e-12) * max(magnitude, 1)
    there = draw(n, seed=seed + 1) * 9
    turned = rotary(X, there, base)
    assert turned.dtype == dtype and turned.shape == X.shape
    lengths = np.linalg.norm(X.astype(float), axis=1)
    assert_allclose(np.linalg.norm(turned.astype(float), axis=1), lengths, atol=tolerance)
    assert_array_equal(rotary(X, 0 * there, base), X)
    assert_allclose(rotary(turned, -there, base), X, atol=tolerance)
    assert_allclose(rotary(turned, 3, base), rotary(X, there + 3, base), atol=tolerance)
    assert_allclose(rotary(2 * X, there, base), 2 * turned, atol=tolerance)
    assert_allclose(rotary(X[::-1], there[::-1], base)[::-1], turned, atol=tolerance)


@reproducible
@given(pairs=st.integers(1, 4), base=some_base, moved=st.integers(-50, 50), seed=st.integers(0, 99))
def test_rotary_scores_depend_on_the_distance_only(pairs, base, moved, seed):
    Q, K = draw(3, 2 * pairs, seed=seed), draw(7, 2 * pairs, seed=seed + 1)
    there, here = np.array([4, 5, 6]), np.arange(7)
    scores = dot(rotary(Q, there, base), rotary(K, here, base))
    elsewhere = dot(rotary(Q, there + moved, base), rotary(K, here + moved, base))
    assert_allclose(elsewhere, scores, atol=1e-12)
    for i, j in np.ndindex(3, 7):
        turned = rotary(Q[i : i + 1], [there[i] - here[j]], base)
        assert_allclose(scores[i, j], (turned[0] * K[j]).sum(), atol=1e-12)


def test_repeated_rows_give_constant_diagonals():
    q, k = draw(1, 6), draw(1, 6, seed=1)
    scores = dot(rotary(np.tile(q, (7, 1))), rotary(np.tile(k, (7, 1))))
    for distance in range(-6, 7):
        assert np.ptp(scores.diagonal(distance)) < 1e-13
    assert_allclose(scores[0, 0], (q * k).sum(), atol=1e-14)
    assert abs(scores[0, 1] - scores[1, 0]) > 0.1


def test_a_cache_gives_later_rows_their_own_positions():
    Q, K, V = draw(7, 6), draw(7, 6, seed=1), draw(7, 11, seed=2)
    together, _ = attend(rotary(Q), rotary(K), V, mask=causal(7))
    cached = rotary(K[:4])
    assert_allclose(np.concatenate([cached, rotary(K[4:], [4, 5, 6])]), rotary(K), atol=1e-15)
    for t in range(4, 7):
        cached = np.concatenate([cached, rotary(K[t : t + 1], [t])])
        step, _ = attend(rotary(Q[t : t + 1], [t]), cached, V[: t + 1])
        assert_allclose(step[0], together[t], atol=1e-13)
    wrong, _ = attend(rotary(Q[6:]), cached, V)
    assert np.abs(wrong[0] - together[6]).max() > 1e-3


def test_halves_are_neighbours_in_another_order():
    """Also in the form of many programs, with the second half negated and put in front."""
    X, at = draw(2, 7, 6), np.arange(7) + 2.5
    order = [0, 2, 4, 1, 3, 5]
    halves = rotary(X[..., order], at, 100.0, "halves")
    assert_allclose(halves, rotary(X, at, 100.0)[..., order], atol=1e-14)
    assert_array_equal(rotary(X, at, 100.0, "neighbours"), rotary(X, at, 100.0))
    angles = np.tile(at[:, None] * 100.0 ** (-np.arange(0, 6, 2) / 6), 2)
    other = np.concatenate([-X[..., 3:], X[..., :3]], axis=-1)
    expected = X * np.cos(angles) + other * np.sin(angles)
    assert_allclose(rotary(X, at, 100.0, "halves"), expected, atol=1e-14)


def test_large_positions_neither_overflow_nor_lose_float32():
    X = draw(3, 4).astype(np.float32)
    far = np.array([1e4, 1e6, 1e7 + 1], np.float32)
    turned = rotary(X, far)
    assert turned.dtype == np.float32
    assert_allclose(turned, rotary_loop(X, far.tolist(), 10000.0), atol=1e-5)
    assert_allclose(np.abs(rotary(1e4 * X, far)).max(), np.abs(1e4 * turned).max(), rtol=1e-5)


@reproducible
@given(n=st.integers(1, 6), pairs=st.integers(1, 4), single=st.booleans(), seed=st.integers(0, 99))
def test_the_gradient_turns_back_what_rotary_turned(n, pairs, single, seed):
    dtype = np.float32 if single else np.float64
    X, d = (draw(n, 2 * pairs, seed=s).astype(dtype) for s in (seed, seed + 100))
    at = np.arange(3, n + 3, dtype=np.uint8)
    tolerance = 1e-5 if single else 1e-12
    back = rotary_vjp(rotary(X, at), at)
    assert back.dtype == dtype
    assert_allclose(back, X, atol=tolerance)
    assert_allclose(rotary_vjp(rotary(X)), X, atol=tolerance)
    assert_allclose((rotary_vjp(d, at) * X).sum(), (d * rotary(X, at)).sum(), atol=10 * tolerance)


@pytest.mark.parametrize("size", [(1, 1, 1), (3, 7, 2), (7, 7, 3), (1, 11, 8), (5, 7, 5)])
def test_linear_bias_equals_a_loop_and_torch(size):
    n_q, n_k, n_heads = size
    bias = linear_bias(n_q, n_k, n_heads)
    assert bias.shape == (n_heads, n_q, n_k)
    assert_allclose(bias, bias_loop(n_q, n_k, n_heads), rtol=1e-14)
    relative = torch.arange(n_k)[None] - torch.arange(n_k - n_q, n_k)[:, None]
    slopes = torch.logspace(-8 / n_heads, -8, n_heads, base=2, dtype=torch.float64)
    assert_allclose(bias, -slopes[:, None, None] * relative.abs(), rtol=1e-12)


def test_worked_linear_bias():
    assert_array_equal(
        linear_bias(2, 3, 2) * 256, [[[-16, 0, -16], [-32, -16, 0]], [[-1, 0, -1], [-2, -1, 0]]]
    )
    assert_array_equal(-linear_bias(1, 2, 8)[:, 0, 0], 0.5 ** np.arange(1, 9))
    assert not np.signbit(linear_bias(3, 3, 1)[0].diagonal()).any()


@reproducible
@given(n_q=st.integers(1, 6), more=st.integers(0, 6), n_heads=st.integers(1, 9))
def test_what_holds_for_every_linear_bias(n_q, more, n_heads):
    n_k = n_q + more
    bias = linear_bias(n_q, n_k, n_heads)
    assert (bias <= 0).all()
    assert_array_equal(bias == 0, np.broadcast_to(np.eye(n_q, n_k, more) == 1, bias.shape))
    assert_array_equal(bias, linear_bias(n_k, n_k, n_heads)[:, more:])
    assert (np.diff(bias, axis=0) >= 0).all()
    assert_allclose(np.abs(np.diff(bias[-1], axis=1)), 1 / 256, atol=1e-15)


def test_attention_with_linear_bias_equals_torch():
    Q, K, V = draw(2, 5, 3, 4), draw(2, 5, 7, 4, seed=1), draw(2, 5, 7, 11, seed=2)
    bias = linear_bias(3, 7, 5)
    output, _ = attend(Q, K, V, score=lambda Q, K: scaled_dot(Q, K) + bias)
    tensors = (torch.tensor(x) for x in (Q, K, V))
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, torch.tensor(bias))
    assert_allclose(output, expected, atol=1e-12)
    _, nearer = attend(0 * Q, K, V, score=lambda Q, K: scaled_dot(Q, K) + bias, mask=causal(3, 7))
    assert (np.diff(nearer[..., :5], axis=-1) > 0).all()


SINUSOIDS = [
    lambda d, base: sinusoidal(3, d, base),
    wavelengths,
    lambda d, base: sinusoidal_shift(1, d, base),
]


@pytest.mark.parametrize("f", SINUSOIDS, ids=["sinusoidal", "wavelengths", "sinusoidal_shift"])
def test_odd_lengths_and_bad_bases_are_refused(f):
    with pytest.raises(ValueError, match=r"d_model=5 is odd.*Give 6"):
        f(5, 10000)
    check_bases(lambda base: f(4, base))


def check_bases(f):
    for bad in (1, 1.0, 0, -10000, 0.999):
        with pytest.raises(ValueError, match=r"base=\S+ must be above 1.*10000"):
            f(bad)
    assert np.isfinite(f(1.001)).all()
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match=f"base={bad} is not finite"):
            f(bad)
    for bad in ("2", True, None, [2.0], 2j):
        with pytest.raises(TypeError, match="base must be one real number"):
            f(bad)


both_ways = pytest.mark.parametrize(
    ("turn", "name"), [(rotary, "X"), (rotary_vjp, "d_output")], ids=["rotary", "rotary_vjp"]
)


@both_ways
def test_rows_of_a_bad_shape_are_refused(turn, name):
    for bad, message in [
        ([1, 2], rf"{name} has shape \(2,\), expected \(\.\.\., n, d\)"),
        (1.0, rf"{name} has shape \(\)"),
        (np.ones((3, 0)), rf"{name} has shape \(3, 0\), so d"),
        (np.ones((2, 5)), rf"{name} has shape \(2, 5\).*odd"),
    ]:
        with pytest.raises(ValueError, match=message):
            turn(bad)


@both_ways
def test_bad_positions_and_bases_are_refused_by_name(turn, name):
    X = np.ones((2, 3, 4))
    for shape in [(2,), (4,), (2, 1, 3), (3, 3), (3, 1)]:
        at = ", ".join(map(str, shape))
        message = rf"positions has shape \({at},?\), but {name} has shape \(2, 3, 4\): give 3 pos"
        with pytest.raises(ValueError, match=message):
            turn(X, np.ones(shape))
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match=rf"positions of shape \(3,\) holds {bad} at index 1"):
            turn(X, [0, bad, 2])
    with pytest.raises(ValueError, match="positions is ragged"):
        turn(X, [[1, 2], [3]])
    for bad in ("a", [None], [1j], [True], {}):
        with pytest.raises(TypeError, match=r"positions holds .* only integers and floats"):
            turn(X, bad)
    check_bases(lambda base: turn(X, base=base))


@both_ways
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_too_large_are_refused(turn, name, dtype):
    most = np.full((1, 2), np.finfo(dtype).max)
    for position in (1.0, -1.0):
        with pytest.raises(ValueError, match=f"overflow.*{np.dtype(dtype)}.*[Ss]cale"):
            turn(most, [position])


def test_a_linear_bias_needs_as_many_keys():
    with pytest.raises(ValueError, match=r"n_q=5 is larger than n_k=3.*as many keys as queries"):
        linear_bias(5, 3, 2)


def test_wavelengths_too_large_are_refused():
    assert np.isfinite(wavelengths(4, 1.7e308)).all()
    with pytest.raises(ValueError, match="the result of wavelengths overflows float64"):
        wavelengths(4000, 1.7e308)
