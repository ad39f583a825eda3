"""Attention against loops, worked numbers, PyTorch, and what must always hold."""

import math
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import (
    attend,
    causal,
    dot,
    hardmax,
    scaled_dot_product_attention,
    sigmoid_normalize,
    softmax,
    sparsemax,
)
from attnlib.examples import causal_scores, three_rows, toy, two_queries
from tests.helpers import oracles
from tests.helpers.oracles import attention_by_torch, draw, draw_mask

BOTH = [attend, scaled_dot_product_attention]
both = pytest.mark.parametrize("attention", BOTH, ids=lambda f: f.__name__)
every_normalizer = pytest.mark.parametrize(
    "normalize", [softmax, sparsemax, sigmoid_normalize, hardmax], ids=lambda f: f.__name__
)
reproducible = settings(max_examples=50, deadline=None, derandomize=True)


qkv = partial(oracles.qkv, n_q=3, n_k=7)


def loop(Q, K, V, mask=None):
    """Answer one query after the other, with nothing but Python numbers."""
    outputs, all_weights = [], []
    for i, q in enumerate(Q.tolist()):
        powers = []
        for j, k in enumerate(K.tolist()):
            score = sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q))
            powers.append(math.exp(score) if mask is None or mask[i][j] else 0.0)
        weights = [p / sum(powers) for p in powers]
        columns = zip(*V.tolist(), strict=True)
        outputs.append([sum(w * v for w, v in zip(weights, c, strict=True)) for c in columns])
        all_weights.append(weights)
    return outputs, all_weights


@both
@pytest.mark.parametrize("mask", [None, draw_mask(3, 7)], ids=["all", "masked"])
def test_equals_a_loop_over_queries(attention, mask):
    Q, K, V = qkv()
    output, weights = attention(Q, K, V, mask=mask)
    expected_output, expected_weights = loop(Q, K, V, mask)
    assert_allclose(weights, expected_weights, atol=1e-14)
    assert_allclose(output, expected_output, atol=1e-14)


@both
@pytest.mark.parametrize("batch", [(), (2,), (2, 13)])
def test_equals_torch(attention, batch):
    Q, K, V = qkv(batch)
    assert_allclose(attention(Q, K, V)[0], attention_by_torch(Q, K, V), atol=1e-12)
    mask = draw_mask(*batch, 3, 7)
    expected = attention_by_torch(Q, K, V, attn_mask=torch.tensor(mask))
    assert_allclose(attention(Q, K, V, mask=mask)[0], expected, atol=1e-12)
    Q, K, V = qkv(batch, n_q=7)
    expected = attention_by_torch(Q, K, V, is_causal=True)
    assert_allclose(attention(Q, K, V, mask=causal(7))[0], expected, atol=1e-12)


def test_scale_equals_torch():
    Q, K, V = qkv((2,))
    for scale in (1.0, 0.2, 1 / 5, -0.3):
        output, weights = scaled_dot_product_attention(Q, K, V, scale=scale)
        assert_allclose(output, attention_by_torch(Q, K, V, scale=scale), atol=1e-12)
        assert_allclose(weights, softmax(scale * dot(Q, K)), atol=1e-14)


@both
@pytest.mark.parametrize(
    ("batch_q", "batch_k", "batch_v"),
    [((2, 1), (13,), (13,)), ((), (2,), (2,)), ((2,), (), ()), ((), (), (2, 13)), ((2,), (1,), ())],
)
def test_leading_axes_broadcast(attention, batch_q, batch_k, batch_v):
    Q, K, V = draw(*batch_q, 3, 5), draw(*batch_k, 7, 5, seed=1), draw(*batch_v, 7, 11, seed=2)
    pairs = np.broadcast_shapes(batch_q, batch_k)
    batch = np.broadcast_shapes(pairs, batch_v)
    output, weights = attention(Q, K, V)
    assert output.shape == (*batch, 3, 11) and weights.shape == (*pairs, 3, 7)
    Q, K, V = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (Q, K, V))
    assert_allclose(output, attention_by_torch(Q, K, V), atol=1e-12)
    for index in np.ndindex(batch):
        assert_allclose(output[index], attention(Q[index], K[index], V[index])[0], atol=1e-13)


def test_worked_toy():
    Q, K, V = toy()
    output, weights = attend(Q, K, V, score=dot)
    assert_array_equal(
        weights.round(6), [[0.487856, 0.487856, 0.024289], [0.045279, 0.045279, 0.909443]]
    )
    assert_allclose(output, 5, rtol=1e-15)
    assert round(math.exp(1) + math.exp(1) + math.exp(-2), 6) == 5.571899
    V = np.array(V)
    V[2] = 0
    output, _ = attend(Q, K, V, score=dot)
    assert_array_equal(output.round(3), [[4.879, 4.879], [0.453, 0.453]])


def test_worked_two_queries():
    output, weights = attend(*two_queries(), score=dot)
    a, b = 0.422319, 0.155362
    assert_array_equal(weights.round(6), [[a, b, a], [b, a, a]])
    assert_array_equal(output.round(6), [[3, 4], [3.533913, 4.533913]])


