"""Exercises of chapter 13: references by plain loops, mistakes as readers write them."""

import math

import numpy as np
import pytest

from attnlib import masks, softmax
from attnlib.cost import attention_cost
from attnlib.efficient import linear_attention, online_softmax, window_attention
from attnlib.exercises import all_questions, check, find
from attnlib.ring.counts import bytes_sent
from tests.helpers.exercise_replies import as_readers_write


def reference(name):
    return find(f"cheaper_attention.{name}").reference


@pytest.mark.parametrize("block", [1, 2, 3, 7, 9])
def test_online_row_is_softmax_of_the_keys_so_far(block):
    rng = np.random.default_rng(block)
    scores, values = rng.normal(0, 3, size=7), rng.normal(size=(7, 2))
    found = reference("online_row")(scores, values, block)
    ends = [min(start + block, 7) for start in range(0, 7, block)]
    for row, n in zip(found, ends, strict=True):
        total = sum(math.exp(s) for s in scores[:n])
        expected = sum(math.exp(s) / total * v for s, v in zip(scores[:n], values))
        np.testing.assert_allclose(row, expected)
    (by_attnlib,) = online_softmax([[1]], scores[:, None], values, block_k=block)
    np.testing.assert_allclose(found[-1], by_attnlib)


def test_online_row_passes_over_what_is_masked():
    scores, values = np.array([-np.inf, -np.inf, -np.inf, 0.5, -np.inf, 1]), np.eye(6)
    for block in (1, 2, 4, 6):
        found = reference("online_row")(scores, values, block)
        np.testing.assert_allclose(found[-1], softmax(scores))
        assert not found[: 3 // block].any()


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


def test_longest_text_just_fits():
    heads, groups, d, layers = 6, 3, 4, 2
    for dtype in (np.float16, np.float32, np.float64):
        size = np.dtype(dtype).itemsize
        for memory in (95, 4095, 4096, 4608, 10_000):
            n = reference("longest_text")(memory, heads, groups, d, layers, size)
            taken = [layers * np.zeros((2, groups, m, d), dtype).nbytes for m in (n, n + 1)]
            assert taken[0] <= memory < taken[1]


@pytest.mark.parametrize("n, r, d_v", [(1, 1, 1), (4, 2, 3), (6, 5, 1)])
def test_causal_linear_by_a_plain_loop_and_as_attnlib_has_it(n, r, d_v):
    rng = np.random.default_rng(n)
    phi_q, phi_k, V = rng.random((n, r)) + 0.1, rng.random((n, r)), rng.normal(size=(n, d_v))
    for decay in (0.7, 1):
        found = reference("causal_linear")(phi_q, phi_k, V, decay)
        for i in range(n):
            weights = [decay ** (i - j) * float(phi_q[i] @ phi_k[j]) for j in range(i + 1)]
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


def blocks(scores, values, block):
    return [(scores[i : i + block], values[i : i + block]) for i in range(0, len(scores), block)]


def summed(scores, values, block, *, m=-np.inf, l_by=np.exp, o_by=np.exp, old=False, early=False,
           updated=True, guarded=True, each=False, passed_over=False):  # fmt: skip
    """online_row as a reader writes it, with one thing or another done otherwise."""
    l, o, rows = 0, 0 * values[0], []
    for s, v in blocks(scores, values, block):
        new = max(m, max(s))
        if passed_over and np.isinf(new):
            continue
        if new > -np.inf or not guarded:
            m = new if early else m
            p = np.exp(s - (m if old else new))
            l, o = l_by(m - new) * l + sum(p), o_by(m - new) * o + p @ v
            m = new if updated else m
        rows.append(o / l if np.any(l) else o)
        o = rows[-1] if each else o
    return np.array(rows)


def never(x):
    return 1


def upside_down(x):
    return np.exp(-x) if x > -np.inf else 1


def so_far(scores, values, block):
    ends = [min(i + block, len(scores)) for i in range(0, len(scores), block)]
    return [(scores[:n], values[:n]) for n in ends]


def near(n, width):
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))) < width


def ruled(mask, rows=0, columns=0):
    mask = mask.copy()
    mask[:rows], mask[:, :columns] = True, True
    return mask


