"""Measure attention on one device: ``python -m attnlib.benchmarks.gpu --device cuda --out a.json``.

Every back end is checked against float64 before it is timed, and timed against ceilings that were
measured in the same run.  Rows are kept one by one: the same command goes on where it stopped.
"""

import contextlib
import gc
import json
import signal
import sys
import threading
import time

import torch

from attnlib.benchmarks.budget import Budget, OutOfTimeError
from attnlib.benchmarks.ceilings import measure_ceilings
from attnlib.benchmarks.command import parse
from attnlib.benchmarks.exact import draw_inputs
from attnlib.benchmarks.header import header_of
from attnlib.benchmarks.journal import Journal, set_aside
from attnlib.benchmarks.measuring import Run, measure_row
from attnlib.benchmarks.plan import groups
from attnlib.benchmarks.provenance import refuse_other_run

#: Exit statuses: all rows measured; something is wrong; stopped early, go on later.
DONE, WRONG, UNFINISHED = 0, 2, 3


class DeviceLostError(Exception):
    """The device no longer answers."""


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, optional
        What stands behind the name of the command.

    Returns
    -------
    int
        0 when the recording is complete, 2 when it cannot be made, 3 when it stopped early.
    """
    options = parse(argv)
    again = "Every finished row is kept. Give the same command again to go on."
    try:
        with _terminated_like_interrupted(), Journal(options.out) as journal:
            return run(options, journal)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG
    except OutOfTimeError as error:
        print(f"Stopped: {error}. {again} If nothing was measured, give a larger --budget.")
    except DeviceLostError as error:
        print(f"Stopped: the device no longer answers ({error}). {again}")
    except KeyboardInterrupt:
        print(f"\nInterrupted. {again}")
    return UNFINISHED


def run(options, journal):
    """Measure what is missing, and join the recording when nothing is.

    Parameters
    ----------
    options : argparse.Namespace
        From `parse`.
    journal : Journal
        Where rows are kept.

    Returns
    -------
    int
        0.

    Raises
    ------
    ValueError
        If the device is not there, the settings cannot be, or a file of another run is in the way.
    OutOfTimeError, DeviceLostError
        If rows are left.
    """
    torch.set_float32_matmul_precision("highest")
    budget = Budget(options.budget)
    wanted = header_of(options)
    if options.fresh:
        for name in filter(None, map(set_aside, (journal.part, journal.out))):
            say(f"The old file is now {name}.")
    if journal.out.exists():
        refuse_other_run(json.loads(journal.out.read_text(encoding="utf-8")), wanted, journal.out)
        say(f"{journal.out.name} is complete already.")
        return DONE
    header, notice = journal.resume(wanted)
    if notice:
        say(f"Notice: {notice}.")
    if header is None:
        header = wanted | {"ceilings": {"start": ceilings(options.device, wanted["settings"])}}
        journal.begin(header)
    start = header["ceilings"]["start"]
    budget.reserve = 1.5 * start["seconds"]  # they are measured once more at the end
    measure_rows(options.device, header, journal, budget)
    end = ceilings(options.device, wanted["settings"], start["matrix_size"])
    journal.finish(header | {"ceilings": {"start": start, "end": end}})
    say(f"{journal.out.name} is complete: {len(journal.lines)} rows.")
    return DONE


def measure_rows(device, header, journal, budget):
    """Measure the rows that the journal lacks, group by group."""
    settings, seed = header["settings"], header["seed"]
    known = journal.rows
    keys = ("n", "d", "dtype", "causal", "backend")
    done = {tuple(row[key] for key in keys) for row in known}
    for row in known:
        budget.learn(row)
    shared = Run(device, settings, header["ceilings"]["start"], seed, budget)
    total = len(groups(settings)) * len(settings["backends"])
    say(f"{total} rows, {len(done)} of them done; {max(0.0, budget.left):.0f} s to spend.")
    for group in groups(settings):
        left = [b for b in group.order(settings["backends"], seed) if group.key(b) not in done]
        if not left:
            continue
        inputs = draw_inputs(group, device, seed)
        for backend in left:
            began = time.monotonic()
            row = measure_row(shared, group, inputs, backend)
            journal.append(row)
            budget.learn(row, time.monotonic() - began)
            say(f"[{len(journal.lines):4d}/{total}] {progress(row)}")
            _settle(device, row)


def progress(row):
    """Return one line about a row.

    Examples
    --------
    >>> row = {"n": 512, "d": 64, "dtype": "float32", "causal": True, "backend": "flash"}
    >>> progress(row | {"status": "ok", "p50_s": 0.002, "of_floor": 0.5})
    'n   512  d  64  float32   causal  flash             2.000 ms  0.50 of its floor'
    """
    causal = "causal" if row["causal"] else "all"
    size = f"n {row['n']:5d}  d {row['d']:3d}  {row['dtype']:8s}  {causal:6s}"
    if row["status"] != "ok":
        return f"{size}  {row['backend']:12s}  {row['status']}: {row['reason']}"
    time_ms = f"{1000 * row['p50_s']:9.3f} ms"
    return f"{size}  {row['backend']:12s}  {time_ms}  {row['of_floor']:.2f} of its floor"


def ceilings(device, settings, sizes=None):
    """Measure the ceilings, and say that it is being done."""
    say("Measuring what the device can do at most ...")
    return measure_ceilings(device, settings["dtype"], quick=settings["quick"], sizes=sizes)


def say(line):
    """Print a line at once, also where the output is a file."""
    print(line, flush=True)


def _settle(device, row):
    """Give back the memory of the last row, and see whether the device still answers."""
    if row["status"].startswith("out of memory"):
        gc.collect()  # an error may hold on to arrays in a circle
    if device == "cuda":
        try:
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
        except RuntimeError as error:
            raise DeviceLostError(str(error).splitlines()[0]) from None


@contextlib.contextmanager
def _terminated_like_interrupted():
    """Let a request to end act as Ctrl-C does, so that the last words are said."""

    def interrupt(number, frame):
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    sys.exit(main())
