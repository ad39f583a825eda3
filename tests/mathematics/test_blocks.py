"""Blocks and stacks against loops, worked numbers, PyTorch, and what must always hold."""

import math

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
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    causal,
    padding,
)
from tests.helpers.oracles import draw, draw_mask, drawn

norm_before_or_after = pytest.mark.parametrize("norm_first", [False, True], ids=["after", "before"])
activations = pytest.mark.parametrize("activation", ["relu", "gelu"])
reproducible = settings(max_examples=30, deadline=None, derandomize=True)
ones = np.ones


def attention(d_model=6, source=6, n_heads=2, d_k=4, d_v=5):
    Q, K, V, O = (d_model, d_k), (source, d_k), (source, d_v), (d_v, d_model)
    wide = [ones((rows, n_heads * columns)) for rows, columns in (Q, K, V)]
    biases = [ones(W.shape[1]) for W in wide]
    return MultiHeadAttention(*wide, ones((n_heads * O[0], O[1])), n_heads, *biases, ones(O[1]))


def encoder(norm_first=False, activation="relu", d_model=6, seed=0, **sizes):
    network = FeedForward.random(np.random.default_rng(0), d_model, 9, activation=activation)
    norms = [LayerNorm(ones(d_model), ones(d_model), epsilon) for epsilon in (1e-5, 0.1)]
    parts = attention(d_model, d_model, **sizes), norms[0], network, norms[1]
    return drawn(EncoderBlock(*parts, norm_first), seed)


def decoder(norm_first=False, activation="relu", source=7, seed=0, **sizes):
    network = FeedForward.random(np.random.default_rng(0), 6, 9, activation=activation)
    one, two, three = (LayerNorm(ones(6), ones(6), epsilon) for epsilon in (1e-5, 0.1, 0.2))
    parts = attention(6, 6, **sizes), one, attention(6, source, **sizes), two, network, three
    return drawn(DecoderBlock(*parts, norm_first), seed)


def linear(rows, W, b):
    columns = list(zip(*W.tolist(), strict=True))
    return [
        [sum(x * w for x, w in zip(row, c, strict=True)) + b_c for c, b_c in zip(columns, b)]
        for row in rows
    ]


def plus(A, B):
    return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(A, B, strict=True)]


def norm_loop(norm, rows):
    normed = []
    for row in rows:
        mean = sum(row) / len(row)
        sigma = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + norm.epsilon)
        triples = zip(row, norm.gain, norm.bias, strict=True)
        normed.append([g * (x - mean) / sigma + b for x, g, b in triples])
    return normed


def network_loop(network, rows):
    def activate(x):
        gelu = x * (1 + math.erf(x / math.sqrt(2))) / 2
        return gelu if network.activation == "gelu" else max(x, 0.0)

    hidden = [[activate(x) for x in row] for row in linear(rows, network.W_1, network.b_1)]
    return linear(hidden, network.W_2, network.b_2)


def attention_loop(heads, items, source, mask):
    Q, K = linear(items, heads.W_Q, heads.b_Q), linear(source, heads.W_K, heads.b_K)
    V = linear(source, heads.W_V, heads.b_V)
    d_k, d_v = len(Q[0]) // heads.n_heads, len(V[0]) // heads.n_heads
    merged = [[] for _ in items]
    for h in range(heads.n_heads):
        for i, q in enumerate(Q):
            powers = []
            for j, k in enumerate(K):
                score = sum(q[h * d_k + c] * k[h * d_k + c] for c in range(d_k)) / math.sqrt(d_k)
                powers.append(math.exp(score) if mask[i][j] else 0.0)
            for c in range(h * d_v, h * d_v + d_v):
                merged[i].append(sum(p * v[c] for p, v in zip(powers, V)) / sum(powers))
    return linear(merged, heads.W_O, heads.b_O)


def add_and_norm(norm_first, norm, part, rows):
    """One part of a block, with the sum around it and the norm on the right side."""
    if norm_first:
        return plus(rows, part(norm_loop(norm, rows)))
    return norm_loop(norm, plus(rows, part(rows)))


