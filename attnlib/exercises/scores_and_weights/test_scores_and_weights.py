"""Exercises of chapter 3: references against attnlib, mistakes as readers write them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import Additive, Bilinear, softmax, sparsemax
from attnlib.exercises import check, find
from attnlib.exercises.scores_and_weights.second_component import KEYS

SECOND = "scores_and_weights.second_component"


def one_by_one(scores):
    """Keep scores as long as each lies above its threshold, without sorting."""
    total, threshold = 0.0, 0.0
    for k, s in enumerate(scores, start=1):
        if s <= (total + s - 1) / k:
            break
        total += s
        threshold = (total - 1) / k
    return threshold


def last_that_passes(candidate, ordered=lambda scores: np.sort(scores)[::-1]):
    """The last candidate(sum, k, n) that lies below its score, the largest score first."""

    def found(scores):
        total, threshold = 0.0, 0.0
        for k, s in enumerate(ordered(scores), start=1):
            total += s
            if s > candidate(total, k, len(scores)):
                threshold = candidate(total, k, len(scores))
        return threshold

    return found


def first_refused(scores):
    """The threshold after the first score that does not pass."""
    total = 0.0
    for k, s in enumerate(np.sort(scores)[::-1], start=1):
        total += s
        if s <= (total - 1) / k:
            break
    return (total - 1) / k


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("bilinear_scores", "transposed", lambda Q, K, W: np.einsum("ia,ba,jb->ij", Q, W, K)),
        ("bilinear_scores", "keys_first", lambda Q, K, W: (Q @ W.T @ K.T).T),
        ("bilinear_scores", "no_matrix", lambda Q, K, W: np.einsum("ia,ja->ij", Q, K)),
        ("bilinear_scores", "projected_queries", lambda Q, K, W: np.dot(Q, W)),
        ("additive_weights", "no_tanh",
         lambda Q, K, W_q, W_k, v: softmax((Q @ W_q @ v)[:, None] + (K @ W_k @ v)[None])),
        ("additive_weights", "query_without_a_say",
         lambda Q, K, W_q, W_k, v: softmax(
             (np.tanh(Q @ W_q) @ v)[:, None] + (np.tanh(K @ W_k) @ v)[None])),
        ("additive_weights", "query_without_a_say",
         lambda Q, K, W_q, W_k, v: softmax(np.array([np.tanh(K @ W_k) @ v for _ in Q]))),
        ("additive_weights", "wrong_axis",
         lambda Q, K, W_q, W_k, v: softmax(Additive(W_q, W_k, v)(Q, K).T).T),
        ("additive_weights", "dot_of_hidden",
         lambda Q, K, W_q, W_k, v: softmax((np.tanh(Q @ W_q) * v) @ np.tanh(K @ W_k).T)),
        ("sparsemax_threshold", "unsorted_until", one_by_one),
        ("sparsemax_threshold", "all_kept", lambda s: one_by_one(np.sort(s))),
        ("sparsemax_threshold", "best_only", lambda s: max(s) - 1),
        ("sparsemax_threshold", "unsorted_without_a_stop",
         last_that_passes(lambda total, k, n: (total - 1) / k, list)),
        ("sparsemax_threshold", "one_too_many", first_refused),
        ("sparsemax_threshold", "one_last", last_that_passes(lambda total, k, n: total / k - 1)),
        ("sparsemax_threshold", "over_n", last_that_passes(lambda total, k, n: (total - 1) / n)),
        ("sparsemax_threshold", "not_divided", last_that_passes(lambda total, k, n: total - 1)),
        ("sparsemax_threshold", "largest", lambda s: np.sort(s)[::-1].cumsum()[0]),
        ("sparsemax_threshold", "without_the_one",
         lambda s: s[sparsemax(s) > 0].mean()),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    (known,) = [m for m in find(f"scores_and_weights.{exercise}").mistakes if m.name == mistake]
    assert check(f"scores_and_weights.{exercise}", answer).message == known.diagnosis


def test_references_are_attnlibs_scores():
    rng = np.random.default_rng(3)
    Q, K, W = rng.normal(size=(2, 5)), rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    bilinear = find("scores_and_weights.bilinear_scores").reference
    np.testing.assert_allclose(bilinear(Q, K, W), Bilinear(W)(Q, K))
    W_q, W_k, v = rng.normal(size=(5, 7)), rng.normal(size=(3, 7)), rng.normal(size=7)
    additive = find("scores_and_weights.additive_weights").reference
    expected = softmax(Additive(W_q, W_k, v)(Q, K))
    np.testing.assert_allclose(additive(Q, K, W_q, W_k, v), expected)


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=7))
@settings(deadline=None)
def test_what_lies_above_the_threshold_is_sparsemax(values):
    scores = np.array(values) / 10
    threshold = find("scores_and_weights.sparsemax_threshold").reference(scores)
    np.testing.assert_allclose(np.maximum(scores - threshold, 0), sparsemax(scores), atol=1e-12)


def winners(heights):
    """Which keys some direction, of many, puts first alone."""
    angle = np.linspace(0, 2 * np.pi, 20_001)
    scores = np.outer(np.cos(angle), KEYS) + np.outer(np.sin(angle), heights)
    ordered = np.sort(scores, axis=1)
    return {int(k) for k in scores.argmax(axis=1)[ordered[:, -1] > ordered[:, -2] + 1e-9]}


@given(st.lists(st.integers(-9, 9), min_size=5, max_size=5))
@settings(deadline=None)
def test_a_second_component_is_right_if_every_key_wins_somewhere(heights):
    heights = np.array(heights, dtype=float)
    assert check(SECOND, heights).passed == (len(winners(heights)) == 5)


@pytest.mark.parametrize("factor, lift, slope", [(1e-9, 0, 0), (-3, 1e6, 7), (1, -2, 1e4)])
def test_a_bend_is_seen_on_any_line_and_in_any_size(factor, lift, slope):
    assert check(SECOND, factor * KEYS**2 + lift + slope * KEYS).passed
    assert "on one line" in check(SECOND, lift + slope * KEYS).message


def test_it_says_which_keys_are_lost():
    assert "alone: -1, 1." in check(SECOND, np.abs(KEYS)).text
    assert "alone: -1, 0, 1." in check(SECOND, np.ones(5)).text
