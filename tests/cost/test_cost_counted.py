"""Costs against what PyTorch's own counters see, and against loops that count each operation.

PyTorch's counter of FLOPs does not know its fused attention for CPUs, so where it has to count
`scaled_dot_product_attention`, this is computed as two matrix products.
"""

import math
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode, flop_registry

from attnlib import causal, layer_norm, scaled_dot_product_attention
from attnlib.cost import attention_cost, block_cost
from tests.helpers.oracles import draw

F = torch.nn.functional
size = st.integers(1, 9)


class Seen(TorchDispatchMode):
    """Writes down what each operation of PyTorch reads and writes, and its FLOPs.

    Views move nothing: what they return lies where their argument lies.  An argument that is read
    for several sequences counts once.
    """

    def __init__(self):
        super().__init__()
        self.names, self.moved, self.flops = [], [], []

    def __torch_dispatch__(self, operation, types, arguments=(), options=None):
        result = operation(*arguments, **(options or {}))
        read = [x for x in (*arguments, *(options or {}).values()) if isinstance(x, torch.Tensor)]
        written = [x for x in (result if isinstance(result, tuple) else (result,)) if x.numel()]
        if {place(x) for x in read}.isdisjoint(map(place, written)):
            assert not operation._schema.is_mutable
            self.names.append(operation._overloadpacket.__name__)
            self.moved.append(sum(x.numel() * x.element_size() for x in read + written))
            count = flop_registry.get(operation._overloadpacket)
            self.flops.append(count(*arguments, out_val=result) if count else 0)
        return result


def place(tensor):
    return tensor.untyped_storage().data_ptr()


def seen(function, *tensors):
    """Run a function under `Seen`, which must agree on FLOPs with PyTorch's own counter."""
    with Seen() as counted, FlopCounterMode(display=False) as counter:
        function(*tensors)
    assert sum(counted.flops) == counter.get_total_flops()
    return counted


def qkv(n_q, n_k, d_k, d_v, groups=(), dtype=torch.float32):
    shapes = (n_q, d_k), (n_k, d_k), (n_k, d_v)
    return [torch.randn(*groups, *shape).to(dtype) for shape in shapes]


def with_two_products(Q, K, V):
    """The scale is folded into the queries beforehand."""
    return torch.softmax(Q @ K.transpose(-1, -2), dim=-1) @ V


def with_a_scale(Q, K, V):
    return torch.softmax(Q @ K.transpose(-1, -2) * 0.5, dim=-1) @ V


SIZES = [(3, 5, 7, 11), (5, 3, 2, 13), (1, 5, 7, 2), (3, 1, 7, 2), (1, 1, 1, 1)]
sizes = pytest.mark.parametrize("sizes", SIZES, ids=str)


@sizes
@pytest.mark.parametrize("is_causal", [False, True])
def test_flops_of_fused_attention_equal_torchs_count(sizes, is_causal):
    """What a causal mask rules out is computed all the same, as in the naive way."""
    n_q, n_k = sizes[:2]
    if is_causal and n_q > n_k:
        n_k = n_q
    tensors = qkv(n_q, n_k, *sizes[2:], (13, 2))
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        F.scaled_dot_product_attention(*tensors, is_causal=is_causal)
    cost = attention_cost(n_q, n_k, *sizes[2:], n_heads=2, batch=13, causal=is_causal)
    assert counter.get_total_flops() == cost.naive.flops
    assert (cost.fused.flops < cost.naive.flops) == (is_causal and n_q > 1)


TYPES = [torch.float32, torch.float64, torch.bfloat16]


@sizes
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_naive_steps_with_the_scale_in_the_queries(sizes, dtype):
    result = seen(with_two_products, *qkv(*sizes, (13, 2), dtype))
    options = {"n_heads": 2, "batch": 13, "itemsize": dtype.itemsize}
    naive = attention_cost(*sizes, **options).naive
    assert result.names == ["bmm", "_softmax", "bmm"]
    assert result.moved == [step.bytes for step in naive.steps.values()]
    assert result.flops == [step.flops for step in naive.steps.values()]
    assert sum(result.moved) == naive.bytes


