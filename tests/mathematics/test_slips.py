"""The slips in the book's sources: each formula or number that is wrong, shown to be wrong."""

import math

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import (
    Bilinear,
    MultiHeadAttention,
    attend,
    causal,
    dot,
    dot_cost,
    from_graph,
    hardmax,
    project,
    scaled_dot,
    scaled_dot_product_attention,
    sinusoidal_shift,
    sliding_window,
    softmax,
    softmax_jacobian,
    wavelengths,
)
from attnlib.examples import causal_scores, three_rows, toy, two_queries
from attnlib.gradients import attention_vjp, softmax_vjp, weighted_sum_vjp
from tests.helpers.oracles import draw


def qkv(n_q=3, n_k=7, d_k=5, d_v=11):
    return draw(n_q, d_k), draw(n_k, d_k, seed=1), draw(n_k, d_v, seed=2)


def differentiated_by_torch(d_output, *arrays, scale=1.0):
    """Return the gradients of queries, keys, values, scores and weights."""
    Q, K, V = (torch.tensor(x, requires_grad=True) for x in arrays)
    scores = scale * Q @ K.T
    weights = torch.softmax(scores, -1)
    scores.retain_grad()
    weights.retain_grad()
    (weights @ V).backward(torch.tensor(d_output))
    return [x.grad.numpy() for x in (Q, K, V, scores, weights)]


# Wrong numbers.


def temperatures_that_round_to(ratio_of, gap):
    """Between which temperatures two weights, each known to ±0.005, lie at a gap of scores."""
    larger, smaller = ratio_of
    ratios = (larger + 0.005) / (smaller - 0.005), (larger - 0.005) / (smaller + 0.005)
    return [gap / math.log(ratio) for ratio in ratios]


def test_lecture_causal_weights_are_no_softmax():
    weights = softmax(np.where(causal(3), causal_scores(), -np.inf))
    right = [[1, 0, 0], [0.354344, 0.645656, 0], [0.258390, 0.426013, 0.315598]]
    assert_array_equal(weights.round(6), right)
    printed = np.array([[1, 0, 0], [0.24, 0.76, 0], [0.15, 0.49, 0.36]])
    assert_array_equal(np.abs(weights - printed).max(axis=1) > 0.1, [False, True, True])


def test_the_lecture_causal_weights_fit_no_temperature_either():
    """Row 3 needs one for its pair .49 and .15, another for .36 and .15, row 2 a third."""
    row_2 = temperatures_that_round_to((0.76, 0.24), 0.9 - 0.3)
    one = temperatures_that_round_to((0.49, 0.15), 0.7 - 0.2)
    other = temperatures_that_round_to((0.36, 0.15), 0.4 - 0.2)
    assert max(other) < min(one) and max(one) < min(row_2)
    row = causal_scores()[2]
    for T in np.geomspace(0.01, 100, 2001):
        assert np.abs(softmax(row, temperature=T) - [0.15, 0.49, 0.36]).max() > 0.03


def test_lecture_partition_is_5_572():
    powers = np.exp(dot(*toy()[:2])[0])
    assert round(powers.sum(), 3) == 5.572 and round(powers.sum(), 6) == 5.571899
    assert round(powers.round(3).sum(), 3) == 5.571  # what comes of rounding before the sum


def test_lecture_third_row_has_0_503():
    _, weights = scaled_dot_product_attention(*three_rows())
    assert_array_equal(weights[2].round(3), [0.248, 0.248, 0.503])
    assert round(1 - 2 * 0.248, 3) == 0.504  # what comes of making the rounded row sum to one


def test_lesson_sum_is_6_437():
    powers = np.exp(dot(*two_queries()[:2]))
    assert_array_equal(powers.sum(axis=1).round(3), 6.437)
    assert_array_equal(powers.round(3).sum(axis=1).round(3), 6.436)


