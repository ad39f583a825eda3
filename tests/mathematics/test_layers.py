"""Layers of a block against loops, worked numbers, PyTorch, and what must always hold."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from torch.nn import functional

from attnlib import (
    FeedForward,
    GatedFeedForward,
    LayerNorm,
    RMSNorm,
    feed_forward,
    gated_feed_forward,
    gelu,
    layer_norm,
    relu,
    rms_norm,
    silu,
)
from tests.helpers.oracles import draw

reproducible = settings(max_examples=40, deadline=None, derandomize=True)
every_activation = pytest.mark.parametrize(
    "activation", [relu, gelu, silu], ids=lambda f: f.__name__
)
both_types = pytest.mark.parametrize("dtype", [np.float32, np.float64])
ones = np.ones


def network(d_model=3, d_ff=5, d_out=7, seed=0):
    """The matrices and biases of a feed-forward network, with all sizes different."""
    rng = np.random.default_rng(seed)
    shapes = (d_model, d_ff), (d_ff,), (d_ff, d_out), (d_out,)
    return tuple(rng.normal(size=shape) for shape in shapes)


def norm_loop(X, gain, bias, epsilon):
    """Normalise one row after the other, with nothing but Python numbers."""
    rows = []
    for x in X.tolist():
        mean = sum(x) / len(x)
        sigma = math.sqrt(sum((c - mean) ** 2 for c in x) / len(x) + epsilon)
        rows.append([g * (c - mean) / sigma + b for c, g, b in zip(x, gain, bias, strict=True)])
    return rows


def relu_loop(x):
    return x if x > 0 else 0.0


def gelu_loop(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def silu_loop(x):
    return x / (1 + math.exp(-x))


def network_loop(X, W_1, b_1, W_2, b_2, activation):
    """Send one row after the other through the network, one number at a time."""
    rows = []
    for x in X:
        hidden = [
            activation(b_1[j] + sum(x[i] * W_1[i, j] for i in range(len(x))))
            for j in range(len(b_1))
        ]
        rows.append(
            [b_2[j] + sum(h * W_2[i, j] for i, h in enumerate(hidden)) for j in range(len(b_2))]
        )
    return rows


@pytest.mark.parametrize("epsilon", [1e-5, 0.5])
def test_layer_norm_equals_a_loop_over_rows(epsilon):
    X, gain, bias = draw(3, 5), draw(5, seed=1), draw(5, seed=2)
    expected = norm_loop(X, gain, bias, epsilon)
    assert_allclose(layer_norm(X, gain, bias, epsilon), expected, atol=1e-14)
    assert_allclose(LayerNorm(gain, bias, epsilon)(X), expected, atol=1e-14)


def test_worked_layer_norm():
    """Mean 4; deviations -3, -1, 4 with mean square 26/3; 10/3 more makes sigma² = 12."""
    sigma = math.sqrt(12)
    row = [[1, 3, 8]]
    assert_allclose(layer_norm(row, epsilon=10 / 3), [[-3 / sigma, -1 / sigma, 4 / sigma]])
    result = layer_norm(row, [sigma, -sigma, 2 * sigma], [10, 20, 30], 10 / 3)
    assert_allclose(result, [[7, 21, 38]], rtol=1e-15)
    assert_allclose(layer_norm(row, gain=[sigma] * 3, epsilon=10 / 3), [[-3, -1, 4]], rtol=1e-15)
    assert_allclose(layer_norm([[2, 2]], bias=[3, 4]), [[3, 4]], rtol=0)


def test_rms_norm_equals_a_loop_over_rows():
    X, gain = draw(3, 5), draw(5, seed=1)
    roots = [math.sqrt(sum(c * c for c in x) / 5 + 0.5) for x in X.tolist()]
    expected = [[g * c / r for c, g in zip(x, gain)] for x, r in zip(X.tolist(), roots)]
    assert_allclose(rms_norm(X, gain, 0.5), expected, atol=1e-14)
    assert_allclose(RMSNorm(gain, 0.5)(X), expected, atol=1e-14)


def test_worked_rms_norm():
    """Mean square 25; 11 more makes the root 6."""
    assert_allclose(rms_norm([[1, 7]], [12, 6], 11), [[2, 7]], rtol=1e-15)
    assert_array_equal(rms_norm([[0, 0]]), [[0, 0]])
    assert_array_equal(RMSNorm.initial(2).gain, [1, 1])
    assert RMSNorm([1]).epsilon == 1e-5


@pytest.mark.parametrize("batch", [(), (2,), (2, 11)])
@pytest.mark.parametrize("epsilon", [1e-5, 1e-12, 2.0])
def test_rms_norm_equals_torch(batch, epsilon):
    X, gain = 3 * draw(*batch, 3, 5) + 2, draw(5, seed=1)
    x, g, norm = torch.tensor(X), torch.tensor(gain), functional.rms_norm
    assert_allclose(rms_norm(X, gain, epsilon), norm(x, (5,), g, epsilon), atol=1e-12)
    assert_allclose(rms_norm(X, epsilon=epsilon), norm(x, (5,), eps=epsilon), atol=1e-12)
    assert_allclose(RMSNorm(gain)(X), norm(x, (5,), g, 1e-5), atol=1e-12)


@reproducible
@given(n=st.integers(1, 5), d=st.integers(1, 7), power=st.integers(-3, 4), seed=st.integers(0, 99))
def test_what_holds_for_every_row_of_mean_square_1(n, d, power, seed):
    X = 10.0**power * draw(n, d, seed=seed)
    Y, square = rms_norm(X), (X**2).mean(axis=-1)
    assert_allclose((Y**2).mean(axis=-1), square / (square + 1e-5), rtol=1e-9)
    assert_allclose(rms_norm(-3 * X, epsilon=9e-5), -Y, atol=1e-11)
    centred = X - X.mean(axis=-1, keepdims=True)
    assert_allclose(rms_norm(centred), layer_norm(X), atol=1e-11)


@both_types
def test_mean_squares_too_large_are_refused(dtype):
    most, name = np.finfo(dtype).max, np.dtype(dtype).name
    assert_allclose(rms_norm(np.array([[1e18, -1e18]], dtype)), [[1, -1]], rtol=1e-6)
    for row in ([most, -most], [most**0.6, 0]):
        with pytest.raises(
            ValueError, match=rf"mean square of X, shape \(1, 2\), overflows {name}"
        ):
            rms_norm(np.array([row], dtype))
    for function in (layer_norm, rms_norm):
        with pytest.raises(ValueError, match=r"epsilon=1e-300 .*float32"):
            function(np.ones((1, 2), np.float32), epsilon=1e-300)
    with pytest.raises(ValueError, match=r"epsilon=0\.0 must be above 0"):
        RMSNorm([1], 0)


@pytest.mark.parametrize("batch", [(), (2,), (2, 11)])
@pytest.mark.parametrize("epsilon", [1e-5, 1e-12, 2.0])
def test_layer_norm_equals_torch(batch, epsilon):
    X, gain, bias = 3 * draw(*batch, 3, 5) + 2, draw(5, seed=1), draw(5, seed=2)
    x, g, b = torch.tensor(X), torch.tensor(gain), torch.tensor(bias)
    norm = functional.layer_norm
    assert_allclose(layer_norm(X, gain, bias, epsilon), norm(x, (5,), g, b, epsilon), atol=1e-12)
    assert_allclose(layer_norm(X, epsilon=epsilon), norm(x, (5,), eps=epsilon), atol=1e-12)
    assert_allclose(layer_norm(X, gain), norm(x, (5,), g), atol=1e-12)
    assert_allclose(layer_norm(X, bias=bias), norm(x, (5,), None, b), atol=1e-12)
    assert_allclose(LayerNorm(gain, bias)(X), norm(x, (5,), g, b), atol=1e-12)
    assert_array_equal(LayerNorm.initial(5)(X), layer_norm(X))


@reproducible
@given(
    n=st.integers(0, 5),
    d=st.integers(2, 7),
    power=st.integers(-3, 4),
    seed=st.integers(0, 99),
)
def test_what_holds_for_every_normalised_row(n, d, power, seed):
    X, order = 10.0**power * draw(n, d, seed=seed), np.random.default_rng(seed).permutation(d)
    Y = layer_norm(X)
    assert Y.shape == (n, d)
    assert_allclose(Y.mean(axis=-1), 0, atol=1e-12)
    assert_allclose((Y**2).mean(axis=-1), X.var(axis=-1) / (X.var(axis=-1) + 1e-5), rtol=1e-9)
    assert (np.abs(Y) <= math.sqrt(d - 1) * (1 + 1e-12)).all()
    assert_allclose(layer_norm(X + 10.0**power), Y, atol=1e-11)
    assert_allclose(layer_norm(-3 * X, epsilon=9e-5), -Y, atol=1e-11)
    assert_allclose(layer_norm(X[:, order]), Y[:, order], atol=1e-11)
    assert_array_equal(layer_norm(X[::-1]), Y[::-1])
    if n:
        assert_array_equal(layer_norm(X[:1]), Y[:1])


@both_types
def test_constant_rows_become_zero(dtype):
    for value in (0, 1, -1e4, 1e4 / 3, 12345.678, -7777.77):
        for d in (1, 3, 5, 7, 64, 100):
            X = np.full((2, d), value, dtype)
            assert_allclose(layer_norm(X), 0, atol=1e-6)
            assert_allclose(layer_norm(X, bias=np.full(d, 7, dtype)), 7, atol=1e-6)


@both_types
def test_large_rows_neither_overflow_nor_warn(dtype):
    X = np.array([[1e4, -1e4], [1e4, 1e4], [1e4 + 1, 1e4 - 1], [1e18, -1e18]], dtype)
    expected = [[1, -1], [0, 0], [1, -1], [1, -1]]
    assert layer_norm(X).dtype == dtype
    assert_allclose(layer_norm(X), expected, atol=1e-5)


@both_types
def test_variances_and_results_too_large_are_refused(dtype):
    most, name = np.finfo(dtype).max, np.dtype(dtype).name
    for row in ([most, -most], [most, 0], [most**0.6, 0]):
        with pytest.raises(ValueError, match=rf"variance of X, shape \(1, 2\), overflows {name}\."):
            layer_norm(np.array([row], dtype))
    row = np.array([[1, 3]], dtype)
    for options in (
        {"gain": [most, most], "bias": [most, most]},
        {"gain": [1, most], "bias": [0, most]},
    ):
        options = {key: np.array(x, dtype) for key, x in options.items()}
        with pytest.raises(ValueError, match=rf"overflows {name}\. Scale"):
            layer_norm(row, **options)
        with pytest.raises(ValueError, match=rf"overflows {name}\. Scale"):
            LayerNorm(**options)(row)


def test_an_epsilon_too_small_for_float32_is_refused():
    assert_array_equal(layer_norm([[2, 2]], epsilon=1e-300), [[0, 0]])
    with pytest.raises(ValueError, match=r"epsilon=1e-300 .*float32"):
        layer_norm(np.ones((1, 2), np.float32), epsilon=1e-300)


def test_epsilon_becomes_a_python_float():
    norm = LayerNorm(ones(2, np.float32), ones(2, np.float32), np.float64(0.25))
    assert type(norm.epsilon) is float and norm.epsilon == 0.25
    assert LayerNorm([1], [0]).epsilon == LayerNorm.initial(3).epsilon == 1e-5
    assert norm(ones((1, 2), np.float32)).dtype == np.float32
    assert layer_norm(ones((1, 2), np.float32), epsilon=np.float64(0.25)).dtype == np.float32


@every_activation
def test_activations_equal_loops_and_torch(activation):
    X = 3 * draw(2, 3, 5)
    loop = {relu: relu_loop, gelu: gelu_loop, silu: silu_loop}[activation]
    for index in np.ndindex(X.shape):
        assert math.isclose(activation(X)[index], loop(X[index]), rel_tol=1e-12, abs_tol=1e-15)
    expected = getattr(functional, activation.__name__)(torch.tensor(X))
    assert_allclose(activation(X), expected, atol=1e-12)


def test_worked_activations():
    assert_array_equal(relu([[-2, 0], [0.5, 3]]), [[0, 0], [0.5, 3]])
    phi = 0.8413447460685429  # the chance that a standard normal number lies below 1
    assert_allclose(gelu([1, -1, 0]), [phi, phi - 1, 0], rtol=1e-14)
    assert_allclose(gelu([2]), [2 * 0.9772498680518208], rtol=1e-14)
    log3 = math.log(3)  # the sigmoid of it is 3/4
    assert_allclose(silu([log3, -log3, 0]), [0.75 * log3, -0.25 * log3, 0], rtol=1e-14)


@both_types
def test_activations_far_from_zero(dtype):
    far = np.array([1e4, -1e4, 40, -40, np.finfo(dtype).max, -np.finfo(dtype).max], dtype)
    for activation, near in ((relu, 1e-200), (gelu, 1e-200), (silu, 1e-15)):
        assert activation(far).dtype == dtype
        assert_allclose(activation(far), np.where(far > 0, far, 0), atol=near)
    tail = gelu(np.array([-8, -5], dtype))
    assert_allclose(tail, [-8 * 6.22096057427178e-16, -5 * 2.866515718791939e-07], rtol=1e-5)


@every_activation
@reproducible
@given(x=st.floats(-1e4, 1e4), y=st.floats(-1e4, 1e4))
def test_what_holds_for_every_activation(activation, x, y):
    at_x, at_y, mirrored = activation([x, y, -x]).tolist()
    assert math.isclose(at_x - mirrored, x, rel_tol=1e-12, abs_tol=1e-15)
    assert min(x, 0) <= at_x <= max(x, 0)
    assert relu([x])[0] - 0.28 <= at_x <= relu([x])[0]
    assert activation is silu or relu([x])[0] - 0.17 <= at_x
    if 0 <= x <= y:
        assert at_x <= at_y


by_name = pytest.mark.parametrize(
    ("name", "activation"), [("relu", relu_loop), ("gelu", gelu_loop), ("silu", silu_loop)]
)


@by_name
def test_feed_forward_equals_a_loop(name, activation):
    X, arrays = draw(11, 3, seed=1), network()
    expected = network_loop(X, *arrays, activation)
    assert_allclose(feed_forward(X, *arrays, name), expected, atol=1e-13)
    assert_allclose(FeedForward(*arrays, name)(X), expected, atol=1e-13)
    if name == "relu":
        assert_array_equal(feed_forward(X, *arrays), feed_forward(X, *arrays, "relu"))
        assert_array_equal(FeedForward(*arrays)(X), feed_forward(X, *arrays, "relu"))


def test_worked_feed_forward():
    """Hidden: 3 - 4 + 0.5 < 0, 2·3 + 4 - 1 = 9, 4·4 + 0 = 16; the first is cut off."""
    W_1, b_1 = [[1, 2, 0], [-1, 1, 4]], [0.5, -1, 0]
    W_2, b_2 = [[100, 100], [1, 0], [0.5, 10]], [0, 1000]
    assert_array_equal(feed_forward([[3, 4]], W_1, b_1, W_2, b_2), [[17, 1160]])


@by_name
def test_gated_feed_forward_equals_a_loop_and_torch(name, activation):
    X, W_gate, W_1, W_2 = draw(2, 4, 3), draw(3, 5, seed=1), draw(3, 5, seed=2), draw(5, 7, seed=3)
    result = gated_feed_forward(X, W_gate, W_1, W_2, name)
    for b, i, j in np.ndindex(2, 4, 7):
        units = [
            activation(sum(x * w for x, w in zip(X[b, i], gate)))
            * sum(x * w for x, w in zip(X[b, i], unit))
            for gate, unit in zip(W_gate.T, W_1.T)
        ]
        assert math.isclose(
            result[b, i, j], sum(h * w for h, w in zip(units, W_2[:, j])), abs_tol=1e-12
        )
    x, gate, one, two = (torch.tensor(a) for a in (X, W_gate, W_1, W_2))
    expected = getattr(functional, name)(x @ gate) * (x @ one) @ two
    assert_allclose(result, expected, atol=1e-12)
    assert_array_equal(GatedFeedForward(W_gate, W_1, W_2, name)(X), result)
    if name == "silu":
        assert_array_equal(GatedFeedForward(W_gate, W_1, W_2)(X), result)
        assert_array_equal(gated_feed_forward(X, W_gate, W_1, W_2), result)


def test_worked_gated_feed_forward():
    """Gates relu(3 - 4) = 0 and relu(2·3) = 6, units 3 + 4 and 4: 6 · 4 = 24 goes out."""
    W_gate, W_1, W_2 = [[1, 2], [-1, 0]], [[1, 0], [1, 1]], [[100], [10]]
    assert_array_equal(gated_feed_forward([[3, 4]], W_gate, W_1, W_2, "relu"), [[240]])


def test_a_drawn_gated_network_has_as_many_numbers():
    drawn = GatedFeedForward.random(np.random.default_rng(0), 30)
    assert drawn.W_gate.shape == drawn.W_1.shape == (30, 80) and drawn.W_2.shape == (80, 30)
    assert drawn.parameter_count == 2 * 30 * 120 and drawn.activation == "silu"
    assert abs(drawn.W_gate.var() * 30 - 1) < 0.1 and abs(drawn.W_1.var() * 30 - 1) < 0.1
    assert abs(drawn.W_2.var() * 80 - 1) < 0.1 and not (drawn.W_gate == drawn.W_1).any()
    assert GatedFeedForward.random(np.random.default_rng(0), 3, 5).W_2.shape == (5, 3)


@pytest.mark.parametrize("name", ["relu", "gelu", "silu"])
@pytest.mark.parametrize("batch", [(), (2,), (2, 13)])
def test_feed_forward_equals_torch(name, batch):
    X, arrays = draw(*batch, 11, 3, seed=1), network()
    W_1, b_1, W_2, b_2 = (torch.tensor(x) for x in arrays)
    hidden = getattr(functional, name)(functional.linear(torch.tensor(X), W_1.T, b_1))
    expected = functional.linear(hidden, W_2.T, b_2)
    assert feed_forward(X, *arrays, name).shape == (*batch, 11, 7)
    assert_allclose(feed_forward(X, *arrays, name), expected, atol=1e-12)


def test_results_of_networks_too_large_are_refused():
    for W_1, W_2 in [([[1e200]], [[1]]), ([[1]], [[1e200]])]:
        for function in (feed_forward, lambda X, *arrays: FeedForward(*arrays)(X)):
            with pytest.raises(ValueError, match=r"overflows float64.*Scale"):
                function([[1e200]], W_1, [0], W_2, [0])