def encoder_loop(block, X, mask):
    first = block.norm_first
    A = add_and_norm(
        first, block.norm_1, lambda rows: attention_loop(block.attention, rows, rows, mask), X
    )
    return add_and_norm(first, block.norm_2, lambda r: network_loop(block.feed_forward, r), A)


def decoder_loop(block, X, memory, mask, memory_mask):
    first = block.norm_first
    A = add_and_norm(
        first, block.norm_1, lambda rows: attention_loop(block.self_attention, rows, rows, mask), X
    )
    C = add_and_norm(
        first,
        block.norm_2,
        lambda rows: attention_loop(block.cross_attention, rows, memory, memory_mask),
        A,
    )
    return add_and_norm(first, block.norm_3, lambda r: network_loop(block.feed_forward, r), C)


def torch_heads(heads, module):
    """Give PyTorch's multi-head attention the same numbers; its matrices are transposed."""
    W = {x: torch.tensor(getattr(heads, f"W_{x}").T) for x in "QKVO"}
    if module.in_proj_weight is not None:
        module.in_proj_weight.copy_(torch.cat([W["Q"], W["K"], W["V"]]))
    else:
        for x in "QKV":
            getattr(module, f"{x.lower()}_proj_weight").copy_(W[x])
    biases = [torch.tensor(getattr(heads, f"b_{x}")) for x in "QKV"]
    module.in_proj_bias.copy_(torch.cat(biases))
    module.out_proj.weight.copy_(W["O"])
    module.out_proj.bias.copy_(torch.tensor(heads.b_O))


def torch_layer(block, kind):
    """PyTorch's layer of the `kind` with the same numbers."""
    network, d_model = block.feed_forward, len(block.norm_1.gain)
    heads = getattr(block, "self_attention", None) or block.attention
    layer = kind(
        d_model,
        heads.n_heads,
        len(network.b_1),
        dropout=0.0,
        activation=network.activation,
        batch_first=True,
        norm_first=block.norm_first,
        dtype=torch.float64,
    )
    with torch.no_grad():
        if isinstance(block, DecoderBlock):
            source = len(block.cross_attention.W_K)
            layer.multihead_attn = torch.nn.MultiheadAttention(
                d_model, heads.n_heads, kdim=source, vdim=source, batch_first=True,
                dtype=torch.float64,
            )  # fmt: skip
            torch_heads(block.cross_attention, layer.multihead_attn)
        torch_heads(heads, layer.self_attn)
        for i, (W, b) in enumerate(((network.W_1, network.b_1), (network.W_2, network.b_2)), 1):
            getattr(layer, f"linear{i}").weight.copy_(torch.tensor(W.T))
            getattr(layer, f"linear{i}").bias.copy_(torch.tensor(b))
        for name in ("norm1", "norm2", "norm3"):
            if hasattr(layer, name):
                torch_norm(getattr(block, name.replace("m", "m_")), getattr(layer, name))
    return layer


def torch_norm(norm, module):
    with torch.no_grad():
        module.weight.copy_(torch.tensor(norm.gain))
        module.bias.copy_(torch.tensor(norm.bias))
        module.eps = norm.epsilon
    return module


def run_both_ways(module, *arrays, **masks):
    """PyTorch's answer when training and when not, which takes another path."""
    tensors = [torch.tensor(x) for x in arrays]
    masks = {name: torch.tensor(x) for name, x in masks.items()}
    with torch.no_grad():
        trained = module.train()(*tensors, **masks)
        assert_allclose(module.eval()(*tensors, **masks), trained, atol=1e-12)
    return trained


@norm_before_or_after
@activations
def test_the_encoder_block_equals_a_loop(norm_first, activation):
    block, X, mask = encoder(norm_first, activation), draw(5, 6, seed=1), draw_mask(5, 5)
    output, weights = block(X)
    assert output.shape == (5, 6) and weights.shape == (2, 5, 5)
    assert_allclose(output, encoder_loop(block, X.tolist(), ones((5, 5))), atol=1e-12)
    assert_allclose(block(X, mask=mask)[0], encoder_loop(block, X.tolist(), mask), atol=1e-12)


