"""The command: measure a ring of processes and compare it with one process."""

import json
import os
import signal
import socket
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

from attnlib.ring import guard, measure, options
from attnlib.timing import machine


def main(arguments=None):
    """Run one process of the ring."""
    ring, rank = [], int(os.environ.get("RANK", 0))
    guard.watch_parent(ring)
    try:
        settings = options.read(arguments)
    except guard.Refused as error:
        if rank:  # the launcher ends all as soon as one has failed, and rank 0 has to speak first
            time.sleep(60)
        guard.leave("" if rank else str(error), guard.REFUSED)
    try:
        with process_group(settings, ring) as device:
            if rank == 0:
                chosen = ", ".join(f"{name} = {x}" for name, x in vars(settings).items() if x)
                print(f"Ring of {dist.get_world_size()}, {device.type}: {chosen}", flush=True)
            passes = measure.run(settings, device)
            named = {"backend": dist.get_backend(), "device": device.type}
        if rank == 0:
            named |= {"threads": torch.get_num_threads(), "torch": torch.__version__}
            show(named | measure.results(passes, settings), settings)
    except (RuntimeError, MemoryError, OSError) as error:
        message = guard.explain(error, rank, settings.timeout)
        if not message:
            raise
        guard.leave(message, guard.BROKEN, ring)


@contextmanager
def process_group(settings, ring):
    """Join the others and yield the device to compute on; leave the group unless an error occurs.

    Each process uses its own GPU if this machine has one for every process.  The ids of all
    processes go to `ring`, if all are on this machine.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends also a process that waits
    world, local_world = (int(os.environ[x]) for x in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"))
    torch.set_num_threads(settings.threads or max(1, machine()["cores"] // local_world))
    device, own_gpu = torch.device("cpu"), None
    if dist.is_nccl_available() and torch.cuda.device_count() >= local_world:
        device = own_gpu = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    elif world == local_world:  # use the loopback: no name of the machine has to be looked up
        for name in {name for _, name in socket.if_nameindex()} & {"lo", "lo0"}:
            os.environ.setdefault("GLOO_SOCKET_IFNAME", name)
    patience = timedelta(seconds=settings.timeout)
    dist.init_process_group("nccl" if own_gpu else "gloo", timeout=patience, device_id=own_gpu)
    ids = [None] * world
    dist.all_gather_object(ids, os.getpid())
    ring += ids if world == local_world else []
    yield device
    dist.destroy_process_group()


def show(results, settings):
    """Print the results as tables and as one line of JSON, and write that to a file if settings."""
    for layout, of_layout in results["layouts"].items():
        print(f"\n{layout}: relative error {of_layout['relative_error']:.1e} against one process")
        print("rank    bytes sent         pairs  seconds  of which work in each step")
        for rank, pairs in enumerate(of_layout["pairs"]):
            work = "  ".join(f"{seconds:.4f}" for seconds in of_layout["work_seconds"][rank])
            sent, seconds = of_layout["bytes_sent"][rank], of_layout["seconds"][rank]
            print(f"{rank:4}  {sent:12,}  {sum(pairs):12,}  {seconds:7.4f}  {work}")
        print(f"bytes by formula: {of_layout['bytes_by_formula']:,} from each rank")
        print(f"balance: the mean rank has {of_layout['balance']:.3f} of the busiest one's pairs")
    if "ratio" in results:
        ratio = "{seconds:.2f} in seconds of the slowest, {pairs:.2f} in pairs of the busiest rank"
        print("\ncontiguous / striped:", ratio.format(**results["ratio"]))
    text = json.dumps(results)
    print(f"\n{text}", flush=True)
    if settings.json:
        Path(settings.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
