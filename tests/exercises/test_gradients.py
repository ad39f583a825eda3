"""Chapter 9's exercises: references against attnlib and differences, the judge at its bounds."""

import numpy as np
import pytest

from attnlib import scaled_dot_product_attention
from attnlib.exercises import all_questions, check, find
from attnlib.gradients import (
    attention_vjp,
    finite_difference,
    output_query_jacobian,
    projection_vjp,
    scaled_dot_vjp,
    softmax_vjp,
)


def outputs(name):
    """The arguments of each case, and what the reference makes of them."""
    exercise = find(f"gradients.{name}")
    return [(case.args, exercise.reference(*case.args)) for case in exercise.cases]


def test_softmax_back_equals_softmax_vjp():
    for args, d_scores in outputs("softmax_back"):
        np.testing.assert_allclose(d_scores, softmax_vjp(*args), atol=1e-12)


def test_query_gradient_equals_attention_vjp_and_differences():
    for (d_output, Q, K, V, mask), d_Q in outputs("query_gradient"):
        expected = attention_vjp(d_output, Q, K, V, mask=mask)[0]
        np.testing.assert_allclose(d_Q, expected, atol=1e-12)

        def loss(Q, d_output=d_output, rest=(K, V), mask=mask):
            return (d_output * scaled_dot_product_attention(Q, *rest, mask=mask)[0]).sum()

        np.testing.assert_allclose(d_Q, finite_difference(loss, Q), atol=1e-8)


def test_key_matrix_gradient_equals_two_vjps():
    for (d_scores, X_Q, X_KV, W_Q), d_W_K in outputs("key_matrix_gradient"):
        W_K = np.ones((X_KV.shape[-1], W_Q.shape[1]))
        _, d_K = scaled_dot_vjp(d_scores, X_Q @ W_Q, X_KV @ W_K)
        np.testing.assert_allclose(d_W_K, projection_vjp(d_K, X_KV, W_K)[1], atol=1e-12)


def test_bias_gradient_equals_differences():
    for (d, b), d_b in outputs("bias_gradient"):
        expected = finite_difference(lambda b, d=d: (d * np.broadcast_to(b, d.shape)).sum(), b)
        np.testing.assert_allclose(d_b, expected, atol=1e-9)


def slope(v, query=0.5):
    keys = np.array([[-1.0], [0.0], [1.0]])
    return output_query_jacobian([query], keys, np.asarray(v)[:, None], scale=1.0).item()


def test_values_without_slope_and_no_others_pass():
    rng = np.random.default_rng(0)
    still = find("gradients.no_pull").reference
    assert slope(still, 0.0) < -0.05 and slope(still, 1.0) > 0.05
    for off in [0, 4e-4, 6e-4, *rng.normal(size=100)]:
        v = rng.normal() * (still + np.array([0, 0, off])) + rng.normal()
        assert check("gradients.no_pull", v).passed == (abs(slope(v)) < 5e-4 * np.ptp(v))


def test_answers_of_questions_equal_attnlib():
    answers = {
        "pull": softmax_vjp(np.array([14.0, -2.0]), np.array([0.25, 0.75]))[0],
        "mixture": softmax_vjp(np.array([10.0, 20.0, 40.0]), np.array([0.5, 0.3, 0.2]))[2],
        "factor": 64**0.5,
    }
    for name, answer in answers.items():
        assert all_questions()[f"gradients.{name}"]["answer"] == pytest.approx(answer)