@both
def test_worked_three_rows(attention):
    output, weights = attention(*three_rows())
    a, b, c, d = 0.401112, 0.197776, 0.248255, 0.503490
    assert_array_equal(weights.round(6), [[a, b, a], [b, a, a], [c, c, d]])
    expected = [[0.802224, 0.598888], [0.598888, 0.802224], [0.751745, 0.751745]]
    assert_array_equal(output.round(6), expected)


def test_worked_causal_scores():
    eye = np.eye(3)
    output, weights = attend(eye, eye, eye, score=lambda Q, K: causal_scores(), mask=causal(3))
    expected = [[1, 0, 0], [0.354344, 0.645656, 0], [0.258390, 0.426013, 0.315598]]
    assert_array_equal(weights.round(6), expected)
    assert_array_equal(output, weights)


@every_normalizer
def test_stages_are_score_mask_normalize_sum(normalize):
    Q, K, V = qkv((2,))
    mask = draw_mask(3, 7)
    output, weights = attend(Q, K, V, score=dot, normalize=normalize, mask=mask)
    expected = normalize(np.where(mask, dot(Q, K), -np.inf))
    assert_array_equal(weights, expected)
    assert_allclose(output, np.einsum("bij,bjd->bid", expected, V), atol=1e-14)
    assert (weights[:, ~mask] == 0).all()
    assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)


def test_hardmax_looks_up_and_equal_scores_average():
    Q, K, V = qkv()
    output, _ = attend(Q, K, V, normalize=hardmax)
    assert_array_equal(output, V[dot(Q, K).argmax(axis=1)])
    output, _ = attend(0 * Q, K, V)
    assert_allclose(output, np.tile(V.mean(axis=0), (3, 1)), atol=1e-14)


def test_queries_and_keys_may_differ_in_length():
    Q, K, V = draw(3, 4), draw(7, 5, seed=1), draw(7, 11, seed=2)
    W = draw(4, 5, seed=3)
    output, _ = attend(Q, K, V, score=lambda Q, K: Q @ W @ K.T)
    assert_allclose(output, attend(Q @ W, K, V, score=dot)[0], atol=1e-13)


sizes = {
    "n_q": st.integers(1, 6),
    "n_k": st.integers(1, 6),
    "d_k": st.integers(1, 5),
    "d_v": st.integers(1, 5),
    "seed": st.integers(0, 999),
}


@every_normalizer
@reproducible
@given(size=st.fixed_dictionaries(sizes), masked=st.booleans())
def test_what_holds_for_all_attention(normalize, size, masked):
    Q, K, V = qkv(**size)
    mask = (
        draw_mask(len(Q), len(K), seed=size["seed"]) if masked else np.ones((len(Q), len(K)), bool)
    )

    def answer(Q, K, V, mask):
        return attend(Q, K, V, normalize=normalize, mask=mask)

    output, weights = answer(Q, K, V, mask)
    # Weights are a distribution, and so the output lies between the values.
    assert_allclose(weights.sum(axis=-1), 1, rtol=1e-13)
    assert (output >= V.min(axis=0) - 1e-12).all() and (output <= V.max(axis=0) + 1e-12).all()
    # Order of keys and values together: no effect.  Order of queries: the order of outputs.
    rng = np.random.default_rng(size["seed"])
    keys, queries = rng.permutation(len(K)), rng.permutation(len(Q))
    assert_allclose(answer(Q, K[keys], V[keys], mask[:, keys])[0], output, atol=1e-12)
    assert_allclose(answer(Q[queries], K, V, mask[queries])[0], output[queries], atol=1e-12)
    # Each query is answered as if it were alone.
    for i in range(len(Q)):
        alone, _ = answer(Q[i : i + 1], K, V, mask[i : i + 1])
        assert_allclose(alone[0], output[i], atol=1e-12)
    # The output is linear in the values, and values do not touch the weights.
    assert_allclose(answer(Q, K, 3 * V, mask)[0], 3 * output, atol=1e-12)
    assert_array_equal(answer(Q, K, V + 1, mask)[1], weights)


@every_normalizer
@reproducible
@given(n=st.integers(2, 7), cached=st.integers(0, 4), seed=st.integers(0, 99), data=st.data())
def test_causal_outputs_ignore_the_future(normalize, n, cached, seed, data):
    Q, K, V = qkv(n_q=n, n_k=n + cached, seed=seed)
    now = data.draw(st.integers(0, n - 2))
    before, _ = attend(Q, K, V, normalize=normalize, mask=causal(n, n + cached))
    K[cached + now + 1 :], V[cached + now + 1 :] = -50, 1e4
    after, _ = attend(Q, K, V, normalize=normalize, mask=causal(n, n + cached))
    assert_array_equal(after[: now + 1], before[: now + 1])
    assert (after[-1] != before[-1]).any() or normalize in (hardmax, sparsemax)


