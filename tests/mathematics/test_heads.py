"""Multi-head attention against loops, worked numbers, PyTorch, and what must always hold."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import (
    MultiHeadAttention,
    causal,
    merge_heads,
    padding,
    project,
    scaled_dot_product_attention,
    split_heads,
)
from tests.helpers.oracles import draw

reproducible = settings(max_examples=40, deadline=None, derandomize=True)


def draw_mask(*shape, seed=0):
    """A random mask that leaves each query its last key."""
    mask = np.random.default_rng(seed).random(shape) < 0.5
    mask[..., -1] = True
    return mask


def arrays(d_model=6, d_source=7, n_heads=3, d_k=4, d_v=5, d_out=11, bias=True, seed=0):
    """The arguments of MultiHeadAttention, with all sizes different by default."""
    rng = np.random.default_rng(seed)
    shapes = {
        "Q": (d_model, n_heads * d_k),
        "K": (d_source, n_heads * d_k),
        "V": (d_source, n_heads * d_v),
        "O": (n_heads * d_v, d_out),
    }
    matrices = {f"W_{x}": rng.normal(0, s[0] ** -0.5, s) for x, s in shapes.items()}
    biases = {f"b_{x}": rng.normal(size=s[1]) for x, s in shapes.items()} if bias else {}
    return matrices | {"n_heads": n_heads} | biases


def rows_times(X, W, b):
    """Project one component at a time."""
    return [
        [sum(x[i] * W[i, j] for i in range(len(x))) + (0 if b is None else b[j])
         for j in range(W.shape[1])]
        for x in X
    ]  # fmt: skip


def loop(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads, b_Q=None, b_K=None, b_V=None, b_O=None, mask=None):
    """Answer head after head and query after query, with nothing but Python numbers."""
    Q, K, V = rows_times(X_Q, W_Q, b_Q), rows_times(X_KV, W_K, b_K), rows_times(X_KV, W_V, b_V)
    d_k, d_v = len(Q[0]) // n_heads, len(V[0]) // n_heads
    merged, all_weights = [[] for _ in Q], []
    for h in range(n_heads):
        head_weights = []
        for i, q in enumerate(Q):
            powers = []
            for j, k in enumerate(K):
                score = sum(q[h * d_k + c] * k[h * d_k + c] for c in range(d_k)) / math.sqrt(d_k)
                powers.append(math.exp(score) if mask is None or mask[i][j] else 0.0)
            weights = [p / sum(powers) for p in powers]
            head_weights.append(weights)
            for c in range(d_v):
                merged[i].append(sum(w * v[h * d_v + c] for w, v in zip(weights, V)))
        all_weights.append(head_weights)
    return rows_times(merged, W_O, b_O), all_weights


def to_torch(attention):
    """PyTorch's multi-head attention with the same numbers; its matrices are transposed."""
    E, source = len(attention.W_Q), len(attention.W_K)
    module = torch.nn.MultiheadAttention(
        E, attention.n_heads, kdim=source, vdim=source, batch_first=True, dtype=torch.float64
    )
    W = {x: torch.tensor(getattr(attention, f"W_{x}").T) for x in "QKVO"}
    with torch.no_grad():
        if source == E:
            module.in_proj_weight.copy_(torch.cat([W["Q"], W["K"], W["V"]]))
        else:
            module.q_proj_weight.copy_(W["Q"])
            module.k_proj_weight.copy_(W["K"])
            module.v_proj_weight.copy_(W["V"])
        module.out_proj.weight.copy_(W["O"])
        if attention.b_Q is not None:
            biases = [torch.tensor(getattr(attention, f"b_{x}")) for x in "QKV"]
            module.in_proj_bias.copy_(torch.cat(biases))
            module.out_proj.bias.copy_(torch.tensor(attention.b_O))
    return module


def by_torch(module, X_Q, X_KV, mask=None, n_heads=1):
    """Output and weights of PyTorch, whose mask is true where a key may not be seen."""
    if mask is not None:
        mask = torch.tensor(~mask)
        mask = mask.repeat_interleave(n_heads, 0) if mask.ndim == 3 else mask
    q, kv = torch.tensor(X_Q), torch.tensor(X_KV)
    with torch.no_grad():
        output, weights = module(q, kv, kv, attn_mask=mask, average_attn_weights=False)
    return output.numpy(), weights.numpy()


