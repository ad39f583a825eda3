"""Exercises of chapter 8: references by plain loops, mistakes as readers write them."""

import math

import numpy as np
import pytest

from attnlib import masks, scaled_dot_product_attention, softmax
from attnlib.exercises import all_questions, check, find
from attnlib.exercises.masks import looks_ahead as layers
from attnlib.heads import MultiHeadAttention
from attnlib.masks import causal, padding
from tests.helpers.exercise_replies import as_readers_write


def reference(name):
    return find(f"masks.{name}").reference


@pytest.mark.parametrize("n_q, n_k", [(1, 1), (1, 6), (4, 4), (3, 7)])
def test_causal_mask_by_a_plain_loop_and_as_attnlib_has_it(n_q, n_k):
    expected = [[int(n_k - n_q + i >= j) for j in range(n_k)] for i in range(n_q)]
    np.testing.assert_array_equal(reference("causal_mask")(n_q, n_k), expected)
    np.testing.assert_array_equal(masks.causal(n_q, n_k), expected)


def test_masked_weights_by_a_plain_loop():
    rng = np.random.default_rng(0)
    scores, mask = rng.normal(size=(4, 5)), rng.random((4, 5)) < 0.6
    mask[:, 2] = True
    found = reference("masked_weights")(scores, mask)
    for i, row in enumerate(scores):
        total = sum(math.exp(s) for s, may in zip(row, mask[i]) if may)
        expected = [math.exp(s) / total if may else 0 for s, may in zip(row, mask[i])]
        np.testing.assert_allclose(found[i], expected)


def test_batch_mask_by_a_plain_loop_and_as_attnlib_has_it():
    lengths, n = [3, 1, 5], 5
    found = reference("batch_mask")(np.array(lengths), n)
    for b, i, j in np.ndindex(3, 5, 5):
        assert found[b, i, j] == (j <= i and j < lengths[b])
    np.testing.assert_array_equal(masks.causal(n) & masks.padding(lengths, n), found)
    assert (found.sum(axis=-1) > 0).all()


@pytest.mark.parametrize("n_new", [1, 2])
def test_cached_step_is_the_last_rows_of_one_causal_pass(n_new):
    rng = np.random.default_rng(1)
    layer = MultiHeadAttention.random(rng, d_model=6, n_heads=2, d_k=3, d_v=4)
    X = rng.normal(size=(5, 6))
    Q, K, V = layer.project(X)
    whole, _ = scaled_dot_product_attention(Q, K, V, mask=masks.causal(5))
    new, old = slice(5 - n_new, None), slice(0, 5 - n_new)
    pieces = Q[:, new], K[:, new], V[:, new], K[:, old], V[:, old]
    found = reference("cached_step")(*pieces)
    np.testing.assert_allclose(found, whole[:, new])


def test_looks_ahead_finds_each_leak_and_no_other():
    X = np.random.default_rng(2).normal(size=(7, 3))
    leaking = {
        layers.attention, layers.zeroed_after_softmax, layers.off_by_one, layers.backwards,
        layers.first_sees_the_second,
        layers.middle_sees_the_next, layers.third_sees_the_fifth, layers.second_sees_the_last,
        layers.fifth_sees_the_sixth, layers.given_and_taken, layers.normalised_before,
    }  # fmt: skip
    causal = {
        layers.causal_attention, layers.running_mean, layers.the_one_before, layers.each_alone,
    }  # fmt: skip
    used = {case.args[0] for case in find("masks.looks_ahead").cases}
    assert used == leaking | causal
    for layer in used:
        assert bool(reference("looks_ahead")(layer, X)) == (layer in leaking), layer.__name__


def plain(scores, axis=-1):
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def words(lengths, n):
    return np.arange(n) < lengths[:, None]


def joined(old, new):
    return np.concatenate([old, new], axis=1)


