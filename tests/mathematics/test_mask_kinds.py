"""Padding, windows and graphs against loops, worked masks, PyTorch, and what must always hold."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import attend, causal, from_graph, padding, sliding_window
from tests.helpers.oracles import draw

reproducible = settings(max_examples=40, deadline=None, derandomize=True)


def qkv(batch=(), n_q=3, n_k=7):
    return draw(*batch, n_q, 5), draw(*batch, n_k, 5, seed=1), draw(*batch, n_k, 11, seed=2)


def by_torch(Q, K, V, mask):
    tensors = (torch.tensor(x) for x in (Q, K, V, mask))
    Q, K, V, mask = tensors
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask).numpy()


def random_edges(*shape, seed=0):
    edges = np.random.default_rng(seed).random(shape) < 0.4
    edges.setflags(write=False)
    return edges


# Loops written from the definitions.


def padding_loop(lengths, n_k):
    return [[[j + 1 <= length for j in range(n_k)]] for length in lengths]


def window_loop(n_q, n_k, width):
    mask = []
    for i in range(n_q):
        position = n_k - 1 - (n_q - 1 - i)  # counted back from the last key
        mask.append([position - width < j < position + width for j in range(n_k)])
    return mask


def graph_loop(adjacency, self_loops):
    n = len(adjacency)
    return [
        [bool(adjacency[i][j] != 0) or (self_loops and i == j) for j in range(n)] for i in range(n)
    ]


SIZES = [(1, 1, 1), (3, 7, 1), (3, 7, 2), (3, 7, 5), (7, 7, 3), (1, 11, 4), (5, 7, 100)]


@pytest.mark.parametrize(("n_q", "n_k", "width"), SIZES)
def test_windows_equal_a_loop_and_torch(n_q, n_k, width):
    mask = sliding_window(n_q, n_k, width)
    assert mask.dtype == bool and mask.shape == (n_q, n_k)
    assert_array_equal(mask, window_loop(n_q, n_k, width))
    band = torch.ones(n_q, n_k).tril(n_k - n_q + width - 1).triu(n_k - n_q - width + 1)
    assert_array_equal(mask, band.bool())


def test_padding_equals_a_loop_and_torch():
    lengths = np.array([3, 1, 7, 5])
    lengths.setflags(write=False)
    mask = padding(lengths, 7)
    assert mask.dtype == bool and mask.shape == (4, 1, 7)
    assert_array_equal(mask, padding_loop([3, 1, 7, 5], 7))
    assert_array_equal(mask[:, 0], torch.arange(7) < torch.tensor(lengths)[:, None])
    nested = padding(lengths.reshape(2, 2), 11)
    assert nested.shape == (2, 2, 1, 11)
    assert_array_equal(nested.reshape(4, 1, 11), padding_loop(lengths, 11))


@pytest.mark.parametrize("self_loops", [True, False])
def test_a_graph_equals_a_loop_and_torch(self_loops):
    edges = random_edges(7, 7) | np.eye(7, k=1, dtype=bool) | np.eye(7, k=-6, dtype=bool)
    assert not edges.diagonal().all() and edges.diagonal().any()
    numbers = np.where(edges, draw(7, 7, seed=3), 0)
    for adjacency in (edges, edges.astype(int), numbers, numbers.astype(np.float32).tolist()):
        mask = from_graph(adjacency, self_loops=self_loops)
        assert mask.dtype == bool
        assert_array_equal(mask, graph_loop(edges, self_loops))
    by_sum = torch.tensor(edges) + (torch.eye(7) if self_loops else torch.zeros(7, 7)) > 0
    assert_array_equal(from_graph(edges, self_loops), by_sum)


def test_worked_masks():
    assert_array_equal(padding(2, 3), [[True, True, False]])
    assert_array_equal(padding([1, 3], 3).astype(int), [[[1, 0, 0]], [[1, 1, 1]]])
    assert_array_equal(sliding_window(2, 5, 2).astype(int), [[0, 0, 1, 1, 1], [0, 0, 0, 1, 1]])
    assert_array_equal(sliding_window(2, 3, 1).astype(int), [[0, 1, 0], [0, 0, 1]])
    both = sliding_window(3, 4, 2) & causal(3, 4)
    assert_array_equal(both.astype(int), [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]])
    # 1 → 2 → 3 → 1: each looks where its arrow points.
    ring = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert_array_equal(from_graph(ring).astype(int), [[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    assert_array_equal(from_graph(ring, self_loops=False).astype(int), ring)
    assert_array_equal(from_graph([[1, -0.5], [1e-300, 0]], False).astype(int), [[1, 1], [1, 0]])
    assert_array_equal(from_graph([[0]]), [[True]])
    for no_graphs in [(0, 3, 3), (3, 0, 2, 2)]:
        assert from_graph(np.ones(no_graphs)).shape == no_graphs


@reproducible
@given(n_q=st.integers(1, 8), more=st.integers(0, 8), width=st.integers(1, 18))
def test_what_holds_for_every_window(n_q, more, width):
    n_k = n_q + more
    mask = sliding_window(n_q, n_k, width)
    assert mask[np.arange(n_q), more + np.arange(n_q)].all()
    assert_array_equal(mask, sliding_window(n_k, n_k, width)[more:])
    assert_array_equal(mask[::-1, ::-1][:, :n_q], sliding_window(n_q, n_q, width))
    assert (mask <= sliding_window(n_q, n_k, width + 1)).all()
    assert_array_equal(mask, (mask & causal(n_q, n_k)) | (mask & ~causal(n_q, n_k)))
    latest = np.minimum(width, np.arange(more + 1, n_k + 1))
    assert_array_equal((mask & causal(n_q, n_k)).sum(axis=1), latest)
    assert sliding_window(n_q, n_k, n_k).all()
    square = sliding_window(n_k, n_k, width)
    assert_array_equal(square, square.T)


@reproducible
@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=5),
    more=st.integers(0, 5),
    dtype=st.sampled_from([np.int8, np.uint8, np.int64, np.uint64]),
)
def test_what_holds_for_all_padding(lengths, more, dtype):
    n_k = max(lengths) + more
    mask = padding(np.array(lengths, dtype), n_k)
    assert mask.shape == (len(lengths), 1, n_k) and mask.dtype == bool
    assert_array_equal(mask.sum(axis=-1)[:, 0], lengths)
    assert (mask[..., 1:] <= mask[..., :-1]).all()
    assert_array_equal(padding(lengths, n_k + 3)[..., :n_k], mask)
    assert_array_equal(padding(lengths[0], n_k), mask[0])


@reproducible
@given(n=st.integers(1, 7), batch=st.sampled_from([(), (1,), (2, 3)]), seed=st.integers(0, 99))
def test_what_holds_for_every_graph(n, batch, seed):
    edges = random_edges(*batch, n, n, seed=seed)
    mask = from_graph(edges)
    eye = np.eye(n, dtype=bool)
    assert mask.shape == (*batch, n, n)
    assert_array_equal(mask | eye, mask)
    assert_array_equal(mask & ~eye, edges & ~eye)
    assert_array_equal(from_graph(mask, self_loops=False), mask)
    assert_array_equal(np.swapaxes(mask, -1, -2), from_graph(np.swapaxes(edges, -1, -2)))
    order = np.random.default_rng(seed).permutation(n)
    assert_array_equal(
        from_graph(edges[..., order, :][..., order]), mask[..., order, :][..., order]
    )


def test_combined_masks_equal_torch():
    Q, K, V = qkv((2, 13))
    rows = draw(13, 3, 7) > 0
    for mask in [
        padding([[5], [7]], 7),
        causal(3, 7) & padding(np.arange(13) % 3 + 5, 7),
        sliding_window(3, 7, 2) & causal(3, 7),
        sliding_window(3, 7, 2) | padding([[2], [4]], 7),
        padding(2, 7) | rows,
        sliding_window(3, 7, 3) & padding([[5], [7]], 7) | causal(3, 7),
    ]:
        full = np.broadcast_to(mask, (2, 13, 3, 7))
        output, weights = attend(Q, K, V, mask=mask)
        assert_allclose(output, by_torch(Q, K, V, full.copy()), atol=1e-12)
        assert (weights[~full] == 0).all() and (weights[full] > 0).all()


def test_and_or_combine_masks():
    first, second = causal(3, 7), padding([2, 6], 7)
    for b, i, j in np.ndindex(2, 3, 7):
        assert (first & second)[b, i, j] == (first[i, j] and second[b, 0, j])
        assert (first | second)[b, i, j] == (first[i, j] or second[b, 0, j])


def test_padding_counts_as_if_it_were_not_there():
    Q, K, V = qkv((2,))
    lengths = [4, 6]
    output, weights = attend(Q, K, V, mask=padding(lengths, 7))
    loud = K.copy(), V.copy()
    for b, length in enumerate(lengths):
        alone, _ = attend(Q[b], K[b, :length], V[b, :length])
        assert_allclose(output[b], alone, atol=1e-14)
        for array in loud:
            array[b, length:] = 1e4
    assert_array_equal(weights.sum(axis=(1, 2)).round(12), 3)
    assert_allclose(attend(Q, *loud, mask=padding(lengths, 7))[0], output, atol=1e-14)


def test_each_node_is_answered_from_its_neighbours_alone():
    X, edges = draw(2, 7, 5), random_edges(2, 7, 7, seed=1)
    output, _ = attend(X, X, X, mask=from_graph(edges))
    for b, i in np.ndindex(2, 7):
        near = [j for j in range(7) if edges[b, i, j] or i == j]
        alone, _ = attend(X[b, i : i + 1], X[b, near], X[b, near])
        assert_allclose(output[b, i], alone[0], atol=1e-13)


def test_windows_work_with_a_cache():
    Q, K, V = qkv(n_q=7)
    mask = sliding_window(7, 7, 3) & causal(7)
    together, _ = attend(Q, K, V, mask=mask)
    for t in range(7):
        first = max(0, t - 2)
        alone, _ = attend(Q[t : t + 1], K[first : t + 1], V[first : t + 1])
        assert_allclose(together[t], alone[0], atol=1e-14)
    late, _ = attend(Q[4:], K, V, mask=sliding_window(3, 7, 3) & causal(3, 7))
    assert_allclose(late, together[4:], atol=1e-14)


def test_windows_need_no_more_queries_than_keys():
    with pytest.raises(
        ValueError, match=r"n_q=5 is larger than n_k=3.*first 2 would.*as many keys"
    ):
        sliding_window(5, 3, 2)


def test_bad_lengths_are_refused_by_name():
    for lengths, message in [
        ([3, 8], r"lengths holds 8 at index 1, .* from 1 to n_k=7.*larger n_k"),
        (
            [[3, 7], [0, 1]],
            r"lengths holds 0 at index \(1, 0\), .* from 1 to n_k=7.*empty sequence",
        ),
        (-1, r"lengths holds -1, but each length must be from 1 to n_k=7"),
        (8, r"lengths holds 8, but"),
        ([[1, 2], [3]], "lengths is ragged"),
    ]:
        with pytest.raises(ValueError, match=message):
            padding(lengths, 7)
    for bad in (3.0, [3.0, 1.0], [np.nan], [np.inf], "3", [None], None, True, [1j]):
        with pytest.raises(TypeError, match=r"lengths holds .* but must hold integers: counts"):
            padding(bad, 7)


def test_bad_graphs_are_refused_by_name():
    for adjacency, message in [
        (np.ones((3, 4)), r"adjacency has shape \(3, 4\), expected \(\.\.\., n, n\)"),
        (np.ones((2, 4, 3), bool), r"adjacency has shape \(2, 4, 3\), expected"),
        (np.ones(3), r"adjacency has shape \(3,\), expected"),
        (1, r"adjacency has shape \(\), expected"),
        (np.ones((2, 3, 0, 0)), r"adjacency has shape \(2, 3, 0, 0\), expected"),
        (np.ones((0, 0)), r"adjacency has shape \(0, 0\), expected .* for each node"),
        ([[0, np.nan], [1, 0]], r"adjacency of shape \(2, 2\) holds nan at index \(0, 1\)"),
        ([[0, 1], [-np.inf, 0]], r"adjacency of shape \(2, 2\) holds -inf at index \(1, 0\)"),
        ([[0, 1], [1]], "adjacency is ragged"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_graph(adjacency)
    for bad in ([["a"]], [[None]], [[1j]], "graph"):
        with pytest.raises(TypeError, match=r"adjacency holds .* only .*integers and floats"):
            from_graph(bad)
    for bad in (1, 0, None, "yes", [True]):
        with pytest.raises(TypeError, match="self_loops must be True or False, not"):
            from_graph([[1]], self_loops=bad)


def test_a_node_without_a_neighbour_is_named():
    lonely = np.ones((2, 5, 5))
    lonely[1, 3] = 0
    message = r"node \(1, 3\) has no neighbour in adjacency .*self_loops=True"
    with pytest.raises(ValueError, match=message):
        from_graph(lonely, self_loops=False)
    with pytest.raises(ValueError, match="node 3 has no neighbour"):
        from_graph(lonely[1] > 0, self_loops=False)
    assert_array_equal(from_graph(lonely)[1, 3], np.eye(5)[3] == 1)
    # Nobody looks at node 0, but it has a neighbour; node 1 has none, but node 0 looks at it.
    unseen, lost = [[0, 1, 1], [0, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert_array_equal(from_graph(unseen, self_loops=False), np.array(unseen) == 1)
    with pytest.raises(ValueError, match="node 1 has no neighbour"):
        from_graph(lost, self_loops=False)