def test_lesson_second_output_is_3_534_4_534():
    output, weights = attend(*two_queries(), score=dot)
    assert_array_equal(output.round(3), [[3, 4], [3.534, 4.534]])
    assert_array_equal((weights.round(4)[1] @ two_queries().V).round(3), [3.534, 4.534])
    cut_off = np.floor(1000 * output[1]) / 1000
    assert_array_equal(cut_off, [3.533, 4.533])


# Wrong statements.


def test_one_projection_makes_only_scores_symmetric():
    X, _, _ = three_rows()
    _, weights = scaled_dot_product_attention(X, X, X)
    assert_array_equal(scaled_dot(X, X), scaled_dot(X, X).T)
    assert round(weights[0, 2], 3) == 0.401 and round(weights[2, 0], 3) == 0.248
    sums = np.exp(scaled_dot(X, X)).sum(axis=1)
    assert_allclose(sums[:, None] * weights, (sums[:, None] * weights).T, atol=1e-14)


def test_gradient_of_weights_needs_transposed_values():
    Q, K, V = qkv()
    d_output = draw(3, 11, seed=3)
    *_, d_weights = differentiated_by_torch(d_output, Q, K, V)
    weights = softmax(dot(Q, K))
    with pytest.raises(ValueError, match="matmul"):
        d_output @ V
    assert_allclose(d_output @ V.T, d_weights, atol=1e-12)
    assert_allclose(weighted_sum_vjp(d_output, weights, V)[0], d_weights, atol=1e-12)


def test_a_missing_transpose_may_fit_by_chance():
    Q, K, V = qkv(d_v=7)
    d_output = draw(3, 7, seed=3)
    *_, d_weights = differentiated_by_torch(d_output, Q, K, V)
    assert (d_output @ V).shape == d_weights.shape
    assert np.abs(d_output @ V - d_weights).max() > 1
    assert_allclose(d_output @ V.T, d_weights, atol=1e-12)


def test_softmax_gradient_needs_a_matrix_of_ones():
    Q, K, V = qkv()
    *_, d_scores, d_weights = differentiated_by_torch(draw(3, 11, seed=3), Q, K, V)
    A = softmax(dot(Q, K))
    row, column, matrix = np.ones((1, 7)), np.ones((7, 1)), np.ones((7, 7))
    with pytest.raises(ValueError, match="matmul"):
        (A * d_weights) @ row
    assert_allclose(A * (d_weights - (A * d_weights) @ matrix), d_scores, atol=1e-13)
    assert_allclose(A * (d_weights - (A * d_weights) @ column @ row), d_scores, atol=1e-13)
    assert_allclose(softmax_vjp(d_weights, A), d_scores, atol=1e-13)


def test_gradients_of_queries_and_keys_carry_the_scale():
    Q, K, V = qkv()
    d_output, scale = draw(3, 11, seed=3), 5**-0.5
    d_Q, d_K, _, d_scores, _ = differentiated_by_torch(d_output, Q, K, V, scale=scale)
    assert np.abs(d_scores @ K - d_Q).max() > 0.1 and np.abs(d_scores.T @ Q - d_K).max() > 0.1
    assert_allclose(scale * d_scores @ K, d_Q, atol=1e-13)
    assert_allclose(scale * d_scores.T @ Q, d_K, atol=1e-13)
    by_hand = attention_vjp(d_output, Q, K, V)
    assert_allclose(by_hand[0], d_Q, atol=1e-12)
    assert_allclose(by_hand[1], d_K, atol=1e-12)


def test_gradient_of_a_value_sums_output_gradients():
    Q, K, V = two_queries()
    d_output = np.eye(2)
    d_Q, _, d_V, _, _ = differentiated_by_torch(d_output, Q, K, V)
    A = softmax(dot(Q, K))
    printed = [[0.4223, 0.1554], [0.1554, 0.4223], [0.4223, 0.4223]]
    assert_array_equal(d_V.round(4), printed)
    assert_allclose(A.T @ d_output, d_V, atol=1e-14)
    assert np.abs(A.T @ d_Q - d_V).max() > 0.1
    Q, K, V = qkv()
    d_Q, _, d_V, _, _ = differentiated_by_torch(draw(3, 11, seed=3), Q, K, V)
    assert (softmax(dot(Q, K)).T @ d_Q).shape == (7, 5) and d_V.shape == (7, 11)


