"""Gradients of attention against loops, a worked example, PyTorch, and what must always hold."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import scaled_dot_product_attention
from attnlib.examples import two_queries
from attnlib.gradients import (
    attention_vjp,
    finite_difference,
    output_query_jacobian,
    weighted_sum_vjp,
)
from tests.helpers.oracles import draw, draw_mask, gradients_by_torch

reproducible = settings(max_examples=40, deadline=None, derandomize=True)
batches = pytest.mark.parametrize(
    ("batch_q", "batch_k"),
    [
        ((), ()),
        ((2,), (2,)),
        ((2, 1), (13,)),
        ((), (2,)),
        ((11,), ()),
        ((1,), (4,)),
        ((2, 3), (1,)),
    ],
)


def draw_attention(batch_q=(), batch_k=(), batch_v=(), n_q=3, n_k=7, d_k=5, d_v=11, seed=0):
    """The derivatives of the outputs, then Q, K, V."""
    rng = np.random.default_rng(seed)
    batch = np.broadcast_shapes(batch_q, batch_k, batch_v)
    shapes = [(*batch, n_q, d_v), (*batch_q, n_q, d_k), (*batch_k, n_k, d_k), (*batch_v, n_k, d_v)]
    return [rng.normal(size=shape) for shape in shapes]


def attention_by_torch(d_output, Q, K, V, mask=None, scale=None):
    mask = None if mask is None else torch.tensor(mask)
    attention = torch.nn.functional.scaled_dot_product_attention
    return gradients_by_torch(
        lambda *qkv: attention(*qkv, attn_mask=mask, scale=scale), d_output, Q, K, V
    )


def attention_loop(d_output, Q, K, V, mask, scale):
    """Go back one query after the other, with nothing but Python numbers."""
    d_Q, d_K, d_V = (np.zeros(x.shape).tolist() for x in (Q, K, V))
    for i, q in enumerate(Q.tolist()):
        powers = [
            math.exp(scale * sum(a * b for a, b in zip(q, k, strict=True))) if mask[i][j] else 0
            for j, k in enumerate(K.tolist())
        ]
        w = [p / sum(powers) for p in powers]
        d_w = [sum(d * v for d, v in zip(d_output[i], row, strict=True)) for row in V]
        D = sum(a * b for a, b in zip(w, d_w, strict=True))
        for j in range(len(w)):
            for c, d in enumerate(d_output[i]):
                d_V[j][c] += w[j] * d
            d_s = w[j] * (d_w[j] - D)
            for c in range(len(q)):
                d_Q[i][c] += scale * d_s * K[j, c]
                d_K[j][c] += scale * d_s * q[c]
    return d_Q, d_K, d_V


def assert_same(found, expected, arrays, atol):
    for d, correct, x in zip(found, expected, arrays, strict=True):
        assert d.shape == x.shape
        assert_allclose(d, correct, atol=atol)


def test_weighted_sum_worked():
    d_weights, d_V = weighted_sum_vjp([[1, 2], [10, 20]], [[1, 0, 3], [0, 4, 5]], np.eye(3)[:, :2])
    assert_array_equal(d_weights, [[1, 2, 0], [10, 20, 0]])
    assert_array_equal(d_V, [[1, 2], [40, 80], [53, 106]])


@batches
def test_weighted_sum_equals_torch_with_broadcast_batches(batch_q, batch_k):
    batch = np.broadcast_shapes(batch_q, batch_k)
    d, W, V = draw(*batch, 3, 11), draw(*batch_q, 3, 7, seed=1), draw(*batch_k, 7, 11, seed=2)
    assert_same(weighted_sum_vjp(d, W, V), gradients_by_torch(torch.matmul, d, W, V), (W, V), 1e-10)


@pytest.mark.parametrize("scale", [None, 1.0, 0.2, -0.3])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_a_loop_over_queries_and_torch_and_differences(masked, scale):
    d_output, *qkv = draw_attention()
    mask = draw_mask(3, 7) if masked else np.ones((3, 7), bool)
    found = attention_vjp(d_output, *qkv, mask=mask if masked else None, scale=scale)
    expected = attention_loop(d_output, *qkv, mask, 5**-0.5 if scale is None else scale)
    assert_same(found, expected, qkv, 1e-13)
    assert_same(found, attention_by_torch(d_output, *qkv, mask, scale), qkv, 1e-10)
    for position, d in enumerate(found):

        def loss(x, position=position):
            changed = [*qkv[:position], x, *qkv[position + 1 :]]
            output, _ = scaled_dot_product_attention(*changed, mask=mask, scale=scale)
            return (d_output * output).sum()

        assert_allclose(d, finite_difference(loss, qkv[position]), atol=1e-7)


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 1), (13,), (13,)),
        ((2, 1), (13,), ()),
        ((), (2,), (4, 2)),
        ((2,), (), ()),
        ((), (), (2, 3)),
        ((2,), (1,), (1, 1)),
        ((3, 1), (1, 4), (2, 1, 1)),
    ],
)
def test_attention_equals_torch_with_broadcast_batches(shapes):
    d_output, *qkv = draw_attention(*shapes)
    batch = d_output.shape[:-2]
    spread = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in qkv]

    def spread_attention(Q, K, V):
        spread = (x.expand(*batch, *x.shape[-2:]) for x in (Q, K, V))
        return torch.nn.functional.scaled_dot_product_attention(*spread)

    expected = gradients_by_torch(spread_attention, d_output, *qkv)
    assert_same(attention_vjp(d_output, *qkv), expected, qkv, 1e-10)
    for d, d_spread in zip(expected, attention_vjp(d_output, *spread), strict=True):
        assert_allclose(d_spread.sum(), d.sum(), atol=1e-10)


@pytest.mark.parametrize("shape", [(7,), (3, 1), (3, 7), (2, 1, 7), (2, 3, 7), ()])
def test_masks_broadcast(shape):
    d_output, *qkv = draw_attention((2,), (2,), (2,))
    mask = np.ones((), bool) if shape == () else draw_mask(*shape)
    full = np.broadcast_to(mask, (2, 3, 7))
    found = attention_vjp(d_output, *qkv, mask=mask.tolist())
    assert_same(found, attention_by_torch(d_output, *qkv, full.copy()), qkv, 1e-10)


def test_worked_two_queries():
    """Weights 0.422319 and 0.155362; with dL/dO = I the values get the transposed weights."""
    Q, K, V = (np.array(x, float) for x in two_queries())
    assert_array_equal(Q, np.eye(2))
    assert_array_equal(V, [[1, 2], [3, 4], [5, 6]])
    a, b = 0.422319, 0.155362
    d_Q, d_K, d_V = attention_vjp(np.eye(2), Q, K, V, scale=1)
    assert_array_equal(d_V.round(6), [[a, b], [b, a], [a, a]])
    e = math.e
    a, b = e / (2 * e + 1), 1 / (2 * e + 1)
    assert_allclose(d_V, [[a, b], [b, a], [a, a]], rtol=1e-14)
    # The first component of the first output is 3, and the second of the second is D.
    D = 2 * b + 4 * a + 6 * a
    first = np.array([-2 * a, 0, 2 * a])
    second = np.array([b * (2 - D), a * (4 - D), a * (6 - D)])
    assert_allclose(d_Q, [[0, 2 * a], [second[0] + second[2], second[1] + second[2]]], atol=1e-14)
    assert_allclose(d_K, np.stack([first, second], axis=1), atol=1e-14)


sizes = {
    "n_q": st.integers(1, 6),
    "n_k": st.integers(1, 6),
    "d_k": st.integers(1, 5),
    "d_v": st.integers(1, 5),
    "seed": st.integers(0, 999),
}


@reproducible
@given(size=st.fixed_dictionaries(sizes), masked=st.booleans(), scale=st.floats(-2, 2))
def test_what_holds_for_all_attention(size, masked, scale):
    d_output, Q, K, V = draw_attention(**size)
    shape, rng = (len(Q), len(K)), np.random.default_rng(size["seed"])
    mask = draw_mask(*shape, seed=size["seed"]) if masked else np.ones(shape, bool)

    def back(d_output, Q, K, V, mask):
        return attention_vjp(d_output, Q, K, V, mask=mask, scale=scale)

    d_Q, d_K, d_V = found = back(d_output, Q, K, V, mask)
    output, weights = scaled_dot_product_attention(Q, K, V, mask=mask, scale=scale)
    d_weights, _ = weighted_sum_vjp(d_output, weights, V)
    close = {"rtol": 1e-10, "atol": 1e-11}
    # The mean of the weights' gradients is the output's gradient times the output.
    assert_allclose((weights * d_weights).sum(axis=1), (d_output * output).sum(axis=1), **close)
    # A vector added to all keys changes no weight, and one added to all values every output.
    assert_allclose(d_K.sum(axis=0), 0, atol=1e-11)
    assert_allclose(d_V.sum(axis=0), d_output.sum(axis=0), **close)
    # Queries and keys are factors of one product, values of the output.
    assert_allclose((Q * d_Q).sum(), (K * d_K).sum(), **close)
    assert_allclose((V * d_V).sum(), (d_output * output).sum(), **close)
    # Linear in the output's gradient.
    other = rng.normal(size=d_output.shape)
    both = [2 * a - b for a, b in zip(found, back(other, Q, K, V, mask), strict=True)]
    assert_same(back(2 * d_output - other, Q, K, V, mask), both, (Q, K, V), 1e-11)
    # A changed order changes the order of the gradients.
    keys, queries = rng.permutation(len(K)), rng.permutation(len(Q))
    permuted = back(d_output[queries], Q[queries], K[keys], V[keys], mask[queries][:, keys])
    assert_same(permuted, (d_Q[queries], d_K[keys], d_V[keys]), (Q, K, V), 1e-11)


def test_a_masked_key_gets_exactly_nothing_and_the_rest_is_as_without_it():
    d_output, Q, K, V = draw_attention((2,), (2,), (2,))
    mask = np.array([True, True, False, True, False, True, True])
    d_Q, d_K, d_V = attention_vjp(d_output, Q, K, V, mask=mask)
    assert (d_K[:, ~mask] == 0).all() and (d_V[:, ~mask] == 0).all()
    expected = attention_vjp(d_output, Q, K[:, mask], V[:, mask])
    found = d_Q, d_K[:, mask], d_V[:, mask]
    assert_same(found, expected, (Q, K[:, mask], V[:, mask]), 1e-13)


def test_one_key_gets_all_and_no_query_gives_nothing():
    d_output, *qkv = draw_attention(n_k=1)
    d_Q, d_K, d_V = attention_vjp(d_output, *qkv)
    assert_array_equal(d_Q, np.zeros((3, 5)))
    assert_array_equal(d_K, np.zeros((1, 5)))
    assert_allclose(d_V, d_output.sum(axis=0, keepdims=True), rtol=1e-14)
    d_output, *qkv = draw_attention(n_q=1)
    assert_same(attention_vjp(d_output, *qkv), attention_by_torch(d_output, *qkv), qkv, 1e-10)
    d_output, *qkv = draw_attention(n_q=0)
    found = attention_vjp(d_output, *qkv)
    assert_same(found, [np.zeros(x.shape) for x in qkv], qkv, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_scores_neither_overflow_nor_warn(dtype):
    d_output, *qkv = (np.sign(x).astype(dtype) * dtype(100) for x in draw_attention(d_k=1))
    for mask in (None, draw_mask(3, 7)):
        for d in attention_vjp(d_output, *qkv, mask=mask, scale=1):
            assert d.dtype == dtype and np.isfinite(d).all()
    jacobian = output_query_jacobian(qkv[0][0], *qkv[1:], scale=1)
    assert jacobian.dtype == dtype and np.isfinite(jacobian).all()


@pytest.mark.parametrize("scale", [None, 0.4])
def test_query_jacobian_equals_the_loop_over_deviations_and_autograd_and_differences(scale):
    q, K, V = draw(5), draw(7, 5, seed=1), draw(7, 11, seed=2)
    jacobian = output_query_jacobian(q, K, V, scale)
    (output,), (weights,) = scaled_dot_product_attention([q], K, V, scale=scale)
    mean_key = [sum(weights[j] * K[j, b] for j in range(7)) for b in range(5)]
    loop = np.zeros((11, 5))
    for j, a, b in np.ndindex(7, 11, 5):
        loop[a, b] += weights[j] * (V[j, a] - output[a]) * (K[j, b] - mean_key[b])
    assert_allclose(jacobian, loop * (5**-0.5 if scale is None else scale), atol=1e-13)

    def answer(q):
        rows = q[None], torch.tensor(K), torch.tensor(V)
        return torch.nn.functional.scaled_dot_product_attention(*rows, scale=scale)[0]

    expected = torch.autograd.functional.jacobian(answer, torch.tensor(q))
    assert_allclose(jacobian, expected, atol=1e-10)
    slopes = finite_difference(
        lambda q: scaled_dot_product_attention([q], K, V, scale=scale)[0][0], q
    )
    assert_allclose(jacobian, slopes, atol=1e-7)


@pytest.mark.parametrize(
    ("batch_q", "batch_k", "batch_v"),
    [((), (2,), (2,)), ((2, 1), (13,), ()), ((2,), (), ()), ((), (), (4,)), ((3,), (1,), (2, 3))],
)
def test_query_jacobian_gives_the_gradient_of_each_query(batch_q, batch_k, batch_v):
    batch = np.broadcast_shapes(batch_q, batch_k, batch_v)
    q, K, V = draw(*batch_q, 5), draw(*batch_k, 7, 5, seed=1), draw(*batch_v, 7, 11, seed=2)
    jacobian = output_query_jacobian(q, K, V)
    assert jacobian.shape == (*batch, 11, 5)
    d_output = draw(*batch, 11, seed=3)
    Q = np.broadcast_to(q, (*batch, 5))[..., None, :]
    d_Q, _, _ = attention_vjp(d_output[..., None, :], Q, K, V)
    assert_allclose(np.einsum("...a,...ab->...b", d_output, jacobian), d_Q[..., 0, :], atol=1e-13)


def test_query_jacobian_is_a_covariance_and_vanishes_where_nothing_varies():
    """Weights 1/4 and 3/4 (scores 0 and log 3): 3/16 of the step between values, and of keys."""
    jacobian = output_query_jacobian([1, 0], [[0, 2], [math.log(3), 6]], [[1, 0], [9, 0]], 1)
    assert_allclose(jacobian, [[1.5 * math.log(3), 6], [0, 0]], rtol=1e-14)
    q, K, V = draw(5), draw(7, 5, seed=1), draw(7, 11, seed=2)
    assert np.abs(output_query_jacobian(q, K, V)).max() > 0.1
    assert_allclose(output_query_jacobian(1e3 * q, K, V), 0, atol=1e-12)
    assert_allclose(output_query_jacobian(q, K[[0] * 7], V), 0, atol=1e-14)
    assert_allclose(output_query_jacobian(q, K, V[[0] * 7]), 0, atol=1e-14)
    symmetric = output_query_jacobian(q, K, K)
    assert_allclose(symmetric, symmetric.T, atol=1e-14)
    assert np.linalg.eigvalsh(symmetric).min() > -1e-14


def test_query_jacobian_keeps_its_digits_where_keys_and_values_lie_far_from_zero():
    q, K, V = np.zeros(5), draw(7, 5, seed=1), draw(7, 11, seed=2)
    expected = output_query_jacobian(q, K, V)
    for far_K, far_V in ((1e6, 0), (0, 1e6), (1e6, 1e6)):
        assert_allclose(output_query_jacobian(q, K + far_K, V + far_V), expected, atol=1e-9)


def frozen(arrays):
    for x in arrays:
        x.setflags(write=False)
    return arrays


def test_number_types_and_arguments_that_are_not_changed():
    d_output, *qkv = arrays = frozen(draw_attention((2,), (2,), (2,)))
    W, V = draw(2, 3, 7), qkv[2]
    single = frozen([x.astype(np.float32) for x in (*arrays, W)])
    mask = frozen([draw_mask(3, 7)])[0]
    low = attention_vjp(*single[:4], mask=mask, scale=np.float64(0.3))
    high = attention_vjp(*arrays, mask=mask, scale=0.3)
    low += weighted_sum_vjp(single[0], single[4], single[3])
    high += weighted_sum_vjp(d_output, *frozen([W, V]))
    low += (output_query_jacobian(single[1][:, 0], *single[2:4], np.float64(0.3)),)
    high += (output_query_jacobian(qkv[0][:, 0], *qkv[1:], 0.3),)
    for a, b in zip(low, high, strict=True):
        assert a.dtype == np.float32 and b.dtype == np.float64
        assert_allclose(a, b, atol=1e-5)
    for d in attention_vjp([[1]], [[1, 2]], np.array([[3, 4]], np.int8), [[5]]):
        assert d.dtype == np.float64
    assert output_query_jacobian([1, 2], [[3, 4]], [[5]]).dtype == np.float64


ones = np.ones


@pytest.mark.parametrize("bad", [[["a"]], [[None]], [[1j]], [[True]], "text"])
def test_bad_types_are_refused_by_name(bad):
    cases = [
        (weighted_sum_vjp, ["d_output", "weights", "V"]),
        (attention_vjp, ["d_output", "Q", "K", "V"]),
        (output_query_jacobian, ["q", "K", "V"]),
    ]
    for function, names in cases:
        for position, name in enumerate(names):
            arguments = [[1.0] if name == "q" else [[1.0]] for name in names]
            arguments[position] = bad
            with pytest.raises(TypeError, match=f"^{name} holds .* only integers and floats"):
                function(*arguments)


def test_a_bad_query_of_the_jacobian_is_refused_by_its_own_name_and_shape():
    K, V = ones((7, 5)), ones((7, 2))
    with pytest.raises(ValueError, match=r"^q has shape \(\), expected \(\.\.\., d_k\)"):
        output_query_jacobian(1.0, K, V)
    with pytest.raises(ValueError, match=r"\bq has shape \(4,\)"):
        output_query_jacobian(ones(4), K, V)
    with pytest.raises(ValueError, match=r"\bq has shape \(0,\)"):
        output_query_jacobian(ones(0), K, V)
    with pytest.raises(ValueError, match=r"\bq of shape \(5,\) holds nan at index 0"):
        output_query_jacobian([np.nan, 1, 1, 1, 1], K, V)
    with pytest.raises(ValueError, match=r"V .*\(6, 2\), but K .*\(7, 5\)"):
        output_query_jacobian(ones(5), K, V[1:])
    with pytest.raises(ValueError, match="scale=inf is not finite"):
        output_query_jacobian(ones(5), K, V, np.inf)
    with pytest.raises(TypeError, match="scale must be one real number"):
        output_query_jacobian(ones(5), K, V, True)


def test_a_result_too_large_for_its_type_is_refused():
    with pytest.raises(ValueError, match="the result of weighted_sum_vjp overflows float64"):
        weighted_sum_vjp([[1e200]], [[1]], [[1e200]])
    with pytest.raises(ValueError, match=r"the result of \w+ overflows float32"):
        attention_vjp(*(np.float32(x) for x in ([[1e30]], [[1]], [[0], [1]], [[0], [1e30]])))
    with pytest.raises(ValueError, match="the result of output_query_jacobian overflows float64"):
        output_query_jacobian([0], [[-1e200], [1e200]], [[-1e200], [1e200]])