def stepped(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(1, 2) / math.sqrt(Q.shape[2])
    return plain(scores if mask is None else np.where(mask, scores, -np.inf)) @ V


def changed(X, places):
    other = X.copy()
    other[places] += 1
    return other


def other(X, place):
    different = X.copy()
    different[place] = np.random.default_rng(place).normal(size=X.shape[1])
    return different


def piled_up(layer, X):
    before = layer(X)
    for t in range(len(X)):
        X[t] += np.random.default_rng(t).normal(size=X.shape[1])
        if not np.allclose(layer(X)[:t], before[:t]):
            return True
    return False


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("causal_mask", "first_at_first", lambda n_q, n_k: np.tri(n_q, n_k, dtype=bool)),
        ("causal_mask", "inverted_from_the_front",
         lambda n_q, n_k: np.triu(np.ones((n_q, n_k), dtype=bool), k=1)),
        ("causal_mask", "one_too_many",
         lambda n_q, n_k: np.tril(np.ones((n_q, n_k)), k=n_k - n_q + 1)),
        ("causal_mask", "shifted_back", lambda n_q, n_k: np.tril(np.ones((n_q, n_k)), k=n_q - n_k)),
        ("causal_mask", "to_be_added",
         lambda n_q, n_k: np.triu(np.full((n_q, n_k), -np.inf), k=1 + n_k - n_q)),
        ("causal_mask", "finite_to_be_added",
         lambda n_q, n_k: np.where(np.tril(np.ones((n_q, n_k)), k=n_k - n_q), 0, -1e4)),
        ("masked_weights", "inverted",
         lambda scores, mask: softmax(np.where(~mask, scores, -np.inf))),
        ("masked_weights", "inverted", lambda scores, mask: plain(np.where(mask, -np.inf, scores))),
        ("masked_weights", "after", lambda scores, mask: np.where(mask, softmax(scores), 0)),
        ("masked_weights", "after", lambda scores, mask: (
            np.exp(scores) * mask / np.exp(scores).sum(-1, keepdims=True))),
        ("masked_weights", "times", lambda scores, mask: plain(np.where(mask, scores, 0))),
        ("masked_weights", "finite_fill", lambda scores, mask: plain(np.where(mask, scores, -4))),
        ("masked_weights", "finite_addition", lambda scores, mask: plain(scores - 6.0 * ~mask)),
        ("masked_weights", "added_finite", lambda scores, mask: plain(scores + ~mask * -1e4)),
        ("masked_weights", "added_finite", lambda scores, mask: plain(scores + ~mask * -1e9)),
        ("masked_weights", "fill_too_high",
         lambda scores, mask: plain(np.where(mask, scores, -1e4))),
        ("masked_weights", "zero_times_infinity",
         lambda scores, mask: plain(scores + ~mask * -np.inf)),
        ("masked_weights", "renormalised", lambda scores, mask: (
            lambda w: w / w.sum(axis=-1, keepdims=True))(np.where(mask, plain(scores), 0))),
        ("batch_mask", "padding_of_queries",
         lambda lengths, n: masks.causal(n) & words(lengths, n)[:, :, None]),
        ("batch_mask", "padding_of_queries", lambda lengths, n: (
            masks.causal(n) & words(lengths, n)[:, :, None] & words(lengths, n)[:, None])),
        ("batch_mask", "either", lambda lengths, n: masks.causal(n) + words(lengths, n)[:, None]),
        ("batch_mask", "without_the_batch",
         lambda lengths, n: np.tril(np.ones((n, n))) * words(lengths, n)),
        ("cached_step", "appended_to_the_heads", lambda Q, K, V, K_old, V_old: stepped(
            Q, np.concatenate([K_old, K]), np.concatenate([V_old, V]))),
        ("cached_step", "no_mask", lambda Q, K, V, K_old, V_old: stepped(
            Q, joined(K_old, K), joined(V_old, V))),
        ("cached_step", "no_mask", lambda Q, K, V, K_old, V_old: stepped(
            Q, joined(K, K_old), joined(V, V_old))),
        ("cached_step", "first_query_at_the_first_key", lambda Q, K, V, K_old, V_old: stepped(
            Q, joined(K_old, K), joined(V_old, V),
            np.tril(np.ones((Q.shape[1], K.shape[1] + K_old.shape[1]))))),
        ("cached_step", "old_only", lambda Q, K, V, K_old, V_old: stepped(Q, K_old, V_old)),
        ("looks_ahead", "last_item_only",
         lambda layer, X: not np.allclose(layer(X[:-1]), layer(X)[:-1])),
        ("looks_ahead", "first_output_only",
         lambda layer, X: not np.allclose(layer(X[:1])[0], layer(X)[0])),
        ("looks_ahead", "shuffled", lambda layer, X: not np.allclose(
            layer(np.roll(X, 1, axis=0)), np.roll(layer(X), 1, axis=0))),
        ("looks_ahead", "earlier_changed", lambda layer, X: not np.allclose(
            layer(changed(X, 0))[1:], layer(X)[1:])),
        ("looks_ahead", "first_cut_missing", lambda layer, X: any(not np.allclose(
            layer(other(X, t))[:t], layer(X)[:t]) for t in range(2, len(X)))),
        ("looks_ahead", "first_cut_missing", lambda layer, X: any(
            not np.allclose(layer(X[:t]), layer(X)[:t]) for t in range(2, len(X)))),
        ("looks_ahead", "last_cut_missing", lambda layer, X: any(
            not np.allclose(layer(X[:t]), layer(X)[:t]) for t in range(1, len(X) - 1))),
        ("looks_ahead", "last_item_missing", lambda layer, X: any(not np.allclose(
            layer(other(X, t))[:t], layer(X)[:t]) for t in range(1, len(X) - 1))),
        ("looks_ahead", "sums", lambda layer, X: any(not np.isclose(
            layer(changed(X, t))[:t].mean(), layer(X)[:t].mean()) for t in range(1, len(X)))),
        ("looks_ahead", "all_outputs", lambda layer, X: True),
        ("looks_ahead", "all_outputs", lambda layer, X: piled_up(layer, X.copy())),
        ("looks_ahead", "never", lambda layer, X: any(
            not np.allclose(layer(X + 1e-9 * (np.arange(len(X)) == t)[:, None])[:t], layer(X)[:t])
            for t in range(len(X)))),
        ("looks_ahead", "shifted", lambda layer, X: any(
            not np.allclose(layer(changed(X, t))[:t], layer(X)[:t]) for t in range(len(X)))),
        ("masked_weights", "one_maximum", lambda scores, mask: (
            lambda e: e / e.sum(axis=-1, keepdims=True))(
                np.exp(np.where(mask, scores - scores[mask].max(), -np.inf)))),
        ("masked_weights", "no_maximum", lambda scores, mask: (
            lambda e: e / e.sum(axis=-1, keepdims=True))(np.where(mask, np.exp(scores), 0))),
        ("cached_step", "old_and_itself", lambda Q, K, V, K_old, V_old: np.concatenate([
            stepped(Q[:, [t]], joined(K_old, K[:, [t]]), joined(V_old, V[:, [t]]))
            for t in range(Q.shape[1])], axis=1)),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"masks.{exercise}", mistake, answer)


