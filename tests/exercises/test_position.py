"""Chapter 10's exercises: references against attnlib and loops, and the scores they try."""

import numpy as np
import pytest

from attnlib import linear_bias, rotary, sinusoidal, sinusoidal_shift
from attnlib.exercises import find


def reference(name):
    return find(f"position.{name}").reference


def test_sinusoids_shifts_and_turns_equal_attnlib():
    X, places = np.random.default_rng(0).normal(size=(3, 4)), np.array([2, 9.5, -4])
    P = reference("sinusoids")(20, 6, 100.0)
    np.testing.assert_allclose(P, sinusoidal(20, 6, 100.0))
    np.testing.assert_allclose(reference("turn")(X, places, 100.0), rotary(X, places, 100.0))
    for k in (0, 3, -2, 0.5):
        R = reference("shift_matrix")(k, 6, 100.0)
        np.testing.assert_allclose(R, sinusoidal_shift(k, 6, 100.0))
    np.testing.assert_allclose(P[:15] @ reference("shift_matrix")(5, 6, 100.0), P[5:])


@pytest.mark.parametrize("n_q, n_k, m", [(1, 1, 0), (4, 4, 1), (2, 7, 3), (3, 3, 5)])
def test_bias_from_table_equals_a_loop(n_q, n_k, m):
    table = np.random.default_rng(1).normal(size=2 * m + 1)
    bias = reference("bias_from_table")(table, n_q, n_k)
    for i, j in np.ndindex(n_q, n_k):
        assert bias[i, j] == table[m + max(-m, min(m, j - (n_k - n_q + i)))]


def test_linear_bias_is_a_long_table():
    table = -np.abs(np.arange(-6, 7)) / 256
    np.testing.assert_allclose(reference("bias_from_table")(table, 3, 6), linear_bias(3, 6, 1)[0])


def relative(score, q, k):
    """Whether all pairs of positions with the same difference have the same score."""
    table = np.array([[score(q, k, t, s) for s in range(12)] for t in range(12)])
    diagonals = (np.diagonal(table, shift) for shift in range(-11, 12))
    return all(np.allclose(diagonal, diagonal[0]) for diagonal in diagonals)


def test_is_relative_compares_whole_diagonals():
    cases = find("position.is_relative").cases
    truths = [relative(*case.args) for case in cases]
    assert [reference("is_relative")(*case.args) for case in cases] == truths
    assert 5 < sum(truths) < len(truths) - 5


def test_scores_in_replies_can_be_computed_again():
    for case in find("position.is_relative").cases:
        score, q, k = case.args
        formula, *places = score.__name__.split("\n")
        assert len(places) == (0 if relative(score, q, k) else 2), formula
        for place in places:
            numbers = place.removeprefix("at (t, s) = (").replace("):", ",")
            t, s, value = map(float, numbers.split(","))
            assert score(q, k, int(t), int(s)) == pytest.approx(value, abs=1e-4)
            if "turned" not in formula and "sinusoids" not in formula:
                names = {"q": q, "k": k, "t": t, "s": s}
                assert eval(formula, names) == pytest.approx(value, abs=1e-4)


def test_turned_and_added_scores_equal_attnlib():
    P = sinusoidal(9, 4, 100.0)
    expected = {
        "turned rows": lambda q, k, t, s: np.multiply(*rotary([q, k], [t, s], 100.0)).sum(),
        "added sinusoids": lambda q, k, t, s: (q + P[t]) @ (k + P[s]),
    }
    for case in find("position.is_relative").cases:
        if case.kind in expected:
            score, q, k = case.args
            for t, s in [(0, 0), (2, 8), (7, 3)]:
                assert score(q, k, t, s) == pytest.approx(expected[case.kind](q, k, t, s))
