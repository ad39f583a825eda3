"""Exercises of chapter 9: references against the book, mistakes as readers write them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import causal, scaled_dot_product_attention
from attnlib.exercises import all_questions, check, find
from attnlib.gradients import (
    attention_vjp,
    finite_difference,
    output_query_jacobian,
    projection_vjp,
    scaled_dot_vjp,
    softmax_vjp,
)
from tests.helpers.exercise_replies import as_readers_write


def reference(name):
    return find(f"gradients.{name}").reference


def args(name):
    return [case.args for case in find(f"gradients.{name}").cases]


def test_softmax_back_is_the_books():
    for d_weights, weights in args("softmax_back"):
        found = reference("softmax_back")(d_weights, weights)
        np.testing.assert_allclose(found, softmax_vjp(d_weights, weights), atol=1e-12)


def test_query_gradient_is_the_books_and_what_differences_find():
    for d_output, Q, K, V, mask in args("query_gradient"):
        found = reference("query_gradient")(d_output, Q, K, V, mask)
        d_Q, _, _ = attention_vjp(d_output, Q, K, V, mask=mask)
        np.testing.assert_allclose(found, d_Q, atol=1e-12)

        def loss(Q, d_output=d_output, rest=(K, V), mask=mask):
            return (d_output * scaled_dot_product_attention(Q, *rest, mask=mask)[0]).sum()

        np.testing.assert_allclose(found, finite_difference(loss, Q), atol=1e-8)


def test_key_matrix_gradient_is_the_books():
    rng = np.random.default_rng(0)
    for d_scores, X_Q, X_KV, W_Q in args("key_matrix_gradient"):
        W_K = rng.normal(size=(X_KV.shape[-1], W_Q.shape[1]))
        _, d_K = scaled_dot_vjp(d_scores, X_Q @ W_Q, X_KV @ W_K)
        _, d_W_K, _ = projection_vjp(d_K, X_KV, W_K)
        found = reference("key_matrix_gradient")(d_scores, X_Q, X_KV, W_Q)
        np.testing.assert_allclose(found, d_W_K, atol=1e-12)


def test_bias_gradient_is_what_differences_find():
    for d, b in args("bias_gradient"):
        expected = finite_difference(lambda b, d=d: (d * np.broadcast_to(b, d.shape)).sum(), b)
        np.testing.assert_allclose(reference("bias_gradient")(d, b), expected, atol=1e-9)


def backwards(
    *,
    to_weights=lambda d_output, V: d_output @ V.T,
    center=lambda W, d: (W * d).sum(axis=1, keepdims=True),
    masked=True,
    root=lambda K, V: np.sqrt(K.shape[1]),
    last=lambda d_scores, Q, K: d_scores @ K,
):
    """The way back to the queries as readers write it, with the book's way forwards."""

    def query_gradient(d_output, Q, K, V, mask):
        _, W = scaled_dot_product_attention(Q, K, V, mask=mask if masked else None)
        d_weights = to_weights(d_output, V)
        d_scores = W * (d_weights - center(W, d_weights))
        return last(d_scores, Q, K) / root(K, V)

    return query_gradient


def shares(e):
    return e / e.sum(axis=1, keepdims=True)


def with_weights(normalize):
    """The way back with a softmax of one's own, by `normalize` from the exponentials."""
    return with_mask(lambda S, mask: np.where(mask, S, -np.inf), normalize)


def with_mask(masked, normalize=shares):
    """The way back with a softmax of one's own, after `masked` has changed the scores."""

    def query_gradient(d_output, Q, K, V, mask):
        S = masked(Q @ K.T / np.sqrt(K.shape[1]), mask)
        with np.errstate(invalid="ignore"):
            W = normalize(np.exp(S - S.max(axis=1, keepdims=True)))
        d_weights = d_output @ V.T
        d_scores = W * (d_weights - (W * d_weights).sum(axis=1, keepdims=True))
        return d_scores @ K / np.sqrt(K.shape[1])

    return query_gradient


