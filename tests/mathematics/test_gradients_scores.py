"""Gradients of scores against loops, worked numbers, PyTorch, and what must always hold."""

import math
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import Additive, Bilinear, Location, attend, dot, scaled_dot
from attnlib.gradients import (
    additive_vjp,
    bilinear_vjp,
    finite_difference,
    location_vjp,
    scaled_dot_vjp,
    softmax_vjp,
    weighted_sum_vjp,
)
from tests.helpers.oracles import draw, gradients_by_torch

reproducible = settings(max_examples=40, deadline=None, derandomize=True)
batches = pytest.mark.parametrize(
    ("batch_q", "batch_k"),
    [
        ((), ()),
        ((2,), (2,)),
        ((2, 1), (13,)),
        ((), (2,)),
        ((11,), ()),
        ((1,), (4,)),
        ((2, 3), (1,)),
    ],
)


class Score(NamedTuple):
    """A score to differentiate: called with Q, K and arrays of these shapes."""

    vjp: callable
    forward: callable
    in_torch: callable
    loop: callable
    d_q: int = 5
    d_k: int = 4
    shapes: tuple = ()


def pairs(d_scores):
    """Each derivative with its query and its key."""
    return [(i, j, d) for i, row in enumerate(d_scores) for j, d in enumerate(row)]


def dot_loop(scale, d_scores, Q, K):
    d_Q, d_K = np.zeros(Q.shape), np.zeros(K.shape)
    for i, j, d in pairs(d_scores):
        for c in range(Q.shape[1]):
            d_Q[i, c] += scale * d * K[j, c]
            d_K[j, c] += scale * d * Q[i, c]
    return d_Q, d_K


def bilinear_loop(d_scores, Q, K, W):
    d_Q, d_K, d_W = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(W.shape)
    for i, j, d in pairs(d_scores):
        for a, b in np.ndindex(W.shape):
            d_Q[i, a] += d * W[a, b] * K[j, b]
            d_K[j, b] += d * Q[i, a] * W[a, b]
            d_W[a, b] += d * Q[i, a] * K[j, b]
    return d_Q, d_K, d_W


def additive_loop(d_scores, Q, K, W_q, W_k, v):
    d_Q, d_K, d_v = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(v.shape)
    d_W_q, d_W_k = np.zeros(W_q.shape), np.zeros(W_k.shape)
    for i, j, d in pairs(d_scores):
        for a in range(len(v)):
            z = sum(Q[i, c] * W_q[c, a] for c in range(len(W_q)))
            z += sum(K[j, c] * W_k[c, a] for c in range(len(W_k)))
            h = math.tanh(z)
            d_v[a] += d * h
            d_z = d * v[a] * (1 - h * h)
            for c in range(len(W_q)):
                d_Q[i, c] += d_z * W_q[c, a]
                d_W_q[c, a] += d_z * Q[i, c]
            for c in range(len(W_k)):
                d_K[j, c] += d_z * W_k[c, a]
                d_W_k[c, a] += d_z * K[j, c]
    return d_Q, d_K, d_W_q, d_W_k, d_v


def location_loop(d_scores, Q, K, W, b):
    d_Q, d_W, d_b = np.zeros(Q.shape), np.zeros(W.shape), np.zeros(b.shape)
    for i, j, d in pairs(d_scores):
        d_b[j] += d
        for c in range(len(W)):
            d_Q[i, c] += d * W[c, j]
            d_W[c, j] += d * Q[i, c]
    return d_Q, np.zeros(K.shape), d_W, d_b


def torch_dot(Q, K):
    return torch.einsum("...ia,...ja->...ij", Q, K)


def torch_additive(Q, K, W_q, W_k, v):
    return torch.tanh((Q @ W_q).unsqueeze(-2) + (K @ W_k).unsqueeze(-3)) @ v


def torch_location(Q, K, W, b):
    scores = (Q @ W + b)[..., : K.shape[-2]]
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
    return scores.expand(*batch, *scores.shape[-2:])


