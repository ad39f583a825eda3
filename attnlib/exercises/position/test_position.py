"""Exercises of chapter 10: references by plain loops, mistakes as readers write them."""

import math
from math import cos, sin

import numpy as np
import pytest

from attnlib import linear_bias, rotary, sinusoidal, sinusoidal_shift
from attnlib.exercises import check, find
from attnlib.exercises.position import is_relative as scores
from tests.helpers.exercise_replies import as_readers_write


def reference(name):
    return find(f"position.{name}").reference


def test_sinusoids_by_a_plain_loop_and_as_attnlib_has_them():
    found = reference("sinusoids")(6, 8, 50.0)
    for t, i in np.ndindex(6, 4):
        angle = t / 50 ** (2 * i / 8)
        assert found[t, 2 * i : 2 * i + 2] == pytest.approx([sin(angle), cos(angle)])
    np.testing.assert_allclose(found, sinusoidal(6, 8, 50.0))


@pytest.mark.parametrize("k", [0, 3, -2, 0.5])
def test_shift_matrix_moves_each_description(k):
    R = reference("shift_matrix")(k, 6, 100.0)
    np.testing.assert_allclose(R, sinusoidal_shift(k, 6, 100.0))
    P = reference("sinusoids")(20, 6, 100.0)
    if k == int(k):
        for t in range(5, 10):
            np.testing.assert_allclose(P[t] @ R, P[t + int(k)])


def test_turn_by_complex_numbers_and_as_attnlib_has_it():
    X, places = np.random.default_rng(0).normal(size=(3, 4)), np.array([2, 9, 4])
    found = reference("turn")(X, places, 100.0)
    for r, i in np.ndindex(3, 2):
        pair = complex(*X[r, 2 * i : 2 * i + 2]) * np.exp(1j * places[r] * 100 ** (-2 * i / 4))
        assert found[r, 2 * i : 2 * i + 2] == pytest.approx([pair.real, pair.imag])
    np.testing.assert_allclose(found, rotary(X, places, 100.0))


@pytest.mark.parametrize("n_q, n_k, m", [(1, 1, 0), (4, 4, 1), (2, 7, 3), (3, 3, 5)])
def test_bias_from_table_by_a_plain_loop(n_q, n_k, m):
    table = np.random.default_rng(1).normal(size=2 * m + 1)
    found = reference("bias_from_table")(table, n_q, n_k)
    for i, j in np.ndindex(n_q, n_k):
        step = j - (n_k - n_q + i)
        assert found[i, j] == table[m + max(-m, min(m, step))]


def test_a_linear_bias_is_a_table_that_reaches_far_enough():
    table = -np.abs(np.arange(-6, 7)) / 256
    found = reference("bias_from_table")(table, 3, 6)
    np.testing.assert_allclose(found, linear_bias(3, 6, 1)[0])


def test_is_relative_knows_each_score():
    q, k = np.random.default_rng(2).normal(size=(2, 4))
    for _, score in scores.KINDS:
        assert reference("is_relative")(score, q, k) == (score in scores.RELATIVE), score.__name__
    assert reference("is_relative")(scores.added, 0 * q, 0 * k)


def test_the_light_scores_are_the_books():
    q, k = np.random.default_rng(3).normal(size=(2, 4))
    P = sinusoidal(9, 4, 100.0)
    for t, s in [(0, 0), (2, 8), (7, 3)]:
        q_turned, k_turned = rotary([q, k], [t, s], 100.0)
        assert scores.rotary(q, k, t, s) == pytest.approx(q_turned @ k_turned)
        assert scores.added(q, k, t, s) == pytest.approx((q + P[t]) @ (k + P[s]))


def waves(n, d, base):
    return np.arange(n)[:, None] / base ** (np.arange(0, d, 2) / d)


def filled(n, d, even, odd):
    P = np.zeros((n, d))
    P[:, 0::2], P[:, 1::2] = even, odd
    return P


def looped(n, d, base):
    """The exponent 2i/d for column i."""
    P = np.zeros((n, d))
    for t in range(n):
        for i in range(d):
            angle = t / base ** (2 * i / d)
            P[t, i] = sin(angle) if i % 2 == 0 else cos(angle)
    return P


def blocks(angles, make):
    R = np.zeros((2 * len(angles), 2 * len(angles)))
    for i, a in enumerate(angles):
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = make(cos(a), sin(a))
    return R


