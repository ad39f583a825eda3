"""Chapter 14: references against attnlib.cost and the benchmark, and the device's marks."""

import time

import numpy as np
import pytest

from attnlib.cost import Ceilings, attention_cost, block_cost, roofline_terms, roofline_time
from attnlib.exercises import check, find
from benchmarks.gpu import plan


def reference(name):
    return find(f"on_a_gpu.{name}").reference


@pytest.mark.parametrize("passes", [4, 6])
def test_intensity_as_attnlib_counts_it(passes):
    cost = attention_cost(7, 7, 5, 5, itemsize=2, passes=passes)
    for way, moved in ((cost.naive, passes), (cost.fused, 0)):
        assert reference("intensity")(7, 5, 2, moved) == pytest.approx(way.flops / way.bytes)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rates", [(1e2, 9.0, 7e3), (9.0, 1e4, 7e3), (1e6, 1e5, 3.0)])
def test_floors_as_the_benchmark_has_them(causal, rates):
    ceilings = dict(zip(("flops_per_s", "bytes_per_s", "exponentials_per_s"), rates))
    ceilings["flops_per_s"] = {"bfloat16": rates[0]}
    call = {"n": 12, "d": 4, "n_heads": 1, "batch": 1, "causal": causal, "dtype": "bfloat16"}
    ways = [plan.floor_terms(call | {"name": name}, ceilings) for name in ("naive", "flash")]
    expected = [max(terms.values()) for terms in ways]
    np.testing.assert_allclose(reference("floors")(12, 4, 2, causal, *rates), expected)


@pytest.mark.parametrize("causal", [False, True])
def test_achieved_is_one_at_the_peak(causal):
    flops = attention_cost(9, 9, 4, 4, n_heads=3, batch=2, causal=causal).fused.flops
    times = np.array([5.0, 2.0, 9.0])
    assert reference("achieved")(9, 4, 3, 2, causal, times, flops / 5) == pytest.approx(1)


@pytest.mark.parametrize(
    "d, itemsize, passes, ridge", [(64, 2, 4, 200), (64, 4, 6, 14), (8, 2, 4, 3)]
)
def test_fusing_gain_is_a_ratio_of_times(d, itemsize, passes, ridge):
    n, machine = 2**22, Ceilings(flops_per_s=ridge, bytes_per_s=1)
    cost = attention_cost(n, n, d, d, itemsize=itemsize, passes=passes)
    steps = [(step.flops, step.bytes) for step in cost.naive.steps.values()]
    naive = sum(max(roofline_terms(*step, machine).values()) for step in steps)
    fused = roofline_time(cost.fused.flops, cost.fused.bytes, machine)
    gain = reference("fusing_gain")(d, itemsize, passes, ridge)
    assert gain == pytest.approx(naive / fused, rel=1e-3)


@pytest.mark.parametrize("rates", [(1e2, 9.0), (9.0, 1e4), (90.0, 60.0)])
def test_decode_step_as_attnlib_counts_it(rates):
    batch, n, d, machine = 5, 7, 4, Ceilings(*rates)
    steps = block_cost(1, d, 2, 4 * d, batch=batch).naive.steps
    products = [steps[name].flops for name in ("projections", "output projection", "feed-forward")]
    caches = attention_cost(1, n, d, d, batch=batch, itemsize=2).fused
    without_rows = caches.bytes - 2 * batch * 2 * d
    expected = [
        roofline_time(sum(products), 2 * 12 * d * d, machine),
        roofline_time(caches.flops, without_rows, machine),
    ]
    np.testing.assert_allclose(reference("decode_step")(batch, n, d, 2, *rates), expected)


def test_marks_are_not_read_before_waiting():
    f, mark, wait, _ = find("on_a_gpu.event_seconds").cases[0].args
    start, _, end = mark(), f(), mark()
    with pytest.raises(RuntimeError, match="Wait for it first"):
        start.until(end)
    wait()
    assert start.until(end) == -end.until(start) == pytest.approx(9.001)


def test_a_clock_of_the_processor_is_named():
    def by_a_clock(f, mark, wait, repeats):
        start = time.perf_counter()
        f()
        wait()
        return time.perf_counter() - start

    reply = check("on_a_gpu.event_seconds", by_a_clock)
    assert not reply.passed and "by_a_clock uses random numbers or a clock" in str(reply)