@norm_before_or_after
@activations
def test_the_decoder_block_equals_a_loop(norm_first, activation):
    block, X, memory = decoder(norm_first, activation), draw(5, 6, seed=1), draw(3, 7, seed=2)
    mask, memory_mask = draw_mask(5, 5), draw_mask(5, 3, seed=1)
    output, weights, cross_weights = block(X, memory)
    assert output.shape == (5, 6)
    assert weights.shape == (2, 5, 5) and cross_weights.shape == (2, 5, 3)
    X, memory_rows = X.tolist(), memory.tolist()
    expected = decoder_loop(block, X, memory_rows, causal(5), ones((5, 3)))
    assert_allclose(output, expected, atol=1e-12)
    output, *_ = block(X, memory, mask=mask, memory_mask=memory_mask)
    expected = decoder_loop(block, X, memory_rows, causal(5) & mask, memory_mask)
    assert_allclose(output, expected, atol=1e-12)


@norm_before_or_after
def test_the_stack_equals_a_loop(norm_first):
    blocks = [
        encoder(norm_first, activation, seed=i) for i, activation in enumerate(("gelu", "relu"))
    ]
    X, norm, mask = draw(5, 6, seed=1), drawn(LayerNorm.initial(6)), draw_mask(5, 5)
    expected = X.tolist()
    for block in blocks:
        expected = encoder_loop(block, expected, causal(5) & mask)
    output, weights = DecoderOnly(blocks)(X, mask=mask)
    assert_allclose(output, expected, atol=1e-12)
    assert isinstance(weights, tuple) and [w.shape for w in weights] == [(2, 5, 5)] * 2
    normed, _ = DecoderOnly(blocks, norm)(X, mask=mask)
    assert_allclose(normed, norm_loop(norm, expected), atol=1e-12)


def steady(norm_first):
    """An encoder block of worked numbers: attention adds (1, 3), the network relu(y) + 1."""
    zero, eye = np.zeros((2, 2)), np.eye(2)
    heads = MultiHeadAttention(zero, zero, zero, eye, n_heads=2, b_O=[1, 3])
    network = FeedForward(eye, [0, 0], eye, [1, 1])
    norms = LayerNorm([4, 8], [0, 1], 7), LayerNorm([2, 3], [10, 0], 28)
    return EncoderBlock(heads, norms[0], network, norms[1], norm_first)


def test_worked_norm_after():
    """(2, 8) becomes (-3, 7); with (1, 8) that is (-2, 15), and sigma is √(8.5² + 28)."""
    output, weights = steady(False)([[1, 5]])
    sigma = math.sqrt(8.5**2 + 28)
    assert_allclose(output, [[10 - 2 * 8.5 / sigma, 3 * 8.5 / sigma]], rtol=1e-14)
    assert_array_equal(weights, ones((2, 1, 1)))


def test_worked_norm_before():
    """(1, 5) + (1, 3) = (2, 8); its norm is (10 - 6/√37, 9/√37), all above 0, and so added."""
    output, _ = steady(True)([[1, 5]])
    sigma = math.sqrt(37)
    assert_allclose(output, [[2 + 10 - 6 / sigma + 1, 8 + 9 / sigma + 1]], rtol=1e-14)


TORCH_SIZES = {"n_heads": 3, "d_k": 2, "d_v": 2}


@norm_before_or_after
@activations
def test_the_encoder_block_equals_torch(norm_first, activation):
    block, X = encoder(norm_first, activation, **TORCH_SIZES), draw(4, 5, 6, seed=1)
    layer = torch_layer(block, torch.nn.TransformerEncoderLayer)
    assert_allclose(block(X)[0], run_both_ways(layer, X), atol=1e-12)
    mask, lengths = draw_mask(5, 5), padding([5, 1, 3, 4], 5)
    assert_allclose(block(X, mask=mask)[0], run_both_ways(layer, X, src_mask=~mask), atol=1e-12)
    with torch.no_grad():
        hidden = torch.tensor(~lengths[:, 0])
        expected = layer.train()(torch.tensor(X), src_key_padding_mask=hidden)
    assert_allclose(block(X, mask=lengths)[0], expected, atol=1e-12)
    assert block.parameter_count == sum(p.numel() for p in layer.parameters())


