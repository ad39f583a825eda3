"""Exercises of chapter 12: references by plain loops, mistakes as readers write them."""

import math
import time
from itertools import pairwise

import numpy as np
import pytest

from attnlib.cost import attention_cost, block_cost, fit_exponent
from attnlib.exercises import check, find
from attnlib.exercises.complexity.seconds import HANDING_OVER, device
from tests.helpers.exercise_replies import as_readers_write


def reference(name):
    return find(f"complexity.{name}").reference


def in_a_loop(n, d_model, n_heads):
    """The multiply-adds that are counted when every product is written out."""
    count, d = 0, d_model // n_heads
    for _ in range(n):  # a row
        for _ in range(4 * d_model):  # a column of one of four matrices
            for _ in range(d_model):
                count += 1
        for _ in range(n_heads):
            for _ in range(n):  # a key
                for _ in range(d):
                    count += 1
            for _ in range(d):  # a component of the output
                for _ in range(n):
                    count += 1
    return count


@pytest.mark.parametrize("n, d_model, n_heads", [(3, 2, 1), (5, 6, 2), (4, 12, 3), (1, 4, 4)])
def test_work_by_a_plain_loop_and_as_attnlib_counts_it(n, d_model, n_heads):
    found = reference("work")(n, d_model, n_heads)
    assert found == in_a_loop(n, d_model, n_heads)
    steps = block_cost(n, d_model, n_heads, 1).naive.steps
    parts = ("projections", "scores", "weigh", "output projection")
    assert found == sum(steps[part].multiply_adds for part in parts)


@pytest.mark.parametrize("n, d_k, d_v, n_heads, itemsize", [(3, 2, 2, 1, 4), (7, 5, 3, 4, 2)])
def test_moved_by_the_arrays_and_as_attnlib_counts_it(n, d_k, d_v, n_heads, itemsize):
    found = reference("moved")(n, d_k, d_v, n_heads, itemsize)
    queries, keys, values, scores = ((n, d_k), (n, d_k), (n, d_v), (n, n))
    read = [queries, keys, scores, scores, values]
    written = [scores, scores, (n, d_v)]
    assert found == itemsize * n_heads * sum(math.prod(shape) for shape in read + written)
    cost = attention_cost(n, n, d_k, d_v, n_heads=n_heads, itemsize=itemsize)
    assert found == cost.naive.bytes


def test_slopes_by_a_plain_loop_and_as_attnlib_has_them():
    sizes, times = np.array([4.0, 10.0, 30.0, 50.0]), np.array([0.2, 0.9, 2.5, 9.0])
    found = reference("slopes")(sizes, times, 0.02)
    kept = [(n, t) for n, t in zip(sizes, times) if t > 0.4]
    expected = [math.log(u / t) / math.log(m / n) for (n, t), (m, u) in pairwise(kept)]
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(found, fit_exponent(sizes[1:], times[1:]).local_slopes)
    powers = reference("slopes")(sizes, 3e-4 * sizes**1.7, 0.0)
    np.testing.assert_allclose(powers, 1.7)


def test_the_device_hands_over_works_and_waits():
    hand_over, wait, clock = device((5.0, 2.0))
    hand_over()
    assert clock() == HANDING_OVER
    hand_over()
    assert clock() == pytest.approx(2 * HANDING_OVER)
    wait()
    assert clock() == pytest.approx(HANDING_OVER + 5 + 2)
    wait()
    assert clock() == pytest.approx(HANDING_OVER + 5 + 2)


def test_seconds_is_the_median_of_what_the_calls_take():
    found = reference("seconds")(*device((50.0, 3.0, 1.0, 8.0)), 3)
    assert found == pytest.approx(3 + HANDING_OVER)


def test_every_answer_gets_a_device_of_its_own():
    for _ in range(2):
        assert check("complexity.seconds", reference("seconds")).passed
    (case, *_) = find("complexity.seconds").cases
    hand_over, wait, clock, repeats = case.args
    hand_over()
    wait()
    assert clock() > 0 and repeats == 3
    assert case.args[3] == 3 and [f() for f in [*case.args][2:3]] == [0]


def test_it_waits_in_truth_for_a_device_that_is_real():
    """The reference on the clock of this machine, with a call that does nothing at once."""
    done = []
    found = reference("seconds")(lambda: None, lambda: done.append(1), time.perf_counter, 3)
    assert 0 <= found < 60 and len(done) == 4


