"""Measure a ring of processes in both layouts, and compare it with one process."""

import argparse
import json
import os
import socket
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.functional import scaled_dot_product_attention

from attnlib.ring import ring_attention, unshard
from attnlib.ring.layout import LAYOUTS


@record  # the launcher says what failed in which process, and ends the others
def main():
    """Run one process of the ring; rank 0 prints what all have measured."""
    parser = argparse.ArgumentParser(prog="attnlib.ring", description=__doc__)
    parser.add_argument("-n", type=int, default=4096, help="rows of the sequence")
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("-d", type=int, default=64, help="entries of a row")
    parser.add_argument("--causal", action="store_true", help="no query attends to a later row")
    parser.add_argument("--repeats", type=int, default=5, help="timed passes")
    parser.add_argument("--json", type=Path, help="write the results there, too")
    options = parser.parse_args()
    if options.n % int(os.environ.get("WORLD_SIZE", 1)):
        parser.error(f"-n {options.n}: give a multiple of {os.environ['WORLD_SIZE']}")
    for name in {name for _, name in socket.if_nameindex()} & {"lo", "lo0"}:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", name)  # no look-up of the machine's name
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} processes: {vars(options)}", flush=True)
    ranks = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    dist.gather_object(measured(options), ranks)
    dist.destroy_process_group()
    if ranks:
        layouts = {layout: compared(ranks, layout, options.causal) for layout in LAYOUTS}
        for layout, found in layouts.items():
            print(f"\n{layout}, by rank and step")
            for name, x in found.items():
                print(f"{name}:", np.array_str(np.array(x), precision=4), sep="\n")
        if options.json:
            options.json.write_text(json.dumps({"layouts": layouts}), encoding="utf-8")


def measured(options):
    """Return this process's rows and, for each layout, its output and what each pass reports."""
    rank, world = dist.get_rank(), dist.get_world_size()
    shape = 3, 1, options.heads, options.n // world, options.d
    rows = torch.randn(shape, generator=torch.Generator().manual_seed(rank))
    outputs, passes = {}, {layout: [] for layout in LAYOUTS}
    for layout in (1 + options.repeats) * LAYOUTS:  # in turn; the first pass opens connections
        dist.barrier()
        start = time.perf_counter()
        outputs[layout], report = ring_attention(*rows, causal=options.causal, layout=layout)
        passes[layout].append({"seconds": time.perf_counter() - start} | vars(report))
    return rows, {layout: (outputs[layout], passes[layout][1:]) for layout in LAYOUTS}


def compared(ranks, layout, causal):
    """Compare with one process, in float64; medians of the passes go by rank, then by step."""
    whole = unshard([rows for rows, _ in ranks], layout).double()
    exact = scaled_dot_product_attention(*whole, is_causal=causal)
    outputs, passes = zip(*(of_layout[layout] for _, of_layout in ranks))
    error = (unshard(outputs, layout) - exact).abs().max() / exact.abs().max()
    found = {"relative_error": float(error)}
    for name in passes[0][0]:
        by_pass = np.sort([[one[name] for one in own] for own in passes], axis=1)
        found[name] = by_pass[:, len(passes[0]) // 2].tolist()
    return found


if __name__ == "__main__":
    main()
