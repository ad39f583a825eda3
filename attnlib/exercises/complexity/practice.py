"""Practice on complexity: growth by hand, bytes, a local exponent, the least time."""

from math import log, log2

from attnlib.cost import Ceilings, attention_cost, block_cost, fit_exponent, roofline_time
from attnlib.exercises.engine.practising import Kind, Problem, short


def layer(n, d):
    """The multiply-adds of one layer by `attnlib`: of the projections, and of the pairs."""
    steps = block_cost(n, d, 1, 4 * d).naive.steps
    parts = ("projections", "output projection"), ("scores", "weigh")
    return [sum(steps[name].multiply_adds for name in names) for names in parts]


def growth(rng):
    d = int(rng.choice([8, 16, 24, 32, 48, 64]))
    n = int(rng.choice([d // 4, d // 2, d, 3 * d, 4 * d, 5 * d]) + rng.integers(1, 4))
    projections, pairs = layer(n, d)
    twice = sum(layer(2 * n, d))
    each, other = 4 * d, 2 * n  # for every n · d
    total, doubled = each + other, 2 * each + 4 * other
    share = other / total

    def answered(projections, pairs):
        total = projections + pairs
        return [pairs / total, (2 * projections + 4 * pairs) / total]

    return Problem(
        question=f"A layer of self-attention has `n = {n}` items of width `d = {d}`, and four "
        "square projections. Which share of its multiply-adds do the scores and weighted sums "
        "take together? And by what factor do its multiply-adds grow if `n` doubles?",
        answer=[pairs / (projections + pairs), twice / (projections + pairs)],
        working=[
            f"Projections take `4 n d²`, which is `n d` times `4 d = 4 · {d} = {each}`",
            f"Pairs take `2 n² d`, which is `n d` times `2 n = 2 · {n} = {other}`",
            f"Share of the pairs: `{other} / ({each} + {other}) = {short(share)}`",
            f"If `n` doubles, projections double and pairs grow by 4: "
            f"`(2 · {each} + 4 · {other}) / {total} = {doubled} / {total} = "
            f"{short(doubled / total)}`",
            f"The two: `{short([share, doubled / total])}`",
        ],
        mistakes={
            "A fourth projection follows the heads.": answered(3 * n * d * d, pairs),
            "The pairs count half of what they should beside the projections. Scores and weighted "
            "sums are two products; or a multiply-add counts twice in one part, once in the other.":
                answered(projections, pairs / 2),
            "The pairs count twice as much as they should beside the projections. There are four "
            "projections; or a multiply-add counts twice in one part, and once in the other.": (
                answered(projections, 2 * pairs)
            ),
            "You left out the projections: pairs alone grow by 4.": [1.0, 4.0],
            "The share is right. Attention is not only pairs: the projections only double.": [
                pairs / (projections + pairs), 4.0
            ],
            "The share is right. The pairs grow with the square of n: by 4.": [
                pairs / (projections + pairs), 2.0
            ],
            "That is the share of the projections; the factor is right.": [
                projections / (projections + pairs), twice / (projections + pairs)
            ],
            "The share of the pairs is of the whole, not against the projections; the factor is "
            "right.": [pairs / projections, twice / (projections + pairs)],
        },
    )  # fmt: skip


def moved(rng):
    n, d = int(rng.integers(2, 7)) * 100, int(rng.choice([8, 16, 32, 64]))
    heads, size = int(rng.integers(2, 5)), int(rng.choice([2, 4]))
    cost = attention_cost(n, n, d, d, n_heads=heads, itemsize=size)
    pairs, vectors = heads * n * n, heads * n * d
    millions, thousands = heads * (n / 1000) ** 2, 4 * vectors / 1000
    numbers = 4 * millions + thousands / 1000

    def megabytes(held, count):
        return [held * size / 1e6, count * size / 1e6]

    return Problem(
        question=f"`{heads}` heads, `{n}` items, queries, keys and values of `{d}` numbers in each "
        f"head, `{size}` bytes a number. How many megabytes, of a million bytes, is the array of "
        "all scores, of all heads? And how many do scores, softmax and weighted sums move "
        "together, if each reads its inputs once and writes its result once?",
        answer=[cost.pairs * size / 1e6, cost.naive.bytes / 1e6],
        working=[
            f"Scores: `{heads} · {n}²` are `{short(millions)}` million, of `{size}` bytes: "
            f"`{short(millions * size)}` megabytes",
            "They are written, read by softmax, written as weights, and read: `4` times "
            f"`{short(millions)}` million",
            f"Queries, keys and values are read, outputs written: `4 · {heads} · {n} · {d}` are "
            f"`{short(thousands / 1000)}` million",
            f"Together `4 · {short(millions)} + {short(thousands / 1000)} = {short(numbers)}` "
            f"million numbers of `{size}` bytes: `{short(numbers * size)}` megabytes",
            f"The two: `{short([millions * size, numbers * size])}`",
        ],
        mistakes={
            "Each head has scores of its own.": megabytes(n * n, 4 * n * n + 4 * vectors),
            "Those are millions of numbers. Each has its bytes.": [
                pairs / 1e6, numbers / 1e6
            ],
            "The first is right. What one step writes, the next one reads: arrays of all pairs "
            "are moved four times.": megabytes(pairs, 2 * pairs + 4 * vectors),
            "The first is right. Pairs are moved four times, not once.": megabytes(
                pairs, pairs + 4 * vectors
            ),
            "The first is right. Softmax moves bytes, too: it reads scores and writes weights.": (
                megabytes(pairs, 3 * pairs + 4 * vectors)
            ),
            "The first is right. Queries, keys, values and outputs move as well.": megabytes(
                pairs, 4 * pairs
            ),
            "The first is right. That is without the outputs, which are written.": megabytes(
                pairs, 4 * pairs + 3 * vectors
            ),
            "A score is one number, however long the keys are.": megabytes(
                pairs * d, 4 * pairs * d + 4 * vectors
            ),
            "Every query meets every key: n² pairs.": megabytes(
                heads * n, 4 * heads * n + 4 * vectors
            ),
        },
    )  # fmt: skip


def slope(rng):
    n = int(rng.choice([64, 100, 128, 200, 256, 500]))
    factor = int(rng.choice([3, 4, 5, 8]))
    exponent = float(rng.choice([0.4, 0.7, 1.0, 1.3, 1.6, 1.9, 2.1]) + rng.uniform(-0.1, 0.1))
    first = round(float(rng.uniform(1, 9)), 1)
    second = round(first * factor**exponent, 1)
    third = second**2 / first  # a fit needs three
    found, _ = fit_exponent([n, factor * n, factor**2 * n], [first, second, third]).local_slopes
    ratio = second / first
    above, below = log(ratio), log(factor)
    return Problem(
        question=f"A call takes `{first}` ms for `{n}` items and `{second}` ms for "
        f"`{factor * n}`. What is the local exponent between the two sizes?",
        answer=[found],
        working=[
            f"Times: `{second} / {first} = {short(ratio)}`; sizes: `{factor * n} / {n} = {factor}`",
            f"The exponent is the power of `{factor}` that gives `{short(ratio)}`: "
            f"`log {short(ratio)} / log {factor}`",
            f"With natural logarithms `{short(above)} / {short(below)} = {short(above / below)}`",
        ],
        mistakes={
            "That is the ratio of the times: the sizes' ratio to the power that is asked for.": [
                ratio
            ],
            "The logarithm to the base 2 is right where the size doubles. It does not here.": [
                log2(ratio)
            ],
            "Divide the logarithm of the times' ratio by that of the sizes'.": [above],
            "That is turned over: times above, sizes below.": [below / above],
            "Those are ratios divided. Take their logarithms first.": [ratio / factor],
            "You took the logarithms of times and sizes. Take those of their ratios.": [
                log(second) / log(factor * n)
            ],
            "Milliseconds per item are a slope on plain axes.": [
                (second - first) / ((factor - 1) * n)
            ],
        },
    )  # fmt: skip


def least(rng):
    gflop = int(rng.integers(2, 40)) * 10
    gigabytes = int(rng.integers(4, 60))
    rate, bandwidth = int(rng.choice([50, 100, 150, 200])), int(rng.choice([10, 20, 40, 50]))
    promised = rate * 8 // 5
    machine = Ceilings(flops_per_s=rate * 1e9, bytes_per_s=bandwidth * 1e9)
    found = roofline_time(gflop * 1e9, gigabytes * 1e9, machine)
    arithmetic, memory = gflop / rate, gigabytes / bandwidth
    longer, intensity = max(arithmetic, memory), gflop / gigabytes
    decides = "arithmetic" if arithmetic > memory else "memory"
    mistakes = {
        "Both go on at once: the longer of the two times, not their sum.": [
            arithmetic + memory, intensity
        ],
        "That is the shorter of the two times. It cannot be done before both are.": [
            min(arithmetic, memory), intensity
        ],
        "The time is right. The second is in bytes per FLOP: turn it over.": [
            longer, 1 / intensity
        ],
        "The time is right. The second is in multiply-adds per byte, not FLOPs.": [
            longer, intensity / 2
        ],
        "The time is right. The second is the machine's: what it can do per byte. Asked for is "
        "the step's.": [longer, rate / bandwidth],
    }  # fmt: skip
    if decides == "arithmetic":
        mistakes |= {
            "A multiply-add is two FLOPs, and the machine's rate is in FLOPs.": [
                max(arithmetic / 2, memory), intensity / 2
            ],
            "You took the promised peak. Asked for is the time at the rates that are reached.": [
                max(gflop / promised, memory), intensity
            ],
        }  # fmt: skip
    return Problem(
        question=f"A step takes `{short(gflop / 2)}` billion multiply-adds and moves `{gigabytes}` "
        f"gigabytes. The machine's maker promises `{promised}` GFLOPs in a second; a large "
        f"matrix product reaches `{rate}`, and a large copy moves `{bandwidth}` gigabytes. "
        "Arithmetic and memory work at once. How many seconds does the step take at least, at the "
        "rates that are reached, and how many FLOPs does it have for each byte?",
        answer=[found, gflop * 1e9 / (gigabytes * 1e9)],
        working=[
            f"A multiply-add is two FLOPs: `2 · {short(gflop / 2)} = {gflop}` GFLOPs",
            f"Arithmetic alone, at the rate that is reached: `{gflop} / {rate} = "
            f"{short(arithmetic)}` s",
            f"Memory alone: `{gigabytes} / {bandwidth} = {short(memory)}` s",
            f"Both go on at once, so the longer decides, {decides}: `{short(longer)}` s",
            f"FLOPs per byte: `{gflop} / {gigabytes} = {short(intensity)}`",
            f"The two: `{short([longer, intensity])}`",
        ],
        mistakes=mistakes,
    )


PRACTICE = {
    "growth": Kind(
        title="how work grows",
        draw=growth,
        fields=["share of the pairs", "factor"],
        hint="Count the projections, 4 n d², and the pairs, 2 n² d. Then let n double in both.",
    ),
    "bytes": Kind(
        title="bytes held and moved",
        draw=moved,
        fields=["all scores, MB", "moved, MB"],
        hint="One score for each pair in each head. Then go through the three steps: what does "
        "each read, and what does it write?",
    ),
    "slope": Kind(
        title="a local exponent",
        draw=slope,
        fields=["exponent"],
        hint="Divide the logarithm of the times' ratio by the logarithm of the sizes' ratio.",
    ),
    "least": Kind(
        title="the least time",
        draw=least,
        fields=["seconds", "FLOPs per byte"],
        hint="Turn multiply-adds into FLOPs. How long does arithmetic take alone, how long memory?",
    ),
}
