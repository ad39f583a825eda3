"""What the practice of chapter 12 draws: numbers, and the answer by attnlib."""

from attnlib.cost import Ceilings, attention_cost, block_cost, fit_exponent, roofline_time


def share_and_factor(projections, pairs):
    """The pairs' share of a layer's work, and how much the work grows if n doubles."""
    total = projections + pairs
    return [pairs / total, (2 * projections + 4 * pairs) / total]


def multiply_adds(n, d):
    """The work of a layer: its projections, and its pairs."""
    steps = block_cost(n, d, 1, 4 * d).naive.steps
    parts = ("projections", "output projection"), ("scores", "weigh")
    return [sum(steps[name].multiply_adds for name in names) for names in parts]


def growth(rng):
    d = int(rng.choice([8, 16, 24, 32, 48, 64]))
    n = int(rng.choice([d // 4, d // 2, d, 3 * d, 4 * d, 5 * d]) + rng.integers(1, 4))
    share, factor = share_and_factor(4 * d, 2 * n)
    once, twice = multiply_adds(n, d), multiply_adds(2 * n, d)
    return dict(d=d, n=n, share=share, factor=factor), [once[1] / sum(once), sum(twice) / sum(once)]


def bytes(rng):
    n, d = int(rng.integers(2, 7)) * 100, int(rng.choice([8, 16, 32, 64]))
    heads, size = int(rng.integers(2, 5)), int(rng.choice([2, 4]))
    pairs, vectors = heads * n * n / 1e6, 4 * heads * n * d / 1e6
    cost = attention_cost(n, n, d, d, n_heads=heads, itemsize=size)
    numbers = dict(n=n, d=d, heads=heads, size=size, pairs=pairs, vectors=vectors)
    return numbers, [cost.pairs * size / 1e6, cost.naive.bytes / 1e6]


def slope(rng):
    n = int(rng.choice([64, 100, 128, 200, 256, 500]))
    factor = int(rng.choice([3, 4, 5, 8]))
    exponent = float(rng.choice([0.4, 0.7, 1.0, 1.3, 1.6, 1.9, 2.1]) + rng.uniform(-0.1, 0.1))
    first = round(float(rng.uniform(1, 9)), 1)
    second = round(first * factor**exponent, 1)
    ratio = second / first
    sizes, times = [n, factor * n, factor**2 * n], [first, second, second * ratio]
    numbers = dict(n=n, factor=factor, first=first, second=second, ratio=ratio)
    return numbers, fit_exponent(sizes, times).local_slopes[0]


def least(rng):
    gflop, gigabytes = int(rng.integers(2, 40)) * 10, int(rng.integers(4, 60))
    rate, bandwidth = int(rng.choice([50, 100, 150, 200])), int(rng.choice([10, 20, 40, 50]))
    promised = rate * 8 // 5
    arithmetic, memory = gflop / rate, gigabytes / bandwidth
    longer, intensity = max(arithmetic, memory), gflop / gigabytes
    machine = Ceilings(flops_per_s=rate * 1e9, bytes_per_s=bandwidth * 1e9)
    numbers = dict(gflop=gflop, gigabytes=gigabytes, rate=rate)
    numbers |= dict(bandwidth=bandwidth, promised=promised, arithmetic=arithmetic)
    numbers |= dict(memory=memory, longer=longer, intensity=intensity)
    return numbers, [roofline_time(gflop * 1e9, gigabytes * 1e9, machine), intensity]


def parts(rng):
    n = int(rng.choice([200, 250, 400, 500, 600, 800]))
    linear, quadratic = 0, 1
    while not 0 < n * linear < 9000 * quadratic or n * linear % quadratic:  # a short whole number
        linear, quadratic = (int(part) for part in rng.integers(2, 31, size=2))
    once, twice = linear + quadratic, 2 * linear + 4 * quadratic
    fourfold = 4 * linear + 16 * quadratic
    growth = fit_exponent([n, 2 * n, 4 * n], [once, twice, fourfold])
    numbers = dict(n=n, linear=linear, quadratic=quadratic, once=once, twice=twice)
    return numbers, [growth.coefficients[2] * n**2, growth.crossing]