def test_scores_without_a_transpose_do_not_fit():
    q, k, W = draw(1, 5), draw(1, 5, seed=1), draw(5, 5, seed=2)
    for rows_or_columns in [(q, k), (q.T, k.T)]:
        a, b = rows_or_columns
        with pytest.raises(ValueError, match="matmul"):
            a @ b
    with pytest.raises(ValueError, match="matmul"):
        q @ W @ k
    by_sum = sum(q[0, a] * W[a, b] * k[0, b] for a in range(5) for b in range(5))
    assert_allclose(q @ W @ k.T, [[by_sum]], atol=1e-13)
    assert_allclose(Bilinear(W)(q, k), [[by_sum]], atol=1e-13)
    assert dot(q, k).shape == (1, 1)


def test_self_attention_has_three_matrices():
    X = draw(7, 8)
    attention = MultiHeadAttention.random(np.random.default_rng(0), 8, n_heads=2)
    for Q, K, V in zip(*attention.project(X), strict=True):
        assert min(np.abs(Q - K).max(), np.abs(K - V).max(), np.abs(Q - V).max()) > 0.1
    # Equal matrices would tie row i on j with j on i, and let a row's own score be the highest.
    same, other = dot(X, X), dot(Q, K)
    assert_allclose(same, same.T, atol=1e-15)
    assert np.abs(other - other.T).max() > 1
    assert same.max() == same.diagonal().max() and other.max() > other.diagonal().max()


def test_attention_is_not_permutation_invariant_but_equivariant():
    X, order = draw(7, 5), np.array([3, 1, 6, 0, 2, 5, 4])
    output, weights = attend(X, X, X)
    shuffled, shuffled_weights = attend(X[order], X[order], X[order])
    assert np.abs(shuffled - output).max() > 0.1
    assert_allclose(shuffled, output[order], atol=1e-13)
    assert_allclose(shuffled_weights, weights[order][:, order], atol=1e-13)
    assert_allclose(shuffled.mean(axis=0), output.mean(axis=0), atol=1e-13)  # this is invariant
    one, _ = attend(X[:1], X, X)
    assert_allclose(attend(X[:1], X[order], X[order])[0], one, atol=1e-13)  # and so is this


def test_a_convolution_is_not_translation_invariant_but_equivariant():
    """A mean over neighbours is a convolution; where its window fits, it moves with its input."""
    X = draw(11, 2)
    moved = np.roll(X, 1, axis=0)

    def smooth(X):
        return attend(0 * X, X, X, mask=sliding_window(11, 11, 2))[0]

    for channel in range(2):
        whole = np.convolve(X[:, channel], [1 / 3] * 3, mode="valid")
        assert_allclose(smooth(X)[1:-1, channel], whole, atol=1e-14)
    assert np.abs(smooth(moved) - smooth(X)).max() > 0.1
    assert_allclose(smooth(moved)[2:-1], smooth(X)[1:-2], atol=1e-14)


def test_notes_dot_score_forgets_the_other_key():
    X = draw(7, 5)
    Q, K = X @ draw(5, 3, seed=1), X @ draw(5, 3, seed=2)
    own_key = np.array([[sum(Q[i] * K[i]) for _ in range(7)] for i in range(7)])
    assert_allclose(softmax(own_key), 1 / 7, atol=1e-15)
    other_key = np.array([[sum(Q[i] * K[j]) for j in range(7)] for i in range(7)])
    assert_allclose(dot(Q, K), other_key, atol=1e-13)
    assert np.ptp(softmax(other_key), axis=1).min() > 0.05


