"""Attention to near keys and global ones against masks made by loops, PyTorch, worked numbers."""

import sys
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import masks, scaled_dot_product_attention
from attnlib.efficient import window_attention
from attnlib.examples import three_rows
from tests.helpers.oracles import qkv

either = pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])


def may_attend(n_q, n_k, width, n_global, causal):
    """The mask, pair by pair, from what the docstring says in words."""
    mask = np.zeros((n_q, n_k), bool)
    for i in range(n_q):
        position = i + n_k - n_q
        for j in range(n_k):
            near = -width < position - j < width
            everyone = j in range(n_global) or position in range(n_global)
            mask[i, j] = (near or everyone) and not (causal and j > position)
    return mask


def masked(Q, K, V, mask):
    return scaled_dot_product_attention(Q, K, V, mask=mask)[0]


@either
@pytest.mark.parametrize("n_q", [1, 6, 13])
def test_equals_attention_with_a_mask(causal, n_q):
    Q, K, V = qkv((2,), n_q=n_q)
    for width in (1, 2, 3, 7, 8, 12, 13, 14, 100):
        for n_global in (0, 1, 7, 8, 9, 13, 14, 100):
            expected = masked(Q, K, V, may_attend(n_q, 13, width, n_global, causal))
            for block in (1, 4, 13):
                output = window_attention(
                    Q, K, V, width=width, n_global=n_global, causal=causal, block=block
                )
                assert_allclose(output, expected, atol=1e-12)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    n_q=st.integers(1, 12),
    cached=st.integers(0, 6),
    width=st.integers(1, 20),
    n_global=st.integers(0, 20),
    causal=st.booleans(),
    block=st.integers(1, 20),
    batch=st.sampled_from([(), (2,), (1, 3)]),
    seed=st.integers(0, 999),
)
def test_what_holds_for_all_windows(n_q, cached, width, n_global, causal, block, batch, seed):
    n_k = n_q + cached
    Q, K, V = qkv(batch, n_q, n_k, seed=seed)
    options = {"width": width, "n_global": n_global, "causal": causal, "block": block}
    mask = may_attend(n_q, n_k, width, n_global, causal)
    output = window_attention(Q, K, V, **options)
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(torch.tensor(x) for x in (Q, K, V)), attn_mask=torch.tensor(mask)
    )
    assert_allclose(output, expected, atol=1e-12)
    assert (output >= V.min(axis=-2, keepdims=True) - 1e-12).all()
    assert (output <= V.max(axis=-2, keepdims=True) + 1e-12).all()
    # A key out of reach has no effect at all, whatever it is.
    far = int(np.random.default_rng(seed).integers(n_k))
    other_K, other_V = K.copy(), V.copy()
    other_K[..., far, :], other_V[..., far, :] = 50, 1e4
    changed = window_attention(Q, other_K, other_V, **options)
    assert_array_equal(changed[..., ~mask[:, far], :], output[..., ~mask[:, far], :])
    assert (changed[..., mask[:, far], :] != output[..., mask[:, far], :]).any(axis=-1).all()


@either
def test_without_global_keys_it_equals_the_window_mask(causal):
    Q, K, V = qkv()
    for width in (1, 2, 5, 13, 14):
        mask = masks.sliding_window(6, 13, width)
        mask = mask & masks.causal(6, 13) if causal else mask
        output = window_attention(Q, K, V, width=width, causal=causal)
        assert_allclose(output, masked(Q, K, V, mask), atol=1e-12)


def test_worked_means():
    """Equal scores: each answer is the mean of the values in reach."""
    Q, K, V = np.zeros((4, 1)), np.ones((5, 1)), [[0], [2], [4], [12], [60]]
    output = window_attention(Q, K, V, width=2)
    assert_allclose(output, [[2], [6], [76 / 3], [36]], rtol=1e-15)
    output = window_attention(Q, K, V, width=2, causal=True)
    assert_allclose(output, [[1], [3], [8], [36]], rtol=1e-15)
    # The key at position 0 is global; no query stands there.
    output = window_attention(Q, K, V, width=2, n_global=1)
    assert_allclose(output, [[2], [4.5], [19], [24]], rtol=1e-15)
    output = window_attention(Q, K, V, width=1, n_global=1, causal=True)
    assert_allclose(output, [[1], [2], [6], [30]], rtol=1e-15)
    # Two positions are global; the first query stands at the second of them and sees all keys.
    output = window_attention(Q, K, V, width=1, n_global=2)
    assert_allclose(output, [[15.6], [2], [14 / 3], [62 / 3]], rtol=1e-15)
    output = window_attention(Q, K, V, width=1, n_global=2, causal=True)
    assert_allclose(output, [[1], [2], [14 / 3], [62 / 3]], rtol=1e-15)


def test_worked_scores():
    """A window over all three rows; then powers 1 and 3², and 1 and 3⁴."""
    Q, K, V = three_rows()
    output = window_attention(Q, K, V, width=3)
    expected = [[0.802224, 0.598888], [0.598888, 0.802224], [0.751745, 0.751745]]
    assert_array_equal(output.round(6), expected)
    output = window_attention([[2.0], [4.0]], np.log([[1], [3]]), [[0], [8]], width=2)
    assert_allclose(output, [[8 * 9 / 10], [8 * 81 / 82]], rtol=1e-14)