def test_splitting_and_merging_equal_loops():
    X, (h, n, d) = draw(2, 5, 12), (3, 5, 4)
    heads = split_heads(X, 3)
    assert heads.shape == (2, h, n, d)
    for b, a, i, c in np.ndindex(2, h, n, d):
        assert heads[b, a, i, c] == X[b, i, a * d + c]
    merged = merge_heads(draw(2, 3, 5, 4))
    assert merged.shape == (2, 5, 12)
    for b, i, j in np.ndindex(2, 5, 12):
        assert merged[b, i, j] == draw(2, 3, 5, 4)[b, j // 4, i, j % 4]


def test_worked_splitting():
    rows = [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]
    assert_array_equal(
        split_heads(rows, 3), [[[1, 2], [7, 8]], [[3, 4], [9, 10]], [[5, 6], [11, 12]]]
    )
    assert_array_equal(split_heads(rows, 2), [[[1, 2, 3], [7, 8, 9]], [[4, 5, 6], [10, 11, 12]]])
    assert_array_equal(split_heads(rows, 1), [rows])
    assert_array_equal(split_heads(rows, 6)[4], [[5], [11]])


@reproducible
@given(
    batch=st.lists(st.integers(1, 3), max_size=2).map(tuple),
    n=st.integers(0, 4),
    n_heads=st.integers(1, 4),
    d=st.integers(1, 4),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_splitting_and_merging_undo_each_other(batch, n, n_heads, d, dtype):
    X = draw(*batch, n, n_heads * d).astype(dtype)
    heads = split_heads(X, np.int64(n_heads))
    assert heads.shape == (*batch, n_heads, n, d) and heads.dtype == dtype
    assert merge_heads(heads).dtype == dtype
    assert_array_equal(merge_heads(heads), X)
    assert_array_equal(split_heads(merge_heads(heads), n_heads), heads)


ones = np.ones


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", [None, draw_mask(5, 9)], ids=["all", "masked"])
def test_equals_a_loop_over_heads_and_queries(bias, mask):
    given_arrays, X_Q, X_KV = arrays(bias=bias), draw(5, 6, seed=1), draw(9, 7, seed=2)
    output, weights = MultiHeadAttention(**given_arrays)(X_Q, X_KV, mask=mask)
    expected_output, expected_weights = loop(X_Q, X_KV, **given_arrays, mask=mask)
    assert output.shape == (5, 11) and weights.shape == (3, 5, 9)
    assert_allclose(weights, expected_weights, atol=1e-14)
    assert_allclose(output, expected_output, atol=1e-13)


def test_worked_numbers():
    """Scores log 3 in the first head and 0 in the second: weights 1/4, 3/4 and 1/2, 1/2."""
    log3 = math.log(3)
    attention = MultiHeadAttention(
        W_Q=[[1, 0], [0, 0]],
        W_K=[[1, 0], [0, 1]],
        W_V=[[0, 1], [4, 0]],
        W_O=[[1, 0, 1], [0, 10, 1]],
        n_heads=2,
        b_O=[0, 0, 100],
    )
    output, weights = attention([[1, 7]], [[0, 1], [log3, 2]])
    assert_allclose(weights, [[[0.25, 0.75]], [[0.5, 0.5]]], rtol=1e-15)
    assert_allclose(output, [[7, 5 * log3, 107 + log3 / 2]], rtol=1e-15)


@pytest.mark.parametrize("source", [12, 7])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", [None, draw_mask(5, 9), draw_mask(3, 5, 9)])
def test_equals_torch(source, bias, mask):
    """The batch of 3 is as large as the number of heads, and its mask is for the batch."""
    attention = MultiHeadAttention(**arrays(12, source, 3, 4, 4, 12, bias))
    X_Q, X_KV = draw(3, 5, 12, seed=1), draw(3, 9, source, seed=2)
    output, weights = attention(X_Q, X_KV, mask=mask)
    expected = by_torch(to_torch(attention), X_Q, X_KV, mask, 3)
    assert output.shape == (3, 5, 12) and weights.shape == (3, 3, 5, 9)
    assert_allclose(output, expected[0], atol=1e-12)
    assert_allclose(weights, expected[1], atol=1e-12)


def test_self_attention_and_padding_equal_torch():
    attention = MultiHeadAttention(**arrays(6, 6, 2, 3, 3, 6))
    X, lengths = draw(4, 5, 6, seed=1), [5, 1, 3, 4]
    module, x = to_torch(attention), torch.tensor(draw(4, 5, 6, seed=1))
    hidden = torch.tensor(~padding(lengths, 5)[:, 0])
    with torch.no_grad():
        expected, weights = module(x, x, x, key_padding_mask=hidden, average_attn_weights=False)
    output = attention(X, mask=padding(lengths, 5))
    assert_allclose(output[0], expected, atol=1e-12)
    assert_allclose(output[1], weights, atol=1e-12)
    assert_allclose(attention(X)[0], by_torch(module, X, X)[0], atol=1e-12)
    assert_array_equal(attention(X)[0], attention(X, X)[0])


def test_unequal_sizes_equal_torch():
    a = arrays()
    t = {name: torch.tensor(x) for name, x in a.items() if name != "n_heads"}
    X_Q, X_KV = torch.tensor(draw(2, 5, 6, seed=1)), torch.tensor(draw(2, 9, 7, seed=2))
    Q = (X_Q @ t["W_Q"] + t["b_Q"]).unflatten(-1, (3, 4)).transpose(1, 2)
    K = (X_KV @ t["W_K"] + t["b_K"]).unflatten(-1, (3, 4)).transpose(1, 2)
    V = (X_KV @ t["W_V"] + t["b_V"]).unflatten(-1, (3, 5)).transpose(1, 2)
    heads = torch.nn.functional.scaled_dot_product_attention(Q, K, V)
    expected = heads.transpose(1, 2).flatten(2) @ t["W_O"] + t["b_O"]
    output, _ = MultiHeadAttention(**a)(X_Q.numpy(), X_KV.numpy())
    assert_allclose(output, expected, atol=1e-12)
    for result, by_t in zip(MultiHeadAttention(**a).project(X_Q.numpy(), X_KV.numpy()), (Q, K, V)):
        assert_allclose(result, by_t, atol=1e-12)


def test_project_defaults_to_self_attention():
    attention = MultiHeadAttention(**arrays(d_source=6))
    X = draw(2, 5, 6)
    shapes = [x.shape for x in attention.project(X)]
    assert shapes == [(2, 3, 5, 4), (2, 3, 5, 4), (2, 3, 5, 5)]
    for alone, both in zip(attention.project(X), attention.project(X, X), strict=True):
        assert_array_equal(alone, both)


def test_the_output_sums_over_heads():
    a = arrays()
    X_Q, X_KV = draw(2, 5, 6, seed=1), draw(2, 9, 7, seed=2)
    output, weights = MultiHeadAttention(**a)(X_Q, X_KV)
    total = np.zeros((2, 5, 11))
    for h in range(3):
        k, v = slice(4 * h, 4 * h + 4), slice(5 * h, 5 * h + 5)
        Q, K = project(X_Q, a["W_Q"][:, k], a["b_Q"][k]), project(X_KV, a["W_K"][:, k], a["b_K"][k])
        Y, W = scaled_dot_product_attention(Q, K, project(X_KV, a["W_V"][:, v], a["b_V"][v]))
        assert_allclose(weights[:, h], W, atol=1e-14)
        total += Y @ a["W_O"][v]
    assert_allclose(output, total + a["b_O"], atol=1e-13)


def test_one_head_is_attention_between_projections():
    a = arrays(n_heads=1)
    X_Q, X_KV, mask = draw(5, 6, seed=1), draw(9, 7, seed=2), draw_mask(5, 9)
    Q, K = project(X_Q, a["W_Q"], a["b_Q"]), project(X_KV, a["W_K"], a["b_K"])
    V = project(X_KV, a["W_V"], a["b_V"])
    Y, W = scaled_dot_product_attention(Q, K, V, mask=mask)
    output, weights = MultiHeadAttention(**a)(X_Q, X_KV, mask=mask)
    assert_allclose(weights[0], W, atol=1e-14)
    assert_allclose(output, project(Y, a["W_O"], a["b_O"]), atol=1e-13)


def test_masks_serve_every_head():
    attention = MultiHeadAttention(**arrays())
    X_Q, X_KV = draw(3, 5, 6, seed=1), draw(3, 9, 7, seed=2)
    for shape in [(), (9,), (1, 9), (5, 1), (5, 9), (1, 5, 9), (3, 1, 9), (3, 5, 9)]:
        mask = ones((), bool) if shape == () else draw_mask(*shape)
        if shape == (5, 1):
            mask[:] = True
        full = np.broadcast_to(mask, (3, 5, 9))
        output, weights = attention(X_Q, X_KV, mask=mask.tolist())
        for b in range(3):
            alone = attention(X_Q[b], X_KV[b], mask=full[b])
            assert_allclose(output[b], alone[0], atol=1e-13)
            assert_allclose(weights[b], alone[1], atol=1e-14)
            assert (weights[b][:, ~full[b]] == 0).all()


@pytest.mark.parametrize(
    ("batch_q", "batch_k"), [((2, 1), (4,)), ((), (2,)), ((2,), ()), ((1,), (3,)), ((2, 3), (3,))]
)
def test_leading_axes_broadcast(batch_q, batch_k):
    attention = MultiHeadAttention(**arrays())
    X_Q, X_KV = draw(*batch_q, 5, 6, seed=1), draw(*batch_k, 9, 7, seed=2)
    batch = np.broadcast_shapes(batch_q, batch_k)
    mask = draw_mask(*batch, 5, 9)
    output, weights = attention(X_Q, X_KV, mask=mask)
    assert output.shape == (*batch, 5, 11) and weights.shape == (*batch, 3, 5, 9)
    X_Q, X_KV = np.broadcast_to(X_Q, (*batch, 5, 6)), np.broadcast_to(X_KV, (*batch, 9, 7))
    for index in np.ndindex(batch):
        alone, _ = attention(X_Q[index], X_KV[index], mask=mask[index])
        assert_allclose(output[index], alone, atol=1e-13)


@reproducible
@given(
    n_q=st.integers(1, 5),
    n_k=st.integers(1, 5),
    n_heads=st.integers(1, 3),
    size=st.fixed_dictionaries({x: st.integers(1, 4) for x in ("d_k", "d_v", "d_out")}),
    bias=st.booleans(),
    seed=st.integers(0, 99),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_what_holds_for_all_heads(n_q, n_k, n_heads, size, bias, seed, dtype):
    a = arrays(3, 2, n_heads, **size, bias=bias, seed=seed)
    a = {name: x.astype(dtype) if name != "n_heads" else x for name, x in a.items()}
    attention = MultiHeadAttention(**a)
    X_Q, X_KV = draw(n_q, 3, seed=seed).astype(dtype), draw(n_k, 2, seed=seed + 1).astype(dtype)
    mask = draw_mask(n_q, n_k, seed=seed)
    near = 1e-12 if dtype == np.float64 else 1e-4
    output, weights = attention(X_Q, X_KV, mask=mask)
    assert output.dtype == dtype and weights.dtype == dtype
    assert_allclose(weights.sum(axis=-1), 1, rtol=near)
    assert (weights >= 0).all() and (weights[:, ~mask] == 0).all()
    rng = np.random.default_rng(seed)
    keys, queries = rng.permutation(n_k), rng.permutation(n_q)
    moved = attention(X_Q[queries], X_KV[keys], mask=mask[queries][:, keys])
    assert_allclose(moved[0], output[queries], atol=near)
    assert_allclose(moved[1], weights[:, queries][..., keys], atol=near)
    order = np.arange(n_heads)[::-1]
    by_head = {x: slice(None) for x in "QKV"}
    for x in by_head:
        W = a[f"W_{x}"]
        a[f"W_{x}"] = W.reshape(len(W), n_heads, -1)[:, order].reshape(W.shape)
        if bias:
            a[f"b_{x}"] = a[f"b_{x}"].reshape(n_heads, -1)[order].ravel()
    a["W_O"] = a["W_O"].reshape(n_heads, -1, size["d_out"])[order].reshape(a["W_O"].shape)
    swapped = MultiHeadAttention(**a)(X_Q, X_KV, mask=mask)
    assert_allclose(swapped[0], output, atol=near)
    assert_allclose(swapped[1], weights[order], atol=near)


def test_equivariance_and_the_causal_mask():
    attention = MultiHeadAttention(**arrays(d_source=6))
    X, order = draw(5, 6), [3, 0, 4, 1, 2]
    assert_allclose(attention(X[order])[0], attention(X)[0][order], atol=1e-13)
    before, weights = attention(X, mask=causal(5))
    X = np.concatenate([X[:3], np.full((2, 6), 50.0)])
    after, _ = attention(X, mask=causal(5))
    assert_array_equal(after[:3], before[:3])
    assert (after[3:] != before[3:]).all() and not np.triu(weights, 1).any()


def test_one_key_gets_everything():
    a = arrays()
    output, weights = MultiHeadAttention(**a)(draw(5, 6), draw(1, 7))
    assert_array_equal(weights, np.ones((3, 5, 1)))
    V = project(draw(1, 7), a["W_V"], a["b_V"])
    assert_allclose(output, np.tile(project(V, a["W_O"], a["b_O"]), (5, 1)), atol=1e-13)
    output, weights = MultiHeadAttention(**a)(np.zeros((2, 0, 6)), draw(9, 7))
    assert output.shape == (2, 0, 11) and weights.shape == (2, 3, 0, 9)


X6, X7 = ones((5, 6)), ones((9, 7))


def test_masks_must_be_boolean_and_named():
    attention = MultiHeadAttention(**arrays())
    for bad in (ones((5, 9)), ones((5, 9), int), "causal"):
        with pytest.raises(TypeError, match=r"mask holds .* must be boolean.*mask == 1"):
            attention(X6, X7, mask=bad)
    with pytest.raises(TypeError, match="positional"):
        attention(X6, X7, ones((5, 9), bool))


def test_other_masks_that_do_not_fit_have_no_axis_for_the_heads():
    attention = MultiHeadAttention(**arrays())
    for shape in [(4, 5, 9), (1, 5, 9), (3, 5, 8), (3, 9), (2, 3, 5, 9)]:
        with pytest.raises(ValueError, match=r"does not broadcast to \(5, 9\).* of keys alone"):
            attention(X6, X7, mask=ones(shape, bool))
