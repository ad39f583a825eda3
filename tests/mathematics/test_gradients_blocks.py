"""Gradients of whole blocks against PyTorch, finite differences, and what must always hold."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import DecoderBlock, DecoderOnly, EncoderBlock, causal
from attnlib.gradients import (
    decoder_block_vjp,
    decoder_only_vjp,
    encoder_block_vjp,
    finite_difference,
)
from tests.helpers.oracles import (
    by_torch,
    d_ff,
    d_model,
    d_source,
    decoder,
    draw,
    draw_mask,
    drawn,
    encoder,
    m,
    n,
    stack,
    torch_decoder,
    torch_encoder,
    torch_stack,
)

orders = pytest.mark.parametrize("norm_first", [False, True], ids=["after", "before"])
activations = pytest.mark.parametrize("activation", ["relu", "gelu"])


def assert_same(found, expected, atol=1e-10):
    """Compare gradients by items, then those by parameters."""
    *d_items, d_holder = found
    *d_items_expected, d_parameters = expected
    for d, correct in zip(d_items, d_items_expected, strict=True):
        assert d.shape == correct.shape
        assert_allclose(d, correct, rtol=1e-10, atol=atol)
    assert list(d_holder.parameters()) == list(d_parameters)
    for name, d in d_holder.parameters().items():
        assert_allclose(d, d_parameters[name], rtol=1e-10, atol=atol, err_msg=name)


@orders
@activations
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", [None, draw_mask(n, n), draw_mask(2, n, n)])
def test_encoder_equals_torch(norm_first, activation, bias, mask):
    block, X, d_output = encoder(norm_first, activation, bias), draw(2, n, d_model), draw(2, n, 6)
    found = encoder_block_vjp(d_output, block, X, mask=mask)
    assert_same(found, by_torch(torch_encoder, d_output, block, X, mask=mask))


MASKS = [(None, None), (draw_mask(n, n), draw_mask(n, m)), (draw_mask(2, n, n), np.arange(m) < 3)]


@orders
@activations
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("mask", "memory_mask"), MASKS)
def test_decoder_equals_torch(norm_first, activation, bias, mask, memory_mask):
    block, d_output = decoder(norm_first, activation, bias), draw(2, n, d_model)
    items = draw(2, n, d_model, seed=1), draw(2, m, d_source, seed=2)
    masks = {"mask": mask, "memory_mask": memory_mask}
    found = decoder_block_vjp(d_output, block, *items, **masks)
    if memory_mask is not None:
        masks["memory_mask"] = np.broadcast_to(memory_mask, (n, m)).copy()
    assert_same(found, by_torch(torch_decoder, d_output, block, *items, **masks))


@orders
@activations
@pytest.mark.parametrize("with_norm", [False, True])
@pytest.mark.parametrize("mask", [None, draw_mask(n, n)])
def test_stack_equals_torch(norm_first, activation, with_norm, mask):
    whole, X = stack(norm_first, activation, with_norm), draw(2, n, d_model, seed=1)
    d_output = draw(2, n, d_model)
    found = decoder_only_vjp(d_output, whole, X, mask=mask)
    assert_same(found, by_torch(torch_stack, d_output, whole, X, mask=mask))


def named(parts, pick):
    """What `pick` takes from each parameter of PyTorch's modules, under our names."""
    found = {}
    for name, part in parts.items():
        if isinstance(part, torch.nn.MultiheadAttention):
            weights, biases = pick(part.in_proj_weight).chunk(3), pick(part.in_proj_bias).chunk(3)
            for x, W, b in zip("QKV", weights, biases, strict=True):
                found |= {f"{name}.W_{x}": W.T, f"{name}.b_{x}": b}
            out = part.out_proj
            found |= {f"{name}.W_O": pick(out.weight).T, f"{name}.b_O": pick(out.bias)}
        elif isinstance(part, torch.nn.LayerNorm):
            found |= {f"{name}.gain": pick(part.weight), f"{name}.bias": pick(part.bias)}
        else:
            for i, linear in enumerate(part, start=1):
                found[f"{name}.W_{i}"] = pick(linear.weight).T
                found[f"{name}.b_{i}"] = pick(linear.bias)
    return found


