"""Practice for a GPU: memory-bound or compute-bound, least times, an achieved rate."""

from attnlib.cost import Ceilings, attention_cost, roofline_time
from attnlib.exercises.engine.practising import Kind, Problem, short


def machine(rng):
    """TFLOPs and terabytes in a second, as in a data sheet."""
    return int(rng.choice([60, 100, 160, 300, 400, 600, 900])), int(rng.integers(4, 41)) / 10


def bound(rng):
    n, d = int(rng.integers(3, 13)) * 100, int(rng.choice([32, 64, 96, 128, 256, 512]))
    size, passes = int(rng.choice([2, 4])), int(rng.choice([4, 6]))
    peak, bandwidth = machine(rng)
    cost = attention_cost(n, n, d, d, itemsize=size, passes=passes).naive
    flops, moved = 4 * n * d, size * (passes * n + 4 * d)
    intensity, ridge = flops / moved, peak / bandwidth
    said = "a separate kernel for the mask" if passes == 6 else "no mask"
    which = "memory-bound" if intensity < ridge else "compute-bound"
    mistakes = {
        "The ridge is right. A multiply-add is two FLOPs, and there are two products: 4 n² d.": [
            intensity / 2, ridge
        ],
        "The ridge is right. Those are FLOPs for a number, not for a byte.": [
            intensity * size, ridge
        ],
        "The ridge is right. Those are bytes for a FLOP.": [moved / flops, ridge],
        "The ridge is right. Queries, keys, values and outputs move as well.": [
            4 * d / (size * passes), ridge
        ],
        "The ridge is right. That is the fused intensity, n / s.": [n / size, ridge],
        "The ridge is right. The outputs are written, too: four arrays of n · d numbers.": [
            flops / (size * (passes * n + 3 * d)), ridge
        ],
        "The intensity is right. The ridge is FLOPs over bytes.": [intensity, bandwidth / peak],
        "The intensity is right. The peak is in FLOPs already.": [intensity, ridge / 2],
        "Exchanged: the intensity is the program's, the ridge is the machine's.": [
            ridge, intensity
        ],
    }  # fmt: skip
    if passes == 6:
        mistakes["The ridge is right. The mask is a kernel of its own: six passes."] = [
            flops / (size * (4 * n + 4 * d)), ridge
        ]  # fmt: skip
    return Problem(
        question=f"Naive attention, one head of width `d = {d}`, `n = {n}` items, `{size}` bytes a "
        f"number, `{passes}` passes over the table ({said}). The machine does `{peak}` TFLOPs and "
        f"moves `{bandwidth}` terabytes in a second. What is the intensity of the program, and "
        "what is the ridge of the machine? Say to yourself which bound it is.",
        answer=[cost.flops / cost.bytes, Ceilings(peak * 1e12, bandwidth * 1e12).ridge],
        working=[
            f"FLOPs for each item: `4 n d = 4 · {n} · {d}` are `{short(flops / 1000)}` thousand",
            f"Numbers moved for each item: `{passes} · {n} + 4 · {d} = {passes * n + 4 * d}`; of "
            f"`{size}` bytes, `{short(moved / 1000)}` thousand bytes",
            f"Intensity: `{short(flops / 1000)} / {short(moved / 1000)} = {short(intensity)}`",
            f"Ridge: `{peak} / {bandwidth} = {short(ridge)}`; so it is {which}",
            f"The two: `{short([intensity, ridge])}`",
        ],
        mistakes=mistakes,
    )