def by_row_dots(O_masked=True, keepdims=True):
    """D as the product of the outputs and their derivatives."""

    def query_gradient(d_output, Q, K, V, mask):
        Y, W = scaled_dot_product_attention(Q, K, V, mask=mask)
        if not O_masked:
            Y, _ = scaled_dot_product_attention(Q, K, V)
        D = (d_output * Y).sum(axis=1, keepdims=keepdims)
        return W * (d_output @ V.T - D) @ K / np.sqrt(K.shape[1])

    return query_gradient


def one_sided(step):
    def query_gradient(d_output, Q, K, V, mask):
        def loss(Q):
            return (d_output * scaled_dot_product_attention(Q, K, V, mask=mask)[0]).sum()

        found = np.zeros_like(Q)
        for place in np.ndindex(Q.shape):
            moved = Q.copy()
            moved[place] += step
            found[place] = (loss(moved) - loss(Q)) / step
        return found

    return query_gradient


def jacobian(w):
    return np.diag(w) - np.outer(w, w)


def each_row(J):
    return lambda d_weights, weights: np.array([J(w) @ d for w, d in zip(weights, d_weights)])


def of_keys(*, left=lambda X: np.swapaxes(X, -1, -2), c=lambda W: W.shape[1] ** -0.5, add=True):
    def key_matrix_gradient(d_scores, X_Q, X_KV, W_Q):
        found = left(X_KV) @ (np.swapaxes(d_scores, -1, -2) @ (X_Q @ W_Q)) * c(W_Q)
        return found.sum(axis=tuple(range(found.ndim - 2))) if add else found

    return key_matrix_gradient