def module_and_block(kind, Block, names, norm_first, activation):
    """A layer of torch.nn with random numbers, our names of its parts, and our block of them."""
    options = {"activation": activation, "norm_first": norm_first, "layer_norm_eps": 1e-5}
    options |= {"dropout": 0, "batch_first": True, "dtype": torch.float64}
    module = kind(d_model, 2, d_ff, **options)
    generator = torch.Generator().manual_seed(0)
    for x in module.parameters():
        torch.nn.init.normal_(x, std=0.6, generator=generator)
    parts = {ours: getattr(module, theirs) for ours, theirs in names.items()}
    parts["feed_forward"] = module.linear1, module.linear2
    rng, options = np.random.default_rng(0), {"norm_first": norm_first, "activation": activation}
    block = Block.random(rng, d_model, 2, d_ff, bias=True, **options)
    new = named(parts, lambda x: x.detach())
    return module, parts, block.with_parameters({name: x.numpy() for name, x in new.items()})


def in_our_order(block, d):
    return {name: d[name] for name in block.parameters()}


@orders
@activations
def test_encoder_equals_the_module_of_torch(norm_first, activation):
    names = {"attention": "self_attn", "norm_1": "norm1", "norm_2": "norm2"}
    kind = torch.nn.TransformerEncoderLayer
    module, parts, block = module_and_block(kind, EncoderBlock, names, norm_first, activation)
    mask, d_output, X = draw_mask(n, n), draw(2, n, d_model), draw(2, n, d_model, seed=1)
    x = torch.tensor(X, requires_grad=True)
    module(x, src_mask=~torch.tensor(mask)).backward(torch.tensor(d_output))
    expected = x.grad, in_our_order(block, named(parts, lambda x: x.grad))
    assert_same(encoder_block_vjp(d_output, block, X, mask=mask), expected)


@orders
@activations
def test_decoder_equals_the_module_of_torch(norm_first, activation):
    names = {f"norm_{i}": f"norm{i}" for i in (1, 2, 3)}
    names |= {"self_attention": "self_attn", "cross_attention": "multihead_attn"}
    kind = torch.nn.TransformerDecoderLayer
    module, parts, block = module_and_block(kind, DecoderBlock, names, norm_first, activation)
    X, memory, d_output = draw(2, n, 6, seed=1), draw(2, m, 6, seed=2), draw(2, n, 6)
    memory_mask = draw_mask(n, m)
    x, y = torch.tensor(X, requires_grad=True), torch.tensor(memory, requires_grad=True)
    masks = {"tgt_mask": ~torch.tensor(causal(n)), "memory_mask": ~torch.tensor(memory_mask)}
    module(x, y, **masks).backward(torch.tensor(d_output))
    expected = x.grad, y.grad, in_our_order(block, named(parts, lambda x: x.grad))
    found = decoder_block_vjp(d_output, block, X, memory, memory_mask=memory_mask)
    assert_same(found, expected)


@orders
def test_blocks_equal_finite_differences(norm_first):
    X, memory, d_output = draw(3, d_model, seed=1), draw(2, d_source, seed=2), draw(3, d_model)
    block = decoder(norm_first, "gelu", bias=False)

    def loss(block, X, memory):
        return (d_output * block(X, memory)[0]).sum()

    d_X, d_memory, d_block = decoder_block_vjp(d_output, block, X, memory)
    assert_allclose(d_X, finite_difference(lambda X: loss(block, X, memory), X), atol=1e-6)
    slope = finite_difference(lambda memory: loss(block, X, memory), memory)
    assert_allclose(d_memory, slope, atol=1e-6)
    d_parameters, direction = d_block.parameters(), drawn(block, seed=3).parameters()

    def along(t):
        new = {name: x + t * direction[name] for name, x in block.parameters().items()}
        return loss(block.with_parameters(new), X, memory)

    expected = sum((d_parameters[name] * x).sum() for name, x in direction.items())
    assert_allclose(finite_difference(along, 0.0), expected, rtol=1e-6)


@orders
@pytest.mark.parametrize(
    ("batch", "memory_batch"), [((2,), ()), ((2, 3), (3,)), ((3,), (1,)), ((2, 3), (2, 1))]
)
def test_one_memory_may_serve_several_sequences(norm_first, batch, memory_batch):
    block, d_output = decoder(norm_first), draw(*batch, n, d_model)
    items = draw(*batch, n, d_model, seed=1), draw(*memory_batch, m, d_source, seed=2)
    found = decoder_block_vjp(d_output, block, *items)
    assert_same(found, by_torch(torch_decoder, d_output, block, *items))