@pytest.mark.parametrize(
    "exercise, answer",
    [
        ("causal_mask", lambda n_q, n_k: np.tril(np.ones((n_k, n_k), dtype=bool))[n_k - n_q :]),
        ("masked_weights", lambda scores, mask: plain(scores + np.log(mask))),
        ("masked_weights", lambda scores, mask: plain(np.where(mask, scores, -1e300))),
        ("batch_mask", lambda lengths, n: np.array([
            [[j <= min(i, m - 1) for j in range(n)] for i in range(n)] for m in lengths])),
        ("looks_ahead", lambda layer, X: any(
            not np.allclose(layer(X[:t]), layer(X)[:t]) for t in range(1, len(X)))),
        ("looks_ahead", lambda layer, X: any(
            not np.array_equal(layer(other(X, t))[:t], layer(X)[:t]) for t in range(len(X)))),
    ],
    ids=["the last rows of a square", "a logarithm of the mask", "a fill below every score",
         "loops", "shorter and shorter", "one item after the other"],
)  # fmt: skip
def test_other_right_ways_pass(exercise, answer):
    assert check(f"masks.{exercise}", answer).passed


@pytest.mark.parametrize(
    "exercise, answer",
    [
        ("causal_mask", lambda n_q, n_k: np.tri(n_q, n_k, k=n_k - n_q) == 0),
        ("batch_mask", lambda lengths, n: ~(
            np.tri(n, dtype=bool) & words(lengths, n)[:, None])),
        ("looks_ahead", lambda layer, X: all(
            np.allclose(layer(X[:t]), layer(X)[:t]) for t in range(1, len(X)))),
    ],
)  # fmt: skip
def test_true_in_the_place_of_false_is_named(exercise, answer):
    assert "turned round" in check(f"masks.{exercise}", answer).message


def test_keys_appended_as_components_do_not_meet_the_queries():
    def longer(Q, K, V, K_old, V_old):
        return stepped(Q, np.concatenate([K_old, K], -1), np.concatenate([V_old, V], -1))

    reply = check("masks.cached_step", longer)
    assert reply.status == "error" and "Two shapes do not fit" in reply.message


def test_the_numbers_of_the_questions():
    asked = {name.partition(".")[2]: found for name, found in all_questions().items()
             if name.startswith("masks.")}  # fmt: skip
    scores, mask = np.array([2.0, -1.0, -3.0]), np.array([True, True, False])
    multiplied = softmax(scores * mask)[2]
    assert multiplied == pytest.approx(asked["multiplied"]["answer"], abs=5e-5)
    assert multiplied / softmax(scores)[2] == pytest.approx(18, abs=0.1)
    kept = softmax(np.where([True, True, False], np.log([0.2, 0.3, 0.5]), -np.inf))
    assert kept[1] == pytest.approx(asked["renormalised"]["answer"])
    assert (~masks.causal(4, 10)).sum() == asked["nothing"]["answer"]


@pytest.mark.parametrize(
    "exercise, answer, borrowed",
    [
        ("causal_mask", lambda n_q, n_k: causal(n_q, n_k), "causal comes"),
        ("batch_mask", lambda lengths, n: causal(n) & padding(lengths, n),
         "causal and padding come"),
    ],
)  # fmt: skip
def test_a_mask_of_attnlib_is_right_and_not_the_readers(exercise, answer, borrowed):
    reply = check(f"masks.{exercise}", answer)
    assert reply.status == "wrong" and f"right, but {borrowed} from attnlib" in reply.message
