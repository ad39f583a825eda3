"""The command: measure a ring of processes and compare it with one process."""

import json
import sys

import torch

from attnlib.ring import guard, launch, measure, options, table


def main(arguments=None):
    """Run one process of the ring.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line, that of this process if not given.
    """
    if {"-h", "--help"} & set(sys.argv[1:] if arguments is None else arguments):
        return helped()
    ring, rank = [], 0
    try:
        here = launch.place()
        rank = here.rank
        guard.watch_parent(ring)
        asked = options.read(arguments, here)
    except guard.Refused as error:
        guard.refuse(str(error), rank)
    try:
        together, device = take_part(asked, here, ring)
        if rank == 0:
            show(measure.results(together, asked, here), device, asked)
    except (RuntimeError, MemoryError, OSError) as error:
        message = guard.explain(error, rank, asked.timeout)
        if message is None:
            raise
        guard.leave(message, guard.BROKEN, ring)


def helped():
    """Print the options, once."""
    try:
        rank = launch.place().rank
    except guard.Refused:
        rank = 0
    if rank == 0:
        options.parser().print_help()


def take_part(asked, here, ring):
    """Join the ring, run it, leave it; return what all found (in rank 0) and on what device."""
    threads = launch.thread_count(here.local_world, asked.threads)
    torch.set_num_threads(threads)
    with launch.process_group(here, asked.timeout) as device:
        ring += launch.process_ids(here)
        named = {
            "backend": torch.distributed.get_backend(),
            "device": device.type,
            "threads": threads,
            "torch": torch.__version__,
        }
        if here.rank == 0:
            print(table.heading(asked, here, named), flush=True)
        return measure.gather(measure.run(asked, here, device), here), named


def show(found, device, asked):
    """Print the results, and write them to the file if one is named."""
    for layout, of_layout in found["layouts"].items():
        print(table.table(layout, of_layout))
    if "ratio" in found:
        print(table.ratio(found))
    text = json.dumps(device | found)
    print(f"\n{text}", flush=True)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
