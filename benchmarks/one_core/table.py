"""What follows from the data of `make bench`: ratios, memory, slopes, targets, a table."""

import numpy as np

from attnlib.cost import attention_cost, fit_exponent
from benchmarks.one_core.ways import APPROXIMATE, EXACT
from benchmarks.verdicts import Verdict

BOUND = "two_products"
MEBIBYTE = 2**20
#: Attention with weights beside the bare formula: in words, shapes and calls a round, the target.
RATIOS = [
    ("4 × 2048 × 64", {"batch": 4, "n_q": 2048, "n_k": 2048, "d": 64, "calls": 1}, 1.35),
    ("3 × 4 against 5 × 4", {"batch": 1, "n_q": 3, "n_k": 5, "d": 4, "calls": 50}, 4),
]


def seconds(data, name, n, inputs="random"):
    """Return the median seconds of a way at a size, one for each round."""
    rows = [r for r in data["rows"] if (r["name"], r["n"], r["inputs"]) == (name, n, inputs)]
    return {row["round"]: row["p50_s"] for row in rows}


def ratio(data, name, n, to=BOUND, inputs="random"):
    """Return the time of a way over that of another, the median over the rounds, or None."""
    own, other = seconds(data, name, n, inputs), seconds(data, to, n, inputs)
    ratios = [own[round_] / other[round_] for round_ in own if round_ in other]
    return float(np.median(ratios)) if ratios else None


def over_bare(data, shape):
    """Return the time of attention with weights over that of the bare formula, or None."""
    for timed in data["ratios"]:
        if shape.items() <= timed.items():
            return float(np.median(np.divide(timed["attention_s"], timed["bare_s"])))
    return None


def of_peak(data, name, n):
    """Return the share of one large matrix product's FLOP/s that a way reaches, scores included."""
    d, n_heads = data["settings"]["d"], data["settings"]["n_heads"]
    took = np.median(list(seconds(data, name, n).values()))
    rate = attention_cost(n, n, d, d, n_heads=n_heads).naive.flops / took
    return float(rate / data["ceilings"]["start"]["flops_per_s"]["float32"])


def peak(data, name, n):
    """Return the most bytes that a way held, in arrays where they were traced, or None."""
    rows = [row for row in data["rows"] if (row["name"], row["n"]) == (name, n)]
    known = (row["peak_bytes"] or row["peak_process_bytes"] for row in rows)
    return next(filter(None, known), None)


def memory_slope(data, name):
    """Return the exponent with which memory grows with n, or None where too little is known."""
    known = [(n, peak(data, name, n)) for n in data["settings"]["n"] if peak(data, name, n)]
    return fit_exponent(*zip(*known)).exponent if len(known) >= 3 else None


def error(data, name, inputs="random"):
    """Return the largest error over all sizes and rounds."""
    rows = [row for row in data["rows"] if (row["name"], row["inputs"]) == (name, inputs)]
    return max((row["error"] for row in rows if row["error"] is not None), default=None)


def verdicts(data):
    """Compare the data with the targets of the book."""
    blocked, naive = peak(data, "row_blocks", 4096), peak(data, "float32_kept", 4096)
    # Where arrays are small, what does not grow with n hides the slopes.
    large = min(data["settings"]["n"]) >= 512
    slopes = (memory_slope(data, name) for name in ("row_blocks", "float32_kept"))
    slope, naive_slope = slopes if large else (None, None)
    products, torch = (ratio(data, "row_blocks", 2048, to=to) for to in (BOUND, "torch_sdpa"))
    saved = naive / blocked if blocked and naive else None
    reached = [
        Verdict("row blocks over two matrix products, n = 2048: at most 1.3", products, most=1.3),
        Verdict("row blocks over PyTorch's fused attention, n = 2048: at most 2", torch, most=2),
        Verdict("memory of the textbook over that of row blocks, n = 4096: 90 or more", saved, 90),
        Verdict("memory of row blocks grows with n to the power 1.0 ± 0.1", slope, 0.9, 1.1),
        Verdict("memory of the textbook grows with n to 2.0 ± 0.05", naive_slope, 1.95, 2.05),
    ]
    for words, shape, most in RATIOS:
        sentence = f"attention with weights over the bare formula, {words}: at most {most}"
        reached.append(Verdict(sentence, over_bare(data, shape), most=most))
    return reached


def text(data):
    """Return tables of the data and the targets, as text of at most 100 columns."""
    here, settings = data["machine"], data["settings"]
    rates = data["ceilings"]["start"]
    numpy, flops = here["libraries"]["numpy"], rates["flops_per_s"]["float32"]
    lines = [
        f"{here['processor']}, one of {here['cores']} cores; NumPy {numpy}, {here['blas']['name']}",
        "{n_heads} heads, d = {d}, float32, one thread; {rounds} rounds".format(**settings),
        f"at most {flops:.2g} FLOP/s, {rates['bytes_per_s']:.2g} bytes/s, "
        f"{rates['exponentials_per_s']:.2g} exponentials/s",
    ]
    tables = ["", *_exact(data), "", *_approximations(data), "", *map(str, verdicts(data))]
    return "\n".join(lines + tables)


def _exact(data):
    sizes = data["settings"]["n"]
    largest = max(sizes)
    columns = "".join(f"{n:>6}" for n in sizes)
    yield f"{'time / two matrix products':32}{columns} /PyTorch* of peak*    MiB*         error"
    for name, (label, _) in EXACT.items():
        ratios = "".join(f"{ratio(data, name, n):6.2f}" for n in sizes)
        to_torch = ratio(data, name, largest, to="torch_sdpa")
        near = f"{of_peak(data, name, largest):9.0%}"
        bytes_, slope = peak(data, name, largest), memory_slope(data, name)
        memory = f"{bytes_ / MEBIBYTE:8.1f}" if bytes_ else f"{'':8}"
        grows = f"n^{slope:.2f}" if slope else ""
        wrong = error(data, name)
        wrong = f"{wrong:.0e}" if wrong else ""
        yield f"{label:32}{ratios}{to_torch:10.2f}{near}{memory}{grows:>7}{wrong:>7}"
    medians = (np.median(list(seconds(data, BOUND, n).values())) for n in sizes)
    yield f"{'the two products, in ms':32}" + "".join(f"{1e3 * t:6.0f}" for t in medians)
    yield f"* at n = {largest}; of peak: of a large product's FLOP/s; MiB: at the worst moment"


def _approximations(data):
    n = next(row["n"] for row in data["rows"] if row["name"] in APPROXIMATE)
    yield f"{f'not exact, n = {n}':33}{'time':>8}   {'error on random':>15}{'on local inputs':>17}"
    for name, (label, _) in APPROXIMATE.items():
        errors = f"{error(data, name):15.2f}{error(data, name, 'local'):17.2f}"
        yield f"{label:33}{ratio(data, name, n):8.2f}   {errors}"
