"""Measure one core, print the tables, write the data and the picture."""

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tqdm import tqdm

from attnlib.timing import machine
from benchmarks.checking import problems
from benchmarks.one_core.picture import picture
from benchmarks.one_core.plan import KIND, SIZES, settings_for, tasks
from benchmarks.one_core.table import RATIOS, text, verdicts
from benchmarks.recording import ROOT, Recorder, header, row

ONE_THREAD = {
    f"{library}_NUM_THREADS": "1"
    for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "BLIS", "NUMEXPR")
}


def main(arguments=None):
    """Measure, print the tables, write the data and the picture; return the exit status."""
    options = parser().parse_args(arguments)
    settings = settings_for(n=options.sizes, rounds=options.rounds, seconds=options.seconds)
    path = Path(options.out, "one_core.json")
    data = record(path, settings)
    path.with_suffix(".svg").write_text(picture(data), encoding="utf-8")
    print(text(data), f"\nData: {path}\nPicture: {path.with_suffix('.svg')}", sep="\n")
    for problem in problems(data):
        print(f"Cannot be used: {problem}")
    missed = options.strict and any(verdict.met is False for verdict in verdicts(data))
    return 1 if missed or problems(data) else 0


def record(path, settings):
    """Measure all ways, and write and return the recording.

    A ratio is taken inside a round, and the median over the rounds is what is reported.
    """
    device = {"name": machine()["processor"], "kind": "cpu", "threads": 1}
    recorder, files = Recorder(path, header(KIND, device, settings)), {}
    recorder.begin(in_worker(files, "ceilings"))
    options = {"seed": settings["seed"], "seconds": settings["seconds"]}
    for task in tqdm(tasks(settings), desc="Measuring", unit="run", leave=False, disable=None):
        recorder.append(row(task, **in_worker(files, "measured", task=task, **options)))
    seed = settings["seed"]
    ratios = [shape | in_worker(files, "ratio", **shape, seed=seed) for _, shape, _ in RATIOS]
    recorder.header["code"]["files"] = files
    return recorder.finish(in_worker(files, "ceilings"), ratios=ratios)


def in_worker(files, name, **arguments):
    """Run a job in a separate process and return its result; note its code in `files`."""
    command = [sys.executable, "-m", "benchmarks.one_core.worker", json.dumps([name, arguments])]
    options = {"capture_output": True, "text": True, "cwd": ROOT, "env": os.environ | ONE_THREAD}
    done = subprocess.run(command, **options)
    task = arguments.get("task")
    what = f"{task['name']} at n = {task['n']}" if task else name
    if done.returncode:
        why = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        if done.returncode == -signal.SIGKILL:
            why = "it was killed, most likely for want of memory. Give smaller --sizes"
        raise RuntimeError(f"{what}: {why}")
    answer = json.loads(done.stdout)
    changed = [path for path, hash_ in answer["files"].items() if files.get(path, hash_) != hash_]
    if changed:
        raise RuntimeError(f"{what}: {changed[0]} was changed while it was measured")
    files |= answer["files"]
    return answer["result"]


def parser():
    """Return the parser of the command line."""
    command = argparse.ArgumentParser(prog="python -m benchmarks.one_core", description=__doc__)
    command.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N")
    command.add_argument("--rounds", type=int, default=3)
    command.add_argument("--seconds", type=float, default=0.6, help="for each measurement")
    command.add_argument("--out", default="_build/bench", help="folder for data and picture")
    command.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    return command


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, ValueError) as error:
        sys.exit(f"make bench stopped: {error}.")
    except KeyboardInterrupt:
        sys.exit("make bench was interrupted; nothing was written.")
