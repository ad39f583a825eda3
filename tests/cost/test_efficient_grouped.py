"""Heads that share keys and values, against heads with copies of them, PyTorch, worked numbers."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import masks, scaled_dot_product_attention
from attnlib.efficient import grouped_heads, pool_heads, row_blocks
from attnlib.examples import three_rows
from attnlib.timing import peak_memory
from tests.helpers.oracles import draw_mask

either = pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])


def qkv(batch=(), n_heads=6, n_groups=3, n_q=4, n_k=7, d_k=5, d_v=11, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(*batch, n_heads, n_q, d_k)),
        rng.normal(size=(*batch, n_groups, n_k, d_k)),
        rng.normal(size=(*batch, n_groups, n_k, d_v)),
    )


def repeated(Q, K, V, mask=None, causal=False):
    """Every head with its group's keys and values copied."""
    K, V = (np.repeat(X, Q.shape[-3] // X.shape[-3], axis=-3) for X in (K, V))
    batch = np.broadcast_shapes(*(X.shape[:-3] for X in (Q, K, V)))
    Q = np.broadcast_to(Q, batch + Q.shape[-3:])
    mask = np.ones(Q.shape[-2:-1] + K.shape[-2:-1], bool) if mask is None else mask
    if causal:
        mask = mask & masks.causal(Q.shape[-2], K.shape[-2])
    return scaled_dot_product_attention(Q, K, V, mask=mask[..., None, :, :])[0]


@either
def test_each_head_reads_its_own_group(causal):
    """Head by head, with the number of the group from the formula."""
    for n_heads, n_groups in ((6, 1), (6, 2), (6, 3), (6, 6), (5, 1), (8, 2), (1, 1)):
        Q, K, V = qkv(n_heads=n_heads, n_groups=n_groups)
        output = grouped_heads(Q, K, V, causal=causal, block=3)
        assert output.shape == (n_heads, 4, 11)
        mask = masks.causal(4, 7) if causal else None
        for h in range(n_heads):
            g = int(h * n_groups / n_heads)
            expected, _ = scaled_dot_product_attention(Q[h], K[g], V[g], mask=mask)
            assert_allclose(output[h], expected, atol=1e-12)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_equals_torch(batch):
    Q, K, V = qkv(batch, n_heads=6, n_groups=2)
    tensors = [torch.tensor(x.reshape(-1, *x.shape[-3:])) for x in (Q, K, V)]
    attention = torch.nn.functional.scaled_dot_product_attention
    for mask in (None, draw_mask(4, 7), masks.causal(4, 7)):
        arguments = None if mask is None else torch.tensor(mask)
        expected = attention(*tensors, attn_mask=arguments, enable_gqa=True).numpy()
        output = grouped_heads(Q, K, V, mask=mask)
        assert_allclose(output, expected.reshape(output.shape), atol=1e-12)
    assert_allclose(grouped_heads(Q, K, V, causal=True), output, atol=1e-12)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    n_groups=st.integers(1, 3),
    per_group=st.integers(1, 4),
    n_q=st.integers(1, 6),
    cached=st.integers(0, 4),
    causal=st.booleans(),
    masked=st.booleans(),
    block=st.integers(1, 7),
    batch=st.sampled_from([(), (2,), (1, 3)]),
    seed=st.integers(0, 999),
)
def test_equals_heads_with_copies_of_keys_and_values(
    n_groups, per_group, n_q, cached, causal, masked, block, batch, seed
):
    Q, K, V = qkv(batch, n_groups * per_group, n_groups, n_q, n_q + cached, seed=seed)
    mask = draw_mask(*batch, n_q, n_q + cached, seed=seed) if masked else None
    output = grouped_heads(Q, K, V, mask=mask, causal=causal, block=block)
    assert_allclose(output, repeated(Q, K, V, mask, causal), atol=1e-12)


@either
def test_as_many_groups_as_heads_are_plain_heads(causal):
    Q, K, V = qkv((2,), n_heads=3)
    expected = row_blocks(Q, K, V, causal=causal)
    assert_allclose(grouped_heads(Q, K, V, causal=causal), expected, atol=1e-12)


def test_worked_numbers():
    """Three rows as queries of two heads; the second has the values doubled, or the first's."""
    Q, K, V = (np.asarray(x, float) for x in three_rows())
    expected = [[0.802224, 0.598888], [0.598888, 0.802224], [0.751745, 0.751745]]
    output = grouped_heads(np.stack([Q, Q]), [K], [V])
    assert_array_equal(output.round(6), [expected, expected])
    output = grouped_heads(np.stack([Q, Q]), [K, K], [V, 2 * V])
    assert_allclose(output / [[[1]], [[2]]], [expected, expected], atol=1e-6)
    # One key each: the answer is the value of the group.  Heads 0 to 2, then heads 3 to 5.
    output = grouped_heads(np.ones((6, 1, 2)), np.ones((2, 1, 2)), [[[5]], [[7]]])
    assert_array_equal(output.ravel(), [5, 5, 5, 7, 7, 7])


@either
@pytest.mark.parametrize(
    ("batch_q", "batch_k", "batch_v"),
    [((2, 1), (3,), (3,)), ((), (2,), (2,)), ((2,), (), ()), ((), (), (2, 3)), ((2,), (1,), ())],
)
def test_leading_axes_broadcast(causal, batch_q, batch_k, batch_v):
    Q, K, V = qkv(batch_q)[0], qkv(batch_k, seed=1)[1], qkv(batch_v, seed=2)[2]
    batch = np.broadcast_shapes(batch_q, batch_k, batch_v)
    for mask in (None, draw_mask(4, 7), draw_mask(*batch, 4, 7), draw_mask(*batch, 1, 7)):
        output = grouped_heads(Q, K, V, mask=mask, causal=causal)
        assert output.shape == (*batch, 6, 4, 11)
        assert_allclose(output, repeated(Q, K, V, mask, causal), atol=1e-12)


@pytest.mark.parametrize("shape", [(), (7,), (1, 7), (4, 1), (4, 7), (1, 4, 7), (2, 1, 7)])
def test_masks_broadcast_without_an_axis_for_the_heads(shape):
    Q, K, V = qkv((2,))
    mask = np.ones((), bool) if shape == () else draw_mask(*shape)
    expected = repeated(Q, K, V, np.broadcast_to(mask, (2, 4, 7)))
    assert_allclose(grouped_heads(Q, K, V, mask=mask), expected, atol=1e-12)
    assert_allclose(grouped_heads(Q, K, V, mask=mask.tolist()), expected, atol=1e-12)


def test_keys_and_values_are_not_copied():
    Q, K, V = (x.astype(np.float32) for x in qkv((), 16, 1, 1, 4096, 64, 64))
    copies = 16 * (K.nbytes + V.nbytes)
    assert peak_memory(lambda: repeated(Q, K, V)) > copies
    assert peak_memory(lambda: grouped_heads(Q, K, V)) < copies / 8


def test_queries_are_answered_in_blocks_of_256(monkeypatch):
    shapes, exp = [], np.exp

    def noting(x, *arguments, **options):
        shapes.append(np.shape(x))
        return exp(x, *arguments, **options)

    monkeypatch.setattr(np, "exp", noting)
    Q, K, V = qkv((), 2, 1, 300, 301, 2, 3)
    grouped_heads(Q, K, V)
    assert shapes == [(256, 301), (44, 301)] * 2  # as many pairs as without groups
    shapes.clear()
    grouped_heads(Q, K, V, block=200)
    assert shapes == [(200, 301), (100, 301)] * 2


def test_numbers_too_large_are_refused():
    Q, K, V = qkv()
    message = r"scores of Q, shape \(6, 4, 5\), and K, shape \(3, 7, 5\), may overflow float64"
    with pytest.raises(ValueError, match=message):
        grouped_heads(1e160 * Q, 1e160 * K, V)
    with pytest.raises(ValueError, match=r"result of grouped_heads overflows float64.*Scale"):
        grouped_heads(Q, K, 0 * V + 1.7e308)
    for dtype in (np.float32, np.float64):
        X = np.full((4, 3, 2), np.finfo(dtype).max, dtype)
        with pytest.raises(ValueError, match=f"pool_heads overflows {X.dtype}"):
            pool_heads(X, 2)


def test_pooling_takes_the_mean_of_each_group():
    X = np.random.default_rng(0).normal(size=(2, 6, 4, 5))
    for n_groups in (1, 2, 3, 6):
        result = pool_heads(X, n_groups)
        assert result.shape == (2, n_groups, 4, 5)
        for g in range(n_groups):
            members = [h for h in range(6) if h * n_groups // 6 == g]
            total = sum(X[:, h] for h in members)
            assert_allclose(result[:, g], total / len(members), atol=1e-14)
    assert_array_equal(pool_heads([[[1]], [[2]], [[6]], [[10]]], 2), [[[1.5]], [[8]]])
    assert_array_equal(pool_heads(X, np.int64(6)), X)
    assert_array_equal(pool_heads(X.tolist(), 2), pool_heads(X, 2))


def test_pooling_equal_heads_changes_nothing():
    Q, K, V = qkv((2,))
    own_K, own_V = np.repeat(K, 2, axis=-3), np.repeat(V, 2, axis=-3)
    assert_allclose(pool_heads(own_K, 3), K, rtol=1e-15)
    exact, _ = scaled_dot_product_attention(Q, own_K, own_V)
    output = grouped_heads(Q, pool_heads(own_K, 3), pool_heads(own_V, 3))
    assert_allclose(output, exact, atol=1e-12)
    # Where one head of a group differs, that group alone changes.
    own_K[:, 3] += np.random.default_rng(1).normal(size=(7, 5))
    exact, _ = scaled_dot_product_attention(Q, own_K, own_V)
    error = np.abs(grouped_heads(Q, pool_heads(own_K, 3), V) - exact).max(axis=(0, 2, 3))
    assert (error[2:4] > 0.01).all() and (error[[0, 1, 4, 5]] < 1e-12).all()


def test_empty_arrays_stay_empty():
    Q, K, V = qkv()
    assert grouped_heads(Q[:, :0], K, V).shape == (6, 0, 11)
    assert grouped_heads(Q[:, :0], K, V, causal=True).shape == (6, 0, 11)
    assert grouped_heads(Q[:, :0], K, V, mask=np.ones((0, 7), bool)).shape == (6, 0, 11)
    assert grouped_heads(np.ones((0, 6, 4, 5)), K, V).shape == (0, 6, 4, 11)
    assert pool_heads(np.ones((0, 6, 4, 5)), 3).shape == (0, 3, 4, 5)
    assert pool_heads(np.ones((6, 0, 5)), 3).shape == (3, 0, 5)


ones = np.ones
Q, K, V = ones((6, 4, 5)), ones((3, 7, 5)), ones((3, 7, 2))


def test_causal_attention_needs_as_many_keys():
    with pytest.raises(ValueError, match="n_q=8 is larger than n_k=7"):
        grouped_heads(ones((6, 8, 5)), K, V, causal=True)


def test_a_query_left_without_keys_is_named():
    mask = ones((4, 7), bool)
    mask[2, :6] = False
    with pytest.raises(ValueError, match=r"query (2|\(0, 2\)) may attend to nothing: causal=True"):
        grouped_heads(Q, K, V, mask=mask, causal=True)
    both = np.stack([ones((4, 7), bool), mask])
    message = r"query (\(1, 2\)|\(1, 0, 2\)) may attend to nothing: causal=True and mask"
    with pytest.raises(ValueError, match=message):
        grouped_heads(ones((2, 6, 4, 5)), K, V, mask=both, causal=True)


def test_heads_that_cannot_be_pooled_are_refused():
    for X, n_groups, message in (
        (Q, 4, r"X has shape \(6, 4, 5\) and n_groups=4: 6 heads .* 4 groups.*divides"),
        (Q, 12, r"n_groups=12: 6 heads cannot be shared out equally to 12 groups"),
        (ones((4, 5)), 2, r"X has shape \(4, 5\), expected .*n_heads, n, d\).*X\[None\]"),
        (ones(5), 2, r"X has shape \(5,\)"),
        (Q[:0], 1, r"X has shape \(0, 4, 5\)"),
        (Q[..., :0], 2, r"X has shape \(6, 4, 0\), so d"),
    ):
        with pytest.raises(ValueError, match=message):
            pool_heads(X, n_groups)