@norm_before_or_after
@activations
@pytest.mark.parametrize("source", [6, 7])
def test_the_decoder_block_equals_torch(norm_first, activation, source):
    block = decoder(norm_first, activation, source, **TORCH_SIZES)
    X, memory = draw(4, 5, 6, seed=1), draw(4, 3, source, seed=2)
    layer, future = torch_layer(block, torch.nn.TransformerDecoderLayer), ~causal(5)
    expected = run_both_ways(layer, X, memory, tgt_mask=future)
    assert_allclose(block(X, memory)[0], expected, atol=1e-12)
    mask, memory_mask = draw_mask(5, 5), draw_mask(5, 3, seed=1)
    hidden = {"tgt_mask": future | ~mask, "memory_mask": ~memory_mask}
    expected = run_both_ways(layer, X, memory, **hidden)
    result = block(X, memory, mask=mask, memory_mask=memory_mask)
    assert_allclose(result[0], expected, atol=1e-12)
    lengths = padding([3, 1, 2, 3], 3)
    hidden = {"tgt_mask": future, "memory_key_padding_mask": ~lengths[:, 0]}
    expected = run_both_ways(layer, X, memory, **hidden)
    assert_allclose(block(X, memory, memory_mask=lengths)[0], expected, atol=1e-12)
    assert block.parameter_count == sum(p.numel() for p in layer.parameters())


@norm_before_or_after
@activations
def test_the_stack_equals_torch(norm_first, activation):
    blocks = [encoder(norm_first, activation, seed=i, **TORCH_SIZES) for i in range(3)]
    norm, X = drawn(LayerNorm.initial(6)), draw(4, 5, 6, seed=1)
    layers = [torch_layer(block, torch.nn.TransformerEncoderLayer) for block in blocks]
    for last in (None, norm):
        end = last and torch_norm(last, torch.nn.LayerNorm(6, dtype=torch.float64))
        module = torch.nn.TransformerEncoder(layers[0], 3, end, enable_nested_tensor=False)
        module.layers = torch.nn.ModuleList(layers)
        stack = DecoderOnly(blocks, last)
        assert_allclose(stack(X)[0], run_both_ways(module, X, mask=~causal(5)), atol=1e-12)
        assert stack.parameter_count == sum(p.numel() for p in module.parameters())


@norm_before_or_after
def test_the_weights_are_those_of_the_attentions(norm_first):
    block, X, memory = encoder(norm_first), draw(5, 6, seed=1), draw(3, 7, seed=2)
    seen = block.norm_1(X) if norm_first else X
    assert_array_equal(block(X)[1], block.attention(seen)[1])
    block, stack = (
        decoder(norm_first),
        DecoderOnly([encoder(norm_first), encoder(norm_first, seed=1)]),
    )
    attended, weights = block.self_attention(block.norm_1(X) if norm_first else X, mask=causal(5))
    assert_array_equal(block(X, memory)[1], weights)
    A = X + attended if norm_first else block.norm_1(X + attended)
    _, cross_weights = block.cross_attention(block.norm_2(A) if norm_first else A, memory)
    assert_array_equal(block(X, memory)[2], cross_weights)
    middle, first = stack.blocks[0](X, mask=causal(5))
    _, second = stack.blocks[1](middle, mask=causal(5))
    for result, expected in zip(stack(X)[1], (first, second), strict=True):
        assert_array_equal(result, expected)


