"""Graphs: the club against networkx, scores against loops, PyTorch against NumPy."""

import networkx
import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import Additive, attend, from_graph, scaled_dot_product_attention, softmax
from attnlib.data import karate_club
from attnlib.experiments.graphs import (
    FORMS,
    GraphAttention,
    GraphNetwork,
    draws_of_labels,
    evenness,
    lookups,
    train_club,
    train_lookup,
    two_sides,
)
from attnlib.experiments.training import seeded
from attnlib.networks import graphs
from attnlib.networks.graphs import DynamicAdditive, StaticAdditive, attend_edges, leaky_relu

rng = np.random.default_rng(0)


def drawn(*shape):
    return rng.normal(size=shape)


def some_graph(n=7):
    A = np.random.default_rng(3).random((n, n)) < 0.3
    return from_graph(A)  # directed, each node sees itself


def test_the_club_is_that_of_networkx():
    club, theirs = karate_club(), networkx.karate_club_graph()
    assert_array_equal(club.adjacency, networkx.to_numpy_array(theirs, weight=None) > 0)
    sides = [theirs.nodes[i]["club"] == "Officer" for i in range(34)]
    assert_array_equal(club.group, sides)
    assert {tuple(edge) for edge in club.edges.tolist()} == {*map(tuple, map(sorted, theirs.edges))}
    with pytest.raises(ValueError, match="read-only"):
        club.group[0] = 1


def test_leaky_relu_is_that_of_torch():
    z = drawn(20)
    assert_allclose(
        leaky_relu(z), torch.nn.functional.leaky_relu(torch.tensor(z), graphs.SLOPE).numpy()
    )


def test_scores_by_plain_loops():
    Q, K = drawn(3, 4), drawn(5, 2)
    a_q, a_k, W_q, W_k, v = drawn(4), drawn(2), drawn(4, 6), drawn(2, 6), drawn(6)
    static = StaticAdditive(a_q, a_k)(Q, K)
    dynamic = DynamicAdditive(W_q, W_k, v)(Q, K)
    for i in range(3):
        for j in range(5):
            assert_allclose(static[i, j], leaky_relu(Q[i] @ a_q + K[j] @ a_k))
            assert_allclose(dynamic[i, j], v @ leaky_relu(Q[i] @ W_q + K[j] @ W_k))
    batch = DynamicAdditive(W_q, W_k, v)(drawn(2, 3, 4), drawn(2, 5, 2))
    assert batch.shape == StaticAdditive(a_q, a_k)(drawn(2, 3, 4), drawn(5, 2)).shape == (2, 3, 5)


def test_the_original_ranks_alike_and_the_others_need_not():
    Q, K = drawn(40, 3), drawn(6, 3)
    order = np.argsort(StaticAdditive(drawn(3), drawn(3))(Q, K), axis=1)
    assert (order == order[0]).all()
    for score in (DynamicAdditive(drawn(3, 4), drawn(3, 4), drawn(4)), lambda Q, K: Q @ K.T):
        order = np.argsort(score(Q, K), axis=1)
        assert (order != order[0]).any()


def test_without_leaky_relu_the_query_cancels():
    p, r = drawn(4, 1), drawn(5)
    assert_allclose(softmax(p + r), np.tile(softmax(r), (4, 1)))


def test_the_dynamic_score_differs_from_chapter_3_in_its_bend_only(monkeypatch):
    W_q, W_k, v, Q, K = drawn(4, 6), drawn(2, 6), drawn(6), drawn(3, 4), drawn(5, 2)
    monkeypatch.setattr(graphs, "leaky_relu", np.tanh)
    assert_allclose(DynamicAdditive(W_q, W_k, v)(Q, K), Additive(W_q, W_k, v)(Q, K))


def test_edges_give_what_the_mask_gives():
    mask = some_graph()
    Q, K, V = drawn(7, 3), drawn(7, 3), drawn(7, 2)
    expected, table = scaled_dot_product_attention(Q, K, V, mask=mask)
    edges = np.argwhere(mask)
    for order in (slice(None), np.random.default_rng(1).permutation(len(edges))):
        output, weights = attend_edges(Q, K, V, edges[order])
        assert_allclose(output, expected)
        assert_allclose(weights, table[mask][order])
    large, _ = attend_edges(1000 * Q, K, V, edges)
    assert np.isfinite(large).all()


@pytest.mark.parametrize(
    ("edges", "said"),
    [([[0, 0], [1, 1], [2, 2], [-1, 2]], r"edges holds \[-1, 2\], but the nodes are .* 0 to 2"),
     ([[0, 0], [1, 1], [2, 5]], r"edges holds \[2, 5\]"),
     ([[0, 1], [0, 2], [2, 0]], r"edges lets node 1 ask nobody. .* \[1, 1\]"),
     (np.eye(3, dtype=int), r"edges has shape \(3, 3\), expected \(n_edges, 2\)"),
     ([0, 1, 2], r"edges has shape \(3,\)"),
     (np.eye(3, dtype=bool), r"truth values. Of a mask give np.argwhere\(mask\)"),
     (np.eye(2), "edges holds float64, but must hold integers")],
)  # fmt: skip
def test_edges_that_are_none_are_refused(edges, said):
    with pytest.raises((ValueError, TypeError), match=said):
        attend_edges(drawn(3, 2), drawn(3, 2), drawn(3, 1), edges)


