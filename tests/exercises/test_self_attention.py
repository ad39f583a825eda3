"""Chapter 7's exercises: references by other ways, and the judge by the weights."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib import MultiHeadAttention, softmax
from attnlib.exercises import find


def reference_and_arguments(name):
    exercise = find(f"self_attention.{name}")
    return [(exercise.reference, case.args) for case in exercise.cases]


def test_attend_itself_equals_a_layer_with_one_head():
    for attend_itself, (X, W_Q, W_K, W_V) in reference_and_arguments("attend_itself"):
        layer = MultiHeadAttention(W_Q, W_K, W_V, np.eye(W_V.shape[1]), n_heads=1)
        np.testing.assert_allclose(attend_itself(X, W_Q, W_K, W_V), layer(X)[0])


def test_two_sources_equal_a_layer_with_both():
    for two_sources, (X_Q, X_KV, *matrices) in reference_and_arguments("two_sources"):
        expected, _ = MultiHeadAttention(*matrices, n_heads=1)(X_Q, X_KV)
        np.testing.assert_allclose(two_sources(X_Q, X_KV, *matrices), expected)


def test_without_equals_softmax_of_remaining_scores():
    rng = np.random.default_rng(0)
    for n, j in [(3, 1), (4, 0), (5, 4), (2, 1)]:
        S = rng.normal(size=(n, n))
        others = [i for i in range(n) if i != j]
        expected = softmax(S[np.ix_(others, others)])
        np.testing.assert_allclose(
            find("self_attention.without").reference(softmax(S), j), expected
        )


def test_exchanges_of_neighbours_decide_equivariance():
    for is_equivariant, (f, X) in reference_and_arguments("is_equivariant"):
        places = range(len(X))
        exchanges = [[*places[:i], i + 1, i, *places[i + 2 :]] for i in places[:-1]]
        expected = all(np.allclose(f(X[order]), f(X)[order]) for order in exchanges)
        assert is_equivariant(f, X) == expected


items = st.lists(st.integers(-30, 30), min_size=6, max_size=6)


@given(items)
@settings(deadline=None)
def test_next_one_is_judged_by_the_weights(entries):
    X = np.array(entries, dtype=float).reshape(3, 2) / 10
    first, second = np.argsort(np.exp(X @ X.T)[:2])[:, -1]
    if all(np.diff(np.sort(X @ X[i])[1:])[0] > 1e-3 for i in (0, 1)):
        passes = find("self_attention.next_one").judge(X) is None
        assert passes == ((first, second) == (1, 2))


@given(items)
@settings(deadline=None)
def test_no_three_items_close_a_cycle(entries):
    X = np.array(entries, dtype=float).reshape(3, 2)
    assert tuple((X @ X.T).argmax(axis=1)) != (1, 2, 0)
