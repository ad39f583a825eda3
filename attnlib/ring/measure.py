"""Run the ring several times, and compare it with one process and with the formulas."""

import time

import numpy as np
import torch
import torch.distributed as dist

from attnlib.ring.attention import ring_attention
from attnlib.ring.counts import bytes_sent, pairs_per_step
from attnlib.ring.layout import LAYOUTS, own_rows, unshard


def draw(positions, options):
    """Return Q, K and V of some positions, shape (3, batch, n_heads, rows, d).

    A row depends on the seed and on its position alone: each process draws its own.
    """
    shape, dtype = (3, options.batch, options.heads, options.d), options.dtype
    rngs = (np.random.default_rng([options.seed, int(t)]) for t in positions)
    rows = [rng.standard_normal(shape, dtype=dtype) for rng in rngs]
    return torch.as_tensor(np.stack(rows, axis=-2))


def run(options, device):
    """Time each layout, in turn; return to rank 0 the outputs, seconds and reports of all ranks.

    Every pass starts behind a barrier; the first, which opens connections, is not timed.
    """
    passes, inputs = {}, {}
    for layout in LAYOUTS if options.compare else (options.layout,):
        mine = own_rows(options.n, dist.get_rank(), dist.get_world_size(), layout)
        inputs[layout] = draw(np.arange(options.n)[mine], options).to(device)
        passes[layout] = {"seconds": [], "reports": []}
    for turn in range(1 + options.repeats):
        for layout, own in passes.items():
            dist.barrier()
            start = time.perf_counter()
            output, report = ring_attention(*inputs[layout], causal=options.causal, layout=layout)
            seconds, own["output"] = time.perf_counter() - start, output.cpu()
            if turn:
                own["seconds"].append(seconds)
                own["reports"].append(report)
    for layout, own in passes.items():
        passes[layout] = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
        dist.gather_object(own, passes[layout], dst=0)
    return passes


def results(passes, options):
    """Compare with one process and with the formulas; return one dictionary of plain numbers.

    Lists go by rank, then by step.  Only here does one process hold the whole sequence.
    """
    Q, K, V = draw(range(options.n), options).double()
    exact = torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=options.causal)
    names = ("n", "heads", "d", "batch", "causal", "dtype", "repeats", "seed")
    summary = {name: getattr(options, name) for name in names} | {"layouts": {}}
    for layout, ranks in passes.items():
        output = unshard([rank["output"] for rank in ranks], layout)
        error = float((output - exact).abs().max() / exact.abs().max())
        seconds = {"seconds": np.median([rank["seconds"] for rank in ranks], axis=1).tolist()}
        slowest = float(np.median(np.max([rank["seconds"] for rank in ranks], axis=0)))
        for name in ("work_seconds", "wait_seconds"):
            steps = [[getattr(report, name) for report in rank["reports"]] for rank in ranks]
            seconds[name] = np.median(steps, axis=1).tolist()
        measured = {"relative_error": error, "slowest_seconds": slowest} | seconds
        last = [rank["reports"][-1] for rank in ranks]
        summary["layouts"][layout] = measured | counted(last, layout, options)
    if options.compare:
        a, b = summary["layouts"].values()
        names = {"seconds": "slowest_seconds", "pairs": "most_pairs"}
        summary["ratio"] = {name: a[field] / b[field] for name, field in names.items()}
    return summary | {"world": len(ranks)}


def counted(reports, layout, options):
    """Return what each rank counted, beside what the formulas say."""
    world, itemsize = len(reports), np.dtype(options.dtype).itemsize
    size = options.n, options.heads, options.d, world, itemsize, options.batch
    by_rank = np.sum([report.pairs for report in reports], axis=1)
    return {
        "bytes_sent": [report.bytes_sent for report in reports],
        "bytes_by_formula": bytes_sent(*size),
        "pairs": [list(report.pairs) for report in reports],
        "pairs_by_formula": pairs_per_step(options.n, world, layout, options.causal).tolist(),
        "scores": [list(report.scores) for report in reports],
        "most_pairs": int(by_rank.max()),
        "balance": float(by_rank.mean() / by_rank.max()),
    }