def unbroadcast(d, b):
    while d.ndim > b.ndim:
        d = d.sum(axis=0)
    for axis, size in enumerate(b.shape):
        if size == 1:
            d = d.sum(axis=axis, keepdims=True)
    return d


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("softmax_back", "diagonal_only", lambda d_weights, weights: np.array(
            [np.diag(jacobian(w)) * d for w, d in zip(weights, d_weights)])),
        ("softmax_back", "keepdims", lambda d_weights, weights: weights * (
            d_weights - np.diag(weights @ d_weights.T))),
        ("softmax_back", "columns", lambda d_weights, weights: weights * (
            d_weights - np.sum(weights * d_weights, axis=0))),
        ("softmax_back", "everything", lambda d_weights, weights: weights * (
            d_weights - np.vdot(weights, d_weights))),
        ("softmax_back", "all_pairs", lambda d_weights, weights: weights * (
            d_weights - np.einsum("ik,jk->ij", weights, d_weights))),
        ("softmax_back", "plus", each_row(lambda w: np.diag(w) + np.outer(w, w))),
        ("softmax_back", "mean_alone", each_row(lambda w: -np.outer(w, w))),
        ("softmax_back", "weight_on_the_mean_alone",
         each_row(lambda w: np.eye(len(w)) - np.outer(w, w))),
        ("softmax_back", "first_rows_jacobian",
         lambda d_weights, weights: d_weights @ jacobian(weights[0])),
        ("softmax_back", "jacobian_entry_by_entry", lambda d_weights, weights: np.array(
            [(jacobian(w) * d).sum(axis=0) for w, d in zip(weights, d_weights)])),
        ("query_gradient", "all_pairs", backwards(
            center=lambda W, d: np.einsum("ik,jk->ij", W, d))),
        ("query_gradient", "first_rows_jacobian", lambda d_output, Q, K, V, mask: (
            lambda w: d_output @ V.T @ jacobian(w) @ K / np.sqrt(K.shape[1]))(
            scaled_dot_product_attention(Q, K, V, mask=mask)[1][0])),
        ("query_gradient", "V_not_transposed", backwards(to_weights=np.matmul)),
        ("query_gradient", "two_at_once", lambda d_output, Q, K, V, mask: (
            lambda A: A * (d_output @ V - (A * (d_output @ V)) @ np.ones((len(K), len(K)))) @ K)(
            scaled_dot_product_attention(Q, K, V, mask=mask)[1])),
        ("query_gradient", "three_at_once", lambda d_output, Q, K, V, mask: (
            lambda A: A * (d_output @ V - (A * (d_output @ V)) @ np.ones(len(K))) @ K)(
            scaled_dot_product_attention(Q, K, V, mask=mask)[1])),
        ("query_gradient", "keepdims_and_no_scale", backwards(
            center=lambda W, d: (W * d).sum(axis=1), root=lambda K, V: 1)),
        ("query_gradient", "V_not_transposed_and_keepdims", backwards(
            to_weights=np.matmul, center=lambda W, d: (W * d).sum(axis=1))),
        ("query_gradient", "no_mean_and_no_mask", backwards(
            center=lambda W, d: 0, masked=False)),
        ("query_gradient", "mask_inverted", with_mask(lambda S, mask: np.where(mask, -1e9, S))),
        ("query_gradient", "mask_inverted_added", with_mask(lambda S, mask: S + mask * -1e7)),
        ("query_gradient", "mask_inverted_to_the_end",
         with_mask(lambda S, mask: np.where(mask, -np.inf, S))),
        ("query_gradient", "mask_inverted_by_the_book", lambda d_output, Q, K, V, mask: (
            attention_vjp(d_output, Q, K, V, mask=~mask)[0])),
        ("query_gradient", "mask_inverted_by_the_book", lambda d_output, Q, K, V, mask: (
            backwards()(d_output, Q, K, V, ~mask))),
        ("query_gradient", "causal_always",
         with_mask(lambda S, mask: np.where(np.tri(*mask.shape), S, -np.inf))),
        *[("query_gradient", "mask_too_high", with_mask(
            lambda S, mask, low=low: np.where(mask, S, low))) for low in (-5, -8, -10, -12)],
        ("query_gradient", "mask_too_high", with_mask(lambda S, mask: S + (mask - 1.0) * 10)),
        ("query_gradient", "no_scale", backwards(root=lambda K, V: 1)),
        ("query_gradient", "scaled_twice", backwards(root=lambda K, V: K.shape[1])),
        ("query_gradient", "by_root_d_v", backwards(root=lambda K, V: V.shape[1] ** 0.5)),
        ("query_gradient", "by_root_n_k", backwards(root=lambda K, V: V.shape[0] ** 0.5)),
        ("query_gradient", "no_mask", backwards(masked=False)),
        ("query_gradient", "no_mask",
         lambda d_output, Q, K, V, mask: attention_vjp(d_output, Q, K, V)[0]),
        ("query_gradient", "no_mean", backwards(center=lambda W, d: 0)),
        ("query_gradient", "keepdims", by_row_dots(keepdims=False)),
        ("query_gradient", "mean_of_all_keys", by_row_dots(O_masked=False)),
        ("query_gradient", "keys_derivative",
         lambda d_output, Q, K, V, mask: attention_vjp(d_output, Q, K, V, mask=mask)[1]),
        ("query_gradient", "scores_transposed", backwards(last=lambda dS, Q, K: dS.T @ K)),
        ("query_gradient", "queries_for_keys", backwards(last=lambda dS, Q, K: dS @ Q)),
        ("query_gradient", "d_scores_scaled", backwards(last=lambda dS, Q, K: dS)),
        ("query_gradient", "weights_rounded", with_weights(lambda e: shares(e).round(2))),
        *[("query_gradient", "denominator", with_weights(
            lambda e, more=more: e / (e.sum(axis=1, keepdims=True) + more)))
          for more in (1e-2, 1e-3, 1e-6)],
        *[("query_gradient", "differences", one_sided(step))
          for step in (0.1, 1e-2, 1e-3, -1e-3, 1e-5)],
        ("query_gradient", "differences", one_sided(1e-12)),
        ("key_matrix_gradient", "no_scale", of_keys(c=lambda W: 1)),
        ("key_matrix_gradient", "by_root_d_model", of_keys(c=lambda W: len(W) ** -0.5)),
        ("key_matrix_gradient", "not_summed", of_keys(add=False)),
        ("key_matrix_gradient", "items_not_transposed", of_keys(left=lambda X: X)),
        ("key_matrix_gradient", "items_of_the_queries", lambda d_scores, X_Q, X_KV, W_Q: (
            of_keys()(d_scores, X_Q, X_Q, W_Q))),
        ("key_matrix_gradient", "d_K", lambda d_scores, X_Q, X_KV, W_Q: np.einsum(
            "...ij,...iq,qd->...jd", d_scores, X_Q, W_Q) / W_Q.shape[1] ** 0.5),
        ("bias_gradient", "axis_0", lambda d, b: np.add.reduce(d)),
        ("bias_gradient", "all_but_the_last",
         lambda d, b: d.reshape(-1, d.shape[-1]).sum(axis=0)),
        ("bias_gradient", "axis_lost", lambda d, b: unbroadcast(d, b).squeeze()),
        ("bias_gradient", "mean", lambda d, b: unbroadcast(d, b) * b.size / d.size),
        ("bias_gradient", "counted", lambda d, b: np.full(b.shape, d.size / b.size)),
        ("bias_gradient", "as_a_factor", lambda d, b: unbroadcast(d * b, b)),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"gradients.{exercise}", mistake, answer)