def halves_turned(X, positions, base):
    """As libraries write it, with rotate_half."""
    half = X.shape[1] // 2
    angles = np.outer(positions, base ** (-np.arange(half) / half))
    angles = np.concatenate([angles, angles], axis=1)
    other = np.concatenate([-X[:, half:], X[:, :half]], axis=1)
    return X * np.cos(angles) + other * np.sin(angles)


def overwritten(X, positions, base):
    Y = X.copy()
    for r, t in enumerate(positions):
        for i in range(0, X.shape[1], 2):
            a = t * base ** (-i / X.shape[1])
            Y[r, i] = Y[r, i] * cos(a) - Y[r, i + 1] * sin(a)
            Y[r, i + 1] = Y[r, i] * sin(a) + Y[r, i + 1] * cos(a)
    return Y


def each_row(X, positions, base, sign=1):
    Y = np.zeros(X.shape)
    for r, t in enumerate(positions):
        for i in range(0, X.shape[1], 2):
            a = sign * t * base ** (-i / X.shape[1])
            Y[r, i : i + 2] = [[cos(a), -sin(a)], [sin(a), cos(a)]] @ X[r, i : i + 2]
    return Y


def steps(n_q, n_k):
    return np.arange(n_k)[None] - np.arange(n_k - n_q, n_k)[:, None]


def entry_by_entry(table, n_q, n_k, clipped):
    m, found = len(table) // 2, np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            found[i, j] = table[m + clipped(j - (i + n_k - n_q), m)]
    return found


def shifted_by_1(alike, n=11):
    return lambda score, q, k: all(
        alike(score(q, k, t, s), score(q, k, t + 1, s + 1)) for t in range(n) for s in range(n)
    )


def up_to(n):
    return shifted_by_1(np.isclose, n)


def one_distance(score, q, k):
    first = score(q, k, 0, 3)
    return bool(np.allclose([score(q, k, t, t + 3) for t in range(1, 9)], first))


