"""Learned scores against counting loops, worked numbers, PyTorch, and what must always hold."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import (
    Additive,
    Bilinear,
    Location,
    attend,
    causal,
    dot,
    dot_cost,
    hardmax,
    padding,
    scaled_dot,
    softmax,
    sparsemax,
)

KINDS = [Bilinear, Additive, Location]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
reproducible = settings(max_examples=40, deadline=None, derandomize=True)


def draw(*shape, seed=0, dtype=np.float64):
    array = np.random.default_rng(seed).normal(size=shape).astype(dtype)
    array.setflags(write=False)
    return array


def make(kind, d_q=5, d_k=2, d_a=13, n_max=11, dtype=np.float64):
    """Draw a score of one kind; its parameters refuse to be written to."""
    shapes = {
        Bilinear: {"W": (d_q, d_k)},
        Additive: {"W_q": (d_q, d_a), "W_k": (d_k, d_a), "v": (d_a,)},
        Location: {"W": (d_q, n_max), "b": (n_max,)},
    }
    drawn = {
        name: draw(*shape, seed=seed, dtype=dtype)
        for seed, (name, shape) in enumerate(shapes[kind].items(), 10)
    }
    return kind(**drawn)


def queries_and_keys(batch=(), n_q=3, n_k=7, d_q=5, d_k=2, dtype=np.float64):
    Q = draw(*batch, n_q, d_q, seed=1, dtype=dtype)
    return Q, draw(*batch, n_k, d_k, seed=2, dtype=dtype)


class Counting:
    """Scores by plain loops that count each multiplication whose product joins a sum."""

    def __init__(self):
        self.count = 0

    def dot(self, a, b):
        total = 0.0
        for x, y in zip(a, b, strict=True):
            total += x * y
            self.count += 1
        return total

    def project(self, rows, matrix):
        columns = list(zip(*matrix, strict=True))
        return [[self.dot(row, column) for column in columns] for row in rows]

    def scores(self, score, Q, K):
        Q, K = Q.tolist(), K.tolist()
        p = {name: array.tolist() for name, array in score.parameters().items()}
        if isinstance(score, Bilinear):
            return [[self.dot(q, k) for k in K] for q in self.project(Q, p["W"])]
        if isinstance(score, Location):
            first = [row[: len(K)] for row in p["W"]]
            return [[s + b for s, b in zip(row, p["b"])] for row in self.project(Q, first)]
        Q, K = self.project(Q, p["W_q"]), self.project(K, p["W_k"])
        hidden = [[[math.tanh(a + b) for a, b in zip(q, k)] for k in K] for q in Q]
        return [[self.dot(p["v"], units) for units in row] for row in hidden]


def by_torch(score, Q, K):
    p = {name: torch.tensor(array) for name, array in score.parameters().items()}
    Q, K = torch.tensor(Q), torch.tensor(K)
    if isinstance(score, Bilinear):
        return torch.einsum("...iq,qk,...jk->...ij", Q, p["W"], K).numpy()
    if isinstance(score, Additive):
        linear = torch.nn.functional.linear
        from_query, from_key = linear(Q, p["W_q"].T), linear(K, p["W_k"].T)
        hidden = torch.tanh(from_query.unsqueeze(-2) + from_key.unsqueeze(-3))
        return torch.einsum("...a,a->...", hidden, p["v"]).numpy()
    n_k = K.shape[-2]
    scores = torch.nn.functional.linear(Q, p["W"].T, p["b"])[..., :n_k]
    return (scores + torch.zeros(*K.shape[:-2], 1, n_k, dtype=Q.dtype)).numpy()


@every_kind
@pytest.mark.parametrize(("n_q", "n_k"), [(3, 7), (7, 3), (1, 11), (11, 1)])
def test_scores_and_cost_equal_a_loop_that_counts(kind, n_q, n_k):
    score = make(kind)
    Q, K = queries_and_keys(n_q=n_q, n_k=n_k)
    loop = Counting()
    assert_allclose(score(Q, K), loop.scores(score, Q, K), atol=1e-13)
    assert score.cost(n_q, n_k) == loop.count
    assert isinstance(score.cost(np.int64(n_q), n_k), int)


@pytest.mark.parametrize(("n_q", "n_k", "d"), [(3, 7, 5), (1, 1, 1), (11, 2, 3)])
def test_cost_of_dot_products_equals_a_loop(n_q, n_k, d):
    Q, K, loop = draw(n_q, d), draw(n_k, d, seed=1), Counting()
    scores = [[loop.dot(q, k) for k in K] for q in Q]
    assert_allclose(dot(Q, K), scores, atol=1e-13)
    assert dot_cost(n_q, n_k, d) == loop.count
    assert type(dot_cost(np.int8(100), np.int8(100), np.int8(100))) is int
    assert dot_cost(np.int8(100), np.int8(100), np.int8(100)) == 1_000_000


def test_worked_costs():
    assert dot_cost(n_q=2, n_k=3, d_k=4) == 24
    assert make(Bilinear, d_q=5, d_k=2).cost(3, 7) == 3 * 2 * 5 + 3 * 7 * 2
    assert make(Additive, d_q=5, d_k=2, d_a=13).cost(3, 7) == 13 * (3 * 5 + 7 * 2 + 3 * 7)
    assert make(Location, d_q=5).cost(3, 7) == 3 * 7 * 5


def test_worked_scores():
    score = Bilinear([[1, 2, 0], [0, -1, 3]])
    # [1, 2] W = [1, 0, 6] and [−1, 1] W = [−1, −3, 3].
    K = [[1, 1, 1], [2, 0, -1]]
    assert_array_equal(score([[1, 2], [-1, 1]], K), [[7, -4], [-1, -5]])
    score = Additive(W_q=[[1, 0], [0, 1]], W_k=[[1, -1]], v=[10, 1])
    # The hidden layers are tanh [3 + 1, 2 − 1] and tanh [3 − 3, 2 + 3].
    expected = [[10 * math.tanh(4) + math.tanh(1), math.tanh(5)]]
    assert_allclose(score([[3, 2]], [[1], [-3]]), expected, rtol=1e-14)
    score = Location(W=[[3, -3, 0], [1, 0, 2]], b=[0, 10, 100])
    assert_array_equal(score([[1, 2], [0, -1]], np.ones((3, 1))), [[5, 7, 104], [-1, 10, 98]])
    assert_array_equal(score([[1, 2]], np.ones((2, 9))), [[5, 7]])


BATCHES = [((), ()), ((2,), (2,)), ((2, 1), (13,)), ((), (2, 3)), ((1,), (4,)), ((4,), ())]


@every_kind
@pytest.mark.parametrize(("batch_q", "batch_k"), BATCHES)
def test_equals_torch_with_broadcast_batches(kind, batch_q, batch_k):
    score = make(kind)
    Q, K = draw(*batch_q, 3, 5), draw(*batch_k, 7, 2, seed=1)
    scores = score(Q, K)
    assert scores.shape == (*np.broadcast_shapes(batch_q, batch_k), 3, 7)
    assert_allclose(scores, by_torch(score, Q, K), atol=1e-12)
    assert scores.flags.writeable


def test_bilinear_scores_are_dot_products_after_projection():
    Q, K = queries_and_keys(d_q=5, d_k=2)
    W_Q, W_K = draw(5, 3, seed=3), draw(2, 3, seed=4)
    assert_allclose(Bilinear(W_Q @ W_K.T)(Q, K), dot(Q @ W_Q, K @ W_K), atol=1e-13)
    assert_allclose(Bilinear(np.eye(5))(Q, Q), dot(Q, Q), atol=1e-14)
    assert_allclose(Bilinear(np.eye(5) / 5**0.5)(Q, Q), scaled_dot(Q, Q), atol=1e-14)
    assert_allclose(Bilinear(W_Q[:2].T)(draw(4, 3), K), Bilinear(W_Q[:2])(K, draw(4, 3)).T)


def test_what_each_score_looks_at():
    Q, K = queries_and_keys()
    order = np.random.default_rng(0).permutation(len(K))
    for kind in (Bilinear, Additive):
        score = make(kind)
        assert_allclose(score(Q, K[order]), score(Q, K)[:, order], atol=1e-14)
    score = make(Location)
    assert_array_equal(score(Q, K[order]), score(Q, K))
    assert_array_equal(score(Q, 9 * K + 1), score(Q, K))
    assert_array_equal(score(Q, K[:4]), score(Q, K)[:, :4])
    assert_array_equal(score(0 * Q, K), np.tile(score.b[:7], (3, 1)))
    score = make(Additive)
    assert_allclose(score(-Q, -K), -score(Q, K), atol=1e-14)
    score = make(Bilinear)
    assert_allclose(score(3 * Q, -2 * K), -6 * score(Q, K), atol=1e-12)


@every_kind
@reproducible
@given(
    n_q=st.integers(1, 5),
    n_k=st.integers(1, 6),
    d_q=st.integers(1, 4),
    d_k=st.integers(1, 4),
    single=st.booleans(),
    magnitude=st.sampled_from([0, 1e-4, 1, 1e4]),
)
def test_what_holds_for_every_learned_score(kind, n_q, n_k, d_q, d_k, single, magnitude):
    dtype = np.float32 if single else np.float64
    score = make(kind, d_q, d_k, d_a=3, n_max=6, dtype=dtype)
    Q, K = queries_and_keys((2,), n_q, n_k, d_q, d_k)
    Q, K = ((x * magnitude).astype(dtype) for x in (Q, K))
    scores = score(Q, K)
    assert scores.dtype == dtype and scores.shape == (2, n_q, n_k)
    assert np.isfinite(scores).all()
    tolerance = (1e-5 if single else 1e-12) * max(1, np.abs(scores).max())
    for i in range(n_q):
        alone = score(Q[:, i : i + 1], K)
        assert_allclose(alone[:, 0], scores[:, i], atol=tolerance)
    for j in range(n_k):
        earlier = score(Q, K[:, : j + 1])
        assert_allclose(earlier, scores[..., : j + 1], atol=tolerance)
    if kind is Additive:
        assert (np.abs(scores) <= np.abs(score.v).sum() * (1 + 1e-6)).all()
    else:
        rest = score.b[:n_k] if kind is Location else 0
        assert_allclose(score(2 * Q, K) - rest, 2 * (scores - rest), atol=4 * tolerance)


def test_large_numbers_saturate_without_a_warning():
    score = Additive(W_q=[[1, -1]], W_k=[[1, 1]], v=[3, 5])
    assert_array_equal(score([[1e4], [-1e4]], [[0], [1e3]]), [[-2, -2], [2, 2]])
    assert_array_equal(score([[1e200]], [[-1e4]]), [[-2]])


@every_kind
@pytest.mark.parametrize("normalize", [softmax, sparsemax, hardmax], ids=lambda f: f.__name__)
def test_as_score_of_attention_with_masks(kind, normalize):
    score, (Q, K) = make(kind), queries_and_keys((2,))
    V = draw(2, 7, 11, seed=3)
    mask = causal(3, 7) & padding([5, 6], 7)
    output, weights = attend(Q, K, V, score=score, normalize=normalize, mask=mask)
    loop = Counting()
    for b in range(2):
        scores = np.array(loop.scores(score, Q[b], K[b]))
        expected = normalize(np.where(mask[b], scores, -np.inf))
        assert_allclose(weights[b], expected, atol=1e-12)
        assert_allclose(output[b], expected @ V[b], atol=1e-12)
    assert (weights[~mask] == 0).all()


@every_kind
def test_attention_equals_torch(kind):
    score, (Q, K), V = make(kind), queries_and_keys((2,)), draw(2, 7, 11, seed=3)
    scores = torch.tensor(by_torch(score, Q, K))
    output, weights = attend(Q, K, V, score=score)
    assert_allclose(weights, torch.softmax(scores, -1), atol=1e-12)
    assert_allclose(output, torch.softmax(scores, -1) @ torch.tensor(V), atol=1e-12)
    hidden = torch.tensor(causal(3, 7))
    expected = torch.softmax(scores.masked_fill(~hidden, -torch.inf), -1)
    assert_allclose(attend(Q, K, V, score=score, mask=causal(3, 7))[1], expected, atol=1e-12)


@every_kind
def test_one_query_one_key_and_no_query(kind):
    score = make(kind, d_q=1, d_k=1)
    assert score([[2.0]], [[3.0]]).shape == (1, 1)
    assert make(kind)(np.zeros((0, 5)), np.zeros((7, 2))).shape == (0, 7)


def test_parameters_are_listed_counted_and_shown_by_shape():
    for kind, names, count, shown in [
        (Bilinear, ["W"], 10, "Bilinear(W=(5, 2))"),
        (
            Additive,
            ["W_q", "W_k", "v"],
            65 + 26 + 13,
            "Additive(W_q=(5, 13), W_k=(2, 13), v=(13,))",
        ),
        (Location, ["W", "b"], 55 + 11, "Location(W=(5, 11), b=(11,))"),
    ]:
        score = make(kind)
        assert list(score.parameters()) == names
        assert all(score.parameters()[name] is getattr(score, name) for name in names)
        assert score.parameter_count == count
        assert repr(score) == str(score) == shown


@every_kind
def test_parameters_are_exchanged_in_a_copy(kind):
    score, (Q, K) = make(kind), queries_and_keys()
    before = score(Q, K)
    zeros = {name: 0 * array for name, array in score.parameters().items()}
    assert_array_equal(score.with_parameters(zeros)(Q, K), np.zeros((3, 7)))
    assert_array_equal(score(Q, K), before)
    assert_array_equal(score.with_parameters(score.parameters())(Q, K), before)
    assert score == score and score != make(kind)
    with pytest.raises(dataclasses.FrozenInstanceError):
        score.W = np.zeros((5, 2))
    with pytest.raises(ValueError, match=r"lacks \[.*\] and holds unknown \['U'\]"):
        score.with_parameters({"U": [[1.0]]})


ones = np.ones


def test_location_ends_at_its_last_position():
    score, Q = make(Location, n_max=11), ones((3, 5))
    assert score(Q, ones((11, 2))).shape == (3, 11)
    with pytest.raises(ValueError, match=r"n_k=12 keys, .*W of shape \(5, 11\).* 11 positions"):
        score.cost(3, 12)
    message = r"K has shape \(12, 2\), so 12 keys, .*W of shape \(5, 11\).* 11 positions\. Give few"
    with pytest.raises(ValueError, match=message):
        score(Q, ones((12, 2)))


def test_overflow_is_an_error_with_a_remedy():
    for score, Q, K in [
        (Bilinear([[1e200]]), [[1e200]], [[1]]),
        (Location([[1e200]], [0]), [[1e200]], [[1]]),
        (Additive([[1e300]], [[1e300]], [1]), [[1e300]], [[-1e300]]),
    ]:
        name = type(score).__name__
        with pytest.raises(ValueError, match=f"result of {name} overflows float64.*Scale"):
            score(Q, K)
    single = Bilinear(np.full((1, 1), 1e30, np.float32))
    with pytest.raises(ValueError, match="result of Bilinear overflows float32"):
        single(np.full((1, 1), 1e30, np.float32), np.ones((1, 1), np.float32))