@pytest.mark.parametrize(
    "exercise, answer",
    [
        ("softmax_back", each_row(jacobian)),
        ("query_gradient", backwards()),
        ("query_gradient", by_row_dots()),
        ("query_gradient", lambda d_output, Q, K, V, mask: finite_difference(
            lambda q: (d_output * scaled_dot_product_attention(q, K, V, mask=mask)[0]).sum(), Q)),
        ("key_matrix_gradient", of_keys()),
        ("key_matrix_gradient", lambda d_scores, X_Q, X_KV, W_Q: (
            X_KV.reshape(-1, X_KV.shape[-1]).T @ (
                np.swapaxes(d_scores, -1, -2) @ (X_Q @ W_Q)
            ).reshape(-1, W_Q.shape[1]) / W_Q.shape[1] ** 0.5)),
        ("bias_gradient", unbroadcast),
    ],
)  # fmt: skip
def test_other_ways_are_right_too(exercise, answer):
    assert check(f"gradients.{exercise}", answer).passed


def test_softmax_back_is_to_be_written_without_the_book():
    reply = check("gradients.softmax_back", lambda d_weights, weights: softmax_vjp(
        d_weights, weights))  # fmt: skip
    assert not reply.passed and "softmax_vjp comes from attnlib" in reply.message


def test_nearly_right_is_not_taken_for_differences():
    right = find("gradients.query_gradient").reference

    def with_several_queries(*given):  # right where there is one, a little off elsewhere
        return right(*given) + (len(given[1]) > 1) * 5e-4

    def unevenly(*given):
        found = right(*given)
        return found + 0.01 * np.cos(np.arange(found.size)).reshape(found.shape)

    for nearly in (
        lambda *given: right(*given).round(2),
        with_mask(lambda S, mask: np.where(mask, S, -6.0)),
        with_weights(lambda e: shares(e).round(1)),
        unevenly,
        with_several_queries,
    ):
        reply = check("gradients.query_gradient", nearly)
        assert not reply.passed and "finite differences" not in reply.message, reply.message


def test_three_slips_run_where_sizes_are_equal_and_crash_elsewhere():
    exercise = find("gradients.query_gradient")
    (three,) = [m for m in exercise.mistakes if m.name == "three_at_once"]
    equal, different = exercise.cases[1].args, exercise.cases[2].args
    assert not np.allclose(three.answer(*equal), exercise.reference(*equal))
    with pytest.raises(ValueError, match="mismatch"):
        three.answer(*different)