def by_the_first(score, q, k):
    """Every pair against the one with the query, or the key, at 0."""
    return all(
        math.isclose(score(q, k, t, s), score(q, k, max(t - s, 0), max(s - t, 0)), abs_tol=1e-9)
        for t in range(12)
        for s in range(12)
    )


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("sinusoids", "exchanged", lambda n, d, base: filled(
            n, d, np.cos(waves(n, d, base)), np.sin(waves(n, d, base)))),
        ("sinusoids", "from_1", lambda n, d, base: sinusoidal(n + 1, d, base)[1:] + 0.0),
        ("sinusoids", "in_halves", lambda n, d, base: np.hstack(
            [np.sin(waves(n, d, base)), np.cos(waves(n, d, base))])),
        ("sinusoids", "half_the_exponent", lambda n, d, base: filled(
            n, d, *(f(np.arange(n)[:, None] / base ** (np.arange(d // 2) / d))
                    for f in (np.sin, np.cos)))),
        ("sinusoids", "twice_the_exponent", lambda n, d, base: filled(
            n, d, *(f(np.arange(n)[:, None] / base ** (2 * np.arange(0, d, 2) / d))
                    for f in (np.sin, np.cos)))),
        ("sinusoids", "rising", lambda n, d, base: filled(
            n, d, *(f(np.arange(n)[:, None] * base ** (np.arange(0, d, 2) / d))
                    for f in (np.sin, np.cos)))),
        ("sinusoids", "column_for_pair", looped),
        ("sinusoids", "slowest_first", lambda n, d, base: filled(
            n, d, np.sin(waves(n, d, base))[:, ::-1], np.cos(waves(n, d, base))[:, ::-1])),
        ("sinusoids", "pairs_from_1", lambda n, d, base: filled(
            n, d, *(f(np.arange(n)[:, None] / base ** (2 * np.arange(1, d // 2 + 1) / d))
                    for f in (np.sin, np.cos)))),
        ("turn", "from_the_first_row", lambda X, positions, base: each_row(
            X, positions - positions[0], base)),
        ("turn", "two_minuses", lambda X, positions, base: filled(
            len(X), X.shape[1], each_row(X, positions, base)[:, 0::2],
            each_row(X, positions, base, -1)[:, 1::2])),
        ("shift_matrix", "transposed", lambda k, d, base: sinusoidal_shift(-k, d, base) + 0.0),
        ("shift_matrix", "transposed", lambda k, d, base: blocks(
            waves(2, d, base)[1] * k, lambda c, s: [[c, s], [-s, c]])),
        ("shift_matrix", "no_minus", lambda k, d, base: blocks(
            waves(2, d, base)[1] * k, lambda c, s: [[c, s], [s, c]])),
        ("shift_matrix", "one_frequency", lambda k, d, base: blocks(
            [k] * (d // 2), lambda c, s: [[c, -s], [s, c]])),
        ("turn", "halves", halves_turned),
        ("turn", "overwritten", overwritten),
        ("turn", "backwards", lambda X, positions, base: each_row(X, positions, base, -1)),
        ("turn", "counted", lambda X, positions, base: each_row(X, range(len(X)), base)),
        ("turn", "from_1", lambda X, positions, base: each_row(X, positions + 1, base)),
        ("bias_from_table", "turned_round", lambda table, n_q, n_k: table[
            len(table) // 2 - np.clip(steps(n_q, n_k), -(len(table) // 2), len(table) // 2)]),
        ("bias_from_table", "not_clipped", lambda table, n_q, n_k: table[
            len(table) // 2 + steps(n_q, n_k)]),
        ("bias_from_table", "not_clipped", lambda table, n_q, n_k: entry_by_entry(
            table, n_q, n_k, lambda shift, m: shift)),
        ("bias_from_table", "clipped_after_only", lambda table, n_q, n_k: entry_by_entry(
            table, n_q, n_k, min)),
        ("bias_from_table", "clipped_before_only", lambda table, n_q, n_k: entry_by_entry(
            table, n_q, n_k, lambda shift, m: max(shift, -m))),
        ("bias_from_table", "clipped_before_only", lambda table, n_q, n_k: table[
            np.maximum(len(table) // 2 + steps(n_q, n_k), 0)]),
        ("bias_from_table", "turned_round_from_the_first", lambda table, n_q, n_k: np.array(
            [[table[np.clip(i - j, -(len(table) // 2), len(table) // 2) + len(table) // 2]
              for j in range(n_k)] for i in range(n_q)])),
        ("bias_from_table", "no_centre", lambda table, n_q, n_k: table[
            np.clip(steps(n_q, n_k), -(len(table) // 2), len(table) // 2)]),
        ("bias_from_table", "first_at_first", lambda table, n_q, n_k: table[
            np.clip(np.arange(n_k) - np.arange(n_q)[:, None] + len(table) // 2,
                    0, len(table) - 1)]),
        ("is_relative", "one_distance", one_distance),
        ("is_relative", "query_shifted", lambda score, q, k: all(
            np.isclose(score(q, k, t, s), score(q, k, 0, s))
            for t in range(12) for s in range(12))),
        ("is_relative", "positions_exchanged", lambda score, q, k: all(
            np.isclose(score(q, k, t, s), score(q, k, s, t))
            for t in range(12) for s in range(12))),
        *(("is_relative", "first_few", up_to(n)) for n in (4, 8, 9, 10)),
        ("is_relative", "own_items", lambda score, q, k: by_the_first(
            score, np.ones(4), np.arange(4.0))),
        ("is_relative", "too_tight", shifted_by_1(lambda a, b: abs(a - b) < 1e-12)),
        *(("is_relative", "too_loose", shifted_by_1(alike)) for alike in (
            lambda a, b: abs(a - b) < 0.11, lambda a, b: abs(a - b) < 0.01,
            lambda a, b: round(a, 1) == round(b, 1))),
        ("is_relative", "too_few", lambda score, q, k: bool(
            np.isclose(score(q, k, 1, 3), score(q, k, 4, 6)))),
        ("is_relative", "too_few", lambda score, q, k: all(
            np.isclose(score(q, k, t, s), score(q, k, t + c, s + c))
            for t in range(5) for s in range(5) for c in range(1, 7))),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"position.{exercise}", mistake, answer)


def test_a_right_answer_in_other_words_passes():
    assert check("position.is_relative", by_the_first).passed
    assert check("position.turn", each_row).passed


def test_a_score_that_a_reply_shows_can_be_computed_again():
    said = check("position.is_relative", lambda score, q, k: True)
    assert "score = q @ k + 0.1 * s\n" in said.text
    assert "at (t, s) = (1, 1): " in said.text
    for case in scores.CASES:
        score, q, k = case.args
        formula, *places = score.__name__.split("\n")
        assert len(places) == (0 if scores.is_relative(*case.args) else 2), formula
        for place in places:
            numbers = place.removeprefix("at (t, s) = (").replace("):", ",")
            t, s, value = map(float, numbers.split(","))
            assert score(q, k, int(t), int(s)) == pytest.approx(value, abs=1e-4)
            if "turned" not in formula and "sinusoids" not in formula:
                names = {"q": q, "k": k, "t": t, "s": s}
                assert eval(formula, names) == pytest.approx(value, abs=1e-4)
