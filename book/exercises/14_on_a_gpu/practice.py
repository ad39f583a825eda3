"""What the practice of chapter 14 draws: numbers, and the answer by attnlib."""

import math

import numpy as np

from attnlib.cost import Ceilings, attention_cost, roofline_time


def machine(rng, size):
    """TFLOPs and terabytes in a second, as in a data sheet; two bytes have units of their own."""
    tenths, ridge = int(rng.integers(8, 41)), int(rng.integers(10, 31))
    return tenths * ridge / (1 if size == 2 else 10), tenths / 10


def with_share(intensity, ridge):
    """These two, and the share of its peak that the machine can reach."""
    return [intensity, ridge, min(1, intensity / ridge)]


def bound(rng):
    n, d = int(rng.integers(3, 9)) * 100, int(rng.choice([32, 48, 64, 96, 128]))
    size, passes = int(rng.choice([2, 4])), int(rng.choice([4, 6]))
    peak, bandwidth = machine(rng, size)
    flops, moved = 4 * n * d, size * (passes * n + 4 * d)
    intensity, ridge = flops / moved, peak / bandwidth
    cost = attention_cost(n, n, d, d, itemsize=size, passes=passes).naive
    rates = Ceilings(peak * 1e12, bandwidth * 1e12)
    share = cost.flops / rates.flops_per_s / roofline_time(cost.flops, cost.bytes, rates)
    numbers = dict(n=n, d=d, size=size, passes=passes, peak=peak)
    numbers |= dict(bandwidth=bandwidth, flops=flops, moved=moved, intensity=intensity, ridge=ridge)
    return numbers, [cost.flops / cost.bytes, rates.ridge, share]


def gain(rng):
    d, size, heads = (int(rng.choice(of)) for of in ([32, 64, 128], [2, 4], [8, 16, 32]))
    peak, bandwidth = machine(rng, size)
    # As many items as are moved in some milliseconds.
    aimed = float(rng.uniform(3, 9)) * bandwidth * 1e9
    n = 100 * min(99, round(math.sqrt(aimed / (4 * heads * size)) / 100))
    flops = 4 * heads * n * n * d / 1e9
    table, arrays = 4 * heads * n * n * size / 1e9, 4 * heads * n * d * size / 1e9
    arithmetic, memory = flops / peak, np.array([table + arrays, arrays]) / bandwidth
    times = np.maximum(arithmetic, memory)
    limits = ["memory" if moved > arithmetic else "arithmetic" for moved in memory]
    cost = attention_cost(n, n, d, d, n_heads=heads, itemsize=size)
    rates = Ceilings(peak * 1e12, bandwidth * 1e12)
    ways = cost.naive, cost.fused
    numbers = dict(d=d, size=size, heads=heads, peak=peak, bandwidth=bandwidth)
    numbers |= dict(n=n, flops=flops, table=table, arrays=arrays, arithmetic=arithmetic)
    numbers |= dict(memory=memory, times=times, limits=limits)
    return numbers, [1e3 * roofline_time(way.flops, way.bytes, rates) for way in ways]


def share(rng):
    n, d = int(rng.integers(10, 81)) * 100, int(rng.choice([64, 128]))
    heads, causal = int(rng.choice([8, 16, 32])), bool(rng.integers(2))
    nominal = int(rng.choice([8, 10, 12, 14]))
    peak = round(nominal * float(rng.uniform(0.65, 0.85)), 1)
    flops = attention_cost(n, n, d, d, n_heads=heads, causal=causal).fused.flops
    took = float(f"{flops / (float(rng.uniform(0.4, 0.85)) * peak * 1e9):.3g}")
    pairs = n * (n + 1) / 2 if causal else n * n
    billions = 4 * heads * d * pairs / 1e9
    rate = billions / took
    numbers = dict(n=n, d=d, heads=heads, causal=causal, nominal=nominal)
    numbers |= dict(peak=peak, took=took, pairs=pairs, billions=billions, rate=rate)
    return numbers, [flops / took / 1e9, flops / took / 1e9 / peak]


def step(rng):
    d, n = int(rng.choice([2048, 4096, 8192])), int(rng.integers(10, 81)) * 100
    batch, bandwidth = int(rng.integers(2, 41)), int(rng.integers(8, 41)) / 10
    weights, cache = 2 * 12 * d * d / 1e9, 2 * 2 * n * d / 1e9
    rates = Ceilings(1e18, bandwidth * 1e12)
    cost = attention_cost(1, n, d, d, batch=batch, itemsize=2).fused
    queries_and_outputs = batch * 2 * d * 2
    times = [roofline_time(24 * batch * d * d, 24 * d * d, rates)]
    times += [roofline_time(cost.flops, cost.bytes - queries_and_outputs, rates)]
    numbers = dict(d=d, n=n, batch=batch, bandwidth=bandwidth, weights=weights, cache=cache)
    return numbers, [1e3 * t for t in times]