@sizes
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_separate_scale_takes_two_more_passes(sizes, dtype):
    result = seen(with_a_scale, *qkv(*sizes, (13, 2), dtype))
    options = {"n_heads": 2, "batch": 13, "itemsize": dtype.itemsize, "passes": 6}
    steps = attention_cost(*sizes, **options).naive.steps
    scores, scaled, softmax, weighed = result.moved
    assert result.names == ["bmm", "mul", "_softmax", "bmm"]
    assert [scores, scaled + softmax, weighed] == [step.bytes for step in steps.values()]


@pytest.mark.parametrize("additive", [False, True])
def test_scale_and_mask_take_four_more_passes(additive):
    """The mask of (n_q, n_k) serves all heads and sequences: one byte a pair, or four if it adds.

    The formula leaves this reading out, because it does not grow with heads and sequences.
    """
    mask = torch.tensor(causal(3, 5))
    biases = torch.where(mask, 0.0, -torch.inf)

    def masked(Q, K, V):
        scores = Q @ K.transpose(-1, -2) * 0.5
        scores = scores + biases if additive else scores.masked_fill(mask, -torch.inf)
        return torch.softmax(scores, dim=-1) @ V

    result = seen(masked, *qkv(3, 5, 7, 11, (13, 2)))
    naive = attention_cost(3, 5, 7, 11, n_heads=2, batch=13, causal=True, passes=8).naive
    assert result.names == ["bmm", "mul", "add" if additive else "masked_fill", "_softmax", "bmm"]
    assert sum(result.moved) == naive.bytes + (4 if additive else 1) * 3 * 5
    assert sum(result.flops) == naive.flops


@pytest.mark.parametrize("n", [3, 16])
def test_fused_bytes_are_those_of_torchs_own_attention(n):
    """It writes one number a query besides, which only a gradient needs."""
    result = seen(F.scaled_dot_product_attention, *qkv(n, n + 2, 8, 8, (13, 2)))
    fused = attention_cost(n, n + 2, 8, 8, n_heads=2, batch=13).fused
    assert result.names == ["_scaled_dot_product_flash_attention_for_cpu"]
    assert result.moved == [fused.bytes + 13 * 2 * n * 4]


def layer(d_model, n_heads, d_ff, **options):
    return torch.nn.TransformerEncoderLayer(
        d_model, n_heads, d_ff, dropout=0, batch_first=True, **options
    ).train()  # while training nothing is merged into one call that no counter sees


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize(("n", "d_model", "n_heads", "d_ff"), [(5, 6, 3, 7), (1, 8, 2, 3)])
def test_flops_of_block_steps_equal_torchs_count(n, d_model, n_heads, d_ff, norm_first):
    """PyTorch makes one product of the three projections."""
    steps = block_cost(n, d_model, n_heads, d_ff, batch=13).naive.steps
    block, X = layer(d_model, n_heads, d_ff, norm_first=norm_first), torch.randn(13, n, d_model)
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
        result = seen(block, X)
    flops = {name: step.flops for name, step in steps.items()}
    assert [flops for flops in result.flops if flops] == [
        flops["projections"],
        flops["scores"],
        flops["weigh"],
        flops["output projection"],
        flops["feed-forward"] / 2,
        flops["feed-forward"] / 2,
    ]
    total = block_cost(n, d_model, n_heads, d_ff, batch=13)
    assert sum(result.flops) == total.naive.flops == total.fused.flops
    assert flops["normalise"] == flops["norms and residuals"] == 0