@pytest.mark.parametrize("form", ["original", "dynamic", "dot"])
def test_torch_computes_what_numpy_does(form):
    runs, n, d_in, d, heads = 2, 7, 5, 6, 2
    mask = some_graph(n)
    with seeded(0):
        layer = GraphAttention(d_in, d, form, heads, runs).double()
    X = torch.tensor(drawn(runs, 3, n, d_in))
    Y = layer(X, mask=torch.tensor(mask)).detach().numpy()
    for run in range(runs):
        W_Q, W_K, W_V = (getattr(layer, f"W_{x}")[run].detach().numpy() for x in "QKV")
        outputs = []
        for h in range(heads):
            own = slice(h * d // heads, (h + 1) * d // heads)
            Q, K, V = (X[run].numpy() @ W[:, own] for W in (W_Q, W_K, W_V))
            if form == "dot":
                outputs.append(scaled_dot_product_attention(Q, K, V, mask=mask)[0])
                continue
            a_q = layer.a_q[run, 0, h, 0].detach().numpy()
            if form == "original":
                score = StaticAdditive(a_q, layer.a_k[run, 0, h, 0].detach().numpy())
            else:
                score = DynamicAdditive(np.eye(d // heads), np.eye(d // heads), a_q)
            outputs.append(attend(Q, K, V, score=score, mask=mask)[0])
        assert_allclose(Y[run], np.concatenate(outputs, -1), atol=1e-10)


def test_forms_without_scores():
    mask = from_graph(karate_club().adjacency)
    weights = {}
    for form in ("alone", "mean", "convolution"):
        layer = GraphAttention(34, 4, form)
        layer(torch.eye(34)[None, None], mask=torch.tensor(mask))
        weights[form] = layer.weights[0, 0, 0].numpy()
    assert_array_equal(weights["alone"], np.eye(34))
    assert_allclose(weights["mean"], mask / mask.sum(axis=1, keepdims=True), rtol=1e-6)
    root = np.diag(mask.sum(axis=1) ** -0.5)
    assert_allclose(weights["convolution"], root @ mask @ root, rtol=1e-6)
    even = torch.tensor(weights["mean"])[None, None]
    assert evenness(even, torch.tensor(mask)) == pytest.approx([1], abs=1e-5)
    assert evenness(torch.eye(34)[None, None], torch.tensor(mask)) == pytest.approx([0], abs=1e-5)
    directed = torch.tensor(some_graph())
    even = (directed / directed.sum(1, keepdim=True))[None, None]
    assert evenness(even, directed) == pytest.approx([1], abs=1e-5)


def test_runs_stay_apart():
    with seeded(0):
        model = GraphNetwork(some_graph(), 3, 4, 2, "original", layers=2, n_heads=2, runs=3)
    X = torch.tensor(drawn(3, 2, 7, 3), dtype=torch.float32)
    before = model(X)
    model.layers[0].W_V.data[1] += 1
    changed = (model(X) != before).flatten(1).any(1)
    assert changed.tolist() == [False, True, False]


def test_a_lookup_asks_for_the_own_name():
    X, given, wanted = lookups(3, runs=2, size=5)(np.random.default_rng(0))
    assert X.shape == (2, 1, 6, 3) and given.shape == (2, 5, 6, 1) and wanted.shape == (2, 5, 3)
    assert_array_equal(given[..., 3:, 0], wanted)
    assert (given[..., :3, 0] == 0).all()
    assert_array_equal(X[0, 0, :3], np.eye(3))
    seen, given, again = lookups(3, 2, 5, seen=True)(np.random.default_rng(0))
    assert_array_equal(seen[..., 3:, 3], wanted)
    assert_array_equal(again, wanted)
    assert given is seen and seen.shape == (2, 5, 6, 4)
    assert two_sides(3).sum() == 18 and not two_sides(3)[:3, :3].any()


def test_dot_products_look_up_and_the_mean_does_not():
    for form, low, high in (("dot", 0, 0.02), ("mean", 0.45, 0.55)):
        error, weights = train_lookup(form, 2, seeds=2, steps=300)
        assert error.shape == (2,) and weights.shape == (2, 1, 2, 2)
        assert (error >= low).all() and (error < high).all()
        assert_allclose(weights.sum(-1), 1, rtol=1e-5)


def test_labels_are_drawn_from_both_sides():
    group = karate_club().group
    chosen = draws_of_labels(group, 3, 5)
    assert (chosen[:, group == 0].sum(1) == 3).all() and (chosen[:, group == 1].sum(1) == 3).all()
    assert len({tuple(row) for row in chosen}) == 5


@pytest.mark.parametrize("form", FORMS)
def test_the_club_is_learned_from_neighbours_and_not_alone(form):
    accuracy, even = train_club(form, known=8, draws=3, steps=60)
    if form == "alone":
        assert accuracy.mean() < 0.7 and not even.any()
    else:
        assert accuracy.mean() > 0.75 and (0.5 < even).all() and (even < 1 + 1e-5).all()
