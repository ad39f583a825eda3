"""Gradients of norm and network against loops, worked numbers, PyTorch, and what must hold."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import feed_forward, layer_norm
from attnlib.gradients import feed_forward_vjp, finite_difference, layer_norm_vjp
from tests.helpers.oracles import draw, gradients_by_torch

activations = pytest.mark.parametrize("activation", ["relu", "gelu"])
reproducible = settings(max_examples=40, deadline=None, derandomize=True)
batch_sizes = st.lists(st.integers(1, 3), max_size=2).map(tuple)
NETWORK = ["X", "W_1", "b_1", "W_2", "b_2"]


def draw_network(batch=(), n=3, d_model=5, d_ff=7, d_out=11, seed=0):
    """The derivatives of the outputs, then X, W_1, b_1, W_2, b_2."""
    rng = np.random.default_rng(seed)
    shapes = [(*batch, n, d_out), (*batch, n, d_model)]
    shapes += [(d_model, d_ff), (d_ff,), (d_ff, d_out), (d_out,)]
    return [rng.normal(size=shape) for shape in shapes]


def assert_same(found, expected, atol):
    for d, correct in zip(found, expected, strict=True):
        assert d.shape == correct.shape
        assert_allclose(d, correct, atol=atol)


def norm_loop(d_output, X, gain, epsilon):
    """Go back through one row after the other by its Jacobian, with nothing but Python numbers."""
    n = len(gain)
    d_X, d_gain, d_bias = [], [0] * n, [0] * n
    for d_y, x in zip(d_output.tolist(), X.tolist(), strict=True):
        mu = sum(x) / n
        sigma = math.sqrt(sum((a - mu) ** 2 for a in x) / n + epsilon)
        z = [(a - mu) / sigma for a in x]
        d_x = [0] * n
        for a in range(n):
            d_gain[a] += d_y[a] * z[a]
            d_bias[a] += d_y[a]
            for c in range(n):
                slope = ((a == c) - 1 / n - z[a] * z[c] / n) / sigma
                d_x[c] += gain[a] * d_y[a] * slope
        d_X.append(d_x)
    return np.array(d_X), np.array(d_gain), np.array(d_bias)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-5, 0.7])
def test_norm_equals_a_loop_over_rows_and_torch_and_finite_differences(epsilon):
    d_output, X, gain, bias = draw(3, 5), draw(3, 5, seed=1), draw(5, seed=2), draw(5, seed=3)
    found = layer_norm_vjp(d_output, X, gain, bias, epsilon)
    assert_same(found, norm_loop(d_output, X, gain, epsilon), 1e-13)
    norm = torch.nn.functional.layer_norm
    expected = gradients_by_torch(lambda X, *p: norm(X, (5,), *p, epsilon), d_output, X, gain, bias)
    assert_same(found, expected, 1e-10)
    arrays = [X, gain, bias]
    for position, d in enumerate(found):

        def loss(x, position=position):
            changed = [*arrays[:position], x, *arrays[position + 1 :]]
            return (d_output * layer_norm(*changed, epsilon)).sum()

        assert_allclose(d, finite_difference(loss, arrays[position]), atol=1e-7)


def test_norm_without_gain_or_bias_is_as_with_ones_and_zeros():
    d_output, X, gain, bias = draw(2, 3, 5), draw(2, 3, 5, seed=1), draw(5, seed=2), draw(5, seed=3)
    for given_gain in (None, gain):
        for given_bias in (None, bias):
            full = np.ones(5) if given_gain is None else gain
            found = layer_norm_vjp(d_output, X, given_gain, given_bias)
            assert_same(found, layer_norm_vjp(d_output, X, full, np.zeros(5), 1e-5), 1e-14)
    expected = gradients_by_torch(lambda X: torch.nn.functional.layer_norm(X, (5,)), d_output, X)
    assert_same(layer_norm_vjp(d_output, X)[:1], expected, 1e-10)


def test_worked_norm():
    """Variance 1 and epsilon 3, so sigma is 2 and z is ∓1/2; dz 1, 0 has mean 1/2, z dz −1/4."""
    d_X, d_gain, d_bias = layer_norm_vjp([[1, 0]], [[6, 8]], epsilon=3)
    assert_array_equal(d_X, [[0.1875, -0.1875]])
    assert_array_equal(d_gain, [-0.5, 0])
    assert_array_equal(d_bias, [1, 0])
    d_X, d_gain, d_bias = layer_norm_vjp([[1, 0], [1, 5]], [[6, 8], [1, -1]], [2, 0], [9, 9], 3)
    assert_array_equal(d_X, [[0.375, -0.375], [0.375, -0.375]])
    assert_array_equal(d_gain, [0, -2.5])
    assert_array_equal(d_bias, [2, 5])
    d_X, _, _ = layer_norm_vjp([[3, 0, 0]], [[4, 4, 4]], epsilon=0.25)
    assert_array_equal(d_X, [[4, -2, -2]])


@reproducible
@given(
    batch=batch_sizes,
    n=st.integers(1, 4),
    d=st.integers(1, 6),
    size=st.sampled_from([1e-4, 1, 1e4]),
    epsilon=st.sampled_from([1e-5, 0.5]),
    seed=st.integers(0, 99),
)
def test_what_holds_for_all_norms(batch, n, d, size, epsilon, seed):
    X, d_output = size * draw(*batch, n, d, seed=seed), draw(*batch, n, d, seed=seed + 1)
    gain = draw(d, seed=seed + 2)
    d_X, d_gain, d_bias = layer_norm_vjp(d_output, X, gain, epsilon=epsilon)
    assert d_X.shape == X.shape and d_gain.shape == d_bias.shape == (d,)
    Z = layer_norm(X, epsilon=epsilon)
    sigma = np.sqrt(X.var(axis=-1) + epsilon)
    # A shifted row gives the same output, and a stretched one too but for epsilon.
    assert_allclose(d_X.sum(axis=-1), 0, atol=1e-10 / sigma.min())
    stretched = (Z * gain * d_output).sum(axis=-1) * epsilon / sigma**3
    assert_allclose((Z * d_X).sum(axis=-1), stretched, rtol=1e-8, atol=1e-11 / sigma.min())
    shifted, *_ = layer_norm_vjp(d_output, X + size, gain, epsilon=epsilon)
    assert_allclose(shifted, d_X, rtol=1e-7, atol=1e-8 / sigma.min())
    rows = d_output.reshape(-1, d), X.reshape(-1, d)
    alone = [layer_norm_vjp(a[None], x[None], gain, epsilon=epsilon) for a, x in zip(*rows)]
    assert_allclose(d_X.reshape(-1, d), [a[0][0] for a in alone], rtol=1e-10, atol=1e-12)
    assert_allclose(d_gain, sum(a[1] for a in alone), atol=1e-11)
    assert_allclose(d_bias, d_output.reshape(-1, d).sum(axis=0), atol=1e-12)
    order = np.random.default_rng(seed).permutation(d)
    permuted = layer_norm_vjp(d_output[..., order], X[..., order], gain[order], epsilon=epsilon)
    assert_same(permuted, (d_X[..., order], d_gain[order], d_bias[order]), 1e-9 / sigma.min())


def slope_loop(z, activation):
    if activation == "relu":
        return 1 if z > 0 else 0
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return (1 + math.erf(z / math.sqrt(2))) / 2 + z * density


def network_loop(d_output, X, W_1, b_1, W_2, b_2, activation):
    d_X, d_W_1, d_b_1, d_W_2, d_b_2 = (np.zeros(x.shape) for x in (X, W_1, b_1, W_2, b_2))
    for d_y, x, d_x in zip(d_output, X, d_X, strict=True):
        d_b_2 += d_y
        for a in range(len(b_1)):
            z = sum(x[c] * W_1[c, a] for c in range(len(x))) + b_1[a]
            h = max(z, 0) if activation == "relu" else z * (1 + math.erf(z / math.sqrt(2))) / 2
            d_h = 0
            for o in range(len(b_2)):
                d_W_2[a, o] += h * d_y[o]
                d_h += d_y[o] * W_2[a, o]
            d_z = d_h * slope_loop(z, activation)
            d_b_1[a] += d_z
            for c in range(len(x)):
                d_W_1[c, a] += x[c] * d_z
                d_x[c] += d_z * W_1[c, a]
    return d_X, d_W_1, d_b_1, d_W_2, d_b_2


@activations
def test_network_equals_a_loop_and_finite_differences(activation):
    d_output, *arrays = draw_network()
    found = feed_forward_vjp(d_output, *arrays, activation)
    assert_same(found, network_loop(d_output, *arrays, activation), 1e-12)
    for position, d in enumerate(found):

        def loss(x, position=position):
            changed = [*arrays[:position], x, *arrays[position + 1 :]]
            return (d_output * feed_forward(*changed, activation)).sum()

        assert_allclose(d, finite_difference(loss, arrays[position]), atol=1e-6)


@activations
@pytest.mark.parametrize("batch", [(), (2,), (2, 13)])
def test_network_equals_torch(activation, batch):
    d_output, *arrays = draw_network(batch)
    activate = getattr(torch.nn.functional, activation)

    def network(X, W_1, b_1, W_2, b_2):
        return activate(X @ W_1 + b_1) @ W_2 + b_2

    expected = gradients_by_torch(network, d_output, *arrays)
    assert_same(feed_forward_vjp(d_output, *arrays, activation), expected, 1e-10)


def slope_at(z, activation):
    """The slope of the activation alone, through a network that does nothing else."""
    return feed_forward_vjp([[1]], [[z]], [[1]], [0], [[1]], [0], activation)[0].item()


def test_worked_slopes():
    assert [slope_at(z, "relu") for z in (-2, -1e-300, 0, 1e-300, 2)] == [0, 0, 0, 1, 1]
    assert round(slope_at(0, "gelu"), 12) == 0.5
    assert round(slope_at(1, "gelu"), 6) == round(0.8413447 + 0.2419707, 6)
    assert round(slope_at(-1, "gelu"), 6) == round(0.1586553 - 0.2419707, 6)
    assert slope_at(40, "gelu") == 1 and slope_at(-40, "gelu") == 0


def test_worked_network():
    """Three units, of which the first is cut off; Z is (−1, 4, 1), H is (0, 4, 1)."""
    X, W_1, b_1 = [[1, 2]], [[1, 0, 3], [-1, 2, -1]], [0, 0, 0]
    W_2, b_2 = [[1, 1], [2, 3], [5, 7]], [100, 200]
    assert_array_equal(feed_forward(X, W_1, b_1, W_2, b_2), [[113, 219]])
    d_X, d_W_1, d_b_1, d_W_2, d_b_2 = feed_forward_vjp([[1, 10]], X, W_1, b_1, W_2, b_2)
    # dH = (11, 32, 75), and dZ the same without the first.
    assert_array_equal(d_X, [[225, -11]])
    assert_array_equal(d_W_1, [[0, 32, 75], [0, 64, 150]])
    assert_array_equal(d_b_1, [0, 32, 75])
    assert_array_equal(d_W_2, [[0, 0], [4, 40], [1, 10]])
    assert_array_equal(d_b_2, [1, 10])


@activations
@reproducible
@given(batch=batch_sizes, n=st.integers(0, 4), sizes=st.tuples(*[st.integers(1, 5)] * 3))
def test_what_holds_for_all_networks(activation, batch, n, sizes):
    d_output, *arrays = draw_network(batch, n, *sizes)
    X, _, _, W_2, b_2 = arrays
    found = feed_forward_vjp(d_output, *arrays, activation)
    for d, x in zip(found, arrays, strict=True):
        assert d.shape == x.shape
    more = feed_forward_vjp(-3 * d_output, *arrays, activation)
    assert_same(more, [-3 * d for d in found], 1e-11)
    output = feed_forward(*arrays, activation)
    assert_allclose((found[3] * W_2).sum(), (d_output * (output - b_2)).sum(), atol=1e-10)
    flat = feed_forward_vjp(
        d_output.reshape(-1, sizes[2]), X.reshape(-1, sizes[0]), *arrays[1:], activation
    )
    assert_same([found[0].reshape(-1, sizes[0]), *found[1:]], flat, 1e-11)


def test_number_types_and_arguments_that_are_not_changed():
    norm_arguments = [draw(2, 3, 5), draw(2, 3, 5, seed=1), draw(5, seed=2), draw(5, seed=3)]
    cases = [
        (layer_norm_vjp, norm_arguments, [np.float64(1e-5)]),
        (layer_norm_vjp, norm_arguments[:2], []),
        (feed_forward_vjp, draw_network((2,)), ["relu"]),
        (feed_forward_vjp, draw_network((2,)), ["gelu"]),
    ]
    for vjp, arrays, options in cases:
        single = [x.astype(np.float32) for x in arrays]
        for x in (*arrays, *single):
            x.setflags(write=False)
        high, low = vjp(*arrays, *options), vjp(*single, *options)
        for a, b in zip(low, high, strict=True):
            assert a.dtype == np.float32 and b.dtype == np.float64
            assert_allclose(a, b, atol=1e-4)
        whole = [np.sign(x).astype(np.int8) for x in arrays]
        for a, b in zip(vjp(*whole, *options), vjp(*(x.tolist() for x in whole), *options)):
            assert a.dtype == b.dtype == np.float64
            assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_numbers_neither_overflow_nor_warn(dtype):
    X = (1e4 * np.sign(draw(3, 5))).astype(dtype)
    d = draw(3, 5, seed=1).astype(dtype)
    constant = np.full((3, 5), 1e4, dtype)
    for rows in (X, constant):
        for found in layer_norm_vjp(d, rows):
            assert found.dtype == dtype and np.isfinite(found).all()
    one, zero = np.eye(5, dtype=dtype), np.zeros(5, dtype)
    for size in (1, 1e4, 1e20):
        for activation in ("relu", "gelu"):
            d_X, *_ = feed_forward_vjp(d, dtype(size) * X, one, zero, one, zero, activation)
            assert d_X.dtype == dtype
            assert_array_equal(d_X, np.where(X > 0, d, 0))


ones = np.ones


def test_an_epsilon_that_vanishes_in_float32_is_refused_by_name():
    constant = ones((1, 3), np.float32)
    with pytest.raises(ValueError, match="epsilon"):
        layer_norm_vjp(constant, constant, epsilon=1e-50)


def test_unknown_activations_are_refused():
    for bad in ("tanh", "ReLU", "", None, 1, np.tanh, ["relu"]):
        with pytest.raises(ValueError, match=r'activation=.* is unknown. Choose "relu" or "gelu"'):
            feed_forward_vjp(*draw_network(), bad)


@pytest.mark.parametrize("vjp", [layer_norm_vjp, feed_forward_vjp])
def test_bad_numbers_and_types_are_refused_by_name(vjp):
    names = ["d_output", *(["X", "gain", "bias"] if vjp is layer_norm_vjp else NETWORK)]
    good = [ones(1) if name[0] in "gb" else ones((1, 1)) for name in names]
    for position, name in enumerate(names):

        def replace(bad, position=position):
            return [*good[:position], bad, *good[position + 1 :]]

        for bad in (np.nan, np.inf, -np.inf):
            with pytest.raises(ValueError, match=rf"^{name} of shape .* holds {bad} at index"):
                vjp(*replace(np.full(good[position].shape, bad)))
        for bad in ([["a"]], [1j], [[True]], "text"):
            with pytest.raises(TypeError, match=rf"^{name} holds .* only integers and floats"):
                vjp(*replace(bad))
        if name not in ("gain", "bias"):
            with pytest.raises(TypeError, match=rf"^{name} holds object"):
                vjp(*replace(None))
    for bad in (None, "1", True, [1e-5]):
        with pytest.raises(TypeError, match="epsilon must be one real number"):
            layer_norm_vjp([[1]], [[1]], epsilon=bad)