SCORES = {
    "dot": Score(
        lambda d, Q, K: scaled_dot_vjp(d, Q, K, 1),
        dot,
        torch_dot,
        lambda *arrays: dot_loop(1, *arrays),
        d_k=5,
    ),
    "scaled_dot": Score(
        scaled_dot_vjp,
        scaled_dot,
        lambda Q, K: torch_dot(Q, K) / 5**0.5,
        lambda *arrays: dot_loop(5**-0.5, *arrays),
        d_k=5,
    ),
    "bilinear": Score(
        bilinear_vjp,
        lambda Q, K, W: Bilinear(W)(Q, K),
        lambda Q, K, W: torch.einsum("...ia,ab,...jb->...ij", Q, W, K),
        bilinear_loop,
        shapes=((5, 4),),
    ),
    "additive": Score(
        additive_vjp,
        lambda Q, K, *parameters: Additive(*parameters)(Q, K),
        torch_additive,
        additive_loop,
        shapes=((5, 6), (4, 6), (6,)),
    ),
    "location": Score(
        location_vjp,
        lambda Q, K, *parameters: Location(*parameters)(Q, K),
        torch_location,
        location_loop,
        shapes=((5, 9), (9,)),
    ),
}
every_score = pytest.mark.parametrize("score", list(SCORES.values()), ids=list(SCORES))


def draw_score(score, batch_q=(), batch_k=(), n_q=3, n_k=7, seed=0):
    """The derivatives of the scores, and the arguments of the score."""
    rng = np.random.default_rng(seed)
    batch = np.broadcast_shapes(batch_q, batch_k)
    shapes = [(*batch_q, n_q, score.d_q), (*batch_k, n_k, score.d_k), *score.shapes]
    return rng.normal(size=(*batch, n_q, n_k)), *(rng.normal(size=shape) for shape in shapes)


def assert_same(found, expected, arrays, atol):
    for d, correct, x in zip(found, expected, arrays, strict=True):
        assert d.shape == x.shape
        assert_allclose(d, correct, atol=atol)


@every_score
def test_scores_equal_a_loop_over_pairs(score):
    d_scores, *arrays = draw_score(score)
    assert_same(score.vjp(d_scores, *arrays), score.loop(d_scores, *arrays), arrays, 1e-13)


@batches
@every_score
def test_scores_equal_torch_with_broadcast_batches(score, batch_q, batch_k):
    d_scores, *arrays = draw_score(score, batch_q, batch_k)
    assert_allclose(score.forward(*arrays), score.in_torch(*map(torch.tensor, arrays)), atol=1e-12)
    expected = gradients_by_torch(score.in_torch, d_scores, *arrays)
    assert_same(score.vjp(d_scores, *arrays), expected, arrays, 1e-10)


@every_score
def test_scores_equal_finite_differences(score):
    d_scores, *arrays = draw_score(score, (2, 1), (3,), n_q=2)
    for position, d in enumerate(score.vjp(d_scores, *arrays)):

        def loss(x, position=position):
            changed = [*arrays[:position], x, *arrays[position + 1 :]]
            return (d_scores * score.forward(*changed)).sum()

        assert_allclose(d, finite_difference(loss, arrays[position]), atol=1e-7)


def test_worked_scores():
    d_Q, d_K = scaled_dot_vjp([[1, 10]], [[1, 2, 3, 4]], [[1, 0, 0, 2], [0, 1, 3, 0]])
    assert_array_equal(d_Q, [[0.5, 5, 15, 1]])
    assert_array_equal(d_K, [[0.5, 1, 1.5, 2], [5, 10, 15, 20]])
    d_Q, d_K, d_W = bilinear_vjp([[1], [10]], [[1], [2]], [[3, 4]], [[5, 6]])
    assert_array_equal(d_Q, [[39], [390]])
    assert_array_equal(d_K, [[105, 126]])
    assert_array_equal(d_W, [[63, 84]])
    d_Q, d_K, d_W, d_b = location_vjp(
        [[1, 10]], [[2, 3]], [[7], [8]], [[1, 2, 3], [4, 5, 6]], [0] * 3
    )
    assert_array_equal(d_Q, [[21, 54]])
    assert_array_equal(d_K, [[0], [0]])
    assert_array_equal(d_W, [[2, 20, 0], [3, 30, 0]])
    assert_array_equal(d_b, [1, 10, 0])
    half = math.atanh(0.5)
    found = additive_vjp([[4]], [[half]], [[3]], [[1]], [[0]], [8])
    assert_allclose([d.item() for d in found], [24, 0, 24 * half, 72, 2], rtol=1e-14)


