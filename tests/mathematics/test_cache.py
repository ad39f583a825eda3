"""The key-value cache against the causal pass, PyTorch, worked numbers, and what must hold."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import KeyValueCache, MultiHeadAttention, causal
from tests.helpers.oracles import draw


def some_attention(d_model=6, n_heads=3, d_k=4, d_v=5, d_out=7, bias=True, seed=0):
    shapes = {
        "Q": (d_model, n_heads * d_k),
        "K": (d_model, n_heads * d_k),
        "V": (d_model, n_heads * d_v),
        "O": (n_heads * d_v, d_out),
    }
    rng = np.random.default_rng(seed)
    matrices = {f"W_{x}": rng.normal(0, s[0] ** -0.5, s) for x, s in shapes.items()}
    biases = {f"b_{x}": rng.normal(size=s[1]) for x, s in shapes.items()} if bias else {}
    return MultiHeadAttention(**matrices, n_heads=n_heads, **biases)


def steps(cache, X, sizes):
    """Outputs and weights of each step, with as many items a step as `sizes` says."""
    ends = np.cumsum(sizes)
    return [cache.step(X[..., end - size : end, :]) for size, end in zip(sizes, ends, strict=True)]


def test_worked_numbers():
    """Every matrix is 1 and every score 0, so each answer is the mean of the items so far."""
    attention = MultiHeadAttention([[0]], [[1]], [[1]], [[1]], n_heads=1, b_O=[100])
    cache = KeyValueCache(attention)
    assert len(cache) == 0 and cache.K is None and cache.V is None
    output, weights = cache.step([[2]])
    assert_array_equal(output, [[102]])
    assert_array_equal(weights, [[[1]]])
    output, weights = cache.step([[4], [0]])
    assert_array_equal(output, [[103], [102]])
    assert_allclose(weights, [[[1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]], rtol=1e-15)
    assert_array_equal(cache.K, [[[2], [4], [0]]])
    assert_array_equal(cache.V, [[[2], [4], [0]]])
    assert len(cache) == 3 and cache.attention is attention


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5),
    batch=st.sampled_from([(), (1,), (3,), (2, 3)]),
    heads=st.integers(1, 3),
    d=st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4)),
    bias=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 99),
)
def test_step_by_step_is_the_causal_pass(sizes, batch, heads, d, bias, dtype, seed):
    n, near = sum(sizes), 1e-12 if dtype == np.float64 else 1e-4
    attention = some_attention(6, heads, *d, bias=bias, seed=seed)
    new = {name: x.astype(dtype) for name, x in attention.parameters().items()}
    attention, X = attention.with_parameters(new), draw(*batch, n, 6, seed=seed).astype(dtype)
    together, all_weights = attention(X, mask=causal(n))
    cache, done = KeyValueCache(attention), 0
    for size, (output, weights) in zip(sizes, steps(cache, X, sizes), strict=True):
        rows = slice(done, done + size)
        done += size
        assert output.shape == (*batch, size, d[2]) and output.dtype == dtype
        assert weights.shape == (*batch, heads, size, done) and weights.dtype == dtype
        assert_allclose(output, together[..., rows, :], atol=near)
        assert_allclose(weights, all_weights[..., rows, :done], atol=near)
        assert_allclose(weights.sum(axis=-1), 1, rtol=near)
    _, K, V = attention.project(X)
    assert cache.K.dtype == cache.V.dtype == dtype and len(cache) == n
    assert_allclose(cache.K, K, atol=near)
    assert_allclose(cache.V, V, atol=near)


def test_equals_torch():
    attention, X = some_attention(), draw(2, 8, 6, seed=1)
    t = {name: torch.tensor(array) for name, array in attention.parameters().items()}
    x = torch.tensor(X)
    Q, K, V = ((x @ t[f"W_{y}"] + t[f"b_{y}"]).unflatten(-1, (3, -1)) for y in "QKV")
    heads = torch.nn.functional.scaled_dot_product_attention(
        Q.transpose(1, 2), K.transpose(1, 2), V.transpose(1, 2), is_causal=True
    )
    expected = heads.transpose(1, 2).flatten(2) @ t["W_O"] + t["b_O"]
    result = [output for output, _ in steps(KeyValueCache(attention), X, [1] * 8)]
    assert_allclose(np.concatenate(result, axis=1), expected, atol=1e-12)


def test_it_holds_as_many_numbers_as_it_says():
    cache = KeyValueCache(some_attention())
    for n in range(1, 4):
        cache.step(draw(2, 1, 6))
        assert cache.K.shape == (2, 3, n, 4) and cache.V.shape == (2, 3, n, 5)
        assert cache.K.size + cache.V.size == 2 * n * 3 * (4 + 5)
        assert len(cache) == n


def test_caches_are_independent():
    attention, X = some_attention(), draw(3, 6)
    first, second = KeyValueCache(attention), KeyValueCache(attention)
    output, weights = first.step(X[:1])
    kept = output.copy(), weights.copy()
    old_K, old_K_copy = first.K, first.K.copy()
    first.step(X[1:])
    assert_array_equal(output, kept[0])
    assert_array_equal(weights, kept[1])
    assert_array_equal(old_K, old_K_copy)
    assert len(second) == 0 and len(first) == 3


row = np.ones((1, 6))
REFUSED = [
    (
        np.ones(6),
        ValueError,
        r"x has shape \(6,\), expected \(\.\.\., n_new, d_model\)",
    ),
    (
        np.ones((1, 5)),
        ValueError,
        r"x has shape \(1, 5\), but W_Q has shape \(6, 12\): d_model",
    ),
    (np.ones((0, 6)), ValueError, r"x has shape \(0, 6\), so n_new .* is 0\. Give at least one"),
    (np.ones((1, 0)), ValueError, r"x has shape \(1, 0\), so d_model"),
    (np.nan * row, ValueError, r"x of shape \(1, 6\) holds nan at index \(0, 0\)"),
    ([[1, 2], [3]], ValueError, "x is ragged"),
    (1e200 * row, ValueError, "overflow"),
    (row > 0, TypeError, r"x holds bool, but only integers and floats"),
    (row + 1j, TypeError, "x holds complex128"),
    ([["a"]], TypeError, "x holds <U1"),
    (None, TypeError, "x holds object"),
]


@pytest.mark.parametrize("steps_before", [0, 2])
@pytest.mark.parametrize(("x", "error", "message"), REFUSED)
def test_a_refused_step_leaves_the_cache_unchanged(steps_before, x, error, message):
    cache, X = KeyValueCache(some_attention()), draw(3, 6)
    for i in range(steps_before):
        cache.step(X[i : i + 1])
    K, V = cache.K, cache.V
    with pytest.raises(error, match=message):
        cache.step(x)
    assert cache.K is K and cache.V is V and len(cache) == steps_before
    output, _ = cache.step(X[steps_before:])
    expected, _ = some_attention()(X, mask=causal(3))
    assert_allclose(output, expected[steps_before:], atol=1e-12)


def test_an_overflow_leaves_the_cache_unchanged():
    one = np.ones((1, 1))
    cache = KeyValueCache(MultiHeadAttention(0 * one, one, 1e200 * one, 1e200 * one, n_heads=1))
    cache.step(0 * one)
    with pytest.raises(ValueError, match="overflows float64"):
        cache.step(one)
    assert len(cache) == 1


@pytest.mark.parametrize(("first", "then"), [((), (2,)), ((2,), ()), ((2,), (1,)), ((3,), (2,))])
def test_every_step_has_the_same_batch(first, then):
    cache = KeyValueCache(some_attention())
    cache.step(draw(*first, 2, 6))
    x = draw(*then, 1, 6)
    message = rf"x has shape {x.shape}, but .* have the axes {first} before the last two.*the same"
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        cache.step(x)
    assert len(cache) == 2 and cache.K.shape == (*first, 3, 2, 4)


def test_what_is_no_self_attention_is_refused():
    for bad in (None, "attention", MultiHeadAttention, np.eye(2)):
        with pytest.raises(TypeError, match="attention must be a MultiHeadAttention, not"):
            KeyValueCache(bad)
    one, two = np.ones((1, 1)), np.ones((2, 1))
    with pytest.raises(ValueError, match=r"W_Q .*\(1, 1\) and W_K .*\(2, 1\).*self-attention"):
        KeyValueCache(MultiHeadAttention(one, two, two, one, n_heads=1))
