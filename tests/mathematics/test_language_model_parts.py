"""What today's language models have: groups, positions in the layer, masks of heads, caches."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import (
    DecoderBlock,
    DecoderOnly,
    EncoderBlock,
    GatedFeedForward,
    KeyValueCache,
    LinearBias,
    MultiHeadAttention,
    RelativeBias,
    RMSNorm,
    Rotary,
    StackCache,
    causal,
    linear_bias,
    relative_bias,
    rotary,
    scaled_dot_product_attention,
)
from attnlib.gradients import multi_head_vjp
from tests.helpers import oracles
from tests.helpers.oracles import attention_by_torch, d_model, draw, draw_mask, drawn

KINDS = "none", "neighbours", "halves", "linear", "table"
every_kind = pytest.mark.parametrize("kind", KINDS)
#: Four heads; keys of 2 and values of 3 components.
SIZES = {"n_heads": 4, "d_k": 2, "d_v": 3}


def layer(kind="none", n_kv_heads=None, seed=0, **sizes):
    where = oracles.positions(kind, 4)
    made = oracles.attention(**SIZES, n_kv_heads=n_kv_heads, positions=where, **sizes)
    return drawn(made, seed)


def loop(attention, X, mask):
    """One head after the other, with the columns that it reads of each matrix."""
    groups, total = attention.n_kv_heads or 4, attention.b_O
    for h in range(4):
        g = h * groups // 4
        Q, K, V = (
            (X @ getattr(attention, f"W_{x}") + getattr(attention, f"b_{x}"))[
                :, i * d : (i + 1) * d
            ]
            for x, i, d in (("Q", h, 2), ("K", g, 2), ("V", g, 3))
        )
        output, _ = scaled_dot_product_attention(Q, K, V, mask=mask)
        total = total + output @ attention.W_O[3 * h : 3 * h + 3]
    return total


# Groups.


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_groups_equal_torch_and_a_loop_over_heads(n_kv_heads):
    attention, X = layer(n_kv_heads=n_kv_heads), draw(2, 5, d_model, seed=1)
    Q, K, V = attention.project(X)
    assert K.shape == (2, n_kv_heads, 5, 2) and V.shape == (2, n_kv_heads, 5, 3)
    heads = attention_by_torch(Q, K, V, is_causal=True, enable_gqa=True)
    expected = np.moveaxis(heads, 1, 2).reshape(2, 5, 12) @ attention.W_O + attention.b_O
    output, weights = attention(X, mask=causal(5))
    assert weights.shape == (2, 4, 5, 5)
    assert_allclose(output, expected, atol=1e-12)
    assert_allclose(output[1], loop(attention, X[1], causal(5)), atol=1e-12)


def test_as_many_heads_of_keys_as_of_queries_is_what_there_was():
    X = draw(2, 5, d_model, seed=1)
    one, two = layer(), layer(n_kv_heads=4)
    assert one.parameters().keys() == two.parameters().keys()
    for a, b in zip(one(X, mask=causal(5)), two(X, mask=causal(5)), strict=True):
        assert_array_equal(a, b)
    (d_X, _, d_one), (d_Y, _, d_two) = (multi_head_vjp(X, a, X) for a in (one, two))
    assert_array_equal(d_X, d_Y)
    for name, d in d_one.parameters().items():
        assert_array_equal(d, d_two.parameters()[name])
    assert d_two.n_kv_heads == 4 and d_one.n_kv_heads is None
    ours, theirs = (
        MultiHeadAttention.random(np.random.default_rng(0), 8, 4, n_kv_heads=n) for n in (4, None)
    )
    for name, W in ours.parameters().items():
        assert_array_equal(W, theirs.parameters()[name])


def test_drawn_groups():
    made = MultiHeadAttention.random(np.random.default_rng(0), 12, 6, n_kv_heads=2, bias=True)
    assert made.W_Q.shape == (12, 12) and made.W_K.shape == made.W_V.shape == (12, 4)
    assert made.b_K.shape == made.b_V.shape == (4,) and made.n_kv_heads == 2


def test_groups_that_do_not_fit_are_refused():
    said = r"^n_heads=4: 4 heads cannot be shared out equally to n_kv_heads=3\. .* divides 4"
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=said):
        MultiHeadAttention.random(rng, 8, 4, n_kv_heads=3)
    W = {x: np.ones((8, 8)) for x in ("W_Q", "W_K", "W_V", "W_O")}
    with pytest.raises(ValueError, match=r"^n_heads=4: 4 heads cannot .* n_kv_heads=8"):
        MultiHeadAttention(
            **W | {"W_K": np.ones((8, 16)), "W_V": np.ones((8, 16))}, n_heads=4, n_kv_heads=8
        )
    with pytest.raises(ValueError, match=r"^W_K has shape \(8, 8\), but W_Q .*: d_k.* 4 in one"):
        MultiHeadAttention(**W, n_heads=4, n_kv_heads=2)


# Positions in the layer.


def by_hand(attention, X_Q, X_KV, mask=None):
    """The layer, with the functions of `attnlib.positions`."""
    Q, K, V = attention.project(X_Q, X_KV)
    n_q, n_k, where, bias = Q.shape[-2], K.shape[-2], attention.positions, None
    if isinstance(where, Rotary):
        how = where.base, where.convention
        Q, K = rotary(Q, np.arange(n_k - n_q, n_k), *how), rotary(K, None, *how)
    elif isinstance(where, LinearBias):
        bias = linear_bias(n_q, n_k, 4)
    elif isinstance(where, RelativeBias):
        bias = relative_bias(where.table, n_q, n_k)
    output, weights = scaled_dot_product_attention(Q, K, V, mask=mask, bias=bias)
    return np.moveaxis(output, -3, -2).reshape(
        *X_Q.shape[:-1], 12
    ) @ attention.W_O + attention.b_O, weights


@every_kind
@pytest.mark.parametrize("n_q", [1, 3, 7])
def test_a_layer_calls_the_functions_of_positions(kind, n_q):
    attention, X, Y = layer(kind), draw(2, n_q, d_model), draw(2, 7, d_model, seed=1)
    for result, expected in zip(attention(X, Y), by_hand(attention, X, Y), strict=True):
        assert_allclose(result, expected, atol=1e-13)
    mask = draw_mask(n_q, 7)
    assert_allclose(attention(X, Y, mask=mask)[0], by_hand(attention, X, Y, mask)[0], atol=1e-13)


@every_kind
def test_the_last_query_stands_at_the_last_key(kind):
    attention, X = layer(kind, 2), draw(2, 9, d_model)
    output, weights = attention(X)
    later, of_later = attention(X[:, 6:], X)
    assert_allclose(later, output[:, 6:], atol=1e-13)
    assert_allclose(of_later, weights[..., 6:, :], atol=1e-13)
    assert attention(X, X[:, :2])[0].shape == (2, 9, d_model)  # also where there are fewer keys


@every_kind
def test_only_shifts_count(kind):
    """With rows in front that nobody sees, all positions are others, and no answer changes."""
    attention, X = layer(kind), draw(5, d_model)
    seen = np.arange(8) >= 3
    later = attention(np.concatenate([draw(3, d_model, seed=1), X]), mask=seen)[0][3:]
    assert_allclose(later, attention(X)[0], atol=1e-12)
    moved = attention(X[::-1])[0][::-1]
    assert np.allclose(moved, attention(X)[0]) == (kind in ("none", "linear"))


def test_linear_bias_in_the_layer_equals_torch():
    attention, X = layer("linear"), draw(2, 7, d_model)
    Q, K, V = attention.project(X)
    heads = attention_by_torch(Q, K, V, attn_mask=torch.tensor(linear_bias(7, 7, 4)))
    expected = np.moveaxis(heads, 1, 2).reshape(2, 7, 12) @ attention.W_O + attention.b_O
    assert_allclose(attention(X)[0], expected, atol=1e-12)


def test_worked_relative_bias():
    """Shifts -3 to 1 of the last two of four; beyond ±1 the number of the side."""
    table = [[1, 2, 3], [10, 20, 30]]
    expected = [[1, 1, 2, 3], [1, 1, 1, 2]]
    assert_array_equal(relative_bias(table, 2, 4), [expected, np.multiply(expected, 10)])


@pytest.mark.parametrize("size", [(3, 7), (7, 7), (5, 2)])
def test_relative_bias_equals_a_loop(size):
    table, (n_q, n_k) = draw(3, 5), size
    result = relative_bias(table, n_q, n_k)
    assert result.shape == (3, n_q, n_k)
    for h, i, j in np.ndindex(3, n_q, n_k):
        shift = j - (i + n_k - n_q)
        assert result[h, i, j] == table[h, 2 + max(-2, min(2, shift))]


def test_positions_that_do_not_fit_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"positions=Rotary, d_k=3 is odd.*Give 4"):
        MultiHeadAttention.random(rng, 6, 2, positions=Rotary())
    with pytest.raises(ValueError, match=r"positions\.table has shape \(3, 5\), but n_heads=2"):
        MultiHeadAttention.random(rng, 6, 2, positions=RelativeBias(np.ones((3, 5))))
    for bad in ("rotary", Rotary, rotary):
        with pytest.raises(TypeError, match=r"^positions must be a Rotary or a LinearBias or a R"):
            MultiHeadAttention.random(rng, 8, 2, positions=bad)
    for bad in (np.ones((2, 4)), np.ones((2, 1))):
        for make in (RelativeBias, lambda table: relative_bias(table, 3, 3)):
            with pytest.raises(ValueError, match=r"table has shape \(2, [41]\)\. .* odd number"):
                make(bad)
    with pytest.raises(ValueError, match=r"^base=1 must be above 1"):
        Rotary(1)
    with pytest.raises(ValueError, match=r"^convention='pairs' is unknown"):
        Rotary(convention="pairs")


def test_the_table_is_a_parameter_of_the_layer():
    attention = layer("table")
    assert list(attention.parameters())[-1] == "positions.table"
    new = {name: 2 * x for name, x in attention.parameters().items()}
    assert_array_equal(attention.with_parameters(new).positions.table, new["positions.table"])
    assert layer("halves").parameter_count == layer().parameter_count
    assert repr(Rotary()) == "Rotary(base=10000.0, convention='neighbours')"


# Masks with an axis for the heads.


@every_kind
@pytest.mark.parametrize("shape", [(4, 5, 9), (2, 4, 5, 9), (2, 1, 5, 9), (2, 4, 1, 9)])
def test_a_mask_for_each_head(kind, shape):
    attention, X_Q, X_KV = layer(kind, 2), draw(2, 5, d_model), draw(2, 9, d_model, seed=1)
    if shape == (4, 5, 9):
        X_Q, X_KV = X_Q[0], X_KV[0]
    mask = draw_mask(*shape)
    everywhere = np.broadcast_to(mask, (*X_Q.shape[:-2], 4, 5, 9))
    output, weights = attention(X_Q, X_KV, mask=mask)
    assert (weights[~everywhere] == 0).all() and (weights[everywhere] > 0).all()
    for h in range(4):
        alone = attention(X_Q, X_KV, mask=everywhere[..., h, :, :])[1]
        assert_allclose(weights[..., h, :, :], alone[..., h, :, :], atol=1e-13)
    outputs = weights @ np.repeat(attention.project(X_Q, X_KV)[2], 2, axis=-3)
    merged = np.moveaxis(outputs, -3, -2).reshape(*X_Q.shape[:-1], 12)
    assert_allclose(output, merged @ attention.W_O + attention.b_O, atol=1e-13)


def test_a_mask_that_could_be_for_the_batch_is():
    """Four texts and four heads: the mask of three axes is one for each text."""
    attention, X, mask = layer(), draw(4, 5, d_model), draw_mask(4, 5, 5)
    output, _ = attention(X, mask=mask)
    for i in range(4):
        assert_allclose(output[i], attention(X[i], mask=mask[i])[0], atol=1e-13)
    for_heads, _ = attention(X, mask=mask[None])
    for i in range(4):
        assert_allclose(for_heads[i], attention(X[i], mask=mask)[0], atol=1e-13)
    assert np.abs(for_heads - output).max() > 1e-3


def test_blocks_take_masks_for_heads():
    X, memory = draw(2, 4, d_model), draw(2, 7, oracles.d_source, seed=1)
    for block, heads in (
        (oracles.encoder(), 2),
        (oracles.stack(), 2),
        (oracles.modern(), 2),
    ):
        mask = draw_mask(2, heads, 4, 4)
        rows = torch.tensor(X)
        p = {name: torch.tensor(a) for name, a in block.parameters().items()}
        torch_block = oracles.torch_encoder if type(block) is EncoderBlock else oracles.torch_stack
        assert_allclose(block(X, mask=mask)[0], torch_block(p, block, rows, mask), atol=1e-12)
        one = block(X[0], mask=mask[0])[0]
        assert_allclose(one, block(X, mask=mask)[0][0], atol=1e-12)
    block = oracles.decoder()
    mask, memory_mask = draw_mask(2, 2, 4, 4), draw_mask(2, 3, 4, 7, seed=1)
    p = {name: torch.tensor(a) for name, a in block.parameters().items()}
    expected = oracles.torch_decoder(
        p, block, torch.tensor(X), torch.tensor(memory), mask, memory_mask
    )
    result = block(X, memory, mask=mask, memory_mask=memory_mask)[0]
    assert_allclose(result, expected, atol=1e-12)


def test_lost_queries_and_masks_for_other_heads_are_refused():
    attention, X, mask = layer(), draw(5, d_model), np.ones((4, 5, 5), bool)
    mask[3, 2] = False
    for call in (attention, EncoderBlock(attention, *encoder_rest()), DecoderOnly([one_block()])):
        with pytest.raises(ValueError, match=r"query \(3, 2\) may attend to nothing: mask"):
            call(X, mask=mask)
        with pytest.raises(
            ValueError, match=r"mask has shape \(3, 5, 5\), which does not broadcast"
        ):
            call(X, mask=mask[:3])
    only_later = np.ones((2, 5, 5), bool)
    only_later[1, 0, 0] = False
    with pytest.raises(ValueError, match=re.escape("query (1, 0) may attend to nothing: mask")):
        DecoderOnly([one_block()])(draw(2, 5, d_model), mask=only_later)


def encoder_rest():
    norm = oracles.norm(0.1)
    return norm, oracles.network("relu"), norm


def one_block():
    return EncoderBlock(layer(), *encoder_rest())


# Caches.


@every_kind
@pytest.mark.parametrize("n_kv_heads", [None, 1, 2])
@pytest.mark.parametrize("mask", [None, (9,), (9, 9), (2, 9, 9), (2, 4, 9, 9)])
def test_steps_are_the_whole_pass(kind, n_kv_heads, mask):
    attention, X = layer(kind, n_kv_heads), draw(2, 9, d_model, seed=1)
    allowed = np.ones(9, bool) if mask is None else draw_mask(*mask)
    together, all_weights = attention(X, mask=causal(9) & allowed)
    cache = KeyValueCache(attention)
    for new in (slice(0, 4), slice(4, 5), slice(5, 9)):
        part = allowed if allowed.ndim == 1 else allowed[..., new, :]
        mine = None if mask is None else part[..., : new.stop]
        output, weights = cache.step(X[:, new], mask=mine)
        assert_allclose(output, together[:, new], atol=1e-12)
        assert_allclose(weights, all_weights[..., new, : new.stop], atol=1e-12)
    assert cache.K.shape == (2, n_kv_heads or 4, 9, 2)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    batch=st.sampled_from([(), (1,), (3, 2)]),
    kind=st.sampled_from(["stack", "modern", *KINDS]),
    norm_first=st.booleans(),
    with_norm=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_a_stack_with_a_cache_answers_only_the_new_rows(
    sizes, batch, kind, norm_first, with_norm, dtype
):
    near = 1e-11 if dtype == np.float64 else 1e-3
    if kind in KINDS:
        blocks = [
            EncoderBlock(layer(kind, 2, seed), *encoder_rest(), norm_first) for seed in (0, 1)
        ]
        stack = DecoderOnly(blocks, oracles.norm(0.2) if with_norm else None)
    else:
        stack = getattr(oracles, kind)(norm_first, "gelu", with_norm)
    stack = stack.with_parameters({n: a.astype(dtype) for n, a in stack.parameters().items()})
    n = sum(sizes)
    X = draw(*batch, n, d_model).astype(dtype)
    together, all_weights = stack(X)
    cache = StackCache(stack)
    for size in sizes:
        done = len(cache)
        rows = slice(done, done + size)
        output, weights = stack(X[..., rows, :], cache=cache)
        assert output.shape == (*batch, size, d_model) and output.dtype == dtype
        assert len(cache) == done + size and len(weights) == 2
        assert_allclose(output, together[..., rows, :], atol=near)
        for mine, whole in zip(weights, all_weights, strict=True):
            assert_allclose(mine, whole[..., rows, : done + size], atol=near)


def test_a_block_with_a_cache_and_masks():
    block, stack, X = oracles.encoder(), oracles.stack(), draw(2, 6, d_model)
    mask = draw_mask(2, 6, 6)
    together, _ = block(X, mask=causal(6) & mask)
    whole, _ = stack(X, mask=mask)
    of_block, of_stack = KeyValueCache(block.attention), StackCache(stack)
    for new in (slice(0, 1), slice(1, 4), slice(4, 6)):
        mine = mask[:, new, : new.stop]
        assert_allclose(
            block(X[:, new], mask=mine, cache=of_block)[0], together[:, new], atol=1e-12
        )
        assert_allclose(stack(X[:, new], mask=mine, cache=of_stack)[0], whole[:, new], atol=1e-12)
    with pytest.raises(ValueError, match=r"mask has shape \(1, 6\), .* broadcast to \(2, 1, 7\)"):
        stack(X[:, :1], mask=np.ones((1, 6), bool), cache=of_stack)


def test_what_a_stack_refuses_leaves_its_cache_as_it_was():
    stack, X = oracles.stack(), draw(2, 6, d_model)
    cache = StackCache(stack)
    stack(X[:, :3], cache=cache)
    before = [(one.K, one.V) for one in cache.caches]
    huge = np.finfo(float).max
    for bad, message in [
        (X[0], "Give each step the same"),
        (np.full((2, 1, d_model), np.nan), "holds nan"),
        (np.full((2, 1, d_model), huge), "overflow"),
    ]:
        with pytest.raises(ValueError, match=message):
            stack(bad, cache=cache)
        for one, (K, V) in zip(cache.caches, before, strict=True):
            assert one.K is K and one.V is V
    assert len(cache) == 3
    assert_allclose(stack(X[:, 3:], cache=cache)[0], stack(X)[0][:, 3:], atol=1e-12)


def test_an_output_that_overflows_leaves_the_cache_as_it_was():
    stack = oracles.stack()
    new = stack.parameters() | {"norm.gain": np.full(d_model, 1.7e308)}
    stack = stack.with_parameters(new)
    cache = StackCache(stack)
    with pytest.raises(ValueError, match="the output overflows float64"):
        stack(draw(3, d_model), cache=cache)
    assert len(cache) == 0
    block = stack.blocks[0]
    block = block.with_parameters(
        {name: np.full_like(p, 1.7e308) if name == "norm_2.gain" else p
         for name, p in block.parameters().items()}
    )  # fmt: skip
    cache = KeyValueCache(block.attention)
    with pytest.raises(ValueError, match="overflows float64"):
        block(draw(3, d_model), cache=cache)
    assert len(cache) == 0


def test_caches_of_others_are_refused():
    one, other = oracles.stack(), oracles.stack()
    with pytest.raises(ValueError, match=r"^cache belongs to other blocks\. Give StackCache"):
        one(draw(3, d_model), cache=StackCache(other))
    block = one.blocks[0]
    with pytest.raises(ValueError, match=r"^cache belongs to another block\. Give KeyValueCache"):
        block(draw(3, d_model), cache=KeyValueCache(other.blocks[0].attention))
    for bad in (None, "stack", block, DecoderOnly):
        with pytest.raises(TypeError, match=r"^stack must be a DecoderOnly, not"):
            StackCache(bad)
    with pytest.raises(TypeError, match=r"^cache must be a StackCache, not"):
        one(draw(3, d_model), cache=KeyValueCache(block.attention))


def test_a_mask_that_fits_neither_way_is_told_both():
    attention, X = layer(), draw(2, 5, d_model)
    with pytest.raises(
        ValueError, match=r"to \(2, 5, 5\), .*, nor with heads to \(2, 4, 5, 5\)\. "
    ):
        attention(X, mask=np.ones((3, 5, 5), bool))


# Drawn with all of these.


MODERN = {"n_kv_heads": 1, "positions": Rotary(), "norm": "rms"}
MODERN |= {"gated": True, "activation": "silu", "norm_first": True}


def test_a_modern_stack_is_drawn_in_one_call():
    stack = DecoderOnly.random(np.random.default_rng(0), 2, d_model, 3, **MODERN)
    first = stack.blocks[0]
    assert [type(part) for part in (first.norm_1, first.norm_2, stack.norm)] == [RMSNorm] * 3
    assert type(first.feed_forward) is GatedFeedForward and first.feed_forward.activation == "silu"
    assert first.attention.n_kv_heads == 1 and first.attention.positions is MODERN["positions"]
    # Drawn in the order of its parts.
    rng = np.random.default_rng(0)
    heads = MultiHeadAttention.random(rng, d_model, 3, n_kv_heads=1)
    assert_array_equal(first.attention.W_V, heads.W_V)
    assert_array_equal(first.feed_forward.W_2, GatedFeedForward.random(rng, d_model).W_2)
    stack, X = drawn(stack), draw(2, 5, d_model)
    p = {name: torch.tensor(x) for name, x in stack.parameters().items()}
    expected = oracles.torch_stack(p, stack, torch.tensor(X))
    assert_allclose(stack(X)[0], expected, rtol=1e-10, atol=1e-11)


def test_a_modern_decoder_knows_positions_of_its_own_items_alone():
    block = drawn(DecoderBlock.random(np.random.default_rng(0), d_model, 3, 8, **MODERN))
    assert isinstance(block.self_attention.positions, Rotary)
    assert block.cross_attention.positions is None and block.cross_attention.n_kv_heads == 1
    X, memory = draw(2, 5, d_model), draw(2, 4, d_model, seed=1)
    p = {name: torch.tensor(x) for name, x in block.parameters().items()}
    expected = oracles.torch_decoder(p, block, torch.tensor(X), torch.tensor(memory))
    assert_allclose(block(X, memory)[0], expected, rtol=1e-10, atol=1e-11)
    assert_allclose(block(X, memory[:, ::-1])[0], expected, rtol=1e-10, atol=1e-11)


def test_an_unknown_norm_is_refused():
    for make in (EncoderBlock.random, DecoderBlock.random):
        with pytest.raises(ValueError, match=r'^norm=.* is unknown\. Choose "layer" or "rms"\.$'):
            make(np.random.default_rng(0), 6, 2, norm=RMSNorm)