@reproducible
@given(
    n=st.integers(1, 6),
    m=st.integers(1, 4),
    batch=st.sampled_from([(), (2,), (3, 2)]),
    norm_first=st.booleans(),
    activation=st.sampled_from(["relu", "gelu"]),
    seed=st.integers(0, 99),
)
def test_what_holds_for_all_blocks(n, m, batch, norm_first, activation, seed):
    X, memory = draw(*batch, n, 6, seed=seed), draw(*batch, m, 7, seed=seed + 1)
    mask, rng = draw_mask(n, n, seed=seed), np.random.default_rng(seed)
    items, rows = rng.permutation(n), rng.permutation(m)
    block = encoder(norm_first, activation, seed=seed)
    output, weights = block(X, mask=mask)
    moved, moved_weights = block(X[..., items, :], mask=mask[items][:, items])
    assert_allclose(moved, output[..., items, :], atol=1e-11)
    assert_allclose(moved_weights, weights[..., items, :][..., items], atol=1e-12)
    block, memory_mask = decoder(norm_first, activation, seed=seed), draw_mask(n, m, seed=seed)
    output, weights, crossed = block(X, memory, memory_mask=memory_mask)
    again = block(X, memory[..., rows, :], memory_mask=memory_mask[:, rows])
    assert_allclose(again[0], output, atol=1e-11)
    assert_allclose(again[2], crossed[..., rows], atol=1e-12)
    assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
    assert_allclose(crossed.sum(axis=-1), 1, rtol=1e-12)
    assert not crossed[..., ~memory_mask].any() and not np.triu(weights, 1).any()
    for index in np.ndindex(batch):
        alone = block(X[index], memory[index], memory_mask=memory_mask)
        assert_allclose(alone[0], output[index], atol=1e-11)


@norm_before_or_after
@pytest.mark.parametrize("mask", [None, True, [[True]]])
def test_nobody_who_writes_sees_the_future(norm_first, mask):
    X, memory = draw(6, 6, seed=1), draw(3, 7, seed=2)
    block = decoder(norm_first)
    stack = DecoderOnly([encoder(norm_first), encoder(norm_first, seed=1)], LayerNorm.initial(6))
    for answer in (lambda X: block(X, memory, mask=mask), lambda X: stack(X, mask=mask)):
        before, *_ = answer(X)
        for now in range(5):
            changed = X.copy()
            changed[now + 1 :] = draw(5 - now, 6, seed=3)
            after, *_ = answer(changed)
            assert_allclose(after[: now + 1], before[: now + 1], atol=1e-13)
            assert (np.abs(after[now + 1 :] - before[now + 1 :]).max(axis=1) > 1e-3).all()
            assert_allclose(answer(X[: now + 1])[0], before[: now + 1], atol=1e-12)


@norm_before_or_after
def test_padding_counts_as_if_it_were_not_there(norm_first):
    X, memory, lengths = draw(2, 5, 6, seed=1), draw(2, 4, 7, seed=2), [3, 5]
    output, _ = encoder(norm_first)(X, mask=padding(lengths, 5))
    assert_allclose(output[0, :3], encoder(norm_first)(X[0, :3])[0], atol=1e-12)
    assert_allclose(output[1], encoder(norm_first)(X[1])[0], atol=1e-12)
    stack = DecoderOnly([encoder(norm_first), encoder(norm_first, seed=1)])
    last = padding(lengths, 5)[..., ::-1] | np.eye(5, dtype=bool)
    output, _ = stack(X, mask=last)
    assert_allclose(output[0, 2:], stack(X[0, 2:])[0], atol=1e-12)
    assert_allclose(output[1], stack(X[1])[0], atol=1e-12)
    output, *_ = decoder(norm_first)(X, memory, memory_mask=padding([1, 4], 4))
    assert_allclose(output[0], decoder(norm_first)(X[0], memory[0, :1])[0], atol=1e-12)
    assert_allclose(output[1], decoder(norm_first)(X[1], memory[1])[0], atol=1e-12)