@every_score
@reproducible
@given(n_q=st.integers(1, 5), n_k=st.integers(1, 7), seed=st.integers(0, 99))
def test_what_holds_for_all_scores(score, n_q, n_k, seed):
    d_scores, *arrays = draw_score(score, n_q=n_q, n_k=n_k, seed=seed)
    found = score.vjp(d_scores, *arrays)
    other = draw(n_q, n_k, seed=seed + 1)
    three = [3 * a + b for a, b in zip(found, score.vjp(other, *arrays), strict=True)]
    assert_same(score.vjp(3 * d_scores + other, *arrays), three, arrays, 1e-11)
    queries = np.random.default_rng(seed).permutation(n_q)
    Q, *rest = arrays
    permuted = score.vjp(d_scores[queries], Q[queries], *rest)
    assert_same(permuted, [found[0][queries], *found[1:]], arrays, 1e-11)
    if score.vjp is not location_vjp:
        keys = np.random.default_rng(seed).permutation(n_k)
        Q, K, *rest = arrays
        permuted = score.vjp(d_scores[:, keys], Q, K[keys], *rest)
        assert_same(permuted, [found[0], found[1][keys], *found[2:]], arrays, 1e-11)


def test_in_a_product_each_factor_times_its_gradient_is_the_score_times_its_own():
    for name in ("scaled_dot", "bilinear", "additive"):
        d_scores, *arrays = draw_score(SCORES[name], (2,), (2,))
        total = (d_scores * SCORES[name].forward(*arrays)).sum()
        factors = list(zip(SCORES[name].vjp(d_scores, *arrays), arrays, strict=True))
        for d, x in factors[-1:] if name == "additive" else factors:
            assert_allclose((d * x).sum(), total, rtol=1e-12)


def frozen(arrays):
    for x in arrays:
        x.setflags(write=False)
    return arrays


@every_score
def test_number_types_and_arguments_that_are_not_changed(score):
    arrays = frozen(draw_score(score, (2,), (2,)))
    single = score.vjp(*frozen([x.astype(np.float32) for x in arrays]))
    for low, high in zip(single, score.vjp(*arrays), strict=True):
        assert low.dtype == np.float32 and high.dtype == np.float64
        assert_allclose(low, high, atol=1e-4)
    for d in score.vjp(*(np.sign(x).astype(np.int8) for x in arrays)):
        assert d.dtype == np.float64
    lists = score.vjp(*(x.tolist() for x in arrays))
    assert_same(lists, score.vjp(*arrays), arrays[1:], 0)


def test_a_float64_scale_keeps_float32():
    one = np.ones((1, 1), np.float32)
    for d in scaled_dot_vjp(one, one, one, np.float64(0.5)):
        assert d.dtype == np.float32 and d.item() == 0.5


@every_score
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_numbers_neither_overflow_nor_warn(score, dtype):
    arrays = [(100 * np.sign(x)).astype(dtype) for x in draw_score(score)]
    for d in score.vjp(*arrays):
        assert d.dtype == dtype and np.isfinite(d).all()


@every_score
def test_one_query_one_key_and_no_query(score):
    for n_q, n_k in ((1, 1), (0, 7)):
        arrays = draw_score(score, n_q=n_q, n_k=n_k)
        assert_same(score.vjp(*arrays), score.loop(*arrays), arrays[1:], 1e-13)


def test_location_may_use_all_positions_and_no_more():
    d_scores, Q, _, W, b = draw_score(SCORES["location"], n_k=9)
    _, _, d_W, d_b = location_vjp(d_scores, Q, draw(9, 4), W, b)
    assert_allclose(d_W, np.einsum("ia,ij->aj", Q, d_scores), atol=1e-13)
    assert_allclose(d_b, d_scores.sum(axis=0), atol=1e-13)
    with pytest.raises(ValueError, match=r"K has shape \(10, 4\), so 10 keys, but W .*\(5, 9\)"):
        location_vjp(draw(3, 10), Q, draw(10, 4), W, b)


