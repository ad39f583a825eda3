"""Chapter 2: references against the chapter's numbers, and where `aim` draws its line."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib.exercises import check, find

AIM = "query_key_value.aim"


def test_soft_lookup_gives_the_chapters_outputs():
    K, V = np.array([[1, 0], [0.5, 0.5], [-1, -1]]), np.array([[10, 0], [0, 10], [0, 0]])
    soft_lookup = find("query_key_value.soft_lookup").reference
    np.testing.assert_allclose(soft_lookup(np.ones(2), K, V), [4.87856, 4.87856], atol=1e-5)
    np.testing.assert_allclose(soft_lookup(-np.ones(2), K, V), [0.45279, 0.45279], atol=1e-5)


def test_stable_softmax_gives_the_four_weights():
    weights = find("query_key_value.stable_softmax").reference(np.array([2.1, -0.5, 3.8, 0.2]))
    np.testing.assert_allclose(weights, [0.14930, 0.01109, 0.81728, 0.02233], atol=5e-6)


@given(st.tuples(*[st.floats(-1e100, 1e100)] * 2))
@settings(deadline=None)
def test_aim_passes_above_nine_tenths_only(q):
    a, b = q
    scores = np.array([a, 0.5 * a + 0.5 * b, -a - b])
    weights = np.exp(scores - scores.max())
    share = weights[1] / weights.sum()
    if abs(share - 0.9) > 1e-9:
        assert check(AIM, np.array(q)).passed == (share > 0.9)


@pytest.mark.parametrize("length, passes", [(4.35, False), (4.45, True)])
def test_aim_draws_its_line_at_nine_tenths(length, passes):
    # The weights are as 1 : exp(length / 2) : exp(-length), so the second is 0.897 or 0.902.
    assert check(AIM, [0, length]).passed == passes


@pytest.mark.parametrize("length", [1e-300, 0.5, 1, 5, 50, 1e300])
def test_aim_names_the_tie_at_any_length(length):
    reply = check(AIM, [-length, length])
    assert reply.message.startswith("Elements 2 and 3 tie")
    assert check(AIM, [length, -length]).message != reply.message
    assert length < 5 or check(AIM, [-length, 2 * length]).passed  # as it advises


def test_aim_tells_near_ties_from_the_tie():
    assert check(AIM, [-5.0, 5.01]).message.startswith("Element 2 gets most weight")
    assert check(AIM, [-5.01, 5.0]).message.startswith("This q favours element 3")
