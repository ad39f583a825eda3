"""What follows from the data of `make bench`: ratios, memory, slopes, targets, a table."""

from dataclasses import dataclass

import numpy as np

from attnlib.benchmarks.one_core.implementations import IMPLEMENTATIONS
from attnlib.cost import attention_cost, fit_exponent

BOUND = "two_products"
MEBIBYTE = 2**20


@dataclass(frozen=True)
class Verdict:
    """A target, and whether the data meet it.

    Parameters
    ----------
    sentence : str
        The target in words.
    value : float or None
        What was measured; None where it was not.
    met : bool or None
        None where it was not measured.
    """

    sentence: str
    value: float | None
    met: bool | None


def seconds(data, name, n, inputs="random"):
    """Return the median seconds of an implementation at a size, one for each round."""
    rows = [
        row for row in data["rows"] if (row["name"], row["n"], row["inputs"]) == (name, n, inputs)
    ]
    return {row["round"]: row["p50_s"] for row in rows}


def ratio(data, name, n, to=BOUND, inputs="random"):
    """Return how many times as long as another it takes: the median over the rounds, or None."""
    own, other = seconds(data, name, n, inputs), seconds(data, to, n, inputs)
    ratios = [own[round_] / other[round_] for round_ in own if round_ in other]
    return float(np.median(ratios)) if ratios else None


def of_peak(data, name, n):
    """Return which share of the FLOP/s of one large matrix product it reaches, scores and all."""
    settings = data["settings"]
    cost = attention_cost(n, n, settings["d"], settings["d"], n_heads=settings["n_heads"])
    took = np.median(list(seconds(data, name, n).values()))
    return float(cost.naive.flops / took / data["ceilings"]["flops_per_s"])


def peak(data, name, n):
    """Return the most bytes that it held, arrays where they were traced, or None."""
    for row in data["rows"]:
        if (row["name"], row["n"]) == (name, n):
            found = row["peak_arrays_bytes"] or row["peak_process_bytes"]
            if found:
                return found
    return None


def memory_slope(data, name):
    """Return the exponent with which memory grows with n, or None where too little is known."""
    known = [(n, peak(data, name, n)) for n in data["settings"]["sizes"]]
    known = [(n, bytes_) for n, bytes_ in known if bytes_]
    return fit_exponent(*zip(*known)).exponent if len(known) >= 3 else None


def time_slopes(data, name):
    """Return the local exponents of the time between neighbouring sizes."""
    sizes = data["settings"]["sizes"]
    medians = [np.median(list(seconds(data, name, n).values())) for n in sizes]
    return np.diff(np.log(medians)) / np.diff(np.log(sizes))


def error(data, name, inputs="random"):
    """Return the largest error over all sizes and rounds."""
    rows = [row for row in data["rows"] if (row["name"], row["inputs"]) == (name, inputs)]
    return max((row["error"] for row in rows if row["error"] is not None), default=None)


def verdicts(data):
    """Compare the data with the targets of the book.

    Parameters
    ----------
    data : dict
        As `attnlib.benchmarks.one_core.record` returns it.

    Returns
    -------
    list of Verdict
    """
    blocked, naive = peak(data, "row_blocks", 4096), peak(data, "float32_kept", 4096)
    saved = naive / blocked if blocked and naive else None
    # Where arrays are small, what does not grow with n hides the slopes.
    large = min(data["settings"]["sizes"]) >= 512
    slope, naive_slope = (
        memory_slope(data, name) if large else None for name in ("row_blocks", "float32_kept")
    )
    targets = [
        (
            "row blocks take at most 1.3 times the two matrix products at n = 2048",
            ratio(data, "row_blocks", 2048),
            lambda value: value <= 1.3,
        ),
        (
            "row blocks take at most twice the time of PyTorch's fused attention at n = 2048",
            ratio(data, "row_blocks", 2048, to="torch_sdpa"),
            lambda value: value <= 2,
        ),
        (
            "row blocks need 90 times less memory than the textbook at n = 4096",
            saved,
            lambda value: value >= 90,
        ),
        (
            "the memory of row blocks grows with n to the power 1.0 ± 0.1",
            slope,
            lambda value: abs(value - 1) <= 0.1,
        ),
        (
            "the memory of the textbook grows with n to the power 2.0 ± 0.05",
            naive_slope,
            lambda value: abs(value - 2) <= 0.05,
        ),
    ]
    return [
        Verdict(sentence, value, None if value is None else bool(holds(value)))
        for sentence, value, holds in targets
    ]


def text(data):
    """Return tables of the data and the targets, as text of at most 100 columns."""
    here, settings = data["machine"], data["settings"]
    lines = [
        f"{here['processor']}, one of {here['cores']} cores; NumPy {here['libraries']['numpy']} "
        f"({here['blas']['name']})",
        f"{settings['n_heads']} heads, d = {settings['d']}, {settings['dtype']}, one thread; "
        f"median of {settings['rounds']} rounds",
        "at most {flops_per_s:.2g} FLOP/s, {bytes_per_s:.2g} bytes/s, "
        "{exponentials_per_s:.2g} exponentials/s".format(**data["ceilings"]),
        "",
        *_exact(data),
        "",
        *_approximations(data),
        "",
    ]
    for verdict in verdicts(data):
        if verdict.met is None:
            lines.append(f"not measured  {verdict.sentence}")
        else:
            said = "met   " if verdict.met else "MISSED"
            lines.append(f"{said}  {verdict.value:7.2f}  {verdict.sentence}")
    return "\n".join(lines)


def _exact(data):
    sizes = data["settings"]["sizes"]
    largest = max(sizes)
    columns = "".join(f"{n:>6}" for n in sizes)
    yield f"{'time / two matrix products':32}{columns} /PyTorch* of peak*    MiB*         error"
    for name, way in IMPLEMENTATIONS.items():
        if way.exact:
            ratios = "".join(f"{ratio(data, name, n):6.2f}" for n in sizes)
            to_torch = ratio(data, name, largest, to="torch_sdpa")
            near = f"{of_peak(data, name, largest):9.0%}"
            bytes_, slope = peak(data, name, largest), memory_slope(data, name)
            memory = f"{bytes_ / MEBIBYTE:8.1f}" if bytes_ else f"{'':8}"
            grows = f"n^{slope:.2f}" if slope else ""
            wrong = error(data, name)
            wrong = f"{wrong:.0e}" if wrong else ""
            yield f"{way.label:32}{ratios}{to_torch:10.2f}{near}{memory}{grows:>7}{wrong:>7}"
    medians = (np.median(list(seconds(data, BOUND, n).values())) for n in sizes)
    yield f"{'the two products, in ms':32}" + "".join(f"{1e3 * t:6.0f}" for t in medians)
    yield f"* at n = {largest}; of peak: of a large product's FLOP/s; MiB: at the worst moment"


def _approximations(data):
    names = [name for name, way in IMPLEMENTATIONS.items() if not way.exact]
    n = next((row["n"] for row in data["rows"] if row["name"] in names), None)
    if n is None:
        return
    yield f"{f'not exact, n = {n}':33}{'time':>8}   {'error on random':>15}{'on local inputs':>17}"
    for name in names:
        took = ratio(data, name, n)
        yield (
            f"{IMPLEMENTATIONS[name].label:33}{took:8.2f}   {error(data, name):15.2f}"
            f"{error(data, name, 'local'):17.2f}"
        )
