"""Run the ring some times and gather in rank 0 what all processes found."""

import time

import numpy as np
import torch
import torch.distributed as dist

from attnlib.ring.attention import ring_attention
from attnlib.ring.counts import bytes_sent, pairs_per_step
from attnlib.ring.inputs import draw_rows, exact_attention, relative_error
from attnlib.ring.layout import token_positions, unshard


def run(options, here, device):
    """Time each layout, in turn, and keep what this process found.

    Every pass starts behind a barrier.  The first is not timed, because it opens connections.

    Parameters
    ----------
    options : argparse.Namespace
    here : attnlib.ring.launch.Place
    device : torch.device

    Returns
    -------
    dict of dict
        For each layout seconds, reports and the output of this process.
    """
    runs = {layout: {"seconds": [], "reports": []} for layout in options.layouts}
    own = {}
    for layout in options.layouts:
        positions = token_positions(options.n, here.rank, here.world, layout)
        own[layout] = draw(positions, options).to(device)
    for timed in [False] + [True] * options.repeats:
        for layout, found in runs.items():
            dist.barrier()
            start = time.perf_counter()
            found["output"], report = ring_attention(
                *own[layout], causal=options.causal, layout=layout
            )
            if timed:
                found["seconds"].append(time.perf_counter() - start)
                found["reports"].append(report)
    return runs


def draw(positions, options):
    """Return Q, K and V of these positions, with the sizes that the options name."""
    return draw_rows(
        positions,
        batch=options.batch,
        n_heads=options.heads,
        d=options.d,
        dtype=options.dtype,
        seed=options.seed,
    )


def gather(runs, here):
    """Collect in rank 0 what all processes found.

    Parameters
    ----------
    runs : dict of dict
        From `run`.
    here : attnlib.ring.launch.Place

    Returns
    -------
    dict or None
        In rank 0 for each layout the whole output, and seconds and reports by rank.
    """
    together = {}
    for layout, found in runs.items():
        first = here.rank == 0
        outputs = [torch.empty_like(found["output"]) for _ in range(here.world)] if first else None
        told = [None] * here.world if first else None
        dist.gather(found["output"].contiguous(), outputs, dst=0)
        dist.gather_object((found["seconds"], found["reports"]), told, dst=0)
        if first:
            together[layout] = (unshard(outputs, layout).cpu(), *zip(*told))
    return together if here.rank == 0 else None


def results(together, options, here):
    """Compare with one process and with the formulas; return one dictionary of plain numbers.

    Only here does one process hold the whole sequence: to compute what the ring should have found.

    Parameters
    ----------
    together : dict
        From `gather`.
    options : argparse.Namespace
    here : attnlib.ring.launch.Place

    Returns
    -------
    dict
        What was run, and for each layout its error, bytes, pairs, balance and median seconds.
    """
    exact = exact_attention(*draw(np.arange(options.n), options), options.causal)
    names = ("n", "heads", "d", "batch", "causal", "dtype", "repeats", "seed")
    found = {"world": here.world} | {name: getattr(options, name) for name in names}
    found["layouts"] = {
        layout: {"relative_error": relative_error(output, exact)}
        | bytes_and_pairs(reports, layout, options)
        | medians(seconds, reports)
        for layout, (output, seconds, reports) in together.items()
    }
    if options.compare:
        a, b = (found["layouts"][layout] for layout in options.layouts)
        found["ratio"] = {
            "seconds": a["slowest_seconds"] / b["slowest_seconds"],
            "pairs": a["most_pairs"] / b["most_pairs"],
        }
    return found


def bytes_and_pairs(reports, layout, options):
    """Return what was counted, beside what the formulas say; lists go by rank, then by step."""
    world, last = len(reports), [of_rank[-1] for of_rank in reports]
    itemsize = np.dtype(options.dtype).itemsize
    pairs = np.array([report.pairs for report in last])
    by_rank = pairs.sum(axis=1)
    formula = pairs_per_step(options.n, world, layout, options.causal)
    return {
        "bytes_sent": [report.bytes_sent for report in last],
        "bytes_by_formula": bytes_sent(
            options.n, options.heads, options.d, world, itemsize, options.batch
        ),
        "pairs": pairs.tolist(),
        "pairs_by_formula": formula.tolist(),
        "scores": [list(report.scores) for report in last],
        "most_pairs": int(by_rank.max()),
        "balance": float(by_rank.mean() / by_rank.max()),
    }


def medians(seconds, reports):
    """Return median seconds: of each rank, of each of its steps, and of the slowest rank."""
    steps = {
        f"{kind}_seconds": [
            np.median([getattr(r, f"{kind}_seconds") for r in of_rank], axis=0).tolist()
            for of_rank in reports
        ]
        for kind in ("work", "wait")
    }
    return {
        "seconds": np.median(seconds, axis=1).tolist(),
        "slowest_seconds": float(np.median(np.max(seconds, axis=0))),
    } | steps
