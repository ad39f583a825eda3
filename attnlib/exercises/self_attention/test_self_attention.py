"""Exercises of chapter 7: references by other ways, mistakes as readers write them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import MultiHeadAttention, attend, scaled_dot_product_attention, softmax
from attnlib.exercises import check, find
from attnlib.exercises.self_attention import next_one
from tests.helpers.exercise_replies import as_readers_write


def reference(name):
    return find(f"self_attention.{name}").reference


def cases(name):
    return [case.args for case in find(f"self_attention.{name}").cases]


def test_one_source_is_a_layer_with_one_head():
    for X, W_Q, W_K, W_V in cases("attend_itself"):
        layer = MultiHeadAttention(W_Q, W_K, W_V, np.eye(W_V.shape[1]), n_heads=1)
        np.testing.assert_allclose(reference("attend_itself")(X, W_Q, W_K, W_V), layer(X)[0])


def test_two_sources_are_the_layer_called_with_both():
    for X_Q, X_KV, *matrices in cases("two_sources"):
        expected, _ = MultiHeadAttention(*matrices, n_heads=1)(X_Q, X_KV)
        np.testing.assert_allclose(reference("two_sources")(X_Q, X_KV, *matrices), expected)
        if X_Q.shape[1] == X_KV.shape[1]:
            once = reference("two_sources")(X_Q, X_Q, *matrices)
            inner = reference("attend_itself")(X_Q, *matrices[:3])
            np.testing.assert_allclose(once, inner @ matrices[3])


def test_without_is_softmax_of_the_scores_that_stay():
    rng = np.random.default_rng(0)
    for n, j in [(3, 1), (4, 0), (5, 4), (2, 1)]:
        S = rng.normal(size=(n, n))
        stay = [i for i in range(n) if i != j]
        left = reference("without")(softmax(S), j)
        np.testing.assert_allclose(left, softmax(S[np.ix_(stay, stay)]))


def test_equivariance_is_told_by_exchanging_any_two_rows():
    """All orders are made of exchanges of neighbours; nothing else is in the test."""
    for f, X in cases("is_equivariant"):
        places = range(len(X))
        exchanges = [[*places[:i], i + 1, i, *places[i + 2 :]] for i in places[:-1]]
        expected = all(np.allclose(f(X[order]), f(X)[order]) for order in exchanges)
        assert bool(reference("is_equivariant")(f, X)) == expected


def by_loop(f, X):
    for order in itertools.permutations(range(len(X))):
        if not np.allclose(f(X[list(order)]), f(X)[list(order)], atol=1e-9):
            return False
    return True


def put_back(f, X):
    orders = map(np.array, itertools.permutations(range(len(X))))
    return all(np.allclose(f(X[p])[np.argsort(p)], f(X)) for p in orders)


def by_matrices(f, X):
    matrices = (np.eye(len(X))[list(p)] for p in itertools.permutations(range(len(X))))
    return np.array([np.allclose(f(P @ X), P @ f(X)) for P in matrices]).all()


def by_draws(f, X):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for _ in range(200)]
    return all(np.allclose(f(X[p]), f(X)[p]) for p in orders)


@pytest.mark.parametrize("answer", [by_loop, put_back, by_matrices, by_draws])
def test_other_tests_of_equivariance_pass(answer):
    assert check("self_attention.is_equivariant", answer).passed


@pytest.mark.parametrize(
    "exercise, answer",
    [
        ("attend_itself", lambda X, W_Q, W_K, W_V: attend(X @ W_Q, X @ W_K, X @ W_V)[0]),
        ("attend_itself", lambda X, W_Q, W_K, W_V: softmax(
            X @ W_Q @ W_K.T @ X.T / W_K.shape[1] ** 0.5) @ X @ W_V),
        ("two_sources", lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: softmax(
            X_Q @ W_Q @ (X_KV @ W_K).T / W_Q.shape[1] ** 0.5) @ (X_KV @ (W_V @ W_O))),
        ("without", lambda W, j: softmax(np.log(np.delete(np.delete(W, j, 0), j, 1)))),
        ("without", lambda W, j: np.delete(np.delete(W / (1 - W[:, [j]]), j, 0), j, 1)),
    ],
)  # fmt: skip
def test_other_right_ways_pass(exercise, answer):
    assert check(f"self_attention.{exercise}", answer).passed


def some(f, X, compare, orders=None):
    orders = orders or list(itertools.permutations(range(len(X))))
    return all(compare(f, X, list(order)) for order in orders)


def one_order(seed):
    def is_equivariant(f, X):
        order = np.random.default_rng(seed).permutation(len(X))
        return np.allclose(f(X[order]), f(X)[order])

    return is_equivariant


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("attend_itself", "keys_by_W_Q", lambda X, W_Q, W_K, W_V: attend(
            X @ W_Q, X @ W_Q, X @ W_V)[0]),
        ("attend_itself", "scores_turned", lambda X, W_Q, W_K, W_V: attend(
            X @ W_K, X @ W_Q, X @ W_V)[0]),
        ("attend_itself", "keys_not_turned", lambda X, W_Q, W_K, W_V: softmax(
            X @ W_Q @ X @ W_K / np.sqrt(W_K.shape[1])) @ X @ W_V),
        ("attend_itself", "no_matrix", lambda X, W_Q, W_K, W_V: attend(X, X, X)[0]),
        ("attend_itself", "values_are_items", lambda X, W_Q, W_K, W_V: attend(
            X @ W_Q, X @ W_K, X)[0]),
        ("attend_itself", "down_the_columns", lambda X, W_Q, W_K, W_V: softmax(
            X @ W_K @ W_Q.T @ X.T / np.sqrt(W_K.shape[1])).T @ X @ W_V),
        ("attend_itself", "by_root_d_model", lambda X, W_Q, W_K, W_V: softmax(
            X @ W_Q @ W_K.T @ X.T / math.sqrt(len(W_K))) @ X @ W_V),
        ("attend_itself", "weights_turned", lambda X, W_Q, W_K, W_V: attend(
            X @ W_Q, X @ W_K, X @ W_V)[1].T @ X @ W_V),
        ("attend_itself", "others_only", lambda X, W_Q, W_K, W_V: softmax(
            X @ W_Q @ W_K.T @ X.T / W_K.shape[1] ** 0.5 - 1e12 * np.eye(len(X))) @ X @ W_V),
        ("attend_itself", "output_divided", lambda X, W_Q, W_K, W_V: softmax(
            X @ W_Q @ W_K.T @ X.T) @ (X @ W_V / math.sqrt(W_Q.shape[1]))),
        ("two_sources", "pair", lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: attend(
            X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V) @ W_O),
        ("is_equivariant", "a_number", lambda f, X: sum(
            np.allclose(f(X[list(p)]), f(X)[list(p)])
            for p in itertools.permutations(range(len(X))))),
        ("is_equivariant", "a_number", lambda f, X: abs(f(X[::-1]) - f(X)[::-1]).max()),
        ("two_sources", "keys_of_X", lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: attend(
            X_Q @ W_Q, X_Q @ W_K, X_KV @ W_V)[0] @ W_O),
        ("two_sources", "no_W_O", lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: attend(
            X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V)[0]),
        ("two_sources", "exchanged", lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: attend(
            X_KV @ W_Q, X_Q @ W_K, X_Q @ W_V)[0] @ W_O),
        ("two_sources", "both_together", lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: attend(
            X_Q @ W_Q, np.vstack([X_KV, X_Q]) @ W_K, np.vstack([X_KV, X_Q]) @ W_V)[0] @ W_O),
        ("two_sources", "scores_turned", lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: softmax(
            X_KV @ W_K @ W_Q.T @ X_Q.T / W_K.shape[1] ** 0.5) @ X_KV @ W_V @ W_O),
        ("without", "not_divided", lambda W, j: np.delete(np.delete(W, j, 1), j, 0)),
        ("without", "softmax_again", lambda W, j: softmax(
            np.delete(np.delete(W, j, 1), j, 0), axis=1)),
        ("without", "no_keepdims", lambda W, j: (
            lambda left: left / left.sum(axis=1))(np.delete(np.delete(W, j, 0), j, 1))),
        ("is_equivariant", "invariance", lambda f, X: some(
            f, X, lambda f, X, p: np.allclose(f(X[p]), f(X)))),
        ("is_equivariant", "invariance", lambda f, X: some(
            f, X, lambda f, X, p: np.allclose(f(X)[p], f(X[p])[p]))),
        ("is_equivariant", "as_sets", lambda f, X: some(
            f, X, lambda f, X, p: np.allclose(np.sort(f(X[p]), axis=0), np.sort(f(X), axis=0)))),
        ("is_equivariant", "sums", lambda f, X: some(
            f, X, lambda f, X, p: np.isclose(f(X[p]).mean(), f(X).mean()))),
        ("is_equivariant", "only_turned_round", lambda f, X: np.allclose(f(X[::-1]), f(X)[::-1])),
        ("is_equivariant", "one_drawn_order", one_order(0)),
        ("is_equivariant", "one_drawn_order", one_order(2)),
        ("is_equivariant", "one_drawn_order", lambda f, X: some(
            f, X, lambda f, X, p: np.allclose(f(X[p]), f(X)[p]), [[2, 0, 1, 3][:len(X)]])),
        ("is_equivariant", "only_moved_on", lambda f, X: np.allclose(
            f(np.roll(X, 1, axis=0)), np.roll(f(X), 1, axis=0))),
        ("is_equivariant", "shuffled_twice", lambda f, X: some(
            f, X, lambda f, X, p: np.allclose(f(X), f(X[p])[p]))),
        ("is_equivariant", "exactly", lambda f, X: some(
            f, X, lambda f, X, p: np.array_equal(f(X[p]), f(X)[p]))),
        ("is_equivariant", "always", lambda f, X: some(
            f, X, lambda f, X, p: f(X[p]).shape == f(X)[p].shape)),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"self_attention.{exercise}", mistake, answer)


def test_a_pair_that_is_not_unpacked_is_named():
    def pair(X, W_Q, W_K, W_V):
        return scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V)

    reply = check("self_attention.attend_itself", pair)
    assert not reply.passed and "tuple" in reply.text


numbers = st.lists(st.integers(-30, 30), min_size=6, max_size=6)


@given(numbers)
@settings(deadline=None)
def test_who_looks_at_the_next_is_judged_by_the_weights(entries):
    X = np.array(entries, dtype=float).reshape(3, 2) / 10
    weights = np.exp(X @ X.T)
    first, second = np.argsort(weights[:2])[:, -1]
    clear = all(np.diff(np.sort(X @ X[i])[1:])[0] > 1e-3 for i in (0, 1))
    if clear:
        assert (next_one.judge_next_one(X) is None) == ((first, second) == (1, 2))


@given(numbers)
@settings(deadline=None)
def test_no_three_items_close_a_cycle(entries):
    """What the exercise ends in: whoever is looked at is longer."""
    X = np.array(entries, dtype=float).reshape(3, 2)
    S = X @ X.T
    looked = S.argmax(axis=1)
    for i, j in enumerate(looked):
        if S[i, j] > S[i, i]:
            assert S[j, j] > S[i, i]
    assert tuple(looked) != (1, 2, 0)
