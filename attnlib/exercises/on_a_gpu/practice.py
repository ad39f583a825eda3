"""Practice for a GPU: memory-bound or compute-bound, least times, an achieved rate."""

import math

from attnlib.cost import Ceilings, attention_cost, roofline_time
from attnlib.exercises.engine.practising import Kind, Problem, short


def machine(rng, size):
    """TFLOPs and terabytes in a second, as in a data sheet; two bytes have units of their own."""
    tenths, ridge = int(rng.integers(8, 41)), int(rng.integers(10, 31))
    return tenths * ridge / (1 if size == 2 else 10), tenths / 10


def bound(rng):
    n, d = int(rng.integers(3, 9)) * 100, int(rng.choice([32, 48, 64, 96, 128]))
    size, passes = int(rng.choice([2, 4])), int(rng.choice([4, 6]))
    peak, bandwidth = machine(rng, size)
    cost = attention_cost(n, n, d, d, itemsize=size, passes=passes).naive
    flops, moved = 4 * n * d, size * (passes * n + 4 * d)
    intensity, ridge = flops / moved, peak / bandwidth
    said = "a separate kernel for the mask" if passes == 6 else "no mask"
    least = roofline_time(cost.flops, cost.bytes, Ceilings(peak * 1e12, bandwidth * 1e12))

    def three(intensity, ridge=ridge):
        return [intensity, ridge, min(1, intensity / ridge)]

    mistakes = {
        "The ridge is right. A multiply-add is two FLOPs, and there are two products: 4 n² d.": (
            three(intensity / 2)
        ),
        "The ridge is right. Those are FLOPs for a number, not for a byte.": (
            three(intensity * size)
        ),
        "The ridge is right. Those are bytes for a FLOP.": three(moved / flops),
        "The ridge is right. Queries, keys, values and outputs move as well.": (
            three(4 * d / (size * passes))
        ),
        "The ridge is right. That is the fused intensity, n / s.": three(n / size),
        "The ridge is right. The outputs are written, too: four arrays of n · d numbers.": (
            three(flops / (size * (passes * n + 3 * d)))
        ),
        "The intensity is right. The ridge is FLOPs over bytes.": (
            three(intensity, bandwidth / peak)
        ),
        "The intensity is right. The peak is in FLOPs already.": three(intensity, ridge / 2),
        "The intensity is the program's, the ridge is the machine's. You exchanged them.": (
            three(ridge, intensity)
        ),
    }
    if intensity < ridge:
        mistakes["Intensity and ridge are right. Below the ridge bytes decide, so less than the "
                 "peak is reached: intensity over ridge."] = [intensity, ridge, 1]  # fmt: skip
    else:
        mistakes["Intensity and ridge are right. Above the ridge arithmetic decides: the whole "
                 "peak, and never more."] = [intensity, ridge, intensity / ridge]  # fmt: skip
    if passes == 6:
        mistakes["The ridge is right. The mask is a kernel of its own: six passes."] = three(
            flops / (size * (4 * n + 4 * d))
        )
    return Problem(
        question=f"Naive attention, one head of width `d = {d}`, `n = {n}` items, `{size}` bytes a "
        f"number, `{passes}` passes over the table ({said}). The machine does `{short(peak)}` "
        f"TFLOPs and moves `{short(bandwidth)}` terabytes in a second. What is the intensity of "
        "the program, what is the ridge of the machine, and what share of its peak can the program "
        "reach at most, all bytes taken together?",
        answer=[
            cost.flops / cost.bytes,
            Ceilings(peak * 1e12, bandwidth * 1e12).ridge,
            cost.flops / (peak * 1e12) / least,
        ],
        working=[
            f"FLOPs for each item: `4 n d = 4 · {n} · {d}` are `{short(flops / 1000)}` thousand",
            f"Numbers moved for each item: `{passes} · {n} + 4 · {d} = {passes * n + 4 * d}`; of "
            f"`{size}` bytes, `{short(moved / 1000)}` thousand bytes",
            f"Intensity: `{short(flops / 1000)} / {short(moved / 1000)} = {short(intensity)}`",
            f"Ridge: `{short(peak)} / {short(bandwidth)} = {short(ridge)}`",
            f"Below the ridge it is memory-bound: `{short(intensity)} / {short(ridge)} = "
            f"{short(intensity / ridge)}` of the peak"
            if intensity < ridge
            else "Above the ridge it is compute-bound: `1`, the whole peak",
            f"The three: `{short(three(intensity))}`",
        ],
        mistakes=mistakes,
    )


