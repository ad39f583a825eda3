"""What a run is: device, versions, code, seed and settings, before anything is measured."""

import platform
from datetime import UTC, datetime

import numpy as np
import torch

from attnlib.benchmarks.ceilings import nominal
from attnlib.benchmarks.plan import settings_for
from attnlib.benchmarks.provenance import KIND, SCHEMA, script_hashes
from attnlib.timing import machine

#: The options of the command that become settings.
CHOSEN = ["n", "d", "dtype", "backends", "tokens", "width", "repeats", "warmup", "row_seconds"]


def header_of(options):
    """Return the header of a run: everything but the ceilings and the rows."""
    if options.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device cuda: torch finds no GPU here. Give --device cpu.")
    here = machine()
    chosen = {name: getattr(options, name) for name in CHOSEN}
    causal = None if options.causal is None else [word == "yes" for word in options.causal]
    device = device_of(options.device, here)
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "device": device,
        "versions": versions(),
        "machine": here,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "scripts": script_hashes(),
        "seed": options.seed,
        "settings": settings_for(options.device, quick=options.quick, causal=causal, **chosen),
        "nominal": nominal(device["name"]),
    }


def device_of(kind, here):
    """Describe the device that computes; `here` is what `attnlib.timing.machine` says."""
    if kind == "cpu":
        name, driver, memory = here["processor"] or "unknown processor", None, here["memory_bytes"]
        threads = torch.get_num_threads()
    else:
        found = torch.cuda.get_device_properties(0)
        name, memory, threads = found.name, found.total_memory, None
        driver = next((gpu["driver"] for gpu in here["gpus"] if gpu["name"] == name), None)
    return {
        "name": name,
        "kind": kind,
        "driver": driver,
        "memory_bytes": memory,
        "threads": threads,
    }


def versions():
    """Return the versions of what computes."""
    cudnn = torch.backends.cudnn.version() if torch.cuda.is_available() else None
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": str(torch.__version__),
        "triton": machine()["libraries"].get("triton"),
        "cuda": torch.version.cuda,
        "cudnn": None if cudnn is None else str(cudnn),
    }