def test_notes_project_twice_where_once_suffices():
    H, W, W_h = draw(4, 8), draw(8, 8, seed=1), draw(8, 3, seed=2)
    assert_allclose(project(project(H, W), W_h), project(H, W @ W_h), atol=1e-13)
    assert W.size + W_h.size > (W @ W_h).size
    heads = MultiHeadAttention.random(np.random.default_rng(0), 8, n_heads=2)
    twice = MultiHeadAttention(
        heads.W_Q, heads.W_K, draw(8, 8, seed=3) @ heads.W_V, heads.W_O, n_heads=2
    )
    assert np.abs(twice(H)[0] - heads(H)[0]).max() > 0.1
    torch_heads = torch.nn.MultiheadAttention(8, 2, bias=False, dtype=torch.float64)
    with torch.no_grad():
        stacked = np.concatenate([heads.W_Q.T, heads.W_K.T, heads.W_V.T])
        torch_heads.in_proj_weight.copy_(torch.tensor(stacked))
        torch_heads.out_proj.weight.copy_(torch.tensor(heads.W_O.T))
        expected, _ = torch_heads(*[torch.tensor(H)] * 3)
    assert_allclose(heads(H)[0], expected, atol=1e-12)
    narrow = draw(8, 4, seed=4)
    with pytest.raises(ValueError, match=r"X has shape \(4, 4\): d_in is 8 in one and 4"):
        project(project(H, narrow), W_h)


def test_notes_example_lacks_an_output_projection():
    H = draw(4, 8)
    W_Q, W_K, W_V = (draw(8, 4, seed=seed) for seed in (1, 2, 3))
    output, weights = attend(H @ W_Q, H @ W_K, H @ W_V)
    assert weights.shape == (4, 4) and output.shape == (4, 4)
    with pytest.raises(ValueError, match="broadcast"):
        H + output
    one_head = MultiHeadAttention(W_Q, W_K, W_V, draw(4, 8, seed=4), n_heads=1)
    assert (H + one_head(H)[0]).shape == (4, 8)


def test_softmax_over_the_first_axis_is_wrong():
    X = draw(7, 5)
    scores = dot(X, X)
    over_queries, over_keys = softmax(scores, axis=0), softmax(scores, axis=1)
    assert_allclose(over_keys.sum(axis=1), 1, rtol=1e-14)
    assert np.abs(over_queries.sum(axis=1) - 1).max() > 0.3
    assert_allclose(attend(X, X, X, score=dot)[1], over_keys, atol=1e-14)
    assert_array_equal(softmax(scores[:1], axis=0), np.ones((1, 7)))  # one query: all weights are 1


def test_equivariance_catches_no_wrong_axis():
    X, order = draw(7, 5), np.array([3, 1, 6, 0, 2, 5, 4])

    def wrong(X):
        return softmax(dot(X, X), axis=0) @ X

    assert_allclose(wrong(X[order]), wrong(X)[order], atol=1e-13)
    assert np.abs(wrong(X) - attend(X, X, X, score=dot)[0]).max() > 0.1
    ones = np.ones((7, 1))
    assert_allclose(attend(X, X, ones)[0], ones, atol=1e-14)
    assert np.abs(softmax(dot(X, X), axis=0) @ ones - ones).max() > 0.3


def test_no_single_head_maps_the_example():
    """The mean of x under softmax(a x) rises ever more slowly with a > 0: equal steps are out."""
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    wanted = np.array([6.0, 7.0, 8.0, 9.0])
    for a in np.concatenate([[0], np.geomspace(1e-3, 50, 300), -np.geomspace(1e-3, 50, 300)]):
        means = attend(X, X, X, score=Bilinear([[a]]))[0][:, 0]
        assert (means >= 1).all() and (means <= 4).all()
        best = means @ wanted / (means @ means)  # W_V is one number: the best one for this a
        assert np.abs(best * means - wanted).max() > 0.2
        if a <= 0:
            assert (np.diff(means) <= 0).all()
        elif a < 1:
            assert (np.diff(means, 2) < 0).all()


