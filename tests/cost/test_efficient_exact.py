"""Attention in blocks against loops, PyTorch, worked numbers; and the memory of every cheap way."""

import math
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import attnlib
from attnlib import masks
from attnlib.efficient import linear_attention, online_softmax, row_blocks, window_attention
from attnlib.examples import three_rows
from attnlib.timing import peak_memory
from tests.helpers.oracles import attention_by_torch, draw_mask, qkv

both = pytest.mark.parametrize("attention", [row_blocks, online_softmax], ids=lambda f: f.__name__)
either = pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])
SIZES = [1, 2, 3, 5, 6, 7, 12, 13, 14, 1000]


def loop(Q, K, V, allowed):
    """Answer one query after the other, with nothing but Python numbers."""
    answers = []
    for i, q in enumerate(Q.tolist()):
        total, output = 0.0, [0.0] * V.shape[1]
        for j, (k, v) in enumerate(zip(K.tolist(), V.tolist(), strict=True)):
            if allowed(i, j):
                power = math.exp(sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)))
                total += power
                output = [o + power * x for o, x in zip(output, v, strict=True)]
        answers.append([o / total for o in output])
    return answers


def plain(Q, K, V, mask=None, causal=False):
    """The output of attention that stores all weights."""
    if causal:
        past = masks.causal(Q.shape[-2], K.shape[-2])
        mask = past if mask is None else past & mask
    return attnlib.scaled_dot_product_attention(Q, K, V, mask=mask)[0]


def sized(attention, size_q, size_k):
    """The named arguments that give blocks of these sizes."""
    if attention is row_blocks:
        return {"block": size_q}
    return {"block_q": size_q, "block_k": size_k}


@both
@either
@pytest.mark.parametrize("n_q", [1, 6, 13])
def test_equals_a_loop_over_pairs(attention, causal, n_q):
    Q, K, V = qkv(n_q=n_q)
    expected = loop(Q, K, V, lambda i, j: not causal or j <= i + 13 - n_q)
    output = attention(Q, K, V, causal=causal, **sized(attention, 4, 3))
    assert_allclose(output, expected, atol=1e-12)


@both
@either
@pytest.mark.parametrize("n_q", [6, 13])
def test_the_size_of_a_block_changes_nothing(attention, causal, n_q):
    Q, K, V = qkv((2,), n_q=n_q)
    expected = plain(Q, K, V, causal=causal)
    assert_allclose(attention(Q, K, V, causal=causal), expected, atol=1e-12)
    for size_q in SIZES:
        for size_k in SIZES if attention is online_softmax else [1]:
            output = attention(Q, K, V, causal=causal, **sized(attention, size_q, size_k))
            assert_allclose(output, expected, atol=1e-12)
    output = attention(Q, K, V, causal=causal, **sized(attention, np.int64(2**62), 2**62))
    assert_allclose(output, expected, atol=1e-12)


@both
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_equals_torch(attention, batch):
    Q, K, V = qkv(batch)
    sizes = sized(attention, 4, 3)
    assert_allclose(attention(Q, K, V, **sizes), attention_by_torch(Q, K, V), atol=1e-12)
    mask = torch.tensor(masks.causal(6, 13))
    expected = attention_by_torch(Q, K, V, attn_mask=mask)
    assert_allclose(attention(Q, K, V, causal=True, **sizes), expected, atol=1e-12)
    Q, K, V = qkv(batch, n_q=13)
    expected = attention_by_torch(Q, K, V, is_causal=True)
    assert_allclose(attention(Q, K, V, causal=True, **sizes), expected, atol=1e-12)


@either
@pytest.mark.parametrize(
    "shape", [(), (13,), (1, 13), (6, 1), (6, 13), (3, 1, 13), (2, 1, 6, 1), (2, 3, 6, 13)]
)
def test_masks_broadcast(causal, shape):
    Q, K, V = qkv((2, 3))
    mask = np.ones((), bool) if shape == () else draw_mask(*shape)
    expected = plain(Q, K, V, mask, causal)
    for block in (1, 4, 6, 7):
        output = row_blocks(Q, K, V, block=block, mask=mask, causal=causal)
        assert_allclose(output, expected, atol=1e-12)
    output = row_blocks(Q, K, V, mask=mask.tolist(), causal=causal)
    assert_allclose(output, expected, atol=1e-12)
    if not causal:
        broadcast = torch.tensor(np.broadcast_to(mask, (2, 3, 6, 13)))
        assert_allclose(output, attention_by_torch(Q, K, V, attn_mask=broadcast), atol=1e-12)


