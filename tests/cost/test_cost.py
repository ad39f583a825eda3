"""Costs and rooflines: worked numbers, the formulas, and what must always hold."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib.cost import (
    AttentionCost,
    BlockCost,
    Ceilings,
    Cost,
    Step,
    attention_cost,
    block_cost,
    roofline_terms,
    roofline_time,
)

reproducible = settings(max_examples=30, deadline=None, derandomize=True)
size = st.integers(1, 40)
COUNTS = ["multiply_adds", "other", "exponentials", "bytes"]


def test_worked_attention():
    """Two queries, three keys, vectors of four and five, four bytes a number."""
    cost = attention_cost(2, 3, 4, 5)
    assert cost.pairs == cost.allowed_pairs == 6
    assert cost.naive.steps == {
        "scores": Step(24, 0, 0, 4 * (2 * 4 + 3 * 4 + 6)),
        "normalise": Step(0, 30, 6, 4 * (6 + 6)),
        "weigh": Step(30, 0, 0, 4 * (6 + 3 * 5 + 2 * 5)),
    }
    assert cost.fused.steps == {
        "scores": Step(24, 0, 0, 4 * (2 * 4 + 3 * 4)),
        "normalise": Step(0, 30, 6, 0),
        "weigh": Step(30, 0, 0, 4 * (3 * 5 + 2 * 5)),
    }
    assert (cost.naive.multiply_adds, cost.naive.flops, cost.naive.other) == (54, 108, 30)
    assert (cost.naive.bytes, cost.fused.bytes) == (276, 180)
    assert list(cost.naive.steps) == list(cost.fused.steps) == ["scores", "normalise", "weigh"]
    assert isinstance(cost, AttentionCost)


options = {"n_heads": size, "batch": size, "itemsize": st.sampled_from([1, 2, 4, 8])}


@reproducible
@given(st.tuples(*[size] * 4), st.fixed_dictionaries(options), st.integers(4, 12), st.booleans())
def test_attention_follows_its_formulas(sizes, options, c, masked):
    n_q, n_k, d_k, d_v = sizes
    n_k = max(n_q, n_k) if masked else n_k
    cost = attention_cost(n_q, n_k, d_k, d_v, causal=masked, passes=c, **options)
    groups, s = options["batch"] * options["n_heads"], options["itemsize"]
    ends = (n_q + n_k) * (d_k + d_v)
    assert cost.pairs == groups * n_q * n_k
    assert cost.naive.multiply_adds == cost.pairs * (d_k + d_v)
    assert cost.naive.bytes == s * groups * (c * n_q * n_k + ends)
    assert cost.fused.bytes == s * groups * ends
    left = groups * (n_q * n_k - n_q * (n_q - 1) // 2) if masked else cost.pairs
    assert cost.allowed_pairs == cost.fused.exponentials == left
    assert cost.fused.flops == 2 * left * (d_k + d_v)
    for way, pairs in ((cost.naive, cost.pairs), (cost.fused, left)):
        assert (way.exponentials, way.other) == (pairs, 5 * pairs)


def test_worked_block():
    """Two sequences of 5 items of 4 numbers, 2 heads, a hidden layer of 7."""
    cost = block_cost(5, 4, 2, 7, batch=2)
    rows, matrix = 10, 4 * 4
    attention = attention_cost(5, 5, 2, 2, n_heads=2, batch=2)
    steps = {
        "projections": Step(3 * 10 * 16, 0, 0, 4 * 3 * (rows * 4 + matrix + rows * 4)),
        **attention.naive.steps,
        "output projection": Step(10 * 16, 0, 0, 4 * (rows * 4 + matrix + rows * 4)),
        "feed-forward": Step(
            2 * 10 * 4 * 7, 70, 0, 4 * ((40 + 28 + 70) + (70 + 70) + (70 + 28 + 40))
        ),
        "norms and residuals": Step(0, 2 * 8 * 40, 0, 4 * 2 * (40 + 40 + 40 + 40 + 40)),
    }
    assert cost.naive.steps == steps
    assert cost.fused.steps == steps | attention.fused.steps
    assert list(cost.naive.steps) == list(cost.fused.steps) == list(steps)
    assert isinstance(cost, BlockCost)


@reproducible
@given(n=size, d_head=size, n_heads=st.integers(1, 5), h=size, batch=size, masked=st.booleans())
def test_blocks_follow_their_formula(n, d_head, n_heads, h, batch, masked):
    m = d_head * n_heads
    cost = block_cost(n, m, n_heads, h, batch=batch, causal=masked)
    expected = 3 * n * m**2 + 2 * n**2 * m + n * m**2 + 2 * n * m * h
    assert cost.naive.multiply_adds == batch * expected
    attention = attention_cost(n, n, d_head, d_head, n_heads=n_heads, batch=batch, causal=masked)
    for name, step in attention.fused.steps.items():
        assert cost.fused.steps[name] == step
    assert (cost.fused.flops < cost.naive.flops) == (masked and n > 1)


@pytest.mark.parametrize("m", [4, 6, 64])
def test_attention_overtakes_projections_at_2m_everything_at_6m(m):
    def shares(n):
        cost = block_cost(n, m, 2, 4 * m).naive
        attention = cost.steps["scores"].flops + cost.steps["weigh"].flops
        projections = cost.steps["projections"].flops + cost.steps["output projection"].flops
        return attention, projections, cost.flops - attention

    attention, projections, _ = shares(2 * m)
    assert attention == projections
    attention, _, rest = shares(6 * m)
    assert attention == rest
    for n, far in ((2 * m, 1), (6 * m, 2)):
        assert shares(n - 1)[0] < shares(n - 1)[far] and shares(n + 1)[0] > shares(n + 1)[far]


def test_only_normalising_needs_more_passes():
    low, high = (block_cost(5, 4, 2, 7, passes=c) for c in (4, 6))
    assert low.fused == high.fused
    difference = {k: high.naive.steps[k].bytes - step.bytes for k, step in low.naive.steps.items()}
    assert difference.pop("normalise") == 2 * 4 * 2 * 25 and set(difference.values()) == {0}


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.uint8, np.int64])
def test_numpy_integers_count_without_overflow(kind):
    for function, sizes, names in (
        (attention_cost, (100, 120, 7, 11), ("n_heads", "batch", "itemsize", "passes")),
        (block_cost, (100, 60, 3, 110), ("batch", "itemsize", "passes")),
    ):
        options = dict.fromkeys(names, 4)
        plain = function(*sizes, causal=True, **options)
        small = {name: kind(4) for name in names}
        cost = function(*map(kind, sizes), causal=np.bool_(True), **small)
        assert cost == plain
        for way in (cost.naive, cost.fused):
            counts = [getattr(s, name) for s in (way, *way.steps.values()) for name in COUNTS]
            assert {type(count) for count in counts} == {int}


ATTENTION = {"n_q": 3, "n_k": 5, "d_k": 7, "d_v": 11, "n_heads": 2, "batch": 13}
ATTENTION |= {"causal": True, "itemsize": 4, "passes": 4}
BLOCK = {"n": 5, "d_model": 4, "n_heads": 2, "d_ff": 7, "batch": 13}
BLOCK |= {"causal": True, "itemsize": 4, "passes": 4}


def test_more_causal_queries_than_keys_are_refused():
    with pytest.raises(
        ValueError, match=r"n_q=5 is larger than n_k=3: .* first 2 .*nothing.* keys"
    ):
        attention_cost(5, 3, 2, 2, causal=True)


def test_heads_must_divide_the_items():
    with pytest.raises(ValueError, match=r"d_model=8: 8 components .* n_heads=3\. Choose"):
        block_cost(5, 8, 3, 7)


def test_a_cost_is_the_sum_of_its_steps():
    steps = {"first": Step(2, 3, 5, 7), "second": Step(11, 13, 17, 19), "third": Step()}
    cost = Cost(steps)
    assert [getattr(cost, name) for name in COUNTS] == [13, 16, 22, 26]
    assert (cost.flops, cost.intensity) == (26, 1.0)
    assert isinstance(cost, Step) and list(cost.steps) == list(steps)
    assert cost == Cost(dict(steps)) and cost != Cost({"first": steps["first"]})
    assert cost != Step(13, 16, 22, 26) and cost != 13 and Step(13, 16, 22, 26) != cost
    assert all(str(step) in repr(cost) for step in steps.values()) and repr(cost)[:5] == "Cost("
    steps["first"] = Step()
    assert cost.steps["first"] == Step(2, 3, 5, 7)
    for thing in (cost, cost.steps["second"]):
        with pytest.raises(dataclasses.FrozenInstanceError):
            thing.bytes = 0
    with pytest.raises(TypeError, match="unhashable"):
        hash(cost)
    empty = Cost({})
    assert [getattr(empty, name) for name in COUNTS] == [0] * 4


def test_a_step_that_moves_nothing_has_infinite_intensity():
    steps = attention_cost(3, 5, 7, 11).fused.steps
    assert steps["normalise"].bytes == 0
    assert steps["normalise"].intensity == Step(multiply_adds=6).intensity == math.inf


#: Measured on an H200: a large matrix product and a large copy.
H200 = Ceilings(flops_per_s=788e12, bytes_per_s=4.3e12)
FUSED = [(512, "0.087"), (2048, "0.349"), (8192, "1.40"), (32768, "11.2")]
NAIVE = {64: ["0.56", "2.06", "8.05", "64"], 128: ["0.31", "1.06", "4.06", "32"]}


def on_h200(n, d):
    """Half precision, 16384 items in all (one sequence at least), heads of 2048 numbers in all."""
    return attention_cost(n, n, d, d, n_heads=2048 // d, batch=max(1, 16384 // n), itemsize=2)


def milliseconds(cost, like):
    """The least time, with as many decimals as `like`."""
    result = 1000 * roofline_time(cost.flops, cost.bytes, H200)
    return f"{result:.{len(like.partition('.')[2])}f}"


@pytest.mark.parametrize("d", [64, 128])
@pytest.mark.parametrize("i", range(4))
def test_least_times_on_an_h200(i, d):
    n, fused = FUSED[i]
    cost = on_h200(n, d)
    assert milliseconds(cost.fused, fused) == fused
    assert milliseconds(cost.naive, NAIVE[d][i]) == NAIVE[d][i]
    terms = roofline_terms(cost.fused.flops, cost.fused.bytes, H200)
    assert terms["operations"] > terms["bytes"] and cost.fused.intensity > H200.ridge
    terms = roofline_terms(cost.naive.flops, cost.naive.bytes, H200)
    assert terms["operations"] < terms["bytes"] and cost.naive.intensity < H200.ridge


def test_the_slowest_of_three_decides():
    machine = Ceilings(100, 4, exponentials_per_s=5)
    assert roofline_terms(600, 40, machine, exponentials=35) == {
        "operations": 6.0,
        "bytes": 10.0,
        "exponentials": 7.0,
    }
    assert roofline_time(600, 40, machine, exponentials=35) == 10
    assert roofline_time(600, 40, machine, exponentials=80) == 16
    assert roofline_time(1200, 40, machine, exponentials=35) == 12
    assert roofline_time(600, 40, machine) == 10 and roofline_time(0, 0, machine) == 0
    assert list(roofline_terms(0, 0, machine)) == ["operations", "bytes", "exponentials"]


def test_exponentials_of_unknown_rate_are_free():
    machine = Ceilings(100, 4)
    assert machine.exponentials_per_s is None
    assert roofline_terms(600, 40, machine, exponentials=10**9)["exponentials"] == 0
    assert roofline_time(600, 40, machine, exponentials=10**9) == 10
    with pytest.raises(ValueError, match="exponentials=-1 is negative"):
        roofline_time(600, 40, machine, exponentials=-1)


@pytest.mark.parametrize("kind", [int, np.float16, np.float32, np.float64, np.int16])
def test_seconds_are_plain_floats_of_full_precision(kind):
    machine = Ceilings(flops_per_s=3e12, bytes_per_s=7e12, exponentials_per_s=11e12)
    terms = roofline_terms(kind(512), kind(512), machine, exponentials=kind(512))
    assert terms == {"operations": 512 / 3e12, "bytes": 512 / 7e12, "exponentials": 512 / 11e12}
    assert {type(seconds) for seconds in terms.values()} == {float}
    few = Ceilings(*map(kind, (3, 7, 11)))
    assert roofline_terms(512, 512, few) == {
        "operations": 512 / 3,
        "bytes": 512 / 7,
        "exponentials": 0,
    }
    assert {type(seconds) for seconds in roofline_terms(1, 1, few).values()} == {float}


@pytest.mark.parametrize("name", ["flops_per_s", "bytes_per_s", "exponentials_per_s"])
def test_rates_must_be_positive(name):
    good = {"flops_per_s": 1.0, "bytes_per_s": 1.0, "exponentials_per_s": 1.0}
    for bad in (0, -1.5):
        with pytest.raises(ValueError, match=rf"^{name}={bad} must be above 0\. Give"):
            Ceilings(**good | {name: bad})


@pytest.mark.parametrize("function", [roofline_time, roofline_terms])
@pytest.mark.parametrize("name", ["operations", "bytes", "exponentials"])
def test_amounts_must_not_be_negative(function, name):
    good = {"operations": 1, "bytes": 1, "machine": Ceilings(1, 1, 1), "exponentials": 1}
    with pytest.raises(ValueError, match=rf"^{name}=-0.5 is negative\. Give an amount of work"):
        function(**good | {name: -0.5})