@both
def test_masked_keys_count_as_absent(attention):
    Q, K, V = qkv((2,))
    mask = np.array([True, True, False, True, False, True, True])
    output, _ = attention(Q, K, V, mask=mask)
    assert_allclose(output, attention(Q, K[:, mask], V[:, mask])[0], atol=1e-14)


@both
@pytest.mark.parametrize(
    "shape", [(), (7,), (1, 7), (3, 1), (3, 7), (2, 1, 7), (1, 3, 7), (2, 3, 7)]
)
def test_masks_broadcast(attention, shape):
    Q, K, V = qkv((2,))
    mask = np.ones((), bool) if shape == () else draw_mask(*shape)
    full = np.broadcast_to(mask, (2, 3, 7))
    assert_array_equal(attention(Q, K, V, mask=mask)[1], attention(Q, K, V, mask=full)[1])
    assert_array_equal(attention(Q, K, V, mask=mask.tolist())[1][~full], 0)


@both
def test_one_key_one_query_and_no_query(attention):
    Q, K, V = qkv(n_k=1)
    output, weights = attention(Q, K, V)
    assert_array_equal(weights, np.ones((3, 1)))
    assert_array_equal(output, np.tile(V, (3, 1)))
    Q, K, V = qkv(n_q=1)
    assert attention(Q, K, V)[0].shape == (1, 11)
    assert attention(Q[:0], K, V)[0].shape == (0, 11)


@every_normalizer
def test_large_scores_with_every_normalizer(normalize):
    Q, K, V = [[1.0]], [[-1e4], [-1e4 + 1], [-2e4]], [[1.0], [2.0], [3.0]]
    output, weights = attend(Q, K, V, normalize=normalize)
    assert_allclose(weights.sum(), 1, rtol=1e-14)
    assert weights.argmax() == 1 and weights[0, 2] == 0
    assert 1 <= output[0, 0] <= 2


ones = np.ones


@both
def test_a_query_masked_everywhere_is_named(attention):
    Q, K, V = qkv((2, 13))
    mask = ones((2, 13, 3, 7), bool)
    mask[1, 4, 2] = False
    with pytest.raises(ValueError, match=r"query \(1, 4, 2\) may attend to nothing: mask rules"):
        attention(Q, K, V, mask=mask)
    with pytest.raises(ValueError, match=r"query 1 may attend to nothing: mask rules out"):
        attention(Q[0, 0], K[0, 0], V[0, 0], mask=[[True], [False], [True]])
    with pytest.raises(ValueError, match=r"query \(0, 0, 0\) may attend to nothing"):
        attention(Q, K, V, mask=False)


@every_normalizer
def test_a_score_that_forbids_every_key_is_named(normalize):
    Q, K, V = qkv()
    only_first = np.full((3, 7), -np.inf)
    only_first[:, 0] = 0

    def score(Q, K):
        return only_first

    assert_array_equal(attend(Q, K, V, score=score, normalize=normalize)[0], V[[0, 0, 0]])
    mask = ones((3, 7), bool)
    mask[2, 0] = False
    with pytest.raises(ValueError, match="query 2 may attend to nothing: mask"):
        attend(Q, K, V, score=score, normalize=normalize, mask=mask)
    only_first[1] = -np.inf
    with pytest.raises(ValueError, match="query 1 may attend to nothing: score"):
        attend(Q, K, V, score=score, normalize=normalize)


def test_unusable_scores_and_normalizers_are_named():
    Q, K, V = qkv((2,))

    def gives(result):
        return lambda *arguments: result

    for shape in [(2, 7, 3), (3, 7), (2, 3, 1), ()]:
        with pytest.raises(ValueError, match=r"score returned shape .*expected \(2, 3, 7\)"):
            attend(Q, K, V, score=gives(ones(shape)))
        with pytest.raises(ValueError, match=r"normalize returned shape .*expected \(2, 3, 7\)"):
            attend(Q, K, V, normalize=gives(ones(shape)))
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"the result of score .* holds {bad}"):
            attend(Q, K, V, score=gives(np.full((2, 3, 7), bad)))
        with pytest.raises(ValueError, match=f"the result of normalize .* holds {bad}"):
            attend(Q, K, V, normalize=gives(np.full((2, 3, 7), bad)))
    with pytest.raises(ValueError, match=r"the result of normalize .* holds -inf"):
        attend(Q, K, V, normalize=lambda scores: scores, mask=causal(3, 7))
    with pytest.raises(TypeError, match="the result of score holds object"):
        attend(Q, K, V, score=gives(None))
    for bad in ("dot", None, 1):
        with pytest.raises(TypeError, match=f"score must be a function, not {bad!r}"):
            attend(Q, K, V, score=bad)
        with pytest.raises(TypeError, match=f"normalize must be a function, not {bad!r}"):
            attend(Q, K, V, normalize=bad)


@both
def test_options_must_be_named(attention):
    Q, K, V = qkv()
    with pytest.raises(TypeError, match="positional"):
        attention(Q, K, V, None)