@pytest.mark.parametrize(("n", "d_model", "d_ff", "batch"), [(5, 6, 7, 13), (1, 8, 3, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_bytes_of_block_steps_equal_torchs_count(n, d_model, d_ff, batch, dtype):
    rows = batch * n
    X, hidden = (torch.randn(rows, d, dtype=dtype) for d in (d_model, d_ff))
    W, W_1 = (torch.randn(d_model, d, dtype=dtype) for d in (d_model, d_ff))
    W_2 = torch.randn(d_ff, d_model, dtype=dtype)
    steps = block_cost(n, d_model, 2, d_ff, batch=batch, itemsize=dtype.itemsize).naive.steps

    result = seen(lambda: [X @ W for _ in range(3)])
    assert sum(result.moved) == steps["projections"].bytes
    assert sum(result.flops) == steps["projections"].flops
    result = seen(lambda: X @ W)
    assert sum(result.moved) == steps["output projection"].bytes
    assert sum(result.flops) == steps["output projection"].flops
    result = seen(lambda: [X @ W_1, torch.relu(hidden), hidden @ W_2])
    assert result.names == ["mm", "relu", "mm"]
    assert sum(result.moved) == steps["feed-forward"].bytes
    assert sum(result.flops) == steps["feed-forward"].flops
    result = seen(lambda: [X + X.clone(), F.layer_norm(X, [d_model])])
    assert result.names == ["clone", "add", "native_layer_norm"]
    one = sum(result.moved[1:]) - 2 * rows * dtype.itemsize  # its means and deviations, one a row
    assert 2 * one == steps["norms and residuals"].bytes


class Number:
    """A number that writes down each operation done with it."""

    tally: ClassVar = Counter()

    def __init__(self, value):
        self.value = float(value)

    def noted(self, name, value):
        self.tally[name] += 1
        return Number(value)

    def __add__(self, other):
        return self.noted("add", self.value + other.value)

    def __sub__(self, other):
        return self.noted("subtract", self.value - other.value)

    def __mul__(self, other):
        return self.noted("multiply", self.value * other.value)

    def __truediv__(self, other):
        return self.noted("divide", self.value / other.value)

    def __gt__(self, other):
        self.tally["compare"] += 1
        return self.value > other.value

    def exp(self):
        return self.noted("exp", math.exp(self.value))


def tallied(stage):
    """Do one stage, and return its result and the operations it took."""
    Number.tally = Counter()
    return stage(), Number.tally


def numbers(array):
    return [[Number(x) for x in row] for row in np.asarray(array)]


def values(rows):
    return np.array([[x.value for x in row] for row in rows])


def dot(u, v):
    total = Number(0)
    for a, b in zip(u, v, strict=True):
        total = total + a * b
    return total


def softmax_of(row, scale):
    """Scale, find the maximum, subtract it, take exponentials, add up, divide."""
    row = [score * Number(scale) for score in row]
    most = Number(-math.inf)
    for score in row:
        most = score if score > most else most
    powers = [(score - most).exp() for score in row]
    total = Number(0)
    for power in powers:
        total = total + power
    return [power / total for power in powers]


def normed(row, epsilon=1e-5):
    """Layer norm; what is done once a row, not once an entry, is not counted."""
    total = Number(0)
    for x in row:
        total = total + x
    mean = Number(total.value / len(row))
    centred = [x - mean for x in row]
    total = Number(0)
    for x in centred:
        total = total + x * x
    deviation = Number(math.sqrt(total.value / len(row) + epsilon))
    return [x / deviation * Number(2) + Number(3) for x in centred]


def products(tally):
    """Multiply-adds, where nothing but multiply-adds was done."""
    assert tally["multiply"] == tally["add"] == tally.total() / 2
    return tally["add"]


def other(tally):
    return tally.total() - tally["exp"]


@pytest.mark.parametrize(("n_q", "n_k"), [(3, 5), (5, 3), (1, 5), (3, 1)])
@pytest.mark.parametrize(("d_k", "d_v"), [(2, 7), (4, 1)])
def test_operations_equal_a_loop(n_q, n_k, d_k, d_v):
    Q, K, V = draw(n_q, d_k), draw(n_k, d_k, seed=1), draw(n_k, d_v, seed=2)
    queries, keys, columns = numbers(Q), numbers(K), numbers(V.T)
    steps = attention_cost(n_q, n_k, d_k, d_v).naive.steps
    scores, tally = tallied(lambda: [[dot(q, k) for k in keys] for q in queries])
    assert products(tally) == steps["scores"].multiply_adds
    weights, tally = tallied(lambda: [softmax_of(row, d_k**-0.5) for row in scores])
    assert tally["exp"] == steps["normalise"].exponentials
    assert other(tally) == steps["normalise"].other
    output, tally = tallied(lambda: [[dot(row, column) for column in columns] for row in weights])
    assert products(tally) == steps["weigh"].multiply_adds
    assert_allclose(values(output), scaled_dot_product_attention(Q, K, V)[0], atol=1e-13)
    assert {step.other + step.exponentials for step in (steps["scores"], steps["weigh"])} == {0}
    assert steps["normalise"].multiply_adds == 0


@pytest.mark.parametrize(("n_q", "n_k"), [(3, 5), (4, 4), (1, 6), (1, 1), (2, 3)])
def test_causal_operations_equal_a_loop_over_allowed_pairs(n_q, n_k):
    pairs = [(i, j) for i in range(n_q) for j in range(n_k) if j <= i + n_k - n_q]
    assert len(pairs) == causal(n_q, n_k).sum()
    cost = attention_cost(n_q, n_k, 2, 7, causal=True)
    assert (cost.pairs, cost.allowed_pairs) == (n_q * n_k, len(pairs))
    queries, keys, columns = numbers(draw(n_q, 2)), numbers(draw(n_k, 2)), numbers(draw(7, n_k))
    scores, tally = tallied(lambda: {(i, j): dot(queries[i], keys[j]) for i, j in pairs})
    assert products(tally) == cost.fused.steps["scores"].multiply_adds
    rows = [[scores[pair] for pair in pairs if pair[0] == i] for i in range(n_q)]
    weights, tally = tallied(lambda: [softmax_of(row, 0.5) for row in rows])
    assert tally["exp"] == cost.fused.steps["normalise"].exponentials
    assert other(tally) == cost.fused.steps["normalise"].other
    _, tally = tallied(lambda: [[dot(w, c[: len(w)]) for c in columns] for w in weights])
    assert products(tally) == cost.fused.steps["weigh"].multiply_adds
    assert cost.naive == attention_cost(n_q, n_k, 2, 7).naive
    assert cost.fused.bytes == attention_cost(n_q, n_k, 2, 7).fused.bytes


def test_operations_of_a_block_equal_a_loop():
    n, d_model, d_ff = 3, 4, 6
    X = draw(n, d_model)
    rows, columns, hidden = (
        numbers(X),
        numbers(draw(d_model, d_model)),
        numbers(draw(d_ff, d_model)),
    )
    steps = block_cost(n, d_model, 2, d_ff).naive.steps
    _, tally = tallied(lambda: [[dot(row, c) for c in columns] for row in rows])
    assert products(tally) == steps["output projection"].multiply_adds
    assert 3 * products(tally) == steps["projections"].multiply_adds
    H, tally = tallied(lambda: [[dot(row, c) for c in hidden] for row in rows])
    widen = products(tally)
    H, tally = tallied(lambda: [[h if h > Number(0) else Number(0) for h in row] for row in H])
    assert tally.total() == tally["compare"] == steps["feed-forward"].other
    back = [list(column) for column in zip(*hidden, strict=True)]
    _, tally = tallied(lambda: [[dot(row, c) for c in back] for row in H])
    assert widen + products(tally) == steps["feed-forward"].multiply_adds
    sums, residual = tallied(lambda: [[x + x for x in row] for row in rows])
    output, norm = tallied(lambda: [normed(row) for row in sums])
    assert 2 * (residual.total() + norm.total()) == steps["norms and residuals"].other
    assert_allclose(values(output), layer_norm(2 * X, [2] * d_model, [3] * d_model), atol=1e-12)
