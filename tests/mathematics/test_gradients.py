"""Every gradient and Jacobian in one table, against PyTorch in float64 and finite differences."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from attnlib import (
    Additive,
    Bilinear,
    Location,
    MultiHeadAttention,
    RelativeBias,
    feed_forward,
    gated_feed_forward,
    gelu,
    gradients,
    layer_norm,
    project,
    relative_bias,
    rms_norm,
    rotary,
    scaled_dot,
    scaled_dot_product_attention,
    sigmoid_normalize,
    sigmoid_normalize_jacobian,
    softmax,
    softmax_jacobian,
    sparsemax,
    sparsemax_jacobian,
)
from attnlib._pullbacks import differentiable
from attnlib.gradients import finite_difference
from tests.helpers import oracles
from tests.helpers.oracles import d_model, d_source, draw, draw_mask, gradients_by_torch, m, n

functional = torch.nn.functional
#: Leading axes of queries, keys and values.
BATCHES = [((), (), ()), ((2,), (2,), (2,)), ((2, 1), (13,), (13,)), ((2, 1), (13,), ())]
BATCHES += [((), (2,), (4, 2)), ((2,), (), ()), ((), (), (2, 3)), ((3, 1), (1, 4), (2, 1, 1))]
PAIRS = [(q, k) for q, k, _ in BATCHES if (q, k) != ((), ())] + [((), ()), ((2, 3), (1,))]


class Row(NamedTuple):
    """A function of arrays, the same in PyTorch, and its gradient by each of the arrays."""

    name: str
    function: callable
    in_torch: callable
    vjp: callable
    arrays: list

    def back(self, d_output):
        result = self.vjp(d_output, *self.arrays)
        return result if isinstance(result, (tuple, list)) else (result,)


def drawn(*shapes):
    return [draw(*shape, seed=seed) for seed, shape in enumerate(shapes)]


# Normalisers: their gradients take what they returned, or the scores.


def torch_sparsemax(z):
    ordered = z.sort(-1, descending=True).values
    totals = ordered.cumsum(-1) - 1
    n_kept = (torch.arange(1, z.shape[-1] + 1) * ordered > totals).sum(-1, keepdim=True)
    return torch.relu(z - totals.gather(-1, n_kept - 1) / n_kept)


def torch_sigmoid_normalize(z):
    return torch.sigmoid(z) / torch.sigmoid(z).sum(-1, keepdim=True)


def normalizers(T):
    """A function of scores, the same in PyTorch, its gradient, its Jacobian."""
    vjps = {
        softmax: lambda d, s: gradients.softmax_vjp(d, softmax(s, -1, T), T),
        sparsemax: lambda d, s: gradients.sparsemax_vjp(d, sparsemax(s, -1, T), T),
        sigmoid_normalize: lambda d, s: gradients.sigmoid_normalize_vjp(d, s, T),
    }
    jacobians = softmax_jacobian, sparsemax_jacobian, sigmoid_normalize_jacobian
    in_torch = lambda z: z.softmax(-1), torch_sparsemax, torch_sigmoid_normalize
    for normalize, jacobian, by_torch in zip(vjps, jacobians, in_torch, strict=True):
        yield (
            f"{normalize.__name__} T={T}",
            lambda s, f=normalize: f(s, -1, T),
            lambda s, f=by_torch: f(s / T),
            vjps[normalize],
            lambda s, f=jacobian: f(s, T),
        )


# Scores.


def torch_additive(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q).unsqueeze(-2) + (K @ W_k).unsqueeze(-3)) @ v


def torch_location(Q, K, W, b):
    scores = (Q @ W + b)[..., : K.shape[-2]]
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
    return scores.expand(*batch, *scores.shape[-2:])


SCORES = {
    "bilinear": (
        lambda Q, K, *p: Bilinear(*p)(Q, K),
        lambda Q, K, W: Q @ W @ K.mT,
        gradients.bilinear_vjp,
        [(5, 4)],
    ),
    "additive": (
        lambda Q, K, *p: Additive(*p)(Q, K),
        torch_additive,
        gradients.additive_vjp,
        [(5, 6), (4, 6), (6,)],
    ),
    "location": (
        lambda Q, K, *p: Location(*p)(Q, K),
        torch_location,
        gradients.location_vjp,
        [(5, 9), (9,)],
    ),
}


def scores():
    for (batch_q, batch_k), scale in product(PAIRS, [None, 1, -0.3]):
        yield Row(
            f"scaled_dot scale={scale} {batch_q} {batch_k}",
            lambda Q, K, scale=scale: scaled_dot(Q, K, scale),
            lambda Q, K, scale=scale: Q @ K.mT * (5**-0.5 if scale is None else scale),
            lambda d, Q, K, scale=scale: gradients.scaled_dot_vjp(d, Q, K, scale),
            drawn((*batch_q, 3, 5), (*batch_k, 7, 5)),
        )
    for (batch_q, batch_k), name in product(PAIRS, SCORES):
        *functions, shapes = SCORES[name]
        arrays = drawn((*batch_q, 3, 5), (*batch_k, 7, 4), *shapes)
        yield Row(f"{name} {batch_q} {batch_k}", *functions, arrays)


# Attention.


def attention_row(name, arrays, mask=None, scale=None):
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
    options = {"mask": mask, "scale": scale}

    def in_torch(*tensors):
        Q, K, V, *bias = (x.expand(*batch, *x.shape[-2:]) for x in tensors)
        allowed = None if mask is None else torch.tensor(np.broadcast_to(mask, (*batch, 3, 7)))
        added = bias[0] if bias else allowed
        return functional.scaled_dot_product_attention(Q, K, V, attn_mask=added, scale=scale)

    def with_bias(arrays):
        return options | dict(zip(["bias"], arrays[3:]))

    return Row(
        f"attention {name}",
        lambda *x: scaled_dot_product_attention(*x[:3], **with_bias(x))[0],
        in_torch,
        lambda d, *x: gradients.attention_vjp(d, *x[:3], **with_bias(x)),
        arrays,
    )


def attention():
    for q, k, v in BATCHES:
        yield attention_row(f"{q} {k} {v}", drawn((*q, 3, 5), (*k, 7, 5), (*v, 7, 11)))
        arrays = drawn((*q, 3, 7), (*v, 7, 11))
        yield Row(
            f"weighted_sum {q} {v}", np.matmul, torch.matmul, gradients.weighted_sum_vjp, arrays
        )
    qkv = drawn((2, 3, 5), (2, 7, 5), (2, 7, 11))
    for shape in [(), (7,), (3, 1), (3, 7), (2, 1, 7), (2, 3, 7)]:
        mask = draw_mask(*shape) if shape else np.array(True)
        yield attention_row(f"mask {shape}", qkv, mask)
    for scale in (1.0, 0.2, -0.3):
        yield attention_row(f"scale {scale}", qkv, draw_mask(3, 7), scale)
    for batch in (), (2,), (3, 1):
        yield attention_row(
            f"bias {batch}", [*drawn((3, 2, 3, 5), (2, 7, 5), (7, 11), (*batch, 3, 7))]
        )
    yield attention_row("no query", drawn((0, 5), (7, 5), (7, 11)))


# Projections, layers and positions.


def layers():
    for batch in (), (2,), (2, 3):
        arrays = drawn((*batch, 3, 5), (5, 11), (11,))
        yield Row(
            f"projection {batch}",
            project,
            lambda X, W, b: X @ W + b,
            lambda d, X, W, b: gradients.projection_vjp(d, X, W),
            arrays,
        )
        for epsilon in (1e-12, 1e-5, 0.7):
            yield Row(
                f"layer_norm {epsilon} {batch}",
                lambda X, gain, bias, e=epsilon: layer_norm(X, gain, bias, e),
                lambda X, gain, bias, e=epsilon: functional.layer_norm(X, (5,), gain, bias, e),
                lambda d, X, gain, bias, e=epsilon: gradients.layer_norm_vjp(d, X, gain, bias, e),
                drawn((*batch, 3, 5), (5,), (5,)),
            )
            yield Row(
                f"rms_norm {epsilon} {batch}",
                lambda X, gain, e=epsilon: rms_norm(X, gain, e),
                lambda X, gain, e=epsilon: functional.rms_norm(X, (5,), gain, e),
                lambda d, X, gain, e=epsilon: gradients.rms_norm_vjp(d, X, gain, e),
                drawn((*batch, 3, 5), (5,)),
            )
        for activation in "relu", "gelu", "silu":
            activate = getattr(functional, activation)
            yield Row(
                f"feed_forward {activation} {batch}",
                lambda *x, a=activation: feed_forward(*x, a),
                lambda X, W_1, b_1, W_2, b_2, a=activate: a(X @ W_1 + b_1) @ W_2 + b_2,
                lambda d, *x, a=activation: gradients.feed_forward_vjp(d, *x, a),
                drawn((*batch, 3, 5), (5, 7), (7,), (7, 11), (11,)),
            )
            yield Row(
                f"gated_feed_forward {activation} {batch}",
                lambda *x, a=activation: gated_feed_forward(*x, a),
                lambda X, W_gate, W_1, W_2, a=activate: a(X @ W_gate) * (X @ W_1) @ W_2,
                lambda d, *x, a=activation: gradients.gated_feed_forward_vjp(d, *x, a),
                drawn((*batch, 3, 5), (5, 7), (5, 7), (7, 11)),
            )
    ones, zeros = np.ones(5), np.zeros(5)
    yield Row(
        "rms_norm without gain",
        rms_norm,
        lambda X: functional.rms_norm(X, (5,), eps=1e-5),
        lambda d, X: gradients.rms_norm_vjp(d, X)[:1],
        [draw(2, 3, 5)],
    )
    yield Row(
        "layer_norm without gain",
        lambda X, bias: layer_norm(X, None, bias),
        lambda X, bias: functional.layer_norm(X, (5,), None, bias),
        lambda d, X, bias: gradients.layer_norm_vjp(d, X, None, bias)[::2],
        [draw(2, 3, 5), zeros],
    )
    yield Row(
        "layer_norm without bias",
        lambda X, gain: layer_norm(X, gain),
        lambda X, gain: functional.layer_norm(X, (5,), gain),
        lambda d, X, gain: gradients.layer_norm_vjp(d, X, gain)[:2],
        [draw(2, 3, 5), ones],
    )
    places = [None, np.arange(7) * 3, draw(2, 1, seed=2) * 5]
    for base, where, pairs in product([10000.0, 100], places, ["neighbours", "halves"]):
        at = np.arange(7) if where is None else where
        yield Row(
            f"rotary {base} {where} {pairs}",
            lambda X, how=(where, base, pairs): rotary(X, *how),
            lambda X, how=(at, base, pairs): oracles.torch_rotary(X, *how),
            lambda d, X, how=(where, base, pairs): gradients.rotary_vjp(d, *how),
            [draw(2, 7, 6)],
        )
    for n_q, n_k in [(3, 7), (7, 7), (4, 2)]:
        yield Row(
            f"relative_bias {n_q} {n_k}",
            lambda table, n_q=n_q, n_k=n_k: relative_bias(table, n_q, n_k),
            lambda table, n_q=n_q, n_k=n_k: oracles.torch_bias(
                {"x.positions.table": table}, "x", RelativeBias(np.zeros((2, 5))), 2, n_q, n_k
            ),
            gradients.relative_bias_vjp,
            [draw(2, 5)],
        )


# Blocks: their gradient by their parameters is a block.


def block_row(name, vjp, block, items, in_torch, **options):
    """A block as a function of its items and then of its parameters."""
    names, k = list(block.parameters()), len(items)

    def with_arrays(parameters):
        return block.with_parameters(dict(zip(names, parameters, strict=True)))

    def back(d_output, *arrays):
        *d_items, d_block = vjp(d_output, with_arrays(arrays[k:]), *arrays[:k], **options)
        assert type(d_block) is type(block) and list(d_block.parameters()) == names
        return [*(d for d in d_items if d is not None), *d_block.parameters().values()]

    return Row(
        name,
        lambda *arrays: with_arrays(arrays[k:])(*arrays[:k], **options)[0],
        lambda *x: in_torch(dict(zip(names, x[k:], strict=True)), block, *x[:k], **options),
        back,
        [*items, *block.parameters().values()],
    )


def torch_heads(p, heads, X_Q, X_KV=None, mask=None):
    p = {f"heads.{name}": x for name, x in p.items()}
    return oracles.torch_attention(p, "heads", heads, X_Q, X_Q if X_KV is None else X_KV, mask)


def heads_row(cross, biases, masked, batch_q=(2,), batch_k=(2,)):
    """Multi-head attention in which every size differs from every other."""
    source = 7 if cross else 5
    shapes = {"W_Q": (5, 6), "W_K": (source, 6), "W_V": (source, 12), "W_O": (12, 11)}
    shapes |= {f"b_{x}": shapes[f"W_{x}"][1:] for x in biases}
    arrays = {x: draw(*shape, seed=i) / 2 for i, (x, shape) in enumerate(shapes.items())}
    items = [draw(*batch_q, 3, 5, seed=7)] + [draw(*batch_k, 8, 7, seed=8)] * cross
    mask = draw_mask(*np.broadcast_shapes(batch_q, batch_k), 3, 8 if cross else 3)
    return block_row(
        f"heads cross={cross} biases={biases} masked={masked} {batch_q} {batch_k}",
        gradients.multi_head_vjp,
        MultiHeadAttention(**arrays, n_heads=3),
        items,
        torch_heads,
        mask=mask if masked else None,
    )


def heads():
    yield from (heads_row(*x) for x in product([0, 1], ["", "Q", "KO", "QKVO"], [0, 1]))
    for batches in [((2, 1), (4,)), ((), (2,)), ((2,), ()), ((2, 3), (3,))]:
        yield from (heads_row(1, "QKVO", masked, *batches) for masked in (0, 1))


def placed_row(kind, n_kv_heads, cross, mask_shape, seed=0):
    """Four heads in groups, with positions; the mask may have an axis for the heads."""
    made = oracles.attention(
        5 if cross else d_model, True, 4, 2, 3, n_kv_heads, oracles.positions(kind, 4)
    )
    items = [draw(2, 3, d_model, seed=7)] + [draw(2, 8, 5, seed=8)] * cross
    return block_row(
        f"heads {kind} groups={n_kv_heads} cross={cross} {mask_shape}",
        gradients.multi_head_vjp,
        oracles.drawn(made),
        items,
        torch_heads,
        mask=mask_shape and draw_mask(*mask_shape, 3, 8 if cross else 3),
    )


def placed():
    kinds = "none", "neighbours", "halves", "linear", "table"
    yield from (placed_row(*x, None) for x in product(kinds, [None, 1, 2, 4], [0, 1]))
    yield from (placed_row(kind, 2, 1, shape) for kind in kinds for shape in [(2,), (2, 4), (2, 1)])


def encoder_row(settings, mask):
    return block_row(
        f"encoder {settings} {np.shape(mask)}",
        gradients.encoder_block_vjp,
        oracles.encoder(*settings),
        [draw(2, n, d_model)],
        oracles.torch_encoder,
        mask=mask,
    )


def stack_row(settings, mask, make=oracles.stack):
    return block_row(
        f"{make.__name__} {settings} {np.shape(mask)}",
        gradients.decoder_only_vjp,
        make(*settings),
        [draw(2, n, d_model)],
        oracles.torch_stack,
        mask=mask,
    )


def decoder_row(settings, mask, memory_mask, batch=(2,), memory_batch=(2,)):
    return block_row(
        f"decoder {settings} {np.shape(mask)} {batch} {memory_batch}",
        gradients.decoder_block_vjp,
        oracles.decoder(*settings),
        [draw(*batch, n, d_model), draw(*memory_batch, m, d_source, seed=1)],
        oracles.torch_decoder,
        mask=mask,
        memory_mask=memory_mask,
    )


def blocks():
    """Norm first or not, activation, and biases or (in a stack) a norm at the end."""
    for settings in product([False, True], ["relu", "gelu"], [False, True]):
        for mask in None, draw_mask(n, n), draw_mask(2, n, n):
            yield from (encoder_row(settings, mask), stack_row(settings, mask))
        yield decoder_row(settings, None, None)
        yield decoder_row(settings, draw_mask(2, n, n), draw_mask(n, m))
    for settings in product([False, True], ["silu", "gelu"], [False, True]):
        for mask in None, draw_mask(2, n, n), draw_mask(2, 2, n, n):
            yield stack_row(settings, mask, oracles.modern)
    memories = [((2,), ()), ((2, 3), (3,)), ((3,), (1,)), ((), (2,)), ((2, 1), (3,))]
    for norm_first, batches in product([False, True], memories):
        yield decoder_row((norm_first, "relu", True), None, None, *batches)


ROWS = [
    Row(name, f, in_torch, vjp, [draw(2, 3, 7)])
    for T in (0.5, 1.0, 3.0)
    for name, f, in_torch, vjp, _ in normalizers(T)
]
ROWS += [*scores(), *attention(), *layers(), *heads(), *placed(), *blocks()]
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


@every_row
def test_gradients_equal_those_of_torch(row):
    output = row.function(*row.arrays)
    in_torch = row.in_torch(*map(torch.tensor, row.arrays))
    assert_allclose(output, in_torch, rtol=1e-10, atol=1e-11)
    d_output = draw(*output.shape, seed=9)
    expected = gradients_by_torch(row.in_torch, d_output, *row.arrays)
    for d, correct, x in zip(row.back(d_output), expected, row.arrays, strict=True):
        assert d.shape == x.shape
        assert_allclose(d, correct, rtol=1e-10, atol=1e-10)


@every_row
def test_gradients_equal_finite_differences(row):
    """Along one random line through all arguments, as PyTorch's are compared entry by entry."""
    d_output = draw(*row.function(*row.arrays).shape, seed=9)
    line = [draw(*x.shape, seed=20 + i) for i, x in enumerate(row.arrays)]

    def loss(t):
        moved = [x + t * step for x, step in zip(row.arrays, line, strict=True)]
        return (d_output * row.function(*moved)).sum()

    slope = sum((d * step).sum() for d, step in zip(row.back(d_output), line, strict=True))
    assert_allclose(slope, finite_difference(loss, 0.0), rtol=1e-6, atol=1e-6)


