"""Exercises of chapter 13: references by plain loops, mistakes as readers write them."""

import math

import numpy as np
import pytest
from exercise_replies import as_readers_write

from attnlib import masks, softmax
from attnlib.efficient import linear_attention, online_softmax, window_attention
from attnlib.exercises import check, find


def reference(name):
    return find(f"cheaper_attention.{name}").reference


@pytest.mark.parametrize("block", [1, 2, 3, 7, 9])
def test_online_row_is_softmax_and_what_attnlib_returns(block):
    rng = np.random.default_rng(block)
    scores, values = rng.normal(0, 3, size=7), rng.normal(size=(7, 2))
    found = reference("online_row")(scores, values, block)
    total = sum(math.exp(s) for s in scores)
    expected = [sum(math.exp(s) * v[c] for s, v in zip(scores, values)) / total for c in (0, 1)]
    np.testing.assert_allclose(found, expected)
    (by_attnlib,) = online_softmax([[1]], scores[:, None], values, block_k=block)
    np.testing.assert_allclose(found, by_attnlib)


def test_online_row_passes_over_what_is_masked():
    scores, values = np.array([-np.inf, -np.inf, -np.inf, 0.5, -np.inf, 1]), np.eye(6)
    for block in (1, 2, 4, 6):
        found = reference("online_row")(scores, values, block)
        np.testing.assert_allclose(found, softmax(scores))


@pytest.mark.parametrize("n, width, n_global", [(1, 1, 0), (5, 2, 1), (6, 9, 0), (7, 1, 3)])
def test_window_mask_by_a_plain_loop_and_as_attnlib_attends(n, width, n_global):
    found = reference("window_mask")(n, width, n_global)
    for i, j in np.ndindex(n, n):
        assert found[i, j] == (abs(i - j) < width or min(i, j) < n_global)
    if not n_global:
        np.testing.assert_array_equal(found, masks.sliding_window(n, n, width))
    X = np.zeros((n, 1))
    means = window_attention(X, X, np.eye(n), width=width, n_global=n_global)
    np.testing.assert_allclose(means, found / found.sum(axis=1, keepdims=True))


def test_cache_bytes_is_what_the_arrays_take():
    n, heads, groups, d, layers = 5, 6, 3, 4, 2
    for dtype in (np.float16, np.float32, np.float64):
        kept = [np.zeros((2, groups, n, d), dtype) for _ in range(layers)]
        expected = sum(array.nbytes for array in kept)
        size = np.dtype(dtype).itemsize
        assert reference("cache_bytes")(n, heads, groups, d, layers, size) == expected


@pytest.mark.parametrize("n, r, d_v", [(1, 1, 1), (4, 2, 3), (6, 5, 1)])
def test_causal_linear_by_a_plain_loop_and_as_attnlib_has_it(n, r, d_v):
    rng = np.random.default_rng(n)
    phi_q, phi_k, V = rng.random((n, r)) + 0.1, rng.random((n, r)), rng.normal(size=(n, d_v))
    found = reference("causal_linear")(phi_q, phi_k, V)
    for i in range(n):
        weights = [float(phi_q[i] @ phi_k[j]) for j in range(i + 1)]
        expected = sum(w * V[j] for j, w in enumerate(weights)) / sum(weights)
        np.testing.assert_allclose(found[i], expected)
    by_attnlib = linear_attention(phi_q, phi_k, V, features=lambda X: X, causal=True)
    np.testing.assert_allclose(found, by_attnlib)


def test_busiest_by_a_plain_loop():
    rng = np.random.default_rng(3)
    for world in (1, 2, 4):
        owner = rng.integers(0, world, size=11)
        pairs = [0] * world
        for i in range(11):
            for j in range(11):
                pairs[owner[i]] += j <= i
        assert reference("busiest")(owner, world) == max(pairs)


def test_busiest_of_a_ring_contiguous_and_striped():
    n, world = 12, 4
    contiguous = np.repeat(np.arange(world), n // world)
    assert reference("busiest")(contiguous, world) == 10 + 11 + 12
    assert reference("busiest")(np.arange(n) % world, world) == 4 + 8 + 12


def plain(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()


def blocks(scores, values, block):
    return [(scores[i : i + block], values[i : i + block]) for i in range(0, len(scores), block)]


def summed(scores, values, block, *, m=-np.inf, l_by=1, o_by=1, each=False, guarded=True):
    """online_row as a reader writes it, with one thing or another left out."""
    total, output = 0, 0 * values[0]
    for s, v in blocks(scores, values, block):
        new = max(m, max(s))
        if guarded and np.isinf(new):
            continue
        c, p = np.exp(m - new), np.exp(s - new)
        total = total * c**l_by + sum(p) if l_by else total + sum(p)
        output = (output * c**o_by if o_by else output) + sum(a * b for a, b in zip(p, v))
        output, m = output / total if each else output, new
    return output if each else output / total


def parts(scores, values, block):
    kept = [(s, v) for s, v in blocks(scores, values, block) if np.isfinite(s).any()]
    return [(plain(s) @ v, np.exp(s - s.max()).sum()) for s, v in kept]


def near(n, width):
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))) < width