def test_parts_that_write_nothing_change_nothing():
    X, memory = draw(5, 6, seed=1), draw(3, 7, seed=2)
    for norm_first in (False, True):
        silent = {}
        for block in (encoder(norm_first), decoder(norm_first)):
            for name, array in block.parameters().items():
                ends = name.endswith(("W_O", "b_O", "W_2", "b_2", "bias"))
                silent[name] = 0 * array if ends else ones(array.shape)
            quiet = block.with_parameters({name: silent[name] for name in block.parameters()})
            more = (memory,) if isinstance(block, DecoderBlock) else ()
            output, *_ = quiet(X, *more)
            if norm_first:
                assert_array_equal(output, X)
            else:
                assert_allclose(output.mean(axis=-1), 0, atol=1e-13)


def test_one_item_and_one_row_of_memory():
    block, x = decoder(), draw(1, 6)
    output, weights, cross_weights = block(x, draw(1, 7))
    assert output.shape == (1, 6)
    assert_array_equal(weights, ones((2, 1, 1)))
    assert_array_equal(cross_weights, ones((2, 1, 1)))
    assert_array_equal(encoder()(x)[1], ones((2, 1, 1)))


def test_a_memory_may_serve_or_bring_a_batch():
    block, X, memory = decoder(), draw(2, 5, 6), draw(2, 3, 7, seed=1)
    alone, _, _ = block(X[0], memory[0])
    for items, rows in ((X, memory[0]), (X[0], memory)):
        output, _, crossed = block(items, rows)
        assert output.shape == (2, 5, 6) and crossed.shape == (2, 2, 5, 3)
        assert_allclose(output[0], alone, atol=1e-12)


X6, M7 = ones((5, 6)), ones((3, 7))
CALLS = {
    "encoder": lambda X, **masks: encoder()(X, **masks),
    "decoder": lambda X, **masks: decoder()(X, M7, **masks),
    "stack": lambda X, **masks: DecoderOnly([encoder()])(X, **masks),
}


def test_a_mask_that_leaves_only_the_future():
    mask = np.triu(ones((5, 5), bool), 1) | (np.arange(5) == 4)
    assert encoder()(X6, mask=mask)[0].shape == (5, 6)
    for call in (CALLS["decoder"], CALLS["stack"]):
        with pytest.raises(ValueError, match=r"query 0 may attend to nothing: mask"):
            call(X6, mask=mask)


@pytest.mark.parametrize("call", [CALLS["decoder"], CALLS["stack"]])
def test_a_query_needs_a_key_and_a_key_needs_no_query(call):
    mask = ones((5, 5), bool)
    mask[2, :3] = False  # each key is still seen by some query
    with pytest.raises(ValueError, match=r"query 2 may attend to nothing: mask"):
        call(X6, mask=mask)
    unseen = np.arange(5) != 3
    weights = call(X6, mask=unseen)[1]
    assert (np.stack(weights)[..., 3] == 0).all()


def test_sums_too_large_are_refused():
    one, zero = ones((1, 1)), np.zeros((1, 1))
    quiet, loud = (MultiHeadAttention(zero, zero, zero, one, 1, b_O=[b]) for b in (0, 1e308))
    silent, shouting = (FeedForward(zero, [0], zero, [b]) for b in (0, 1e308))
    norm, X = LayerNorm.initial(1), 1e308 * one
    for first in (False, True):
        with pytest.raises(ValueError, match="overflow"):
            EncoderBlock(loud, norm, silent, norm, first)(X)
        for heads in ((loud, quiet), (quiet, loud)):
            if first or heads[0] is loud:
                with pytest.raises(ValueError, match="overflow"):
                    DecoderBlock(heads[0], norm, heads[1], norm, silent, norm, first)(X, one)
    with pytest.raises(ValueError, match=r"result of EncoderBlock overflows float64\. Scale"):
        EncoderBlock(quiet, norm, shouting, norm, True)(X)
    with pytest.raises(ValueError, match=r"result of DecoderBlock overflows float64\. Scale"):
        DecoderBlock(quiet, norm, quiet, norm, shouting, norm, True)(X, one)


def test_masks_must_be_named():
    with pytest.raises(TypeError, match="positional"):
        encoder()(X6, True)
    with pytest.raises(TypeError, match="positional"):
        decoder()(X6, M7, True)
    with pytest.raises(TypeError, match="positional"):
        DecoderOnly([encoder()])(X6, True)