def past(phi_q, phi_k, decay):
    """The weights before they are divided."""
    age = np.subtract.outer(np.arange(len(phi_q)), np.arange(len(phi_k)))
    return np.tril(phi_q @ phi_k.T) * decay ** np.maximum(age, 0)


def faded(phi_q, phi_k, V, decay, *, above=True, below=True):
    """causal_linear as a reader writes it, with a sum that does not fade."""
    S, z, rows = 0, 0, []
    for q, k, v in zip(phi_q, phi_k, V):
        S = (decay if above else 1) * S + np.outer(k, v)
        z = (decay if below else 1) * z + k
        rows.append(q @ S / (q @ z))
    return np.array(rows)


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
        ("online_row", "sum_not_corrected", lambda s, v, b: summed(s, v, b, l_by=never)),
        ("online_row", "output_not_corrected", lambda s, v, b: summed(s, v, b, o_by=never)),
        ("online_row", "never_corrected", lambda s, v, b: summed(s, v, b, l_by=never, o_by=never)),
        ("online_row", "never_corrected", lambda s, v, b: summed(s, v, b, early=True)),
        ("online_row", "correction_upside_down", lambda s, v, b: summed(
            s, v, b, l_by=upside_down, o_by=upside_down)),
        ("online_row", "nan_from_the_first_key", lambda s, v, b: summed(
            s, v, b, l_by=lambda x: np.exp(-x), o_by=lambda x: np.exp(-x))),
        ("online_row", "nan_from_the_first_key", lambda s, v, b: summed(s, v, b, old=True)),
        ("online_row", "nan_in_a_lost_block", lambda s, v, b: summed(s, v, b, guarded=False)),
        ("online_row", "no_row_for_a_lost_block", lambda s, v, b: summed(
            s, v, b, passed_over=True)),
        ("online_row", "each_block_alone", lambda s, v, b: summed(s, v, b, updated=False)),
        ("online_row", "start_at_0_guarded", lambda s, v, b: summed(s, v, b, m=0)),
        ("online_row", "divided_at_each_block", lambda s, v, b: summed(s, v, b, each=True)),
        ("online_row", "last_row_alone", lambda s, v, b: softmax(s) @ v),
        ("online_row", "last_block_left_out", lambda s, v, b: summed(
            s[: max(len(s) // b, 1) * b], v[: max(len(s) // b, 1) * b], b)),
        ("online_row", "not_divided", lambda s, v, b: np.array([
            np.exp(t - t.max()) @ w if t.max() > -np.inf else 0 * w[0]
            for t, w in so_far(s, v, b)])),
        ("online_row", "no_maximum", lambda s, v, b: np.array([
            np.exp(t) @ w / np.exp(t).sum() for t, w in so_far(s, v, b)])),
        ("online_row", "first_block_only", lambda s, v, b: summed(s[:b], v[:b], b)),
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
        ("longest_text", "all_heads", lambda m, h, g, d, layers, s: m // (2 * h * d * layers * s)),
        ("longest_text", "heads_in_a_group", lambda m, h, g, d, layers, s: (
            m // (2 * (h // g) * d * layers * s))),
        ("longest_text", "heads_and_groups", lambda m, h, g, d, layers, s: (
            m // (2 * h * g * d * layers * s))),
        ("longest_text", "keys_alone", lambda m, h, g, d, layers, s: m // (g * d * layers * s)),
        ("longest_text", "one_layer", lambda m, h, g, d, layers, s: m // (2 * g * d * s)),
        ("longest_text", "numbers", lambda m, h, g, d, layers, s: m // (2 * g * d * layers)),
        ("longest_text", "always_four_bytes", lambda m, h, g, d, layers, s: (
            m // (8 * g * d * layers))),
        ("longest_text", "bits", lambda m, h, g, d, layers, s: m // (16 * g * d * layers * s)),
        ("longest_text", "not_whole", lambda m, h, g, d, layers, s: m / (2 * g * d * layers * s)),
        ("longest_text", "rounded_up", lambda m, h, g, d, layers, s: (
            math.ceil(m / (2 * g * d * layers * s)))),
        ("longest_text", "one_too_few", lambda m, h, g, d, layers, s: next(
            n for n in range(m) if (n + 2) * 2 * g * d * layers * s > m)
            if m >= 2 * g * d * layers * s else -1),
        ("causal_linear", "no_decay", lambda q, k, V, a: shares(past(q, k, 1)) @ V),
        ("causal_linear", "above_alone_fades", lambda q, k, V, a: faded(q, k, V, a, below=False)),
        ("causal_linear", "below_alone_fades", lambda q, k, V, a: faded(q, k, V, a, above=False)),
        ("causal_linear", "own_excluded", lambda q, k, V, a: (
            shares(np.tril(past(q, k, a), -1)) @ V)),
        ("causal_linear", "not_divided", lambda q, k, V, a: past(q, k, a) @ V),
        ("causal_linear", "mean_so_far", lambda q, k, V, a: (
            shares(past(np.ones_like(q), np.ones_like(k), a)) @ V)),
        ("causal_linear", "divided_by_the_count", lambda q, k, V, a: (
            past(q, k, a) @ V / np.arange(1, len(q) + 1)[:, None])),
        ("causal_linear", "backwards", lambda q, k, V, a: (
            shares(past(q[::-1], k[::-1], a)) @ V[::-1])[::-1]),
        ("causal_linear", "queries_summed", lambda q, k, V, a: shares(past(q, q, a)) @ V),
        ("causal_linear", "last_query_for_all", lambda q, k, V, a: (
            shares(past(np.tile(q[-1], (len(q), 1)), k, a)) @ V)),
        ("busiest", "no_mask", lambda owner, world: max(np.bincount(owner)) * len(owner)),
        ("busiest", "own_key_left_out", lambda owner, world: max(
            pairs_of(owner, world, lambda i, n: i))),
        ("busiest", "later_keys", lambda owner, world: max(
            pairs_of(owner, world, lambda i, n: n - i))),
        ("busiest", "own_block_only", lambda owner, world: max(
            c * (c + 1) // 2 for c in np.bincount(owner))),
        ("busiest", "pairs_of_most_rows", lambda owner, world: pairs_of(
            owner, world, lambda i, n: i + 1)[np.argmax(np.bincount(owner))]),
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
        ("online_row", lambda s, v, b: np.array([
            np.exp(t - t.max()) @ v[: len(t)] / np.exp(t - t.max()).sum() if max(t) > -np.inf
            else 0 * v[0] for t in (s[: i + b] for i in range(0, len(s), b))])),
        ("window_mask", lambda n, w, g: np.array([
            [abs(i - j) < w or i < g or j < g for j in range(n)] for i in range(n)])),
        ("window_mask", lambda n, w, g: np.fromfunction(
            lambda i, j: (abs(i - j) < w) | (np.minimum(i, j) < g), (n, n))),
        ("longest_text", lambda m, h, g, d, layers, s: m // s // layers // d // g // 2),
        ("longest_text", lambda m, h, g, d, layers, s: math.floor(m / (2 * g * d * layers * s))),
        ("causal_linear", faded),
        ("busiest", lambda owner, world: np.bincount(
            owner, weights=np.arange(1, len(owner) + 1)).max()),
    ],
)  # fmt: skip
def test_right_answers_in_other_words_pass(exercise, answer):
    reply = check(f"cheaper_attention.{exercise}", answer)
    assert reply.passed, reply.message


def test_the_numbers_of_the_questions():
    asked = {name.partition(".")[2]: found for name, found in all_questions().items()
             if name.startswith("cheaper_attention.")}  # fmt: skip
    scores = np.log([4.0, 2, 16])
    assert np.exp(scores - scores.max()).sum() == pytest.approx(asked["rescaled"]["answer"])
    assert bytes_sent(10_000, 1, 100, 5) / 1e6 == asked["ring_bytes"]["answer"]
    assert reference("window_mask")(1000, 128, 0)[0].sum() - 1 == 127
    assert math.ceil(999 / 127) == asked["layers"]["answer"]
    softmax_way = attention_cost(200, 200, 64, 64).naive.multiply_adds
    assert 2 * 200 * 2048 * 65 / softmax_way == pytest.approx(10.4, abs=0.01)