@both
@pytest.mark.parametrize(
    ("batch_q", "batch_k", "batch_v"),
    [((2, 1), (3,), (3,)), ((), (2,), (2,)), ((2,), (), ()), ((), (), (2, 3)), ((2,), (1,), ())],
)
def test_leading_axes_broadcast(attention, batch_q, batch_k, batch_v):
    Q, K, V = qkv(batch_q)[0], qkv(batch_k, seed=1)[1], qkv(batch_v, seed=2)[2]
    batch = np.broadcast_shapes(batch_q, batch_k, batch_v)
    sizes = sized(attention, 4, 3)
    output = attention(Q, K, V, **sizes)
    assert output.shape == (*batch, 6, 11)
    assert_allclose(output, plain(Q, K, V), atol=1e-12)
    Q, K, V = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (Q, K, V))
    for index in np.ndindex(batch):
        alone = attention(Q[index], K[index], V[index], **sizes)
        assert_allclose(output[index], alone, atol=1e-13)
    if attention is row_blocks:  # a mask may have the axes of any of the three
        mask = draw_mask(*batch, 6, 13)
        assert_allclose(row_blocks(Q, K, V, mask=mask), plain(Q, K, V, mask), atol=1e-12)


def test_worked_three_rows():
    expected = [[0.802224, 0.598888], [0.598888, 0.802224], [0.751745, 0.751745]]
    assert_array_equal(row_blocks(*three_rows(), block=2).round(6), expected)
    assert_array_equal(online_softmax(*three_rows(), block_q=2, block_k=1).round(6), expected)


def test_worked_maximum_that_rises_then_stays():
    """Powers 1, 2, 4, 2 arrive one by one: (1·9 + 2·18 + 4·0 + 2·(−18)) / 9 = 1."""
    K, V = np.log([[1], [2], [4], [2]]), [[9, 90], [18, 180], [0, 0], [-18, -180]]
    for block in (1, 2, 3, 4):
        assert_allclose(online_softmax([[1]], K, V, block_k=block), [[1, 10]], rtol=1e-14)
    assert_allclose(row_blocks([[1]], K, V), [[1, 10]], rtol=1e-14)
    # Causal, two queries: the first leaves out the last key, so (9 + 36) / 7.
    for result in (
        row_blocks([[1], [1]], K, V, causal=True, block=1),
        online_softmax([[1], [1]], K, V, causal=True, block_k=3),
    ):
        assert_allclose(result, [[45 / 7, 450 / 7], [1, 10]], rtol=1e-14)


shapes = {
    "n_q": st.integers(1, 9),
    "n_k": st.integers(1, 9),
    "d_k": st.integers(1, 5),
    "d_v": st.integers(1, 5),
    "batch": st.sampled_from([(), (2,), (1, 3)]),
    "seed": st.integers(0, 999),
}


@both
@settings(max_examples=30, deadline=None, derandomize=True)
@given(size=st.fixed_dictionaries(shapes), size_q=st.integers(1, 10), size_k=st.integers(1, 10))
def test_what_holds_for_all_attention(attention, size, size_q, size_k):
    Q, K, V = qkv(**size)
    options = {"causal": size["n_q"] <= size["n_k"], **sized(attention, size_q, size_k)}
    output = attention(Q, K, V, **options)
    assert_allclose(output, plain(Q, K, V, causal=options["causal"]), atol=1e-12)
    assert (output >= V.min(axis=-2, keepdims=True) - 1e-12).all()
    assert (output <= V.max(axis=-2, keepdims=True) + 1e-12).all()
    options["causal"] = False
    output = attention(Q, K, V, **options)
    rng = np.random.default_rng(size["seed"])
    keys, queries = rng.permutation(size["n_k"]), rng.permutation(size["n_q"])
    assert_allclose(attention(Q, K[..., keys, :], V[..., keys, :], **options), output, atol=1e-12)
    result = attention(Q[..., queries, :], K, V, **options)
    assert_allclose(result, output[..., queries, :], atol=1e-12)
    # The same amount on all scores of a query changes nothing.
    assert_allclose(attention(Q, K + 3, V, **options), output, atol=1e-12)
    assert_allclose(attention(Q, K, 3 * V + 1, **options), 3 * output + 1, atol=1e-12)