@orders
@pytest.mark.parametrize(("batch", "memory_batch"), [((), (2,)), ((2, 1), (3,)), ((1,), (3,))])
def test_one_sequence_may_look_at_several_memories(norm_first, batch, memory_batch):
    block = decoder(norm_first)
    items = draw(*batch, n, d_model, seed=1), draw(*memory_batch, m, d_source, seed=2)
    d_output = draw(*np.broadcast_shapes(batch, memory_batch), n, d_model)
    assert block(*items)[0].shape == d_output.shape
    found = decoder_block_vjp(d_output, block, *items)
    assert_same(found, by_torch(torch_decoder, d_output, block, *items))


def silent(block):
    """Copy a block with parts that add nothing: their last matrix and bias are 0."""
    last = ("W_O", "b_O", "W_2", "b_2")
    new = {x: 0 * a if x.endswith(last) else a for x, a in block.parameters().items()}
    return block.with_parameters(new)


def test_with_the_norm_before_a_derivative_passes_silent_parts_unchanged():
    X, memory, d_output = draw(n, d_model, seed=1), draw(m, d_source), draw(n, d_model)
    d_X, d_block = encoder_block_vjp(d_output, silent(encoder(True)), X)
    assert_array_equal(d_X, d_output)
    assert_allclose(d_block.feed_forward.b_2, d_output.sum(axis=0), atol=1e-14)
    assert_allclose(d_block.attention.b_O, d_output.sum(axis=0), atol=1e-14)
    d_X, d_memory, _ = decoder_block_vjp(d_output, silent(decoder(True)), X, memory)
    assert_array_equal(d_X, d_output)
    assert_array_equal(d_memory, np.zeros((m, d_source)))
    d_X, _ = decoder_only_vjp(d_output, silent(stack(with_norm=False)), X)
    assert_array_equal(d_X, d_output)
    d_X, _ = encoder_block_vjp(d_output, silent(encoder(False)), X)
    assert_allclose(d_X.sum(axis=-1), 0, atol=1e-13)
    assert np.abs(d_X - d_output).max() > 0.1


def test_a_stack_goes_back_through_its_blocks_in_reverse():
    whole, X, d_output = stack(), draw(2, n, d_model, seed=1), draw(2, n, d_model)
    first, second = whole.blocks
    between, _ = first(X, mask=causal(n))
    alone = DecoderOnly((second,), whole.norm)
    d_between, d_second = decoder_only_vjp(d_output, alone, between)
    d_X, d_first = encoder_block_vjp(d_between, first, X, mask=causal(n))
    expected = DecoderOnly((d_first, d_second.blocks[0]), d_second.norm).parameters()
    assert_same(decoder_only_vjp(d_output, whole, X), (d_X, expected), 1e-12)
    d_blocks = decoder_only_vjp(d_output, stack(with_norm=False), X)[1]
    assert isinstance(d_blocks, DecoderOnly) and d_blocks.norm is None


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    norm_first=st.booleans(), size=st.integers(1, 5), now=st.integers(0, 4), seed=st.integers(0, 99)
)
def test_what_holds_for_all_blocks(norm_first, size, now, seed):
    X, memory, rng = draw(size, d_model, seed=seed), draw(m, d_source), np.random.default_rng(seed)
    d_output, now = draw(size, d_model, seed=seed + 1), min(now, size - 1)
    block, other = encoder(norm_first, seed=seed), draw(size, d_model, seed=seed + 2)
    mask = draw_mask(size, size, seed=seed)
    found = encoder_block_vjp(d_output, block, X, mask=mask)
    # Another order of the items, for a block that does not know their positions.
    order = rng.permutation(size)
    permuted = encoder_block_vjp(d_output[order], block, X[order], mask=mask[order][:, order])
    assert_same(permuted, (found[0][order], found[1].parameters()), 1e-9)
    # Linear in the output's gradient.
    d_other, other_block = encoder_block_vjp(other, block, X, mask=mask)
    both = {x: 2 * a - other_block.parameters()[x] for x, a in found[1].parameters().items()}
    more = encoder_block_vjp(2 * d_output - other, block, X, mask=mask)
    assert_same(more, (2 * found[0] - d_other, both), 1e-9)
    # An output reaches no later item, and every item of the memory that it may look at.
    d_now = np.zeros((size, d_model))
    d_now[now] = d_output[now]
    d_X, d_memory, _ = decoder_block_vjp(
        d_now, decoder(norm_first), X, memory, memory_mask=np.arange(m) != 3
    )
    assert (d_X[now + 1 :] == 0).all() and (d_X[: now + 1] != 0).any()
    assert (d_memory[3] == 0).all() and np.delete(d_memory, 3, axis=0).any(axis=1).all()
    d_X, _ = decoder_only_vjp(d_now, stack(norm_first), X)
    assert (d_X[now + 1 :] == 0).all() and d_X[now].any()


