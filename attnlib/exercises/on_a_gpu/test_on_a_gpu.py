"""Exercises of chapter 14: references against `attnlib.cost` and plain counts."""

import time

import numpy as np
import pytest

from attnlib.cost import Ceilings, attention_cost, roofline_terms, roofline_time
from attnlib.exercises import check, find
from attnlib.exercises.on_a_gpu.event_seconds import HANDING_OVER, device
from benchmarks.gpu import plan


def reference(name):
    return find(f"on_a_gpu.{name}").reference


@pytest.mark.parametrize("n, d, itemsize", [(3, 2, 4), (7, 5, 2), (1, 8, 8)])
def test_intensity_as_attnlib_counts_it(n, d, itemsize):
    for passes in (4, 6):
        cost = attention_cost(n, n, d, d, itemsize=itemsize, passes=passes)
        found = reference("intensity")(n, d, itemsize, passes)
        assert found == pytest.approx(cost.naive.flops / cost.naive.bytes)
    found = reference("intensity")(n, d, itemsize, 0)
    assert (
        found == pytest.approx(cost.fused.flops / cost.fused.bytes) == pytest.approx(n / itemsize)
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rates", [(1e2, 9.0, 7e3), (9.0, 1e4, 7e3), (1e6, 1e5, 3.0)])
def test_floors_as_the_benchmark_has_them(causal, rates):
    n, d, itemsize = 12, 4, 2
    names = ("flops_per_s", "bytes_per_s", "exponentials_per_s")
    ceilings = dict(zip(names, rates)) | {"flops_per_s": {"bfloat16": rates[0]}}
    call = {"n": n, "d": d, "n_heads": 1, "batch": 1, "causal": causal, "dtype": "bfloat16"}
    expected = [
        max(plan.floor_terms(call | {"name": name}, ceilings).values())
        for name in ("naive", "flash")
    ]
    np.testing.assert_allclose(reference("floors")(n, d, itemsize, causal, *rates), expected)


def test_achieved_is_one_at_the_peak():
    for causal in (False, True):
        cost = attention_cost(9, 9, 4, 4, n_heads=3, batch=2, causal=causal).fused
        found = reference("achieved")(9, 4, 3, 2, causal, np.array([5.0, 2.0, 9.0]), cost.flops / 5)
        assert found == pytest.approx(1)


def test_marks_hold_the_work_between_them_and_are_not_read_too_early():
    assert reference("event_seconds")(*device([9.0, 2.0, 3.0, 2.5]), 3) == pytest.approx(2.5)
    f, mark, wait = device([4.0, 1.0])
    start = mark()
    f()
    end = mark()
    with pytest.raises(RuntimeError, match="Wait for it first"):
        start.until(end)
    wait()
    # An idle queue: the mark is passed at once, and the work is handed over a little later.
    assert start.until(end) == -end.until(start) == pytest.approx(4 + HANDING_OVER)


def by_a_clock(f, mark, wait, repeats):
    f()
    wait()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        f()
        wait()
        taken.append(time.perf_counter() - start)
    return np.median(taken)


def waited_for_before_the_mark(f, mark, wait, repeats):
    f()
    spans = []
    for _ in range(repeats):
        start = mark()
        f()
        wait()
        spans.append(start.until(mark()))
    return np.median(spans)


def waited_for_after_the_warm_up(f, mark, wait, repeats):
    f()
    wait()
    marks = [(mark(), f(), mark()) for _ in range(repeats)]
    wait()
    return np.median([start.until(end) for start, _, end in marks])


@pytest.mark.parametrize(
    "answer, words",
    [
        (by_a_clock, "by_a_clock reads a clock of this machine."),
        (waited_for_before_the_mark, "Each call is waited for before the next is handed over."),
        (waited_for_after_the_warm_up, ""),
    ],
)
def test_what_is_said_of_clocks_and_of_waiting(answer, words):
    reply = check("on_a_gpu.event_seconds", answer)
    assert reply.passed == (not words) and words in str(reply)


@pytest.mark.parametrize(
    "d, itemsize, passes, ridge", [(64, 2, 4, 200), (64, 4, 6, 14), (8, 2, 4, 3)]
)
def test_fusing_gain_is_the_ratio_for_very_many_items(d, itemsize, passes, ridge):
    n, machine = 2**22, Ceilings(flops_per_s=ridge, bytes_per_s=1)
    cost = attention_cost(n, n, d, d, itemsize=itemsize, passes=passes)
    naive = sum(
        max(roofline_terms(step.flops, step.bytes, machine).values())
        for step in cost.naive.steps.values()
    )
    fused = roofline_time(cost.fused.flops, cost.fused.bytes, machine)
    found = reference("fusing_gain")(d, itemsize, passes, ridge)
    assert found == pytest.approx(naive / fused, rel=1e-3)