def ruled(mask, rows=0, columns=0):
    mask = mask.copy()
    mask[:rows], mask[:, :columns] = True, True
    return mask


def past(phi_q, phi_k):
    return np.tril(phi_q @ phi_k.T)


def shares(weights):
    return weights / weights.sum(axis=1, keepdims=True)


def pairs_of(owner, world, count):
    totals = [0] * world
    for i, rank in enumerate(owner):
        totals[rank] += count(i, len(owner))
    return totals


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("online_row", "sum_not_corrected", lambda s, v, b: summed(s, v, b, l_by=0)),
        ("online_row", "output_not_corrected", lambda s, v, b: summed(s, v, b, o_by=0)),
        ("online_row", "never_corrected", lambda s, v, b: summed(s, v, b, l_by=0, o_by=0)),
        ("online_row", "correction_upside_down", lambda s, v, b: summed(s, v, b, l_by=-1, o_by=-1)),
        ("online_row", "nan_in_a_lost_block", lambda s, v, b: summed(s, v, b, guarded=False)),
        ("online_row", "start_at_0", lambda s, v, b: summed(s, v, b, m=0)),
        ("online_row", "divided_at_each_block", lambda s, v, b: summed(s, v, b, each=True)),
        ("online_row", "mean_of_answers", lambda s, v, b: (
            sum(y for y, _ in parts(s, v, b)) / len(parts(s, v, b)))),
        ("online_row", "sum_of_answers", lambda s, v, b: sum(y for y, _ in parts(s, v, b))),
        ("online_row", "weighted_by_their_sums", lambda s, v, b: (
            sum(y * z for y, z in parts(s, v, b)) / sum(z for _, z in parts(s, v, b)))),
        ("online_row", "last_block_left_out", lambda s, v, b: plain(
            s[: max(len(s) // b, 1) * b]) @ v[: max(len(s) // b, 1) * b]),
        ("online_row", "not_divided", lambda s, v, b: np.exp(s - s.max()) @ v),
        ("online_row", "no_maximum", lambda s, v, b: np.exp(s) @ v / np.exp(s).sum()),
        ("online_row", "first_block_only", lambda s, v, b: plain(s[:b]) @ v[:b]),
        ("online_row", "last_key_left_out", lambda s, v, b: (
            summed(s[:-1], v[:-1], b) if (len(s) - 1) % b == 0 else summed(s, v, b))),
        ("window_mask", "one_too_many", lambda n, w, g: ruled(near(n, w + 1), g, g)),
        ("window_mask", "one_too_few", lambda n, w, g: ruled(near(n, w - 1), g, g)),
        ("window_mask", "backwards_only", lambda n, w, g: ruled(np.tril(near(n, w)), g, g)),
        ("window_mask", "causal", lambda n, w, g: np.tril(ruled(near(n, w), g, g))),
        ("window_mask", "no_rows", lambda n, w, g: ruled(near(n, w), 0, g)),
        ("window_mask", "no_columns", lambda n, w, g: ruled(near(n, w), g, 0)),
        ("window_mask", "no_globals", lambda n, w, g: masks.sliding_window(n, n, w)),
        ("window_mask", "total", lambda n, w, g: ruled(near(n, w // 2 + 1), g, g)),
        ("window_mask", "inverted", lambda n, w, g: 1 - ruled(near(n, w), g, g)),
        ("window_mask", "one_global_too_many", lambda n, w, g: ruled(near(n, w), g + 1, g + 1)),
        ("window_mask", "last_are_global", lambda n, w, g: ruled(near(n, w), g, g)[::-1, ::-1]),
        ("window_mask", "added", lambda n, w, g: near(n, w) * 1 + sum(
            np.meshgrid(np.arange(n) < g, np.arange(n) < g))),
        ("cache_bytes", "all_heads", lambda n, h, g, d, layers, s: 2 * n * h * d * layers * s),
        ("cache_bytes", "heads_in_a_group", lambda n, h, g, d, layers, s: (
            2 * n * (h // g) * d * layers * s)),
        ("cache_bytes", "heads_and_groups", lambda n, h, g, d, layers, s: (
            2 * n * h * g * d * layers * s)),
        ("cache_bytes", "keys_alone", lambda n, h, g, d, layers, s: n * g * d * layers * s),
        ("cache_bytes", "one_layer", lambda n, h, g, d, layers, s: 2 * n * g * d * s),
        ("cache_bytes", "numbers", lambda n, h, g, d, layers, s: 2 * n * g * d * layers),
        ("cache_bytes", "always_four_bytes", lambda n, h, g, d, layers, s: 8 * n * g * d * layers),
        ("cache_bytes", "bits", lambda n, h, g, d, layers, s: 16 * n * g * d * layers * s),
        ("cache_bytes", "pairs", lambda n, h, g, d, layers, s: 2 * n * n * g * d * layers * s),
        ("causal_linear", "future_included", lambda q, k, V: shares(q @ k.T) @ V),
        ("causal_linear", "own_excluded", lambda q, k, V: shares(np.tril(q @ k.T, -1)) @ V),
        ("causal_linear", "not_divided", lambda q, k, V: past(q, k) @ V),
        ("causal_linear", "not_divided", lambda q, k, V: np.einsum(
            "ir,irv->iv", q, np.cumsum(k[:, :, None] * V[:, None], axis=0))),
        ("causal_linear", "future_below", lambda q, k, V: (
            past(q, k) @ V / (q @ k.sum(axis=0))[:, None])),
        ("causal_linear", "future_above", lambda q, k, V: (
            q @ (k.T @ V) / past(q, k).sum(axis=1)[:, None])),
        ("causal_linear", "exponentials", lambda q, k, V: softmax(
            np.where(np.tri(len(q)), q @ k.T, -np.inf)) @ V),
        ("causal_linear", "mean_so_far", lambda q, k, V: shares(np.tri(len(q))) @ V),
        ("causal_linear", "divided_by_the_count", lambda q, k, V: (
            past(q, k) @ V / np.arange(1, len(q) + 1)[:, None])),
        ("causal_linear", "backwards", lambda q, k, V: shares(np.triu(q @ k.T)) @ V),
        ("causal_linear", "queries_summed", lambda q, k, V: shares(past(q, q)) @ V),
        ("causal_linear", "last_query_for_all", lambda q, k, V: (
            np.cumsum((k @ q[-1])[:, None] * V, axis=0) / np.cumsum(k @ q[-1])[:, None])),
        ("busiest", "no_mask", lambda owner, world: max(np.bincount(owner)) * len(owner)),
        ("busiest", "own_key_left_out", lambda owner, world: max(
            pairs_of(owner, world, lambda i, n: i))),
        ("busiest", "later_keys", lambda owner, world: max(
            pairs_of(owner, world, lambda i, n: n - i))),
        ("busiest", "own_block_only", lambda owner, world: max(
            c * (c + 1) // 2 for c in np.bincount(owner))),
        ("busiest", "mean", lambda owner, world: len(owner) * (len(owner) + 1) / 2 / world),
        ("busiest", "all_pairs", lambda owner, world: len(owner) * (len(owner) + 1) // 2),
        ("busiest", "all_processes", lambda owner, world: np.bincount(
            owner, weights=np.arange(1, len(owner) + 1), minlength=world)),
        ("busiest", "which_process", lambda owner, world: np.argmax(
            pairs_of(owner, world, lambda i, n: i + 1))),
        ("busiest", "most_rows", lambda owner, world: max(
            sum(owner == r) for r in range(world))),
        ("busiest", "last_process", lambda owner, world: sum(
            i + 1 for i, r in enumerate(owner) if r == world - 1)),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"cheaper_attention.{exercise}", mistake, answer)


@pytest.mark.parametrize(
    "exercise, answer",
    [
        ("online_row", lambda s, v, b: np.exp(s - s.max()) @ v / np.exp(s - s.max()).sum()),
        ("window_mask", lambda n, w, g: np.array([
            [abs(i - j) < w or i < g or j < g for j in range(n)] for i in range(n)])),
        ("window_mask", lambda n, w, g: np.fromfunction(
            lambda i, j: (abs(i - j) < w) | (np.minimum(i, j) < g), (n, n))),
        ("cache_bytes", lambda n, h, g, d, layers, s: s * layers * d * g * n * 2),
        ("causal_linear", lambda q, k, V: (
            np.tril(q @ k.T) @ V / np.tril(q @ k.T).sum(axis=1, keepdims=True))),
        ("causal_linear", lambda q, k, V: (
            np.einsum("ir,irv->iv", q, np.cumsum(np.einsum("ir,iv->irv", k, V), axis=0))
            / (q * np.cumsum(k, axis=0)).sum(axis=1)[:, None])),
        ("busiest", lambda owner, world: np.bincount(
            owner, weights=np.arange(1, len(owner) + 1)).max()),
    ],
)  # fmt: skip
def test_right_answers_in_other_words_pass(exercise, answer):
    reply = check(f"cheaper_attention.{exercise}", answer)
    assert reply.passed, reply.message