def gain(rng):
    n, d = int(rng.integers(6, 41)) * 100, int(rng.choice([32, 64, 128]))
    size = int(rng.choice([2, 4]))
    peak, bandwidth = machine(rng)
    heads = int(rng.choice([4, 8, 16]))
    cost = attention_cost(n, n, d, d, n_heads=heads, itemsize=size)
    rates = Ceilings(peak * 1e12, bandwidth * 1e12)
    naive, fused = (
        1e6 * roofline_time(way.flops, way.bytes, rates) for way in (cost.naive, cost.fused)
    )
    flops = 4 * heads * n * n * d / 1e6
    table, arrays = 4 * heads * n * n * size / 1e6, 4 * heads * n * d * size / 1e6
    arithmetic = flops / peak
    memory = (table + arrays) / bandwidth, arrays / bandwidth
    times = [max(arithmetic, memory[0]), max(arithmetic, memory[1])]
    limits = ["memory" if moved > arithmetic else "arithmetic" for moved in memory]
    return Problem(
        question=f"`{heads}` heads of width `{d}`, `{n}` items, `{size}` bytes a number, no mask. "
        f"The machine does `{peak}` TFLOPs and moves `{bandwidth}` terabytes in a second; "
        "exponentials are no limit. How many microseconds do naive attention (four passes over the "
        "table, all bytes taken together) and fused attention take at least?",
        answer=[naive, fused],
        working=[
            f"FLOPs: `4 · {heads} · {n}² · {d}` are `{short(flops)}` million",
            f"Arithmetic: `{short(flops)} / {peak} = {short(arithmetic)}` µs, as a TFLOP/s is a "
            "million FLOPs in a microsecond",
            f"Queries, keys, values, outputs: `4 · {heads} · {n} · {d} · {size}` are "
            f"`{short(arrays)}` million bytes; `{short(arrays)} / {bandwidth} = "
            f"{short(memory[1])}` µs",
            f"Four passes: `4 · {heads} · {n}² · {size}` are `{short(table)}` million bytes; with "
            f"the others `{short(table + arrays)} / {bandwidth} = {short(memory[0])}` µs",
            f"The slower decides: {limits[0]} for naive attention, {limits[1]} for fused",
            f"The two: `{short(times)}`",
        ],
        mistakes={
            "You added the times. Arithmetic and memory go on side by side.": [
                arithmetic + memory[0], arithmetic + memory[1]
            ],
            "You took the faster of the two times. The slower decides.": [
                min(arithmetic, memory[0]), min(arithmetic, memory[1])
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
            "Exchanged: naive first.": [times[1], times[0]],
            "Fused attention does all FLOPs, too: its time cannot be below theirs.": [
                times[0], min(arithmetic, memory[1])
            ],
        },
    )  # fmt: skip


def share(rng):
    n, d = int(rng.integers(10, 81)) * 100, int(rng.choice([64, 128]))
    heads, causal = int(rng.choice([8, 16, 32])), bool(rng.integers(2))
    nominal = int(rng.choice([300, 400, 600, 900]))
    peak = round(nominal * float(rng.uniform(0.65, 0.85)))
    flops = attention_cost(n, n, d, d, n_heads=heads, causal=causal).fused.flops
    reached = float(rng.uniform(0.3, 0.85)) * peak
    micro = max(1, round(flops / reached / 1e6))
    if causal:
        left, pairs = f"{n} · {n + 1} / 2", n * (n + 1) / 2
    else:
        left, pairs = f"{n}²", n * n
    millions = 4 * heads * d * pairs / 1e6
    rate = millions / micro
    other = 4 * heads * d * (n * n if causal else n * (n + 1) / 2) / 1e6 / micro
    mask = "with a causal mask, whose forbidden pairs it skips" if causal else "without a mask"
    why = (
        "You counted all pairs. The kernel skips those that the mask forbids."
        if causal
        else "You counted causal pairs. There is no mask."
    )
    return Problem(
        question=f"A fused kernel takes `{micro}` µs, the median of many calls, for `{heads}` "
        f"heads of width `{d}` and `{n}` items, {mask}. The data sheet says `{nominal}` TFLOPs in "
        f"a second; a large product, measured in the same run, reaches `{peak}`. How many TFLOPs "
        "in a second does the kernel achieve, and what share is that of the measured peak?",
        answer=[flops / micro / 1e6, flops / micro / 1e6 / peak],
        working=[
            f"Pairs of a head: `{left}` are `{short(pairs / 1e6)}` million",
            f"FLOPs: `4 · {heads} · {d} · {short(pairs / 1e6)}` are `{short(millions)}` million",
            f"A TFLOP/s is a million FLOPs in a microsecond: `{short(millions)} / {micro} = "
            f"{short(rate)}`",
            f"Share: `{short(rate)} / {peak} = {short(rate / peak)}`",
            f"The two: `{short([rate, rate / peak])}`",
        ],
        mistakes={
            "The rate is right. That is the share of the data sheet's peak.": [
                rate, rate / nominal
            ],
            why: [other, other / peak],
            "Those are multiply-adds. A multiply-add is two FLOPs.": [rate / 2, rate / 2 / peak],
            "That is one head.": [rate / heads, rate / heads / peak],
            "The rate is right. The share is turned over.": [rate, peak / rate],
            "The rate is right. The share is in per cent; 1 is the whole peak.": [
                rate, 100 * rate / peak
            ],
            "You counted one of two products: scores, and weighted sums.": [
                rate / 4, rate / 4 / peak
            ],
        },
    )  # fmt: skip


PRACTICE = {
    "bound": Kind(
        title="memory-bound or compute-bound",
        draw=bound,
        fields=["intensity", "ridge"],
        hint="FLOPs over bytes: of the program for the intensity, of the machine for the ridge. "
        "All items have the same of both, so count for one.",
    ),
    "gain": Kind(
        title="two least times",
        draw=gain,
        fields=["naive, µs", "fused, µs"],
        hint="The FLOPs are the same in both. How long do they take alone? And the bytes?",
    ),
    "share": Kind(
        title="an achieved rate",
        draw=share,
        fields=["TFLOP/s", "share"],
        hint="Count the pairs that are computed, then FLOPs, then divide by the time.",
    ),
}