@either
def test_narrowest_and_widest_windows(causal):
    Q, K, V = qkv((2,))
    assert_allclose(window_attention(Q, K, V, width=1, causal=causal), V[:, 7:], rtol=1e-15)
    mask = masks.causal(6, 13) if causal else None
    for options in ({"width": 13}, {"width": 1, "n_global": 13}):
        output = window_attention(Q, K, V, causal=causal, **options)
        assert_allclose(output, masked(Q, K, V, mask), atol=1e-12)


@either
@pytest.mark.parametrize("n_global", [0, 9])
def test_one_key_and_no_query(causal, n_global):
    options = {"width": 2, "n_global": n_global, "causal": causal}
    Q, K, V = qkv(n_q=1, n_k=1)
    assert_allclose(window_attention(Q, K, V, **options), V, rtol=1e-15)
    Q, K, V = qkv()
    assert window_attention(Q[:0], K, V, **options).shape == (0, 11)
    assert window_attention(np.ones((0, 6, 5)), K, V, **options).shape == (0, 6, 11)


@either
@pytest.mark.parametrize("name", ["width", "n_global", "block"])
def test_counts_may_be_very_large(causal, name):
    Q, K, V = qkv()
    options = {"width": 3, "n_global": 0, "block": 4, "causal": causal}
    expected = options | {name: 1000}
    for number in (sys.maxsize, np.int64(sys.maxsize)):
        output = window_attention(Q, K, V, **options | {name: number})
        assert_allclose(output, window_attention(Q, K, V, **expected), atol=1e-12)


@either
@pytest.mark.parametrize("n_global", [0, 9])
@pytest.mark.parametrize(
    ("batch_q", "batch_k", "batch_v"),
    [((2, 1), (3,), (3,)), ((), (2,), (2,)), ((2,), (), ()), ((), (), (2, 3)), ((2,), (1,), ())],
)
def test_leading_axes_broadcast(causal, n_global, batch_q, batch_k, batch_v):
    Q, K, V = qkv(batch_q)[0], qkv(batch_k, seed=1)[1], qkv(batch_v, seed=2)[2]
    options = {"width": 3, "n_global": n_global, "causal": causal, "block": 4}
    output = window_attention(Q, K, V, **options)
    batch = np.broadcast_shapes(batch_q, batch_k, batch_v)
    assert output.shape == (*batch, 6, 11)
    assert_allclose(output, masked(Q, K, V, may_attend(6, 13, 3, n_global, causal)), atol=1e-12)
    Q, K, V = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (Q, K, V))
    for index in np.ndindex(batch):
        alone = window_attention(Q[index], K[index], V[index], **options)
        assert_allclose(output[index], alone, atol=1e-13)


@either
@pytest.mark.parametrize("n_global", [0, 9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_numbers_neither_overflow_nor_warn(causal, n_global, dtype):
    Q, K, V = (np.sign(x).astype(dtype) * dtype(1e4) for x in qkv())
    options = {"width": 3, "n_global": n_global, "causal": causal}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        output = window_attention(Q, K, V, **options)
    assert (np.abs(output) <= 1e4 * 1.001).all()
    if dtype == np.float64:  # in float32 rounding decides between scores of 4e8
        expected = masked(Q, K, V, may_attend(6, 13, 3, n_global, causal))
        assert_allclose(output, expected, atol=1e-3)
    # The last two scores are the largest number and its negative.
    largest = np.finfo(dtype).max
    Q, K = np.full((1, 1), largest, dtype), np.array([[1], [-1], [1]], dtype)
    V = np.array([[1], [2], [3]], dtype)
    options["width"] = 2
    expected = 3 if n_global == 0 else 2
    assert_allclose(window_attention(Q, K, V, **options), [[expected]], rtol=1e-6)


@either
@pytest.mark.parametrize("n_global", [0, 9])
def test_numbers_too_large_are_refused(causal, n_global):
    Q, K, V = qkv()
    options = {"width": 3, "n_global": n_global, "causal": causal}
    with pytest.raises(ValueError, match=r"scores of Q, shape \(6, 5\), and K.*may overflow floa"):
        window_attention(1e160 * Q, 1e160 * K, V, **options)
    with pytest.raises(ValueError, match=r"result of window_attention overflows float64.*Scale"):
        window_attention(Q, K, 0 * V + 1.7e308, **options)


@either
@pytest.mark.parametrize(("width", "n_global", "block"), [(3, 0, 16), (20, 2, 16), (5, 7, 1)])
def test_only_the_scores_of_the_window_are_computed(monkeypatch, causal, width, n_global, block):
    Q, K, V = qkv(n_q=90, n_k=100)
    shapes, exp = [], np.exp

    def noting(x, *arguments, **options):
        shapes.append(np.shape(x))
        return exp(x, *arguments, **options)

    monkeypatch.setattr(np, "exp", noting)
    window_attention(Q, K, V, width=width, n_global=n_global, causal=causal, block=block)
    reach = may_attend(90, 100, width, n_global, causal=False)  # no query is at a global position
    parts = [reach[start : start + block] for start in range(0, 90, block)]
    assert shapes == [(len(part), part.any(axis=0).sum()) for part in parts]
    assert all(rows <= block and keys <= 2 * width + block + n_global for rows, keys in shapes)


def test_the_last_block_may_be_shorter(monkeypatch):
    rows, exp = [], np.exp

    def noting(x, *arguments, **options):
        rows.append(len(x))
        return exp(x, *arguments, **options)

    monkeypatch.setattr(np, "exp", noting)
    window_attention(*qkv(n_q=300, n_k=300), width=2)
    assert rows == [256, 44]


ones = np.ones
