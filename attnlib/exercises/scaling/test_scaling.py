"""Exercises of chapter 4: references against other methods, mistakes as readers write them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import softmax
from attnlib.exercises import check, find
from tests.helpers.exercise_replies import as_readers_write


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("scaled_scores", "softmaxed",
         lambda Q, K: softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))),
        ("scaled_scores", "by_root_first_of_Q",
         lambda Q, K: Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[0])),
        ("scaled_scores", "by_root_first_of_K",
         lambda Q, K: Q @ K.swapaxes(-1, -2) / np.sqrt(len(K))),
        ("scaled_scores", "by_root_n_q",
         lambda Q, K: Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-2])),
        ("scaled_scores", "by_the_same_number",
         lambda Q, K: Q @ K.swapaxes(-1, -2) / np.sqrt(2)),
        ("scaled_scores", "by_another_number",
         lambda Q, K: Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1] - 1)),
        ("scaled_scores", "loops_over_matrices",
         lambda Q, K: np.array([[q @ k for k in K] for q in Q]) / np.sqrt(Q.shape[-1])),
        ("softmax_jacobian", "wrong_on_the_diagonal",
         lambda w: np.diag(w**2) - np.outer(w, w)),
        ("softmax_jacobian", "wrong_beside",
         lambda w: np.diag(w * (1 - w)) - 2 * np.outer(w, w) * (1 - np.eye(len(w)))),
        ("softmax_jacobian", "diagonal_only", lambda w: np.diag(w) * (1 - np.outer(w, w))),
        ("softmax_jacobian", "large_step", lambda w: np.array(
            [(softmax(np.log(w + 1e-30) + s) - w) / 0.01 for s in 0.01 * np.eye(len(w))])),
        ("softmax_jacobian", "dot_instead_of_outer", lambda w: np.diag(w) - w @ w.T),
        ("softmax_jacobian", "elementwise_square", lambda w: np.diag(w) - w * w),
        ("softmax_jacobian", "ones_on_the_diagonal", lambda w: np.eye(len(w)) - np.outer(w, w)),
        ("softmax_jacobian", "softmax_again",
         lambda w: np.diag(softmax(w)) - np.outer(softmax(w), softmax(w))),
        ("score_std", "adds_variances", lambda d, var_q, var_k: np.sqrt(d * var_q + var_k)),
        ("score_std", "part_outside", lambda d, var_q, var_k: d * var_q * var_k**0.5),
        ("score_std", "one_left_out", lambda d, var_q, var_k: np.sqrt(d * var_k)),
        ("score_std", "d_hard_coded", lambda d, var_q, var_k: np.sqrt(7 * var_q * var_k)),
        ("score_std", "simulated", lambda d, var_q, var_k: (
            np.random.default_rng(5).normal(0, (var_q * var_k) ** 0.5, (3000, d)).sum(1).std())),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"scaling.{exercise}", mistake, answer)


def test_scaled_scores_by_loops():
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 7, 5))
    S = find("scaling.scaled_scores").reference(Q, K)
    for b, i, j in np.ndindex(2, 3, 7):
        assert S[b, i, j] == pytest.approx(sum(Q[b, i] * K[b, j]) / 5**0.5)


def test_softmax_jacobian_by_finite_differences():
    scores, step = np.array([0.3, -1.0, 2.0, 0.1]), 1e-6
    columns = [
        (softmax(scores + step * e) - softmax(scores - step * e)) / (2 * step) for e in np.eye(4)
    ]
    J = find("scaling.softmax_jacobian").reference(softmax(scores))
    np.testing.assert_allclose(J, np.array(columns).T, atol=1e-9)


def test_score_std_by_simulation():
    rng = np.random.default_rng(0)
    q, k = rng.normal(0, 2.0, (40_000, 7)), rng.normal(0, 0.5**0.5, (40_000, 7))
    expected = find("scaling.score_std").reference(7, 4.0, 0.5)
    assert (q * k).sum(axis=1).std() == pytest.approx(expected, rel=0.02)


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=6, unique=True), st.floats(0.01, 0.99))
@settings(deadline=None)
def test_temperature_meets_its_target(values, part):
    scores = np.array(values) / 10
    target = 1 / len(scores) + part * (1 - 1 / len(scores))
    T = find("scaling.temperature_for").reference(scores, target)
    assert softmax(scores / T).max() == pytest.approx(target, abs=1e-9)


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_temperature_must_be_positive(temperature):
    reply = check("scaling.temperature_for", lambda scores, target: temperature)
    assert reply.status == "wrong" and "positive number" in reply.text


def search(
    low, high, *, rounds=100, middle="log", wrong_half=False, ends="middle",
    scale=lambda T: T, weight=lambda w: w.max() / w.sum(),
):  # fmt: skip
    """A bisection as readers write it."""

    def temperature_for(scores, target):
        a, b = low, high
        for _ in range(rounds):
            m = (a * b) ** 0.5 if middle == "log" else (a + b) / 2
            w = np.exp((scores - scores.max()) / scale(m))
            if (weight(w) > target) != wrong_half:
                a = m
            else:
                b = m
        return {"middle": m, "low": a, "high": b}[ends]

    return temperature_for


def grid(low, high, count):
    def temperature_for(scores, target):
        found = np.linspace(low, high, count)
        w = 1 / np.exp((scores - scores.max()) / found[:, None]).sum(axis=1)
        return found[abs(w - target).argmin()]

    return temperature_for


@pytest.mark.parametrize(
    "answer, name",
    [
        (search(1e-6, 1e6), None),
        (search(1e-3, 1e3, middle="mean", rounds=60), None),
        (search(1e-6, 1e6, wrong_half=True), "wrong_half"),
        (search(1e-6, 1e6, wrong_half=True, rounds=30, ends="low"), "wrong_half"),
        (search(1e-3, 1e3, middle="mean", wrong_half=True), "wrong_half"),
        (search(1e-2, 1e2, middle="mean", wrong_half=True, ends="high"), "wrong_half"),
        (search(0.1, 10, wrong_half=True), "wrong_half"),
        (search(1e-6, 1e6, rounds=10), "too_few_rounds"),
        (search(1e-6, 1e6, rounds=20), "too_few_rounds"),
        (search(1e-3, 1e3, middle="mean", rounds=20), "too_few_rounds"),
        (search(1e-3, 1e3, middle="mean", rounds=25, ends="high"), "too_few_rounds"),
        (grid(0.1, 10, 100), "too_few_rounds"),
        (grid(0.001, 1000, 10_000), "too_few_rounds"),
        (grid(0.01, 1000, 100_000), "loose"),
        (search(0.1, 10), "too_narrow"),
        (search(1e-2, 1e2), "too_narrow"),
        (search(1, 1e4, middle="mean"), "too_narrow"),
        (search(1e-6, 1), "too_narrow"),
        (search(1e-6, 1e6, middle="mean", rounds=20), "stuck"),
        (search(1e-6, 1e6, scale=lambda T: 1 / T), "multiplied"),
        (search(1e-4, 1e4, scale=lambda T: 1 / T), "multiplied"),
        (search(1e-6, 1e6, weight=lambda w: w.max()), "always_even"),
        (search(1e-6, 1e6, weight=lambda w: w.min() / w.sum()), "nearly_zero"),
        (search(1e-4, 1e4, weight=lambda w: w[0] / w.sum()), "last_weight"),
        (lambda scores, target: 1.0, "one_for_all"),
        (lambda scores, target: target, "the_weight_itself"),
        (lambda scores, target: np.sqrt(len(scores)), "without_target"),
        (lambda scores, target: scores.max() / target, "highest_score"),
        (lambda scores, target: scores.min() / target, "general"),
        (lambda scores, target: 0.0, "not_positive"),
    ],
)
def test_searches_for_a_temperature_are_told_apart(answer, name):
    exercise = find("scaling.temperature_for")
    reply = check(exercise.name, answer)
    said = {m.diagnosis: m.name for m in exercise.mistakes} | {exercise.general: "general"}
    assert said.get(reply.message) == name and reply.passed == (name is None)
