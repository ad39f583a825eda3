"""Gradients of projections and heads against loops, worked numbers, PyTorch, and what must hold."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import MultiHeadAttention, project
from attnlib.gradients import finite_difference, multi_head_vjp, projection_vjp
from tests.helpers.oracles import draw, draw_mask

BIASES = ["b_Q", "b_K", "b_V", "b_O"]
kinds = pytest.mark.parametrize("cross", [False, True], ids=["self", "cross"])


def draw_attention(
    cross=False, biases=BIASES, n_heads=3, d_k=2, d_v=4, d_model=5, d_out=11, seed=0
):
    """Multi-head attention in which every size differs from every other."""
    rng, d_source = np.random.default_rng(seed), 7 if cross else d_model
    shapes = {
        "W_Q": (d_model, n_heads * d_k),
        "W_K": (d_source, n_heads * d_k),
        "W_V": (d_source, n_heads * d_v),
        "W_O": (n_heads * d_v, d_out),
    }
    shapes |= {name: shapes["W" + name[1:]][1:] for name in biases}
    arrays = {name: rng.normal(size=shape) / 2 for name, shape in shapes.items()}
    return MultiHeadAttention(**arrays, n_heads=n_heads)


def draw_items(cross=False, batch_q=(), batch_k=(), n_q=3, n_k=8, seed=1):
    """The items that ask and, in cross-attention, those that are asked."""
    X_Q = draw(*batch_q, n_q, 5, seed=seed)
    return (X_Q, draw(*batch_k, n_k, 7, seed=seed + 100) if cross else None)


def torch_heads(p, X_Q, X_KV, n_heads, mask=None):
    """Multi-head attention with the parameters `p` in PyTorch, one head after the other."""
    source = X_Q if X_KV is None else X_KV
    rows = {"Q": X_Q, "K": source, "V": source}
    Q, K, V = (
        (X @ p[f"W_{x}"] + p.get(f"b_{x}", 0)).chunk(n_heads, dim=-1) for x, X in rows.items()
    )
    outputs = []
    for q, k, v in zip(Q, K, V, strict=True):
        scores = torch.einsum("...ic,...jc->...ij", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~torch.tensor(mask), -torch.inf)
        outputs.append(scores.softmax(-1) @ v)
    return torch.cat(outputs, dim=-1) @ p["W_O"] + p.get("b_O", 0)


def by_torch(d_output, attention, X_Q, X_KV, mask=None):
    """Gradients by the items that ask, those that are asked, and each parameter."""

    def variable(x):
        return torch.tensor(x, requires_grad=True)

    p = {name: variable(x) for name, x in attention.parameters().items()}
    items = [variable(X) for X in (X_Q, X_KV) if X is not None]
    output = torch_heads(p, items[0], *(items[1:] or [None]), attention.n_heads, mask)
    d_items = torch.autograd.grad(output, [*items, *p.values()], torch.tensor(d_output))
    d_p = dict(zip(p, d_items[len(items) :], strict=True))
    return d_items[0], d_items[1] if X_KV is not None else None, d_p


def assert_same(found, expected, atol=1e-10):
    """Compare gradients by items and parameters with their shapes."""
    for d, correct in zip(found[:2], expected[:2], strict=True):
        assert (d is None) == (correct is None)
        if d is not None:
            assert d.shape == correct.shape
            assert_allclose(d, correct, atol=atol)
    parameters = found[2].parameters()
    assert list(parameters) == list(expected[2])
    for name, correct in expected[2].items():
        assert parameters[name].shape == correct.shape
        assert_allclose(parameters[name], correct, atol=atol, err_msg=name)


def test_projection_equals_a_loop_and_torch():
    d_Y, X, W, b = draw(2, 3, 11), draw(2, 3, 5, seed=1), draw(5, 11, seed=2), draw(11, seed=3)
    d_X, d_W, d_b = np.zeros(X.shape), np.zeros(W.shape), np.zeros(b.shape)
    for t in np.ndindex(2, 3):
        for j in range(11):
            d_b[j] += d_Y[t][j]
            for a in range(5):
                d_X[t][a] += d_Y[t][j] * W[a, j]
                d_W[a, j] += X[t][a] * d_Y[t][j]
    tensors = [torch.tensor(x, requires_grad=True) for x in (X, W, b)]
    output = tensors[0] @ tensors[1] + tensors[2]
    expected = torch.autograd.grad(output, tensors, torch.tensor(d_Y))
    found = projection_vjp(d_Y, X, W)
    for d, loop, correct in zip(found, (d_X, d_W, d_b), expected, strict=True):
        assert d.shape == loop.shape
        assert_allclose(d, loop, atol=1e-13)
        assert_allclose(d, correct, atol=1e-12)


def test_projection_worked():
    d_X, d_W, d_b = projection_vjp([[1, 0], [0, 10]], [[2, 3], [5, 7]], [[1, 2], [3, 4]])
    assert_array_equal(d_X, [[1, 3], [20, 40]])
    assert_array_equal(d_W, [[2, 50], [3, 70]])
    assert_array_equal(d_b, [1, 10])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    batch=st.lists(st.integers(1, 3), max_size=3).map(tuple),
    n=st.integers(0, 4),
    d_in=st.integers(1, 5),
    d_out=st.integers(1, 5),
    seed=st.integers(0, 99),
)
def test_what_holds_for_all_projections(batch, n, d_in, d_out, seed):
    X, W, d_Y = draw(*batch, n, d_in, seed=seed), draw(d_in, d_out), draw(*batch, n, d_out)
    d_X, d_W, d_b = projection_vjp(d_Y, X, W)
    assert d_X.shape == X.shape and d_W.shape == W.shape and d_b.shape == (d_out,)
    total = (d_Y * project(X, W)).sum()
    assert_allclose((d_X * X).sum(), total, atol=1e-12)
    assert_allclose((d_W * W).sum(), total, atol=1e-12)
    rows = projection_vjp(d_Y.reshape(-1, d_out), X.reshape(-1, d_in), W)
    for d, flat in zip((d_X, d_W, d_b), rows, strict=True):
        assert_allclose(d.ravel(), flat.ravel(), atol=1e-12)


@kinds
@pytest.mark.parametrize("biases", [[], ["b_Q"], ["b_K", "b_O"], BIASES])
@pytest.mark.parametrize("masked", [False, True], ids=["all", "masked"])
def test_heads_equal_torch(cross, biases, masked):
    attention = draw_attention(cross, biases)
    items = draw_items(cross, (2,), (2,))
    mask = draw_mask(2, 3, 8 if cross else 3) if masked else None
    d_output = draw(2, 3, 11)
    found = multi_head_vjp(d_output, attention, *items, mask=mask)
    assert_same(found, by_torch(d_output, attention, *items, mask))
    d_attention = found[2]
    assert isinstance(d_attention, MultiHeadAttention) and d_attention.n_heads == 3
    assert [b for b in BIASES if getattr(d_attention, b) is not None] == biases


@pytest.mark.parametrize(
    ("batch_q", "batch_k"), [((2, 1), (4,)), ((), (2,)), ((2,), ()), ((1,), (3,)), ((2, 3), (3,))]
)
def test_items_that_ask_and_that_are_asked_may_have_other_batches(batch_q, batch_k):
    attention = draw_attention(True)
    items = draw_items(True, batch_q, batch_k)
    batch = np.broadcast_shapes(batch_q, batch_k)
    d_output = draw(*batch, 3, 11)
    for mask in (None, draw_mask(3, 8), draw_mask(*batch, 3, 8)):
        found = multi_head_vjp(d_output, attention, *items, mask=mask)
        assert_same(found, by_torch(d_output, attention, *items, mask))


@kinds
@pytest.mark.parametrize("masked", [False, True], ids=["all", "masked"])
def test_heads_equal_the_module_of_torch(cross, masked):
    d, n_heads, n_k = 6, 2, 8 if cross else 3
    attention = draw_attention(False, n_heads=n_heads, d_k=3, d_v=3, d_model=d, d_out=d)
    X_Q, X_KV = draw(2, 3, d), draw(2, n_k, d, seed=1) if cross else None
    mask, d_output = draw_mask(3, n_k), draw(2, 3, d, seed=2)
    p = {name: torch.tensor(x) for name, x in attention.parameters().items()}
    module = torch.nn.MultiheadAttention(d, n_heads, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([p["W_Q"].T, p["W_K"].T, p["W_V"].T]))
        module.in_proj_bias.copy_(torch.cat([p["b_Q"], p["b_K"], p["b_V"]]))
        module.out_proj.weight.copy_(p["W_O"].T)
        module.out_proj.bias.copy_(p["b_O"])
    items = [torch.tensor(X, requires_grad=True) for X in (X_Q, X_KV) if X is not None]
    forbidden = ~torch.tensor(mask) if masked else None
    module(items[0], items[-1], items[-1], attn_mask=forbidden)[0].backward(torch.tensor(d_output))
    expected = dict(zip(["W_Q", "W_K", "W_V"], module.in_proj_weight.grad.chunk(3), strict=True))
    expected = {name: matrix.T for name, matrix in expected.items()}
    expected["W_O"] = module.out_proj.weight.grad.T
    expected |= zip(BIASES[:3], module.in_proj_bias.grad.chunk(3), strict=True)
    expected["b_O"] = module.out_proj.bias.grad
    found = multi_head_vjp(d_output, attention, X_Q, X_KV, mask=mask if masked else None)
    assert_same(found, (items[0].grad, items[1].grad if cross else None, expected))


@kinds
def test_heads_equal_finite_differences(cross):
    attention, items = draw_attention(cross, ["b_V"]), draw_items(cross, n_k=4)
    mask, d_output = draw_mask(3, 4 if cross else 3), draw(3, 11)
    *d_items, d_attention = multi_head_vjp(d_output, attention, *items, mask=mask)

    def loss(attention, X_Q, X_KV):
        return (d_output * attention(X_Q, X_KV, mask=mask)[0]).sum()

    slope = finite_difference(lambda X: loss(attention, X, items[1]), items[0])
    assert_allclose(d_items[0], slope, atol=1e-7)
    if cross:
        slope = finite_difference(lambda X: loss(attention, items[0], X), items[1])
        assert_allclose(d_items[1], slope, atol=1e-7)
    for name, d in d_attention.parameters().items():

        def of_parameter(x, name=name):
            changed = attention.with_parameters({**attention.parameters(), name: x})
            return loss(changed, *items)

        slope = finite_difference(of_parameter, attention.parameters()[name])
        assert_allclose(d, slope, atol=1e-7, err_msg=name)


def test_worked_heads():
    """Items 0 and 8 tie, so the output is (0 + 8) / 2 · 3 + 10, and only the queries can learn."""
    attention = MultiHeadAttention([[0]], [[1]], [[1]], [[3]], n_heads=1, b_Q=[0], b_O=[10])
    output, weights = attention([[1]], [[0], [8]])
    assert_array_equal(weights[0], [[0.5, 0.5]])
    assert_array_equal(output, [[22]])
    d_X_Q, d_X_KV, d = multi_head_vjp([[1]], attention, [[1]], [[0], [8]])
    # dY = 3, dw = (0, 24), ds = (-6, 6), dq = 48, dk = 0 because q = 0, dv = (1.5, 1.5).
    assert_array_equal(d_X_Q, [[0]])
    assert_array_equal(d_X_KV, [[1.5], [1.5]])
    assert d.W_Q.item() == 48 and d.b_Q.item() == 48 and d.W_K.item() == 0
    assert d.W_V.item() == 12 and d.W_O.item() == 4 and d.b_O.item() == 1
    assert d.b_K is None and d.b_V is None
    # With the item 8 to ask and to be asked: queries learn 8 times as much, and it adds up.
    d_X, none, d = multi_head_vjp([[0], [1]], attention, [[0], [8]])
    assert none is None
    assert_array_equal(d_X, [[1.5], [1.5]])
    assert d.W_Q.item() == 8 * 48


def test_self_attention_adds_what_cross_attention_keeps_apart():
    attention, X, d_output = draw_attention(), draw(2, 3, 5), draw(2, 3, 11)
    mask = draw_mask(3, 3)
    d_X, none, d_self = multi_head_vjp(d_output, attention, X, mask=mask)
    d_asking, d_asked, d_cross = multi_head_vjp(d_output, attention, X, X, mask=mask)
    assert none is None
    assert_allclose(d_X, d_asking + d_asked, atol=1e-13)
    for name, d in d_self.parameters().items():
        assert_allclose(d, d_cross.parameters()[name], atol=1e-13)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    n_heads=st.integers(1, 4),
    n_q=st.integers(1, 5),
    n_k=st.integers(1, 5),
    d_k=st.integers(1, 3),
    d_v=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_what_holds_for_all_heads(n_heads, n_q, n_k, d_k, d_v, seed):
    attention = draw_attention(True, BIASES, n_heads, d_k, d_v, seed=seed)
    (X_Q, X_KV), mask = draw_items(True, n_q=n_q, n_k=n_k), draw_mask(n_q, n_k, seed=seed)
    d_output, other = draw(n_q, 11, seed=seed), draw(n_q, 11, seed=seed + 1)
    d_X_Q, d_X_KV, d = multi_head_vjp(d_output, attention, X_Q, X_KV, mask=mask)
    found = d.parameters()
    # A bias of the keys moves all scores of a query alike.
    assert_allclose(d.b_K, 0, atol=1e-11)
    assert_allclose(d.b_O, d_output.sum(axis=0), atol=1e-12)
    assert_allclose(d.b_V, attention.W_O @ d_output.sum(axis=0), atol=1e-11)
    # Every parameter of the way to the scores and its bias enter one product of q and k.
    q = (d.W_Q * attention.W_Q).sum() + d.b_Q @ attention.b_Q
    k = (d.W_K * attention.W_K).sum() + d.b_K @ attention.b_K
    assert_allclose(q, k, atol=1e-11)
    output, _ = attention(X_Q, X_KV, mask=mask)
    total = (d_output * (output - attention.b_O)).sum()
    assert_allclose((d.W_O * attention.W_O).sum(), total, atol=1e-11)
    # Linear in the output's gradient.
    more = multi_head_vjp(2 * d_output - other, attention, X_Q, X_KV, mask=mask)
    _, _, minus = multi_head_vjp(other, attention, X_Q, X_KV, mask=mask)
    for name, x in minus.parameters().items():
        assert_allclose(more[2].parameters()[name], 2 * found[name] - x, atol=1e-10)
    # Another order of the items asks and answers the same.
    rng = np.random.default_rng(seed)
    queries, keys = rng.permutation(n_q), rng.permutation(n_k)
    permuted = multi_head_vjp(
        d_output[queries], attention, X_Q[queries], X_KV[keys], mask=mask[queries][:, keys]
    )
    assert_same(permuted, (d_X_Q[queries], d_X_KV[keys], found), 1e-11)


def test_a_masked_item_gets_exactly_nothing():
    attention, (X_Q, X_KV) = draw_attention(True), draw_items(True)
    mask = np.arange(8) != 3
    d_X_Q, d_X_KV, d = multi_head_vjp(draw(3, 11), attention, X_Q, X_KV, mask=mask)
    assert (d_X_KV[3] == 0).all() and (d_X_KV[mask] != 0).all()
    expected = multi_head_vjp(draw(3, 11), attention, X_Q, X_KV[mask])
    assert_same((d_X_Q, d_X_KV[mask], d), (*expected[:2], expected[2].parameters()), 1e-13)


def test_one_item_teaches_neither_queries_nor_keys():
    attention = draw_attention()
    d_X, _, d = multi_head_vjp(draw(1, 11), attention, draw(1, 5))
    for array in (d.W_Q, d.W_K, d.b_Q, d.b_K):
        assert_array_equal(array, np.zeros(array.shape))
    assert_allclose(d_X, draw(1, 11) @ (attention.W_V @ attention.W_O).T, atol=1e-13)


@kinds
def test_number_types_and_arguments_that_are_not_changed(cross):
    attention, items = draw_attention(cross), draw_items(cross, (2,), (2,))
    arrays = [draw(2, 3, 11), *(X for X in items if X is not None)]
    mask = draw_mask(3, 8 if cross else 3)
    new = {name: x.astype(np.float32) for name, x in attention.parameters().items()}
    single = attention.with_parameters(new)
    for x in (mask, *arrays, *attention.parameters().values(), *single.parameters().values()):
        x.setflags(write=False)
    high = multi_head_vjp(arrays[0], attention, *arrays[1:], mask=mask)
    low = multi_head_vjp(
        np.float32(arrays[0]), single, *(X.astype(np.float32) for X in arrays[1:]), mask=mask
    )
    for a, b in ((low[0], high[0]), (low[1], high[1])):
        assert b is None or (a.dtype == np.float32 and b.dtype == np.float64)
        assert b is None or np.abs(a - b).max() < 1e-4
    for name, b in high[2].parameters().items():
        a = low[2].parameters()[name]
        assert a.dtype == np.float32 and b.dtype == np.float64
        assert_allclose(a, b, atol=1e-4)
    whole = [np.sign(x).astype(int).tolist() for x in arrays]
    assert multi_head_vjp(whole[0], attention, *whole[1:], mask=mask.tolist())[0].dtype == float


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_scores_neither_overflow_nor_warn(dtype):
    eye = np.eye(4, dtype=dtype)
    attention = MultiHeadAttention(eye, eye, eye, eye, n_heads=2)
    X = np.sign(draw(3, 4)).astype(dtype) * dtype(100)
    d_X, _, d = multi_head_vjp(draw(3, 4).astype(dtype), attention, X)
    for array in (d_X, *d.parameters().values()):
        assert array.dtype == dtype and np.isfinite(array).all()


ones = np.ones


@pytest.mark.parametrize("bad", [[["a"]], [[None]], [[1j]], [[True]], "text"])
def test_bad_types_are_refused_by_name(bad):
    for position, name in enumerate(["d_output", "X", "W"]):
        arguments = [[[1.0]], [[1.0]], [[1.0]]]
        arguments[position] = bad
        with pytest.raises(TypeError, match=f"^{name} holds .* only integers and floats"):
            projection_vjp(*arguments)
    one = MultiHeadAttention([[1]], [[1]], [[1]], [[1]], n_heads=1)
    for position, name in enumerate(["d_output", "X_Q", "X_KV"]):
        arguments = [[[1.0]], [[1.0]], [[1.0]]]
        arguments[position] = bad
        d_output, *items = arguments
        with pytest.raises(TypeError, match=f"^{name} holds .* only integers and floats"):
            multi_head_vjp(d_output, one, *items)