def test_largest_wavelength_is_below_10000_times_two_pi():
    turns = {d: wavelengths(d) / (2 * math.pi) for d in (4, 64, 512, 4096)}
    assert turns[512].max().round(1) == 9646.6 and turns[4].max().round(6) == 100
    for d, lengths in turns.items():
        assert lengths[0] == 1 and lengths.max() < 10000
        assert_allclose(lengths[1:] / lengths[:-1], 10000 ** (2 / d), rtol=1e-12)
        slowest = sinusoidal_shift(10000 * 2 * math.pi, d)[-2:, -2:]
        assert d == 4 or np.abs(slowest - np.eye(2)).max() > 0.01


# Half-truths.


def test_the_softmax_gradient_is_more_than_its_diagonal():
    scores, d_weights = draw(7), draw(7, seed=1)
    w, jacobian = softmax(scores), softmax_jacobian(scores)
    assert_allclose(np.diag(jacobian), w * (1 - w), atol=1e-15)
    off = jacobian - np.diag(np.diag(jacobian))
    assert_allclose(-off.sum(axis=0), np.diag(jacobian), atol=1e-15)  # the rest weighs as much
    tensor = torch.tensor(scores, requires_grad=True)
    torch.softmax(tensor, 0).backward(torch.tensor(d_weights))
    assert np.abs(w * (1 - w) * d_weights - tensor.grad.numpy()).max() > 0.02
    assert_allclose(d_weights @ jacobian, tensor.grad, atol=1e-13)


def test_softmax_gradient_vanishes_at_both_ends():
    jacobian = softmax_jacobian([20.0, 0.0, -1.0])
    w = softmax([20.0, 0.0, -1.0])
    assert w[0] > 1 - 1e-8 and w[1] < 1e-8
    assert np.abs(jacobian).max() < 1e-8 and jacobian[1, 1] > 0
    assert softmax_jacobian([0.0, 0.0])[0, 0] == 0.25


def every_sign(d):
    return np.array(np.meshgrid(*[[-1, 1]] * d)).reshape(d, -1).T


def test_variance_d_needs_independent_queries_and_keys():
    """All vectors of signs: every component has mean 0 and variance 1, exactly."""
    for d in (2, 4, 6):
        signs = every_sign(d)
        independent = dot(signs, signs)
        assert independent.mean() == 0 and independent.var() == d
        equal = independent.diagonal()
        assert equal.mean() == d and equal.var() == 0
        assert dot(signs, -signs).diagonal().mean() == -d


def test_variance_d_needs_independent_components():
    for d in (2, 4, 6):
        alike = np.array([[1] * d, [-1] * d])
        assert_array_equal(alike.var(axis=0), 1)
        assert dot(alike, alike).var() == d**2
        assert_allclose(scaled_dot(alike, alike).var(), d)


@pytest.mark.parametrize(("dtype", "below", "beyond"), [(np.float32, 80, 105), (float, 700, 750)])
def test_softmax_underflows_to_exact_zeros(dtype, below, beyond):
    assert softmax(np.array([0, -below], dtype))[1] > 0
    assert softmax(np.array([0, -beyond], dtype))[1] == 0
    assert softmax(np.array([0, -beyond], dtype))[0] == 1
    lost = softmax(np.array([0, -beyond, -2 * beyond], dtype))
    assert lost[1] == lost[2]  # and the order of the scores is lost with them


def test_float32_gives_zero_beyond_a_gap_of_104():
    gaps = np.arange(80, 120)
    zero = np.array([softmax(np.array([0, -gap], np.float32))[1] == 0 for gap in gaps])
    assert gaps[zero].min() == 104 and zero[gaps >= 104].all()