NAMES = {
    scaled_dot_vjp: ["d_scores", "Q", "K"],
    bilinear_vjp: ["d_scores", "Q", "K", "W"],
    additive_vjp: ["d_scores", "Q", "K", "W_q", "W_k", "v"],
    location_vjp: ["d_scores", "Q", "K", "W", "b"],
}
every_vjp = pytest.mark.parametrize("vjp", list(NAMES), ids=lambda f: f.__name__)


@every_vjp
def test_bad_numbers_types_and_shapes_are_refused_by_name(vjp):
    good = [[1.0] if name in ("v", "b") else [[1.0]] for name in NAMES[vjp]]
    assert all(np.isfinite(d).all() for d in vjp(*good))
    for position, name in enumerate(NAMES[vjp]):

        def replace(bad, position=position):
            return [*good[:position], bad, *good[position + 1 :]]

        for bad in (np.nan, np.inf, -np.inf):
            shape = np.shape(good[position])
            with pytest.raises(ValueError, match=rf"^{name} of shape .* holds {bad} at index"):
                vjp(*replace(np.full(shape, bad)))
        for bad in ([["a"]], [[None]], [[1j]], [[True]], "text"):
            with pytest.raises(TypeError, match=rf"^{name} holds .* only integers and floats"):
                vjp(*replace(bad))
        with pytest.raises(ValueError, match=f"^{name} is ragged"):
            vjp(*replace([[1, 2], [3]]))
        with pytest.raises(ValueError, match=rf"^{name} has shape \(\)"):
            vjp(*replace(1.0))


def test_bad_scales_are_refused_by_name():
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match=f"scale={bad} is not finite"):
            scaled_dot_vjp([[1]], [[1]], [[1]], bad)
    for bad in ("1", True, [1.0], 1j):
        with pytest.raises(TypeError, match="scale must be one real number"):
            scaled_dot_vjp([[1]], [[1]], [[1]], bad)


@every_vjp
def test_a_result_too_large_for_its_type_is_refused(vjp):
    for dtype in (np.float32, np.float64):
        large = np.finfo(dtype).max / 2
        sizes = {"d_scores": large, "Q": 2, "K": 3, "v": 100, "b": 0, "W_q": 0.1, "W_k": 0.1}
        arrays = [np.full(np.ones(1 if n in "vb" else 2, int), sizes.get(n, 5)) for n in NAMES[vjp]]
        with pytest.raises(ValueError, match=rf"{vjp.__name__} overflows {np.dtype(dtype)}\. Sc"):
            vjp(*(x.astype(dtype) for x in arrays))


@pytest.mark.parametrize("kind", ["bilinear", "additive"])
def test_three_stages_together_are_attention_with_learned_scores(kind):
    """Values, then softmax, then scores: a chain of vjps is the gradient of the whole."""
    Q, K, V, d_output = draw(3, 5), draw(7, 4), draw(7, 11), draw(3, 11, seed=1)
    mask = draw(3, 7, seed=2) < 0.5
    mask[:, 0] = True
    made = {
        "bilinear": (Bilinear, bilinear_vjp, [draw(5, 4)], lambda Q, K, W: Q @ W @ K.T),
        "additive": (Additive, additive_vjp, [draw(5, 6), draw(4, 6), draw(6)], torch_additive),
    }
    Score, score_vjp, parameters, torch_score = made[kind]
    output, weights = attend(Q, K, V, score=Score(*parameters), mask=mask)
    d_weights, d_V = weighted_sum_vjp(d_output, weights, V)
    found = d_V, *score_vjp(softmax_vjp(d_weights, weights), Q, K, *parameters)

    def by_stages(V, Q, K, *parameters):
        scores = torch_score(Q, K, *parameters).masked_fill(~torch.tensor(mask), -torch.inf)
        return torch.softmax(scores, -1) @ V

    arrays = V, Q, K, *parameters
    assert_allclose(output, by_stages(*map(torch.tensor, arrays)), atol=1e-12)
    assert_same(found, gradients_by_torch(by_stages, d_output, *arrays), arrays, 1e-10)
