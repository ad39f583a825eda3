"""Whether a recording of a large GPU reaches the targets that were set before it was made."""

from benchmarks.gpu.plan import FUSED, floor_terms, work
from benchmarks.verdicts import Verdict

#: By d: the share of its own floor that naive attention reaches, the share of the same run's matrix
#: product that the best fused back end reaches, and how many times faster it is than naive.
TARGETS = {64: (0.8, 0.5, 4.5), 128: (0.8, 0.8, 3.5)}


def verdicts(data, *, n=8192, dtype="bfloat16"):
    """Compare medians without a mask with their targets, at one length.

    The floor is that of the ceilings at the start; the product is the faster of the two that were
    measured, at the start and at the end.
    """
    reached, product = [], max(c["flops_per_s"].get(dtype, 0) for c in data["ceilings"].values())
    for d, (of_floor, of_product, times) in TARGETS.items():
        naive = _fastest(data, ("naive",), n=n, d=d, dtype=dtype)
        fused = _fastest(data, FUSED, n=n, d=d, dtype=dtype)
        terms = floor_terms(naive, data["ceilings"]["start"]) if naive else {}
        limit = f", limited by {max(terms, key=terms.get)}" if naive else ""
        best = "the best fused back end" + (f" ({fused['name']})" if fused else "")
        share = max(terms.values()) / naive["p50_s"] if naive else None
        rate = work(fused).flops / fused["p50_s"] / product if fused else None
        ratio = naive["p50_s"] / fused["p50_s"] if naive and fused else None
        reached += [
            Verdict(f"naive reaches {of_floor} of its floor at d = {d}{limit}", share, of_floor),
            Verdict(f"{best} reaches {of_product} of the product at d = {d}", rate, of_product),
            Verdict(f"{best} is {times} times faster than naive at d = {d}", ratio, times),
        ]
    return reached


def _fastest(data, names, **size):
    wanted = size | {"causal": False, "status": "ok"}
    rows = (row for row in data["rows"] if row["name"] in names and wanted.items() <= row.items())
    return min(rows, key=lambda row: row["p50_s"], default=None)