def test_orthogonal_rows_with_score_0_still_get_weight():
    X, _, _ = three_rows()
    _, weights = scaled_dot_product_attention(X, X, X)
    assert dot(X, X)[0, 1] == 0 and round(weights[0, 1], 3) == 0.198
    _, weights = attend([[1.0, 0.0]], [[0.0, 1.0], [-3.0, 0.0]], np.eye(2), score=dot)
    assert weights[0, 0] > 0.95  # beside a negative score, 0 is the best


def test_projections_dominate_until_n_is_twice_d():
    d = 64
    for n in (16, 127, 128, 129, 1024):
        projections, pairs = 4 * dot_cost(n, d, d), 2 * dot_cost(n, n, d)
        assert projections == 4 * n * d**2 and pairs == 2 * n**2 * d
        assert (projections > pairs) == (n < 2 * d) and (projections == pairs) == (n == 2 * d)


def test_ten_thousand_items_need_0_4_gigabytes():
    assert dot_cost(10_000, 10_000, 1) * np.dtype(np.float32).itemsize == 0.4e9
    Q, K, V = qkv(n_q=13, n_k=17)
    whole, _ = attend(Q, K, V)
    assert_allclose(np.concatenate([attend(q[None], K, V)[0] for q in Q]), whole, atol=1e-13)
    # Keys in blocks: what is kept is one maximum, one sum and one output for each query.
    highest, total, output = np.full((13, 1), -np.inf), np.zeros((13, 1)), np.zeros((13, 11))
    for block in np.array_split(np.arange(17), 5):
        scores = scaled_dot(Q, K[block])
        higher = np.maximum(highest, scores.max(axis=1, keepdims=True))
        powers, shrink = np.exp(scores - higher), np.exp(highest - higher)
        total = total * shrink + powers.sum(axis=1, keepdims=True)
        output, highest = output * shrink + powers @ V[block], higher
    assert_allclose(output / total, whole, atol=1e-13)


def test_dot_products_differ_from_graph_attention():
    """The original adds a part of the query and a part of the key: all rank the keys alike."""
    H, all_are_neighbours = draw(7, 5), from_graph(np.ones((7, 7)))
    W, a_query, a_key = draw(5, 3, seed=1), draw(3, 1, seed=2), draw(3, 1, seed=3)

    def original(Q, K):
        sums = Q @ W @ a_query + (K @ W @ a_key).T
        return np.where(sums > 0, sums, 0.2 * sums)

    def ranking(score):
        weights = attend(H, H, H, score=score, mask=all_are_neighbours)[1]
        return weights.argsort(axis=1)

    assert (ranking(original) == ranking(original)[0]).all()
    assert (ranking(scaled_dot) != ranking(scaled_dot)[0]).any(axis=1)[1:].all()


@pytest.mark.parametrize("n", [4, 11, 64])
def test_sorting_needs_only_two_layers(n):
    """Count who is not larger; then each position asks for its own rank, all in one call."""
    numbers = np.random.default_rng(n).permutation(3 * n)[:n].astype(float)[:, None]
    not_larger = numbers.T <= numbers
    shares, _ = attend(0 * numbers, numbers, np.eye(n), mask=not_larger)
    ranks = 1 / shares.diagonal()[:, None]
    positions = np.arange(1, n + 1)[:, None]

    def nearness(Q, K):
        return -((Q - K.T) ** 2)

    assert_array_equal(
        attend(positions, ranks, numbers, score=nearness, normalize=hardmax)[0], np.sort(numbers, 0)
    )
    soft, _ = attend(positions, ranks, numbers, score=lambda Q, K: 50 * nearness(Q, K))
    assert_allclose(soft, np.sort(numbers, 0), atol=1e-9)


def test_the_lecture_example_to_be_sorted():
    numbers = np.array([[5.0], [2.0], [8.0], [1.0]])
    ranks = np.array([[3.0], [2.0], [4.0], [1.0]])
    output, _ = attend(
        [[1], [2], [3], [4]],
        ranks,
        numbers,
        score=lambda Q, K: -((Q - K.T) ** 2),
        normalize=hardmax,
    )
    assert_array_equal(output, [[1], [2], [5], [8]])