def gain(rng):
    d, size, heads = (int(rng.choice(of)) for of in ([32, 64, 128], [2, 4], [8, 16, 32]))
    peak, bandwidth = machine(rng, size)
    # As many items as are moved in some milliseconds.
    aimed = float(rng.uniform(3, 9)) * bandwidth * 1e9
    n = 100 * min(99, round(math.sqrt(aimed / (4 * heads * size)) / 100))
    cost = attention_cost(n, n, d, d, n_heads=heads, itemsize=size)
    rates = Ceilings(peak * 1e12, bandwidth * 1e12)
    naive, fused = (
        1e3 * roofline_time(way.flops, way.bytes, rates) for way in (cost.naive, cost.fused)
    )
    flops = 4 * heads * n * n * d / 1e9
    table, arrays = 4 * heads * n * n * size / 1e9, 4 * heads * n * d * size / 1e9
    arithmetic = flops / peak
    memory = (table + arrays) / bandwidth, arrays / bandwidth
    times = [max(arithmetic, memory[0]), max(arithmetic, memory[1])]
    limits = ["memory" if moved > arithmetic else "arithmetic" for moved in memory]
    return Problem(
        question=f"`{heads}` heads of width `{d}`, `{n}` items, `{size}` bytes a number, no mask. "
        f"The machine does `{short(peak)}` TFLOPs and moves `{short(bandwidth)}` terabytes in a "
        "second; exponentials are no limit. How many milliseconds do naive attention (four passes "
        "over the table, all bytes taken together) and fused attention take at least?",
        answer=[naive, fused],
        working=[
            f"FLOPs: `4 · {heads} · {n}² · {d}` are `{short(flops)}` billion",
            f"Arithmetic: `{short(flops)} / {short(peak)} = {short(arithmetic)}` ms, as a TFLOP/s "
            "is a billion FLOPs in a millisecond",
            f"Queries, keys, values, outputs: `4 · {heads} · {n} · {d} · {size}` are "
            f"`{short(arrays)}` billion bytes; `{short(arrays)} / {short(bandwidth)} = "
            f"{short(memory[1])}` ms",
            f"Four passes: `4 · {heads} · {n}² · {size}` are `{short(table)}` billion bytes; with "
            f"the others `{short(table + arrays)} / {short(bandwidth)} = {short(memory[0])}` ms",
            f"The slower decides: {limits[0]} for naive attention, {limits[1]} for fused",
            f"The two: `{short(times)}`",
        ],
        mistakes={
            "You added the times. Arithmetic and memory go on side by side.": [
                arithmetic + memory[0], arithmetic + memory[1]
            ],
            "Those are multiply-adds. A multiply-add is two FLOPs.": [
                max(arithmetic / 2, memory[0]), max(arithmetic / 2, memory[1])
            ],
            "You took each number for one byte.": [
                max(arithmetic, memory[0] / size), max(arithmetic, memory[1] / size)
            ],
            "The table moves four times: written, read, written, read.": [
                max(arithmetic, (table / 4 + arrays) / bandwidth), times[1]
            ],
            "That is one head.": [times[0] / heads, times[1] / heads],
            "You exchanged the two: naive comes first.": [times[1], times[0]],
            "Fused attention does all FLOPs, too: its time cannot be below theirs.": [
                times[0], min(arithmetic, memory[1])
            ],
        } if limits[0] == "memory" else {
            "You added the times. Arithmetic and memory go on side by side.": [
                arithmetic + memory[0], arithmetic + memory[1]
            ],
            "Those are multiply-adds. A multiply-add is two FLOPs.": [
                max(arithmetic / 2, memory[0]), max(arithmetic / 2, memory[1])
            ],
            "You took the faster of the two times for naive attention. The slower decides.": [
                memory[0], times[1]
            ],
            "You took the bytes alone. Where arithmetic takes longer, it decides.": [*memory],
            "That is one head.": [times[0] / heads, times[1] / heads],
        },
    )  # fmt: skip