def test_the_numbers_of_the_questions():
    asked = {name.partition(".")[2]: found for name, found in all_questions().items()
             if name.startswith("gradients.")}  # fmt: skip

    def known(question):
        return [mistake["value"] for mistake in question["mistakes"]]

    dw = np.array([14.0, (2 - 0.25 * 14) / 0.75])  # the mean under the weights is dy · y = 2
    w = np.array([0.25, 0.75])
    pull = asked["pull"]
    assert softmax_vjp(dw, w)[0] == pytest.approx(pull["answer"])
    assert {w[0] * dw[0], dw[0] - w @ dw, w[0] * (1 - w[0]) * dw[0]} <= set(known(pull))
    w, prices = np.array([0.5, 0.3, 0.2]), np.array([10.0, 20.0, 40.0])
    mixture = asked["mixture"]
    assert softmax_vjp(prices, w)[2] == pytest.approx(mixture["answer"])
    wrong = [0.2 * 40, 0.2 * 0.8 * 40, 40 - w @ prices, 0.2 * (40 - prices.mean())]
    for number in wrong:
        assert min(abs(number - other) for other in known(mixture)) < 0.005
    d_scores, Q, K = np.ones((1, 2)), np.ones((1, 64)), np.ones((2, 64))
    plain, scaled = (scaled_dot_vjp(d_scores, Q, K, scale)[1] for scale in (1.0, None))
    assert (plain / scaled).max() == pytest.approx(asked["factor"]["answer"])


def test_the_mask_of_a_text_is_taken_too():
    rng = np.random.default_rng(1)
    d_output, Q, K, V = (rng.normal(size=(4, 3)) for _ in range(4))
    found = reference("query_gradient")(d_output, Q, K, V, causal(4))
    np.testing.assert_allclose(
        found, attention_vjp(d_output, Q, K, V, mask=causal(4))[0], atol=1e-12
    )
    assert not found[0].any()  # the first sees one key, and its weight is 1


KEYS = np.array([-1.0, 0.0, 1.0])


@given(*[st.floats(-10, 10)] * 3)
@settings(deadline=None)
def test_values_without_pull_are_those_whose_derivative_is_0(a, b, c):
    v = np.array([a, b, c])
    slope = output_query_jacobian([0.5], KEYS[:, None], v[:, None], scale=1.0).item()
    reach = np.ptp(v)
    still = abs(slope) < 5e-4 * reach
    alike = reach < 1e-3 * max(1e-6, np.abs(v).max())
    if abs(abs(slope) - 5e-4 * reach) > 1e-9:
        assert check("gradients.no_pull", v).passed == (still and not alike)


def test_values_without_pull_stand_still_at_their_query_only():
    v = reference("no_pull")
    slopes = [
        output_query_jacobian([q], KEYS[:, None], v[:, None], scale=1.0).item()
        for q in (0.0, 0.5, 1.0)
    ]
    assert slopes[0] < -0.05 and slopes[1] == pytest.approx(0) and slopes[2] > 0.05
    for scale, shift in ((3, 0), (1, 7), (-2, 1)):
        assert check("gradients.no_pull", scale * v + shift).passed


@pytest.mark.parametrize(
    "v, word",
    [
        ([-1, 0, 1], "on a line"),
        ([5, 3, 1], "on a line"),
        ([0, 0, 1], "never fall"),
        ([5, 0, -2], "never rise"),
        ([1, -2, 1], "the query 0"),
        ([1, 0, 0.71], "hardly moves"),
        ([0, 1, 0.5], "solve for the third"),
    ],
)
def test_values_that_pull_hear_why(v, word):
    reply = check("gradients.no_pull", v)
    assert not reply.passed and word in reply.message
