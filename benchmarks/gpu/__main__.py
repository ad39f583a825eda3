"""Measure attention on one device, and record it.

Every back end is checked against float64 before it is timed, and timed against ceilings that are
measured in the same run.  The same command goes on where it stopped.
"""

import argparse
import functools
import gc
import itertools
import sys
import time

import torch

from attnlib.timing import machine
from benchmarks.checking import notices, problems
from benchmarks.gpu.ceilings import NOMINAL, measure_ceilings
from benchmarks.gpu.plan import (
    ITEMSIZE,
    KIND,
    PASSES,
    floor_terms,
    seed_of,
    settings_for,
    tasks,
)
from benchmarks.gpu.rows import draw, measured_row
from benchmarks.gpu.verdicts import verdicts
from benchmarks.recording import KEY, Recorder, header

say = functools.partial(print, flush=True)  # at once, also where the output is a file

DONE, WRONG, UNFINISHED = 0, 2, 3  # exit statuses
AGAIN = "Every finished row is kept. Give the same command again to go on."


def main(arguments=None):
    options = parser().parse_args(arguments)
    deadline = time.monotonic() + options.budget
    try:
        return run(options, deadline)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG
    except torch.AcceleratorError as error:
        print(f"Stopped: the device no longer answers ({str(error).splitlines()[0]}). {AGAIN}")
    except KeyboardInterrupt:
        print(f"\nInterrupted. {AGAIN}")
    return UNFINISHED


def run(options, deadline):
    """Measure what is missing, and then finish the recording."""
    torch.set_float32_matmul_precision("highest")
    device, others = options.device, ("device", "out", "budget")
    chosen = {name: value for name, value in vars(options).items() if name not in others}
    chosen["causal"] = options.causal and [word == "yes" for word in options.causal]
    settings, described = settings_for(device, **chosen), device_of(device)
    peaks = NOMINAL.get(described["name"])
    recorder = Recorder(options.out, header(KIND, described, settings, nominal=peaks))
    if not recorder.resume():
        say("Measuring what the device can do at most ...")
        recorder.begin(measure_ceilings(device, settings))
    start, planned = recorder.header["ceilings"]["start"], tasks(settings)
    done = {tuple(row[name] for name in KEY) for row in recorder.rows}
    left = [task for task in planned if tuple(task[name] for name in KEY) not in done]
    say(f"{len(planned)} rows, {len(done)} of them done.")
    for _, group in itertools.groupby(left, key=lambda task: seed_of(task, settings["seed"])):
        inputs = None
        for task in group:
            if time.monotonic() > deadline:
                say(f"Stopped: the {options.budget:g} s of --budget are over. {AGAIN}")
                return UNFINISHED
            inputs = inputs or draw(task, device, settings["seed"])
            recorder.append(measured_row(task, inputs, settings, device))
            say(f"[{len(recorder.rows):4d}/{len(planned)}] {progress(recorder.rows[-1], start)}")
            gc.collect()  # an error may hold on to arrays in a circle
            if device == "cuda":
                torch.cuda.synchronize()  # raises if the device no longer answers
                torch.cuda.empty_cache()
    data = recorder.finish(measure_ceilings(device, settings))
    say(*problems(data), *notices(data), *verdicts(data), sep="\n")
    say(f"{recorder.out.name} is complete: {len(planned)} rows.")
    return WRONG if problems(data) else DONE


def progress(row, ceilings):
    causal = "causal" if row["causal"] else "all"
    size = f"n {row['n']:5d}  d {row['d']:3d}  {row['dtype']:8s}  {causal:6s}  {row['name']:12s}"
    if row["status"] != "ok":
        return f"{size}  {row['status']}: {row['reason']}"
    share = max(floor_terms(row, ceilings).values()) / row["p50_s"]
    return f"{size}  {1000 * row['p50_s']:9.3f} ms  {share:.2f} of its floor"


def device_of(kind):
    """Describe the device that computes."""
    here = machine()
    if kind == "cpu":
        name = here["processor"] or "unknown processor"
        return {"name": name, "kind": kind, "threads": torch.get_num_threads()}
    if not torch.cuda.is_available():
        raise ValueError("--device cuda: torch finds no GPU here. Give --device cpu.")
    properties = torch.cuda.get_device_properties(0)
    driver = next((gpu["driver"] for gpu in here["gpus"] if gpu["name"] == properties.name), None)
    versions = {"cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version()}
    described = {"name": properties.name, "kind": kind, "threads": None, "driver": driver}
    return described | {"memory_bytes": properties.total_memory} | versions


def parser():
    """Return the parser of the command line."""
    usual = "Options that are left out get the usual values for the device."
    command = argparse.ArgumentParser("python -m benchmarks.gpu", description=f"{__doc__} {usual}")
    add = command.add_argument
    add("--device", choices=["cuda", "cpu"], required=True)
    add("--out", required=True, metavar="FILE.json", help="the recording")
    add("--n", type=int, nargs="+", help="lengths of a sequence")
    add("--d", type=int, nargs="+", help="lengths of a key")
    add("--dtype", nargs="+", choices=list(ITEMSIZE))
    add("--causal", nargs="+", choices=["no", "yes"])
    add("--backends", nargs="+", choices=list(PASSES))
    add("--tokens", type=int, help="positions in all sequences together")
    add("--width", type=int, help="all heads together")
    add("--repeats", type=int, help="timed calls of a row, at most")
    add("--warmup", type=int, help="calls before them")
    add("--row-seconds", type=float, help="about how long a row is timed, at most")
    add("--seed", type=int, default=0, help="of inputs and order")
    add("--budget", type=float, default=540.0, metavar="SECONDS", help="begin no row after this")
    add("--quick", action="store_true", help="small sizes, to see that all works")
    return command


if __name__ == "__main__":
    sys.exit(main())
