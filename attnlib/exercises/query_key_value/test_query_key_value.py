"""Exercises of chapter 2: worked numbers, where *aim* draws its line, mistakes as written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import softmax
from attnlib.exercises import check, find
from tests.helpers.exercise_replies import as_readers_write

AIM = "query_key_value.aim"


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("soft_lookup", "returns_scores", lambda q, K, V: K @ q),
        ("soft_lookup", "wrong_axis", lambda q, K, V: V @ softmax(K @ q)),
        ("soft_lookup", "keys_and_values_exchanged", lambda q, K, V: K.T @ softmax(q @ V.T)),
        ("stable_softmax", "no_sum", lambda s: np.exp(s - s.max(-1, keepdims=True))),
        ("stable_softmax", "no_sum_no_shift", lambda s: np.exp(s)),
    ],
)
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"query_key_value.{exercise}", mistake, answer)


def test_summing_over_the_wrong_axis_fails_on_the_smallest_values_too():
    reply = check("query_key_value.soft_lookup", lambda q, K, V: V @ softmax(K @ q))
    assert "q = [1. 0.]" in reply.text and "It is right for" not in reply.text


def test_soft_lookup_gives_the_lecture_toy():
    K, V = np.array([[1, 0], [0.5, 0.5], [-1, -1]]), np.array([[10, 0], [0, 10], [0, 0]])
    reference = find("query_key_value.soft_lookup").reference
    np.testing.assert_allclose(reference(np.ones(2), K, V), [4.87856, 4.87856], atol=1e-5)
    np.testing.assert_allclose(reference(-np.ones(2), K, V), [0.45279, 0.45279], atol=1e-5)


def test_stable_softmax_gives_the_four_scores():
    weights = find("query_key_value.stable_softmax").reference(np.array([2.1, -0.5, 3.8, 0.2]))
    np.testing.assert_allclose(weights, [0.14930, 0.01109, 0.81728, 0.02233], atol=5e-6)


@given(st.tuples(*[st.floats(-1e100, 1e100)] * 2))
@settings(deadline=None)
def test_aim_agrees_with_softmax(q):
    a, b = q
    scores = np.array([a, 0.5 * a + 0.5 * b, -a - b])
    weights = np.exp(scores - scores.max())
    share = weights[1] / weights.sum()
    if abs(share - 0.9) > 1e-9:
        assert check(AIM, np.array(q)).passed == (share > 0.9)


@pytest.mark.parametrize("length, passes", [(4.35, False), (4.45, True), (5.0, True)])
def test_aim_draws_the_line_at_nine_tenths(length, passes):
    # The query [0, length] gives weights in the ratio 1 : exp(length / 2) : exp(-length).
    assert (np.exp(length / 2) / (1 + np.exp(length / 2) + np.exp(-length)) > 0.9) == passes
    assert check(AIM, [0, length]).passed == passes


@pytest.mark.parametrize("length", [1e-300, 0.5, 1, 5, 50, 1e300])
def test_aim_names_the_tie_of_elements_two_and_three(length):
    reply = check(AIM, [-length, length])
    assert reply.message.startswith("Elements 2 and 3 tie")
    assert check(AIM, [-5.0, 5.01]).message != reply.message
    assert check(AIM, [-5.01, 5.0]).message.startswith("This q favours element 3")
    assert check(AIM, [length, -length]).message != reply.message
    if length >= 5:
        assert check(AIM, [-length, 2 * length]).passed  # as it advises


def test_aim_refuses_another_shape():
    text = check(AIM, np.array([0.0, 10.0, 0.0])).text
    assert "(3,)" in text and "(2,)" in text