@pytest.mark.parametrize("seed", range(20))
def test_path_length_by_powers_of_a_matrix(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    hears = rng.random((n, n)) < 0.25
    power, expected = np.eye(n, dtype=int), -1
    for layers in range(1, 30):
        power = (power @ hears > 0).astype(int)
        if power[n - 1, 0]:
            expected = layers
            break
    assert reference("path_length")(hears) == expected


@pytest.mark.parametrize("n", [2, 7, 12])
def test_the_three_layers_of_the_chapter(n):
    length = reference("path_length")
    assert length(np.eye(n, k=-1) + np.eye(n) > 0) == n - 1
    assert length(np.ones((n, n), bool)) == 1
    for width in (2, 3, 5):
        window = np.tri(n, dtype=bool) & ~np.tri(n, k=-width, dtype=bool)
        assert length(window) == math.ceil((n - 1) / (width - 1))


def by_levels(hears):
    level, seen = {len(hears) - 1}, set()
    for layer in range(1, len(hears)):
        level = {j for i in level for j in np.flatnonzero(hears[i])} - seen
        if 0 in level:
            return layer
        seen |= level
    return -1


def greedily(hears):
    place, path = len(hears) - 1, []
    while place > 0:
        path.append(place)
        place = next(j for j in range(len(hears)) if hears[place, j] or j == len(hears) - 1)
        if place >= path[-1]:
            return -1
    return len(path)


def deep(hears, turn=1, place=None, seen=()):
    """The first way that is found, with a step back from a dead end."""
    place = len(hears) - 1 if place is None else place
    if place == 0:
        return 0
    for j in np.flatnonzero(hears[place])[::turn]:
        if j not in (*seen, place):
            rest = deep(hears, turn, j, (*seen, place))
            if rest >= 0:
                return 1 + rest
    return -1


def in_one_list(hears):
    known = [True] + [False] * (len(hears) - 1)
    for layer in range(1, len(hears)):
        for i, row in enumerate(hears):
            known[i] = known[i] or any(k for k, heard in zip(known, row) if heard)
        if known[-1]:
            return layer
    return -1


def relaxed_twice(hears):
    """Every item is looked at in two rounds, one link after the other."""
    n = len(hears)
    layers = [0] + [math.inf] * (n - 1)
    for _ in range(2):
        for i in range(n):
            for j in np.flatnonzero(hears[i]):
                layers[i] = min(layers[i], layers[j] + 1)
    return -1 if layers[-1] == math.inf else layers[-1]


def waits_first(f, wait, clock, repeats):
    f()
    found = []
    for _ in range(repeats):
        start = clock()
        wait()
        f()
        found.append(clock() - start)
    return found


def timed(f, wait, clock, repeats, before=1, between=True, after=True):
    """Calls one by one as a reader writes them, with lines left out."""
    for _ in range(before):
        f()
        if between:
            wait()
    found = []
    for _ in range(repeats):
        start = clock()
        f()
        if after:
            wait()
        found.append(clock() - start)
    return found


@pytest.mark.parametrize(
    "exercise, mistake, answer",
    [
        ("work", "no_projections", lambda n, d, h: h * (n * n * (d // h) * 2)),
        ("work", "flops", lambda n, d, h: 8 * n * d**2 + 4 * n**2 * d),
        ("work", "no_output_projection", lambda n, d, h: 3 * n * d**2 + 2 * h * n**2 * (d // h)),
        ("work", "projections_as_flops", lambda n, d, h: 4 * 2 * n * d**2 + n**2 * d + n**2 * d),
        ("work", "pairs_as_flops", lambda n, d, h: 4 * n * d**2 + 2 * n**2 * d + 2 * n**2 * d),
        ("work", "heads_of_full_width", lambda n, d, h: 4 * n * d**2 + h * (n**2 * d + n**2 * d)),
        ("work", "without_the_weighted_sums", lambda n, d, h: n * d * (4 * d + n)),
        ("moved", "numbers", lambda n, k, v, h, s: h * (4 * n**2 + 2 * n * k + 2 * n * v)),
        ("moved", "always_four_bytes", lambda n, k, v, h, s: 4 * h * (4 * n**2 + 2 * n * (k + v))),
        ("moved", "two_passes", lambda n, k, v, h, s: s * h * 2 * (n**2 + n * k + n * v)),
        ("moved", "no_output", lambda n, k, v, h, s: s * h * (4 * n**2 + n * (k + k + v))),
        ("moved", "one_array_of_pairs_for_all",
         lambda n, k, v, h, s: s * 4 * n**2 + s * h * 2 * n * (k + v)),
        ("slopes", "overhead_kept", lambda n, t, o: np.diff(np.log10(t)) / np.diff(np.log10(n))),
        ("slopes", "doublings", lambda n, t, o: (
            np.log2(t[t > 20 * o][1:]) - np.log2(t[t > 20 * o][:-1]))),
        ("slopes", "ratios", lambda n, t, o: t[t > 20 * o][1:] / t[t > 20 * o][:-1]),
        ("slopes", "overhead_subtracted", lambda n, t, o: (
            np.diff(np.log(t[t > 20 * o] - o)) / np.diff(np.log(n[t > 20 * o])))),
        ("slopes", "one_exponent", lambda n, t, o: np.polyfit(
            np.log2(n[t > 20 * o]), np.log2(t[t > 20 * o]), 1)[0]),
        ("slopes", "above_the_overhead", lambda n, t, o: (
            np.diff(np.log(t[t > o])) / np.diff(np.log(n[t > o])))),
        ("seconds", "no_warm_up", lambda *given: np.median(timed(*given, before=0))),
        ("slopes", "smaller_side_enough", lambda n, t, o: (
            np.diff(np.log(t)) / np.diff(np.log(n)))[t[:-1] > 20 * o]),
        ("slopes", "all_after_the_first_clear", lambda n, t, o: (
            np.diff(np.log(t)) / np.diff(np.log(n)))[np.argmax(t > 20 * o):]),
        ("seconds", "no_warm_up", lambda *given: np.median(waits_first(*given))),
        ("seconds", "not_waited_for", lambda *given: np.median(timed(*given, after=False))),
        ("seconds", "not_waited_for",
         lambda *given: np.median(timed(*given, between=False, after=False))),
        ("seconds", "warm_up_not_waited_for",
         lambda *given: np.median(timed(*given, between=False))),
        ("seconds", "two_untimed", lambda *given: np.median(timed(*given, before=2))),
        ("seconds", "mean", lambda *given: np.mean(timed(*given))),
        ("seconds", "mean", lambda *given: sum(timed(*given)) / given[-1]),
        ("seconds", "least", lambda *given: np.min(timed(*given))),
        ("seconds", "mean_without_warm_up", lambda *given: np.mean(timed(*given, before=0))),
        ("path_length", "other_way", lambda hears: by_levels(np.transpose(hears))),
        ("path_length", "items_on_the_way",
         lambda hears: by_levels(hears) + (by_levels(hears) > 0)),
        ("path_length", "never_is_n", lambda hears: (
            by_levels(hears) if by_levels(hears) > 0 else len(hears))),
        ("path_length", "greedy", lambda hears: greedily(hears)),
        ("path_length", "first_way", lambda hears: deep(hears)),
        ("path_length", "latest_first", lambda hears: deep(hears, -1)),
        ("path_length", "in_place", lambda hears: in_one_list(hears)),
        ("path_length", "two_layers_at_most", lambda hears: (
            by_levels(hears) if by_levels(hears) <= 5 else -1)),
        ("path_length", "two_layers_at_most", lambda hears: (
            by_levels(hears) if by_levels(hears) <= 7 else -1)),
        ("path_length", "always_one", lambda hears: int(hears[-1, 0]) or -1),
    ],
)  # fmt: skip
def test_mistakes_as_readers_write_them(exercise, mistake, answer):
    as_readers_write(f"complexity.{exercise}", mistake, answer)


def slopes_in_a_loop(sizes, times, overhead):
    kept = [(n, t) for n, t in zip(sizes, times) if t > 20 * overhead]
    found = []
    for (n, t), (m, u) in pairwise(kept):
        found.append(math.log10(u / t) / math.log10(m / n))
    return np.array(found)


def seconds_by_sorting(f, wait, clock, repeats):
    f()
    taken = []
    for _ in range(repeats):
        wait()
        before = clock()
        f()
        wait()
        taken = sorted([*taken, clock() - before])
    return (taken[repeats // 2] + taken[(repeats - 1) // 2]) / 2


@pytest.mark.parametrize(
    "exercise, answer",
    [
        ("work", lambda n, d, h: 2 * n * d * (2 * d + n)),
        (
            "work",
            lambda n, d, h: sum(n * d * (d // h) * 4 + 2 * n * n * (d // h) for _ in range(h)),
        ),
        ("moved", lambda n, k, v, h, s: 2 * h * n * (2 * n + k + v) * s),
        ("slopes", slopes_in_a_loop),
        ("seconds", seconds_by_sorting),
        ("path_length", by_levels),
    ],
)
def test_other_right_ways_pass(exercise, answer):
    assert check(f"complexity.{exercise}", answer).passed


@pytest.mark.parametrize(
    "exercise, answer",
    [
        ("path_length", relaxed_twice),
        *(
            ("slopes", lambda n, t, o, k=k: reference("slopes")(n, t, o * k / 20))
            for k in (17, 19, 21.5)
        ),
    ],
)
def test_what_is_nearly_right_does_not_pass(exercise, answer):
    assert check(f"complexity.{exercise}", answer).status == "wrong"


def test_a_count_of_attnlib_is_right_and_not_the_readers():
    def counted(n, d_k, d_v, n_heads, itemsize):
        return attention_cost(n, n, d_k, d_v, n_heads=n_heads, itemsize=itemsize).naive.bytes

    reply = check("complexity.moved", counted)
    assert reply.status == "wrong" and "right, but attention_cost comes" in reply.message


def test_a_loop_that_never_ends_is_stopped():
    def searches(hears):
        power, layers = hears.astype(int), 1
        while not power[-1, 0]:
            power, layers = (power @ hears > 0).astype(int), layers + 1
        return layers

    reply = check("complexity.path_length", searches, time_limit=0.5)
    assert not reply.passed and "Did not finish" in reply.text


def test_that_heads_do_not_count_is_no_mistake():
    reply = check("complexity.work", lambda n, d_model, n_heads: 5 * n * d_model**2)
    assert not reply.passed and "never uses" not in reply.message
