"""What gradients say beyond the table: numbers worked by hand, what must hold, what is refused."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import (
    MultiHeadAttention,
    feed_forward,
    layer_norm,
    scaled_dot_product_attention,
    softmax,
)
from attnlib.examples import two_queries
from attnlib.gradients import (
    additive_vjp,
    attention_vjp,
    bilinear_vjp,
    decoder_block_vjp,
    decoder_only_vjp,
    encoder_block_vjp,
    feed_forward_vjp,
    layer_norm_vjp,
    location_vjp,
    multi_head_vjp,
    output_query_jacobian,
    projection_vjp,
    scaled_dot_vjp,
    sigmoid_normalize_vjp,
    softmax_vjp,
    sparsemax_vjp,
    weighted_sum_vjp,
)
from tests.helpers.oracles import (
    d_model,
    d_source,
    decoder,
    draw,
    draw_mask,
    encoder,
    m,
    n,
    qkv,
    stack,
)

reproducible = settings(max_examples=40, deadline=None, derandomize=True)
# Normalisers.


def test_softmax_worked():
    assert_array_equal(softmax_vjp([1, 0], [0.25, 0.75]), [3 / 16, -3 / 16])
    assert_array_equal(softmax_vjp([1, 0], [0.25, 0.75], 2), [3 / 32, -3 / 32])
    assert_array_equal(softmax_vjp([4, 0, 8], [0.5, 0.25, 0.25]), [0, -1, 1])
    assert_array_equal(softmax_vjp([[4, 0, 8]], [[0.5, 0.5, 0]], temperature=0.5), [[2, -2, 0]])


def test_sparsemax_worked():
    assert_array_equal(sparsemax_vjp([3, 7, 100, -5], [0.9, 0.1, 0, 0]), [-2, 2, 0, 0])
    assert_array_equal(sparsemax_vjp([3, 7, 8, 100], [0.7, 0.1, 0.2, 0], 4), [-0.75, 0.25, 0.5, 0])
    several = sparsemax_vjp([[1, 3], [5, 8]], [[0.5, 0.5], [0, 1]])
    assert_array_equal(several, [[-1, 1], [0, 0]])


def test_sigmoid_normalize_worked():
    """The sigmoids are 3/4 and 1/2, so the weights 3/5 and 2/5, and what is left 1/4 and 1/2."""
    log3 = math.log(3)
    assert_allclose(sigmoid_normalize_vjp([1, 0], [log3, 0]), [0.06, -0.12], rtol=1e-14)
    assert_allclose(sigmoid_normalize_vjp([1, 0], [2 * log3, 0], 2), [0.03, -0.06], rtol=1e-14)


def test_a_common_shift_matters_to_sigmoid_normalize():
    scores, d = draw(5, 7), draw(5, 7, seed=1)
    assert np.abs(sigmoid_normalize_vjp(d, scores).sum(axis=-1)).min() > 1e-4


def test_extreme_scores_of_sigmoid_normalize():
    scores, d = np.array([-1e4, -1e4 + 1, -1e4 - 2]), draw(3)
    assert_allclose(sigmoid_normalize_vjp(d, scores), softmax_vjp(d, softmax(scores)), rtol=1e-12)
    assert_array_equal(sigmoid_normalize_vjp(d, -scores), [0, 0, 0])
    assert_array_equal(sigmoid_normalize_vjp(d, [-1e30, -1e30, 1e30], 1e-30), [0, 0, 0])


def test_softmax_makes_no_jacobian():
    assert_allclose(softmax_vjp(draw(3), softmax([40.0, 0, 0])), 0, atol=1e-16)
    n = 3000
    weights, d = softmax(draw(n)), draw(n, seed=1)
    tracemalloc.start()
    softmax_vjp(d, weights)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * n


def test_masked_weights_are_refused():
    for vjp in (softmax_vjp, sparsemax_vjp):
        with pytest.raises(ValueError, match=r"weights of shape \(2,\) holds -inf at index 1"):
            vjp([1.0, 1.0], [1.0, -np.inf])
    with pytest.raises(ValueError, match=r"scores\[1, :\] is -inf throughout"):
        sigmoid_normalize_vjp(np.ones((2, 2)), [[1.0, 0.0], [-np.inf, -np.inf]])


def test_impossible_sparsemax_weights_are_refused():
    for weights in ([[0.5, 0.5], [0, 0]], [[-1, 0], [0, 1]], np.zeros((2, 2))):
        with pytest.raises(ValueError, match=r"weights .*\(2, 2\) .*without a positive weight"):
            sparsemax_vjp(np.ones((2, 2)), weights)


@pytest.mark.parametrize("vjp", [softmax_vjp, sparsemax_vjp, sigmoid_normalize_vjp])
def test_one_score_gets_no_gradient(vjp):
    assert_array_equal(vjp([[7.0]], [[1.0]]), [[0]])
    assert vjp(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("vjp", [softmax_vjp, sparsemax_vjp, sigmoid_normalize_vjp])
def test_unusable_temperatures_are_refused(vjp):
    for bad in (0, -1, 1e-320):
        with pytest.raises(ValueError, match="temperature"):
            vjp([1.0, 2.0], [0.5, 0.5], temperature=bad)
    half = np.full(2, 0.5, np.float32)
    with pytest.raises(ValueError, match=r"temperature=1e-50 .* range of float32"):
        vjp(half, half, temperature=1e-50)


def test_masked_scores_get_exactly_nothing():
    scores, d = draw(5, 7), draw(5, 7, seed=1)
    with_hole, d_hole = np.insert(scores, 3, -np.inf, axis=1), np.insert(d, 3, 1e4, axis=1)
    back = sigmoid_normalize_vjp(d_hole, with_hole, 0.7)
    assert (back[:, 3] == 0).all()
    assert_allclose(np.delete(back, 3, axis=1), sigmoid_normalize_vjp(d, scores, 0.7), atol=1e-14)


# Scores.


def test_scores_worked():
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
    d_all = additive_vjp([[4]], [[half]], [[3]], [[1]], [[0]], [8])
    assert_allclose([d.item() for d in d_all], [24, 0, 24 * half, 72, 2], rtol=1e-14)


def test_location_uses_all_positions_and_no_more():
    d_scores, Q, W, b = draw(3, 9), draw(3, 5), draw(5, 9), draw(9)
    _, _, d_W, d_b = location_vjp(d_scores, Q, draw(9, 4), W, b)
    assert_allclose(d_W, np.einsum("ia,ij->aj", Q, d_scores), atol=1e-13)
    assert_allclose(d_b, d_scores.sum(axis=0), atol=1e-13)
    with pytest.raises(ValueError, match=r"K has shape \(10, 4\), so 10 keys, but W .*\(5, 9\)"):
        location_vjp(draw(3, 10), Q, draw(10, 4), W, b)


# Attention.


def test_weighted_sum_worked():
    d_weights, d_V = weighted_sum_vjp([[1, 2], [10, 20]], [[1, 0, 3], [0, 4, 5]], np.eye(3)[:, :2])
    assert_array_equal(d_weights, [[1, 2, 0], [10, 20, 0]])
    assert_array_equal(d_V, [[1, 2], [40, 80], [53, 106]])


def test_two_queries_worked():
    """Weights 0.422319 and 0.155362; with dL/dO = I the values get the transposed weights."""
    Q, K, V = (np.array(x, float) for x in two_queries())
    assert_array_equal(Q, np.eye(2))
    assert_array_equal(V, [[1, 2], [3, 4], [5, 6]])
    a, b = 0.422319, 0.155362
    d_Q, d_K, d_V = attention_vjp(np.eye(2), Q, K, V, scale=1)
    assert_array_equal(d_V.round(6), [[a, b], [b, a], [a, a]])
    e = math.e
    a, b = e / (2 * e + 1), 1 / (2 * e + 1)
    assert_allclose(d_V, [[a, b], [b, a], [a, a]], rtol=1e-14)
    # The first component of the first output is 3, and the second of the second is D.
    D = 2 * b + 4 * a + 6 * a
    first = np.array([-2 * a, 0, 2 * a])
    second = np.array([b * (2 - D), a * (4 - D), a * (6 - D)])
    assert_allclose(d_Q, [[0, 2 * a], [second[0] + second[2], second[1] + second[2]]], atol=1e-14)
    assert_allclose(d_K, np.stack([first, second], axis=1), atol=1e-14)


@reproducible
@given(
    n_q=st.integers(1, 6), n_k=st.integers(1, 6), scale=st.floats(-2, 2), seed=st.integers(0, 999)
)
def test_attention_keeps_its_balance(n_q, n_k, scale, seed):
    Q, K, V = qkv(n_q=n_q, n_k=n_k, seed=seed)
    d_output, mask = draw(n_q, 11, seed=seed), draw_mask(n_q, n_k, seed=seed)
    d_Q, d_K, d_V = attention_vjp(d_output, Q, K, V, mask=mask, scale=scale)
    output, weights = scaled_dot_product_attention(Q, K, V, mask=mask, scale=scale)
    d_weights, _ = weighted_sum_vjp(d_output, weights, V)
    close = {"rtol": 1e-10, "atol": 1e-11}
    # The mean of the weights' gradients is the output's gradient times the output.
    assert_allclose((weights * d_weights).sum(axis=1), (d_output * output).sum(axis=1), **close)
    # A vector added to all keys changes no weight, and one added to all values every output.
    assert_allclose(d_K.sum(axis=0), 0, atol=1e-11)
    assert_allclose(d_V.sum(axis=0), d_output.sum(axis=0), **close)
    # Queries and keys are factors of one product, values of the output.
    assert_allclose((Q * d_Q).sum(), (K * d_K).sum(), **close)
    assert_allclose((V * d_V).sum(), (d_output * output).sum(), **close)
    # A forbidden pair is as if it were not there.
    assert (d_K[~mask.any(axis=0)] == 0).all() and (d_V[~mask.any(axis=0)] == 0).all()


def test_a_single_key_gets_everything():
    Q, K, V = qkv(n_k=1)
    d_Q, d_K, d_V = attention_vjp(draw(6, 11), Q, K, V)
    assert not d_Q.any() and not d_K.any()
    assert_allclose(d_V, draw(6, 11).sum(axis=0, keepdims=True), rtol=1e-14)


def test_query_jacobian_is_a_covariance():
    """Weights 1/4 and 3/4 (scores 0 and log 3): 3/16 of the step between values, and of keys."""
    jacobian = output_query_jacobian([1, 0], [[0, 2], [math.log(3), 6]], [[1, 0], [9, 0]], 1)
    assert_allclose(jacobian, [[1.5 * math.log(3), 6], [0, 0]], rtol=1e-14)
    q, K, V = draw(5), draw(7, 5, seed=1), draw(7, 11, seed=2)
    assert np.abs(output_query_jacobian(q, K, V)).max() > 0.1
    assert_allclose(output_query_jacobian(1e3 * q, K, V), 0, atol=1e-12)
    assert_allclose(output_query_jacobian(q, K[[0] * 7], V), 0, atol=1e-14)
    assert_allclose(output_query_jacobian(q, K, V[[0] * 7]), 0, atol=1e-14)
    symmetric = output_query_jacobian(q, K, K)
    assert_allclose(symmetric, symmetric.T, atol=1e-14)
    assert np.linalg.eigvalsh(symmetric).min() > -1e-14


def test_query_jacobian_far_from_zero_keeps_its_digits():
    q, K, V = np.zeros(5), draw(7, 5, seed=1), draw(7, 11, seed=2)
    expected = output_query_jacobian(q, K, V)
    for far_K, far_V in ((1e6, 0), (0, 1e6), (1e6, 1e6)):
        assert_allclose(output_query_jacobian(q, K + far_K, V + far_V), expected, atol=1e-9)


# Projections and heads.


def test_projection_worked():
    d_X, d_W, d_b = projection_vjp([[1, 0], [0, 10]], [[2, 3], [5, 7]], [[1, 2], [3, 4]])
    assert_array_equal(d_X, [[1, 3], [20, 40]])
    assert_array_equal(d_W, [[2, 50], [3, 70]])
    assert_array_equal(d_b, [1, 10])


def test_heads_worked():
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


def test_heads_keep_their_balance():
    attention = decoder().cross_attention
    X_Q, X_KV, d_output = draw(n, d_model), draw(m, d_source), draw(n, d_model, seed=1)
    mask = draw_mask(n, m) & (np.arange(m) != 3)
    _, d_X_KV, d = multi_head_vjp(d_output, attention, X_Q, X_KV, mask=mask)
    assert (d_X_KV[3] == 0).all()
    # A bias of the keys moves all scores of a query alike.
    assert_allclose(d.b_K, 0, atol=1e-11)
    assert_allclose(d.b_O, d_output.sum(axis=0), atol=1e-12)
    assert_allclose(d.b_V, attention.W_O @ d_output.sum(axis=0), atol=1e-11)
    # All parameters on the way to the scores enter one product of q and k.
    q = (d.W_Q * attention.W_Q).sum() + d.b_Q @ attention.b_Q
    k = (d.W_K * attention.W_K).sum() + d.b_K @ attention.b_K
    assert_allclose(q, k, atol=1e-11)


def test_one_item_teaches_neither_queries_nor_keys():
    attention = encoder().attention
    d_X, _, d = multi_head_vjp(draw(1, d_model), attention, draw(1, d_model, seed=1))
    assert not any(x.any() for x in (d.W_Q, d.W_K, d.b_Q, d.b_K))
    assert_allclose(d_X, draw(1, d_model) @ (attention.W_V @ attention.W_O).T, atol=1e-13)


# Layers.


def test_layer_norm_worked():
    """Variance 1 and epsilon 3, so sigma is 2 and z is ∓1/2; dz 1, 0 has mean 1/2, z dz −1/4."""
    d_X, d_gain, d_bias = layer_norm_vjp([[1, 0]], [[6, 8]], epsilon=3)
    assert_array_equal(d_X, [[0.1875, -0.1875]])
    assert_array_equal(d_gain, [-0.5, 0])
    assert_array_equal(d_bias, [1, 0])
    d_X, d_gain, d_bias = layer_norm_vjp([[1, 0], [1, 5]], [[6, 8], [1, -1]], [2, 0], [9, 9], 3)
    assert_array_equal(d_X, [[0.375, -0.375], [0.375, -0.375]])
    assert_array_equal(d_gain, [0, -2.5])
    assert_array_equal(d_bias, [2, 5])
    d_X, _, _ = layer_norm_vjp([[3, 0, 0]], [[4, 4, 4]], epsilon=0.25)
    assert_array_equal(d_X, [[4, -2, -2]])


@reproducible
@given(
    size=st.sampled_from([1e-4, 1, 1e4]),
    epsilon=st.sampled_from([1e-5, 0.5]),
    seed=st.integers(0, 99),
)
def test_layer_norm_ignores_shifts_and_almost_stretches(size, epsilon, seed):
    X, d_output, gain = size * draw(3, 5, seed=seed), draw(3, 5, seed=seed + 1), draw(5)
    d_X, _, _ = layer_norm_vjp(d_output, X, gain, epsilon=epsilon)
    sigma = np.sqrt(X.var(axis=-1) + epsilon)
    assert_allclose(d_X.sum(axis=-1), 0, atol=1e-10 / sigma.min())
    Z = layer_norm(X, epsilon=epsilon)
    stretched = (Z * gain * d_output).sum(axis=-1) * epsilon / sigma**3
    assert_allclose((Z * d_X).sum(axis=-1), stretched, rtol=1e-8, atol=1e-11 / sigma.min())


def test_an_epsilon_that_vanishes_is_refused():
    constant = np.ones((1, 3), np.float32)
    with pytest.raises(ValueError, match="epsilon"):
        layer_norm_vjp(constant, constant, epsilon=1e-50)


def slope_at(z, activation):
    """The slope of the activation alone, through a network that does nothing else."""
    return feed_forward_vjp([[1]], [[z]], [[1]], [0], [[1]], [0], activation)[0].item()


def test_slopes_worked():
    assert [slope_at(z, "relu") for z in (-2, -1e-300, 0, 1e-300, 2)] == [0, 0, 0, 1, 1]
    assert round(slope_at(0, "gelu"), 12) == 0.5
    assert round(slope_at(1, "gelu"), 6) == round(0.8413447 + 0.2419707, 6)
    assert round(slope_at(-1, "gelu"), 6) == round(0.1586553 - 0.2419707, 6)
    assert slope_at(40, "gelu") == 1 and slope_at(-40, "gelu") == 0


def test_feed_forward_worked():
    """Three units, of which the first is cut off; Z is (−1, 4, 1), H is (0, 4, 1)."""
    X, W_1, b_1 = [[1, 2]], [[1, 0, 3], [-1, 2, -1]], [0, 0, 0]
    W_2, b_2 = [[1, 1], [2, 3], [5, 7]], [100, 200]
    assert_array_equal(feed_forward(X, W_1, b_1, W_2, b_2), [[113, 219]])
    d_X, d_W_1, d_b_1, d_W_2, d_b_2 = feed_forward_vjp([[1, 10]], X, W_1, b_1, W_2, b_2)
    # dH = (11, 32, 75), and dZ the same without the first.
    assert_array_equal(d_X, [[225, -11]])
    assert_array_equal(d_W_1, [[0, 32, 75], [0, 64, 150]])
    assert_array_equal(d_b_1, [0, 32, 75])
    assert_array_equal(d_W_2, [[0, 0], [4, 40], [1, 10]])
    assert_array_equal(d_b_2, [1, 10])


def test_unknown_activations_are_refused():
    for bad in ("tanh", "ReLU", "", None, 1, np.tanh, ["relu"]):
        with pytest.raises(ValueError, match=r'activation=.* is unknown. Choose "relu" or "gelu"'):
            feed_forward_vjp([[1]], [[1]], [[1]], [1], [[1]], [1], bad)


# Blocks.


def silent(block):
    """Copy a block with parts that add nothing: their last matrix and bias are 0."""
    last = ("W_O", "b_O", "W_2", "b_2")
    new = {x: 0 * a if x.endswith(last) else a for x, a in block.parameters().items()}
    return block.with_parameters(new)


def test_gradients_pass_silent_parts_unchanged():
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


@pytest.mark.parametrize("norm_first", [False, True])
def test_no_output_reaches_a_later_item(norm_first):
    X, memory, d_now = draw(n, d_model), draw(m, d_source), np.zeros((n, d_model))
    d_now[2] = draw(d_model)
    d_X, d_memory, _ = decoder_block_vjp(
        d_now, decoder(norm_first), X, memory, memory_mask=np.arange(m) != 3
    )
    assert (d_X[3:] == 0).all() and d_X[:3].any(axis=1).all()
    assert (d_memory[3] == 0).all() and np.delete(d_memory, 3, axis=0).any(axis=1).all()
    d_X, _ = decoder_only_vjp(d_now, stack(norm_first), X)
    assert (d_X[3:] == 0).all() and d_X[:3].any(axis=1).all()


@pytest.mark.parametrize("norm_first", [False, True])
def test_gradients_of_blocks_keep_their_settings(norm_first):
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
    assert decoder_only_vjp(d, stack(with_norm=False), X)[1].norm is None


def test_other_blocks_are_refused_by_name():
    d, memory = draw(n, d_model), draw(m, d_source)
    cases = [
        (encoder_block_vjp, "block must be an EncoderBlock", decoder(), [d]),
        (decoder_block_vjp, "block must be a DecoderBlock", encoder(), [d, memory]),
        (decoder_only_vjp, "stack must be a DecoderOnly", encoder(), [d]),
    ]
    for vjp, message, other, items in cases:
        for bad in (None, "block", other, other.parameters()):
            with pytest.raises(TypeError, match=f"^{message}, not"):
                vjp(d, bad, *items)


@pytest.mark.parametrize("source", [d_source, d_model])
def test_a_missing_memory_is_refused(source):
    with pytest.raises(TypeError, match=r"^memory holds object"):
        decoder_block_vjp(draw(n, d_model), decoder(source=source), draw(n, d_model), None)