def test_a_call_keeps_no_pullback():
    """Its arrays would stay in memory until the call ends; behind `forward` there is one."""
    kept = []

    @differentiable()
    def twice(X):
        Y, back = gelu.with_pullback(X)
        kept.append(back)
        return 2 * Y, lambda d_Y: back(2 * d_Y)

    Y, back = twice.with_pullback(np.ones(3))
    assert_allclose(twice(np.ones(3)), Y)
    assert callable(kept[0]) and kept[1] is None
    assert_allclose(back(np.ones(3)), finite_difference(lambda x: twice(x).sum(), np.ones(3)))


# Jacobians: all slopes of one row's output.


def query_jacobian(scale):
    K, V = draw(7, 5, seed=1), draw(7, 11, seed=2)

    def in_torch(q):
        K_, V_ = torch.tensor(K), torch.tensor(V)
        return functional.scaled_dot_product_attention(q[None], K_, V_, scale=scale)[0]

    return (
        f"output by query, scale={scale}",
        lambda q: scaled_dot_product_attention([q], K, V, scale=scale)[0][0],
        in_torch,
        None,
        lambda q: gradients.output_query_jacobian(q, K, V, scale),
    )


JACOBIANS = [*normalizers(0.3), *normalizers(1.0), *normalizers(3.0)]
JACOBIANS += [query_jacobian(None), query_jacobian(0.4)]


@pytest.mark.parametrize("row", JACOBIANS, ids=lambda row: row[0])
def test_jacobians_equal_torch_and_differences(row):
    _, function, in_torch, _, jacobian = row
    for x in draw(4, 5):
        expected = torch.autograd.functional.jacobian(in_torch, torch.tensor(x))
        assert_allclose(jacobian(x), expected, atol=1e-12)
        assert_allclose(jacobian(x), finite_difference(function, x), atol=1e-7)
