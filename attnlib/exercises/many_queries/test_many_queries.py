"""Exercises of chapter 5: references by plain loops, mistakes as readers write them, slips seen."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import attend, softmax
from attnlib.exercises import all_questions, check, find
from tests.helpers.exercise_replies import as_readers_write


def reference(name):
    return find(f"many_queries.{name}").reference


def exact_softmax(row):
    powers = [math.exp(s) for s in row]
    return [p / sum(powers) for p in powers]


def test_attend_all_by_plain_loops_and_by_the_lesson():
    rng = np.random.default_rng(3)
    Q, K, V = (rng.normal(size=shape) for shape in [(2, 3, 4), (2, 5, 4), (2, 5, 6)])
    Y = reference("attend_all")(Q, K, V)
    for b, i, c in np.ndindex(2, 3, 6):
        scores = [sum(x * y for x, y in zip(Q[b, i], k)) / math.sqrt(4) for k in K[b]]
        weights = exact_softmax(scores)
        assert Y[b, i, c] == pytest.approx(sum(w * v[c] for w, v in zip(weights, V[b])))
    K, V = np.array([[1, 0], [0, 1], [1, 1.0]]), np.array([[1, 2], [3, 4], [5, 6.0]])
    lesson = reference("attend_all")(np.sqrt(2) * np.eye(2), K, V)  # √2 undoes the scale
    np.testing.assert_allclose(lesson, [[3, 4], [3.533913, 4.533913]], atol=5e-7)


def test_ask_each_item_by_sequence():
    rng = np.random.default_rng(4)
    q, K, V = (rng.normal(size=shape) for shape in [(3, 4), (3, 5, 4), (3, 5, 2)])
    expected = [attend(q[i : i + 1], K[i], V[i])[0][0] for i in range(3)]
    np.testing.assert_allclose(reference("ask_each")(q, K, V), expected)


def plain(s):
    return np.exp(s) / np.exp(s).sum(axis=-1)


def shifted(s):
    e = np.exp(s - s.max(axis=-1))
    return e / e.sum(axis=-1)


def after_a_new_axis(q, K, V):
    return softmax(q @ K.mT / q.shape[1] ** 0.5) @ V  # q.shape[1] is 1


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("attend_all", "wrong_axis", lambda Q, K, V: softmax(
            np.einsum("...qd,...kd->...qk", Q, K) / Q.shape[-1] ** 0.5, axis=-2) @ V),
        ("attend_all", "weights_turned",
         lambda Q, K, V: softmax(Q @ K.mT / Q.shape[-1] ** 0.5).mT @ V),
        ("attend_all", "scores_turned",
         lambda Q, K, V: softmax(K @ Q.mT / Q.shape[-1] ** 0.5) @ V),
        ("attend_all", "scores_turned",
         lambda Q, K, V: softmax(Q @ K.mT / Q.shape[-1] ** 0.5, axis=-2).mT @ V),
        ("attend_all", "by_root_d_v",
         lambda Q, K, V: softmax(Q @ K.mT / math.sqrt(V.shape[-1])) @ V),
        ("attend_all", "by_root_n_k",
         lambda Q, K, V: softmax(Q @ K.mT / math.sqrt(V.shape[-2])) @ V),
        ("attend_all", "reversed_axes",
         lambda Q, K, V: softmax(Q @ K.T / math.sqrt(Q.shape[-1])) @ V),
        ("attend_all", "no_scale", lambda Q, K, V: softmax(Q @ K.mT) @ V),
        ("attend_all", "axis_1",
         lambda Q, K, V: softmax(Q @ K.mT / Q.shape[-1] ** 0.5, axis=1) @ V),
        ("attend_all", "by_matrix", lambda Q, K, V: softmax(
            Q @ K.T / math.sqrt(Q.shape[1]), axis=1) @ V),
        ("attend_all", "front_root_and_axis", lambda Q, K, V: softmax(
            Q @ K.mT / math.sqrt(Q.shape[1]), axis=1) @ V),
        ("attend_all", "keepdims_plain", lambda Q, K, V: plain(
            Q @ K.mT / math.sqrt(Q.shape[-1])) @ V),
        ("attend_all", "keepdims_twice", lambda Q, K, V: shifted(
            Q @ K.mT / math.sqrt(Q.shape[-1])) @ V),
        ("attend_all", "loops_over_matrices", lambda Q, K, V: np.stack(
            [softmax(K @ q / np.sqrt(q.size)) @ V for q in Q])),
        ("ask_each", "everybody_asks_everybody",
         lambda q, K, V: softmax(q @ K.mT / q.shape[-1] ** 0.5) @ V),
        ("ask_each", "weights_meet_every_sequence", lambda q, K, V: softmax(
            (K @ q[:, :, None])[..., 0] / q.shape[-1] ** 0.5) @ V),
        ("ask_each", "kept_axis",
         lambda q, K, V: softmax(q[:, None] @ K.mT / q.shape[-1] ** 0.5) @ V),
        ("ask_each", "squeezed", lambda q, K, V: np.squeeze(
            softmax(q[:, None] @ K.mT / q.shape[-1] ** 0.5) @ V)),
        ("ask_each", "query_of_the_key", lambda q, K, V: (
            softmax((q * K).sum(-1) / q.shape[-1] ** 0.5)[..., None] * V).sum(1)),
        ("ask_each", "values_added", lambda q, K, V: (
            softmax(K @ q[:, :, None] / q.shape[-1] ** 0.5, axis=-1) * V).sum(1)),
        ("ask_each", "no_scale", lambda q, K, V: after_a_new_axis(q[:, None], K, V)[:, 0]),
        ("ask_each", "first_sequence", lambda q, K, V: softmax(
            q @ K[0].T / q.shape[-1] ** 0.5) @ V[0]),
        ("ask_each", "over_sequences", lambda q, K, V: (softmax(
            np.einsum("bd,bnd->bn", q, K) / q.shape[-1] ** 0.5, axis=0)[:, None]
            @ V)[:, 0]),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"many_queries.{exercise}", mistake, answer)


@pytest.mark.parametrize(
    "answer",
    [
        lambda q, K, V: np.array(
            [softmax(k @ one / len(one) ** 0.5) @ v for one, k, v in zip(q, K, V)]),
        lambda q, K, V: attend(q[:, None], K, V)[0].squeeze(axis=1),
        lambda q, K, V: attend(q, K, V)[0][range(len(q)), range(len(q))],
    ],
    ids=["a loop over the sequences", "an axis of size 1", "the diagonal of too many"],
)  # fmt: skip
def test_other_right_ways_pass(answer):
    assert check("many_queries.ask_each", answer).passed


def test_exponentials_of_large_scores_are_named():
    def unshifted(Q, K, V):
        e = np.exp(Q @ K.mT / math.sqrt(Q.shape[-1]))
        return e / e.sum(axis=-1, keepdims=True) @ V

    reply = check("many_queries.attend_all", unshifted)
    assert not reply.passed and "a number that grows too large" in reply.text


def test_a_loop_over_items_and_rows_passes_and_hears_of_the_way_without():
    def by_rows(Q, K, V):
        if Q.ndim == 2:
            return np.array([softmax(K @ q / math.sqrt(len(q))) @ V for q in Q])
        K, V = (np.broadcast_to(x, (len(Q), *x.shape[1 - Q.ndim :])) for x in (K, V))
        return np.array([by_rows(*sequence) for sequence in zip(Q, K, V)])

    reply = check("many_queries.attend_all", by_rows)
    assert reply.passed and "If there is a loop in your code" in reply.text


def test_softmax_over_the_items_is_wrong_in_the_smallest_case():
    exercise = find("many_queries.ask_each")
    (over_sequences,) = [m for m in exercise.mistakes if m.name == "over_sequences"]
    args = exercise.cases[0].args
    assert not np.allclose(over_sequences.answer(*args), exercise.reference(*args))


def test_a_blind_spot_is_seen_when_a_query_is_asked_alone():
    S, V = reference("blind_spot"), np.array([[1.0], [3.0]])
    together = softmax(S, axis=0) @ V
    np.testing.assert_allclose(together, softmax(S) @ V)
    np.testing.assert_allclose(together, [[1.238406], [2.761594]], atol=5e-7)
    for row in S:
        np.testing.assert_allclose(softmax(row[None], axis=0) @ V, [[4]])


@given(*[st.floats(-20, 20)] * 4)
@settings(deadline=None)
def test_blind_spot_agrees_with_both_softmaxes(a, b, c, d):
    S = np.array([[a, b], [c, d]])
    off = abs(softmax(S) - softmax(S, axis=0)).max()
    plain = max(abs(softmax(S, axis=axis) - 0.5).max() for axis in (0, 1))
    if abs(plain - 0.05) > 1e-9 and not 1e-7 < off < 1e-4:
        assert check("many_queries.blind_spot", S).passed == (off < 1e-6 and plain > 0.05)


@pytest.mark.parametrize("a, b", [(1.0, 0.0), (-3.0, 4.0), (1000.0, 0.0), (0.3, 0.0)])
def test_blind_spot_takes_every_table_of_two_numbers_crosswise(a, b):
    assert check("many_queries.blind_spot", [[a, b], [b, a]]).passed
    for S in ([[a, a], [b, b]], [[a, b], [a, b]], [[a, b], [b, b]], [[a, 2 * a], [b, a]]):
        assert not check("many_queries.blind_spot", S).passed


def test_the_numbers_of_the_questions():
    asked = {name.partition(".")[2]: found for name, found in all_questions().items()
             if name.startswith("many_queries.")}  # fmt: skip
    V = np.array([[2.0], [4.0], [9.0]])
    lonely = softmax(np.random.default_rng(0).normal(size=(1, 3)), axis=0) @ V
    assert lonely.item() == pytest.approx(asked["lonely"]["answer"])
    weights = softmax(np.random.default_rng(0).normal(size=(12, 3)), axis=0)
    assert weights.sum(axis=1).mean() == pytest.approx(asked["row_sums"]["answer"])
    one_hot = np.array([0, 1, 0, 0]) @ np.array([5, 8, 2, 9])
    assert one_hot == asked["one_hot"]["answer"]
    assert 3 * 128 * 8192 * 4 / 1e6 == pytest.approx(asked["bundles"]["answer"], abs=0.005)


def test_in_a_batch_axis_0_is_seen_by_items_alone_and_not_by_queries_alone():
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 5, 4))
    V = rng.uniform(1, 2, size=(3, 5, 6))

    def f(Q, K, V):
        return softmax(Q @ K.mT / 2, axis=0) @ V

    Y = f(Q, K, V)
    np.testing.assert_allclose(f(Q[:, :1], K, V), Y[:, :1])
    np.testing.assert_allclose(f(Q[:, ::-1], K, V), Y[:, ::-1])
    np.testing.assert_allclose(f(Q[:1], K[:1], V[:1])[0], np.ones((2, 5)) @ V[0])
    assert not np.isclose(f(Q[:1], K[:1], V[:1]), Y[:1]).any()


def test_a_classifier_whose_softmax_runs_over_the_photographs_is_often_right_and_alone_never():
    rng = np.random.default_rng(0)
    right = rng.integers(10, size=500)
    logits = rng.normal(size=(500, 10)) + 3 * np.eye(10)[right]
    together = softmax(logits, axis=0).argmax(axis=1)
    assert (together == right).mean() > 0.7
    assert all(softmax(row[None], axis=0).argmax(axis=1) == 0 for row in logits)