@orders
def test_the_settings_of_a_block_are_those_of_its_gradient(norm_first):
    d, X, memory = draw(n, d_model), draw(n, d_model), draw(m, d_source)
    _, d_encoder = encoder_block_vjp(d, encoder(norm_first, "gelu", False), X)
    _, _, d_decoder = decoder_block_vjp(d, decoder(norm_first, "gelu", False), X, memory)
    _, d_stack = decoder_only_vjp(d, stack(norm_first), X)
    assert [b.norm_first for b in (d_encoder, d_decoder, *d_stack.blocks)] == [norm_first] * 4
    norms = (d_encoder.norm_1, d_encoder.norm_2, d_decoder.norm_3, d_stack.norm)
    assert [x.epsilon for x in norms] == [0.1, 0.2, 0.3, 0.4]
    assert d_encoder.feed_forward.activation == d_decoder.feed_forward.activation == "gelu"
    assert d_decoder.cross_attention.n_heads == 3 and d_encoder.attention.n_heads == 2
    assert d_encoder.attention.b_Q is None and d_decoder.cross_attention.b_O is None


def cases(memory_width=d_source):
    """Each gradient with a derivative of its output, its block and its items."""
    d, X, memory = draw(2, n, d_model), draw(2, n, d_model, seed=1), draw(2, m, memory_width)
    return [
        (encoder_block_vjp, d, encoder(), [X]),
        (encoder_block_vjp, d, encoder(True, "gelu"), [X]),
        (decoder_block_vjp, d, decoder(), [X, memory]),
        (decoder_block_vjp, d, decoder(True, "gelu"), [X, memory]),
        (decoder_only_vjp, d, stack(), [X]),
    ]


def test_number_types_and_arguments_that_are_not_changed():
    mask = draw_mask(n, n)
    for vjp, d, block, items in cases():
        new = {name: x.astype(np.float32) for name, x in block.parameters().items()}
        single = block.with_parameters(new)
        low_arrays = [x.astype(np.float32) for x in (d, *items)]
        parameters = [*block.parameters().values(), *single.parameters().values()]
        for x in (d, mask, *items, *low_arrays, *parameters):
            x.setflags(write=False)
        *high, d_high = vjp(d, block, *items, mask=mask)
        *low, d_low = vjp(low_arrays[0], single, *low_arrays[1:], mask=mask)
        pairs = list(zip(low, high, strict=True))
        pairs += [(a, d_high.parameters()[name]) for name, a in d_low.parameters().items()]
        for a, b in pairs:
            assert a.dtype == np.float32 and b.dtype == np.float64
            assert_allclose(a, b, rtol=1e-3, atol=1e-3)
        lists = vjp(d.tolist(), block, *(X.tolist() for X in items), mask=mask.tolist())
        assert_same(lists, (*high, d_high.parameters()), 0)


def test_large_items_neither_overflow_nor_warn():
    for vjp, d, block, items in cases():
        found = vjp(d, block, *(1e4 * X for X in items))
        for x in (*found[:-1], *found[-1].parameters().values()):
            assert np.isfinite(x).all()


def test_what_is_no_block_is_refused_by_name():
    kinds = {
        encoder_block_vjp: ("block must be an EncoderBlock", decoder()),
        decoder_block_vjp: ("block must be a DecoderBlock", encoder()),
        decoder_only_vjp: ("stack must be a DecoderOnly", encoder()),
    }
    for vjp, d, block, items in cases():
        message, other = kinds[vjp]
        for bad in (None, "block", other, block.parameters()):
            with pytest.raises(TypeError, match=f"^{message}, not"):
                vjp(d, bad, *items)


@pytest.mark.parametrize("source", [d_source, d_model])
def test_a_missing_memory_is_refused_and_not_taken_for_self_attention(source):
    with pytest.raises(TypeError, match=r"^memory holds object"):
        decoder_block_vjp(draw(n, d_model), decoder(source=source), draw(n, d_model), None)