@both
def test_causal_outputs_ignore_the_future(attention):
    Q, K, V = qkv()
    for now in range(5):
        options = {"causal": True, **sized(attention, 4, 3)}
        before = attention(Q, K, V, **options)
        K[7 + now + 1 :], V[7 + now + 1 :] = -50 - now, 1e4 + now
        after = attention(Q, K, V, **options)
        assert_array_equal(after[: now + 1], before[: now + 1])
        assert (after[now + 1 :] != before[now + 1 :]).all()


@both
def test_one_key_one_query_and_no_query(attention):
    Q, K, V = qkv(n_k=1)
    assert_allclose(attention(Q, K, V), np.tile(V, (6, 1)), rtol=1e-15)
    Q, K, V = qkv(n_q=1)
    assert_allclose(attention(Q, K, V, causal=True), plain(Q, K, V), atol=1e-12)
    assert all(attention(Q[:0], K, V, causal=past).shape == (0, 11) for past in (False, True))
    assert attention(np.ones((0, 6, 5)), K, V).shape == (0, 6, 11)


@both
@either
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_numbers_neither_overflow_nor_warn(attention, causal, dtype):
    Q, K, V = (np.sign(x).astype(dtype) * dtype(1e4) for x in qkv())
    options = {"causal": causal, **sized(attention, 4, 3)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        output = attention(Q, K, V, **options)
        # Scores 0, -1e4, 1e4 in all orders: the key of the largest gets all the weight.
        for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            keys, values = np.array([[0], [-1e4], [1e4]], dtype), np.array([[1], [2], [3]], dtype)
            options = sized(attention, 1, 1)
            result = attention(np.ones((1, 1), dtype), keys[order], values[order], **options)
            assert_array_equal(result, [[3]])
    assert (np.abs(output) <= 1e4 * 1.001).all()
    if dtype == np.float64:  # in float32 rounding decides between scores of 4e8
        assert_allclose(output, plain(Q, K, V, causal=causal), atol=1e-3)


@both
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_may_reach_the_largest_number(attention, dtype):
    largest = np.finfo(dtype).max
    one, V = np.ones((1, 1), dtype), np.array([[3], [4]], dtype)
    for sign in (1, -1):  # a difference of two such scores is beyond the range: weight 0
        K = np.array([[sign], [-sign]], dtype)
        assert_array_equal(attention(one * largest, K, V), [[3 if sign == 1 else 4]])
        assert_array_equal(attention(-one * largest, K[None], V), [[[4 if sign == 1 else 3]]])
    assert_array_equal(attention(one / 2, K * largest, V), [[4]])
    assert_array_equal(attention(0 * one, K * largest, V), [[3.5]])
    zero = np.zeros((1, 5), dtype)
    assert_array_equal(attention(zero, zero + largest, V[:1]), [[3]])
    message = (
        rf"scores of Q, shape \(1, 1\), and K, shape \(2, 1\), may overflow {one.dtype}\. Scale"
    )
    for Q, K in (
        (largest / 2, [[1], [2.001]]),
        (-largest / 2, [[1], [-2.001]]),
        (2, [[-largest], [0]]),
    ):
        with pytest.raises(ValueError, match=message):
            attention(one * dtype(Q), np.array(K, dtype), V)
    with pytest.raises(ValueError, match=f"overflow {one.dtype}"):  # the sum, not its parts
        attention(zero + largest / 4, zero + 1, V[:1])


@both
def test_values_too_large_to_be_summed_are_refused(attention):
    with pytest.raises(ValueError, match=rf"{attention.__name__} overflows float64.*Scale"):
        attention(np.ones((3, 5)), np.ones((7, 5)), np.full((7, 2), 1.7e308))


ones = np.ones


@both
def test_causal_attention_needs_as_many_keys(attention):
    Q, K, V = qkv()
    assert attention(K, Q, V[:6]).shape == (13, 11)  # more queries than keys, and not causal
    with pytest.raises(ValueError, match=r"n_q=13 is larger than n_k=6"):
        attention(K, Q, V[:6], causal=True)


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_a_query_left_without_keys_is_named(block):
    Q, K, V = qkv((2,))
    mask = ones((2, 6, 13), bool)
    mask[1, 4, :12] = False
    message = (
        r"query \(1, 4\) may attend to nothing: causal=True and mask together.*at least one key"
    )
    with pytest.raises(ValueError, match=message):
        row_blocks(Q, K, V, mask=mask, causal=True, block=block)
    with pytest.raises(ValueError, match=r"query 4 may attend to nothing: causal=True"):
        row_blocks(Q[1], K[1], V[1], mask=mask[1], causal=True, block=block)
    assert row_blocks(Q, K, V, mask=mask, block=block).shape == (2, 6, 11)


@pytest.fixture
def computed(monkeypatch):
    """The shapes of the blocks of scores whose exponentials are computed, in their order."""
    shapes, exp = [], np.exp

    def noting(x, *arguments, **options):
        if np.shape(x)[-1] > 1:
            shapes.append(np.shape(x))
        return exp(x, *arguments, **options)

    monkeypatch.setattr(np, "exp", noting)
    return shapes


def test_scores_come_in_blocks_without_unseen_keys(computed):
    Q, K, V = qkv(n_q=300, n_k=600, d_k=2, d_v=3)
    row_blocks(Q, K, V)
    assert computed == [(256, 600), (44, 600)]
    computed.clear()
    row_blocks(Q, K, V, causal=True)
    assert computed == [(256, 556), (44, 600)]
    computed.clear()
    online_softmax(Q, K, V)
    assert computed == [(256, 512), (256, 88), (44, 512), (44, 88)]
    computed.clear()
    online_softmax(Q, K, V, block_q=100, block_k=350, causal=True)
    assert computed == [(100, 350), (100, 50), (100, 350), (100, 150), (100, 350), (100, 250)]


def naive(Q, K, V):
    """Attention with all scores and all weights in memory."""
    scores = Q @ K.mT * K.shape[-1] ** -0.5
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (powers / powers.sum(axis=-1, keepdims=True)) @ V


def peak(attention, n, heads, dtype=np.float32, **options):
    Q, K, V = (np.ones((heads, n, 64), dtype) for _ in range(3))
    return peak_memory(lambda: attention(Q, K, V, **options))


MEMORY = [
    (naive, {}, 2, 0.05),
    (row_blocks, {}, 1, 0.1),
    (row_blocks, {"causal": True}, 1, 0.1),
    # Blocks small beside the output: what does not depend on n would lower the slope.
    (online_softmax, {"block_q": 32, "block_k": 32}, 1, 0.1),
    (online_softmax, {"block_q": 32, "block_k": 32, "causal": True}, 1, 0.1),
    (window_attention, {"width": 16, "block": 64}, 1, 0.1),
    (window_attention, {"width": 16, "block": 64, "n_global": 3}, 1, 0.1),
    (linear_attention, {}, 1, 0.1),
    (linear_attention, {"block": 64, "causal": True}, 1, 0.1),
]


@pytest.mark.parametrize(("attention", "options", "expected", "near"), MEMORY)
def test_memory_grows_with_the_right_power_of_n(attention, options, expected, near):
    numbers = [512, 1024, 2048, 4096]
    heads = {naive: 1, online_softmax: 2}.get(attention, 4)
    peaks = [peak(attention, n, heads, **options) for n in numbers]
    slope, _ = np.polyfit(np.log(numbers), np.log(peaks), 1)
    assert abs(slope - expected) <= near, (slope, peaks)


def test_float32_is_never_widened_to_float64():
    for attention, options, *_ in MEMORY:
        single, double = (peak(attention, 512, 2, x, **options) for x in (np.float32, np.float64))
        assert single < 0.6 * double, attention


def test_row_blocks_needs_a_ninetieth_of_the_memory():
    assert peak(naive, 4096, 8) >= 90 * peak(row_blocks, 4096, 8)
