"""Exercises of chapter 6: references against other methods, mistakes as readers write them."""

import numpy as np
import pytest

from attnlib import (
    MultiHeadAttention,
    merge_heads,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from attnlib.exercises import check, find
from tests.helpers.exercise_replies import as_readers_write


def looped(*, length=lambda d_k, d_model, h: d_k, after=np.hstack, divide=False):
    """The layer as a loop over heads, as readers write it."""

    def multi_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
        d_k, d_v = W_Q.shape[1] // n_heads, W_V.shape[1] // n_heads
        found = []
        for h in range(n_heads):
            k, v = slice(h * d_k, h * d_k + d_k), slice(h * d_v, h * d_v + d_v)
            scores = (X_Q @ W_Q[:, k]) @ (X_KV @ W_K[:, k]).T
            weights = softmax(scores / np.sqrt(length(d_k, X_Q.shape[1], n_heads)))
            found.append(weights @ (X_KV @ W_V[:, v]))
        merged = after(found)
        return merged @ W_O[: merged.shape[1]] / (n_heads if divide else 1)

    return multi_head


def by_hand(length=None, take=lambda pair: pair[0]):
    """The layer with the functions of the page; with a length, the scale is made by hand."""

    def multi_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
        Q, K, V = (split_heads(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
        if length is None:
            return merge_heads(take(scaled_dot_product_attention(Q, K, V))) @ W_O
        return merge_heads(softmax(Q @ K.swapaxes(1, 2) / length(Q, V) ** 0.5) @ V) @ W_O

    return multi_head


def pairs_in_a_loop(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    found = []
    for h in range(n_heads):
        Q, K, V = (
            np.split(X @ W, n_heads, axis=1)[h] for X, W in ((X_Q, W_Q), (X_KV, W_K), (X_KV, W_V))
        )
        found.append(scaled_dot_product_attention(Q, K, V))
    return np.concatenate(found, axis=-1) @ W_O


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("split", "reshaped", lambda X, n_heads: X.reshape(
            *X.shape[:-2], n_heads, X.shape[-2], X.shape[-1] // n_heads)),
        ("split", "not_moved", lambda X, n_heads: X.reshape(*X.shape[:-1], n_heads, -1)),
        ("split", "interleaved", lambda X, n_heads: np.moveaxis(
            X.reshape(*X.shape[:-1], -1, n_heads), -1, -3)),
        ("split", "heads_first", lambda X, n_heads: np.array(np.split(X, n_heads, axis=-1))),
        ("split", "first_two_exchanged", lambda X, n_heads: X.reshape(
            *X.shape[:-1], n_heads, -1).swapaxes(0, 1)),
        ("split", "side_by_side", lambda X, n_heads: np.concatenate(
            [X[..., h * (X.shape[-1] // n_heads):(h + 1) * (X.shape[-1] // n_heads)]
             for h in range(n_heads)], axis=-2)),
        ("parts", "first_rows_for_all", lambda Y, W_O: Y @ W_O[: Y.shape[-1]]),
        ("parts", "total", lambda Y, W_O: merge_heads(Y) @ W_O),
        ("parts", "averaged", lambda Y, W_O: Y @ W_O.reshape(len(Y), Y.shape[2], -1) / len(Y)),
        ("parts", "strided_rows", lambda Y, W_O: np.array(
            [y @ W_O[h :: len(Y)] for h, y in enumerate(Y)])),
        ("parameters", "all_sized_by_d_k", lambda d, h, k, v: 4 * d * h * k),
        ("parameters", "one_sized_by_d_k", lambda d, h, k, v: d * h * (2 * k + v) + h * k * d),
        ("parameters", "four_squares", lambda d, h, k, v: 4 * d**2),
        ("parameters", "without_W_O", lambda d, h, k, v: d * h * k * 2 + d * h * v),
        ("multi_head", "scaled_by_d_model", looped(length=lambda d_k, d_model, h: d_model)),
        ("multi_head", "scaled_by_width", looped(length=lambda d_k, d_model, h: h * d_k)),
        ("multi_head", "mean_of_heads", looped(after=lambda Y: np.mean(Y, axis=0))),
        ("multi_head", "averaged", looped(divide=True)),
        ("multi_head", "one_wide_head", lambda X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads: softmax(
            X_Q @ W_Q @ (X_KV @ W_K).T / np.sqrt(W_Q.shape[1])) @ (X_KV @ W_V) @ W_O),
        ("multi_head", "scaled_by_d_v", by_hand(lambda Q, V: V.shape[-1])),
        ("multi_head", "pair_merged", by_hand(take=lambda pair: pair)),
        ("multi_head", "pair_in_each_round", pairs_in_a_loop),
        ("parts", "all_rows_for_each", lambda Y, W_O: Y @ W_O),
        ("parameters", "W_O_square_of_the_heads", lambda d, h, k, v: (
            2 * d * h * k + d * h * v + (h * v) * (h * v))),
        ("left_over", "counts_heads", lambda A: max(0, 1 - len(A) / A.shape[1])),
        ("left_over", "counts_all_heads", lambda A: 1 - A.shape[0] / A.shape[1]),
        ("left_over", "weights_as_readout", lambda A: (
            (np.eye(A.shape[1]) - A.T @ A) ** 2).sum() / A.shape[1]),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"multi_head.{exercise}", mistake, answer)


@pytest.mark.parametrize(
    "exercise, answer",
    [
        ("split", lambda X, n_heads: np.stack(np.split(X, n_heads, axis=-1), axis=-3)),
        ("multi_head", looped()),
        ("parts", lambda Y, W_O: np.einsum("hnv,hvo->hno", Y, W_O.reshape(*Y.shape[::2], -1))),
        ("multi_head", by_hand()),
        ("left_over", lambda A: (
            (np.eye(A.shape[1]) - np.linalg.pinv(A) @ A) ** 2).sum() / A.shape[1]),
    ],
)  # fmt: skip
def test_other_ways_are_right_too(exercise, answer):
    assert check(f"multi_head.{exercise}", answer).passed


def test_split_equals_the_books():
    X = np.random.default_rng(0).normal(size=(2, 5, 12))
    for h in (1, 2, 3, 12):
        assert (find("multi_head.split").reference(X, h) == split_heads(X, h)).all()


def test_the_layer_equals_the_books():
    exercise = find("multi_head.multi_head")
    for case in exercise.cases:
        X_Q, X_KV, *matrices, n_heads = case.args
        expected, _ = MultiHeadAttention(*matrices, n_heads=n_heads)(X_Q, X_KV)
        np.testing.assert_allclose(exercise.reference(*case.args), expected, atol=1e-12)


def test_parameters_are_what_a_layer_has():
    exercise = find("multi_head.parameters")
    for case in exercise.cases:
        layer = MultiHeadAttention.random(np.random.default_rng(0), *case.args)
        assert exercise.reference(*case.args) == layer.parameter_count


def test_left_over_is_what_least_squares_leaves():
    exercise = find("multi_head.left_over")
    for case in exercise.cases:
        (A,) = case.args
        wanted = np.eye(A.shape[1])  # independent values of variance 1
        readout = np.linalg.lstsq(A.T, wanted, rcond=None)[0]
        error = ((A.T @ readout - wanted) ** 2).sum() / len(wanted)
        assert exercise.reference(A) == pytest.approx(error, abs=1e-12)