def share(rng):
    n, d = int(rng.integers(10, 81)) * 100, int(rng.choice([64, 128]))
    heads, causal = int(rng.choice([8, 16, 32])), bool(rng.integers(2))
    nominal = int(rng.choice([8, 10, 12, 14]))
    peak = round(nominal * float(rng.uniform(0.65, 0.85)), 1)
    flops = attention_cost(n, n, d, d, n_heads=heads, causal=causal).fused.flops
    took = float(f"{flops / (float(rng.uniform(0.4, 0.85)) * peak * 1e9):.3g}")
    if causal:
        left, pairs = f"{n} · {n + 1} / 2", n * (n + 1) / 2
    else:
        left, pairs = f"{n}²", n * n
    billions = 4 * heads * d * pairs / 1e9
    rate = billions / took
    mask = "with a causal mask, whose forbidden pairs it skips" if causal else "without a mask"
    mistakes = {
        "The rate is right. That is the share of the data sheet's peak.": [rate, rate / nominal],
        "You have half of the rate. A multiply-add is two FLOPs, and there are two products.": [
            rate / 2, rate / 2 / peak
        ],
        "You have a quarter of the rate. A multiply-add is two FLOPs, and there are two products, "
        "scores and weighted sums.": [rate / 4, rate / 4 / peak],
        "That is one head.": [rate / heads, rate / heads / peak],
        "The rate is right. The share is turned over.": [rate, peak / rate],
        "The rate is right. The share is in per cent; 1 is the whole peak.": [
            rate, 100 * rate / peak
        ],
    }  # fmt: skip
    if causal:
        every = 4 * heads * d * n * n / 1e9 / took
        mistakes["You counted all pairs. The kernel skips those that the mask forbids."] = [
            every, every / peak
        ]  # fmt: skip
    return Problem(
        question=f"A fused kernel takes `{short(took)}` ms, the median of many calls, for "
        f"`{heads}` heads of width `{d}` and `{n}` items, {mask}. The data sheet of this small GPU "
        f"says `{nominal}` TFLOPs in a second; a large product, measured in the same run, reaches "
        f"`{short(peak)}`. How many TFLOPs in a second does the kernel achieve, and what share is "
        "that of the measured peak?",
        answer=[flops / took / 1e9, flops / took / 1e9 / peak],
        working=[
            f"Pairs of a head: `{left}` are `{short(pairs / 1e6)}` million",
            f"FLOPs: `4 · {heads} · {d}` for each pair, `{short(billions)}` billion in all",
            f"A TFLOP/s is a billion FLOPs in a millisecond: `{short(billions)} / {short(took)} = "
            f"{short(rate)}`",
            f"Share: `{short(rate)} / {short(peak)} = {short(rate / peak)}`",
            f"The two: `{short([rate, rate / peak])}`",
        ],
        mistakes=mistakes,
    )


PRACTICE = {
    "bound": Kind(
        title="memory-bound or compute-bound",
        draw=bound,
        fields=["intensity", "ridge", "share of the peak"],
        tolerance=0.02,
        hint="FLOPs over bytes: of the program for the intensity, of the machine for the ridge. "
        "All items have the same of both, so count for one. Which of the two is larger?",
    ),
    "gain": Kind(
        title="two least times",
        draw=gain,
        fields=["naive, ms", "fused, ms"],
        tolerance=0.012,
        hint="The FLOPs are the same in both. How long do they take alone? And the bytes?",
    ),
    "share": Kind(
        title="an achieved rate",
        draw=share,
        fields=["TFLOP/s", "share"],
        tolerance=0.012,
        hint="Count the pairs that are computed, then FLOPs, then divide by the time.",
    ),
}
