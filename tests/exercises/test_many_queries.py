"""Chapter 5's exercises: references by plain loops, and the judge at its bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import attend, softmax
from attnlib.exercises import check, find


def test_attend_all_equals_plain_loops():
    rng = np.random.default_rng(3)
    Q, K, V = (rng.normal(size=shape) for shape in [(2, 3, 4), (2, 5, 4), (2, 5, 6)])
    Y = find("many_queries.attend_all").reference(Q, K, V)
    for b, i, c in np.ndindex(2, 3, 6):
        powers = [math.exp(sum(x * y for x, y in zip(Q[b, i], k)) / math.sqrt(4)) for k in K[b]]
        assert Y[b, i, c] == pytest.approx(
            sum(p * v[c] for p, v in zip(powers, V[b])) / sum(powers)
        )


def test_ask_each_answers_sequence_by_sequence():
    rng = np.random.default_rng(4)
    q, K, V = (rng.normal(size=shape) for shape in [(3, 4), (3, 5, 4), (3, 5, 2)])
    expected = [attend(q[i : i + 1], K[i], V[i])[0][0] for i in range(3)]
    np.testing.assert_allclose(find("many_queries.ask_each").reference(q, K, V), expected)


@given(*[st.floats(-20, 20)] * 4)
@settings(deadline=None)
def test_blind_spot_compares_both_softmaxes(a, b, c, d):
    S = np.array([[a, b], [c, d]])
    difference = abs(softmax(S) - softmax(S, axis=0)).max()
    from_half = max(abs(softmax(S, axis=axis) - 0.5).max() for axis in (0, 1))
    if abs(from_half - 0.05) > 1e-9 and not 1e-7 < difference < 1e-4:
        passes = difference < 1e-6 and from_half > 0.05
        assert check("many_queries.blind_spot", S).passed == passes


@pytest.mark.parametrize("a, passes", [(0.19, False), (0.21, True), (-0.21, True), (1000, True)])
def test_blind_spot_needs_weights_away_from_half(a, passes):
    assert check("many_queries.blind_spot", [[a, 0], [0, a]]).passed == passes
