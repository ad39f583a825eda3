"""Measuring all implementations, each in a process of its own, in several rounds.

A ratio is taken inside a round and the median of the rounds is reported; the order is shuffled.
So a disturbance spoils a round and not the comparison.
"""

import json
import os
import random
import signal
import subprocess
import sys
from datetime import UTC, datetime

from attnlib.benchmarks.hashing import hashes
from attnlib.benchmarks.one_core.implementations import IMPLEMENTATIONS
from attnlib.timing import machine

#: The files whose code decides a number.
DECIDING = [
    "attnlib/benchmarks/one_core/implementations.py",
    "attnlib/benchmarks/one_core/recording.py",
    "attnlib/benchmarks/one_core/worker.py",
    "attnlib/efficient/*.py",
    "attnlib/timing/*.py",
]
SIZES = [512, 1024, 2048, 4096]
ROUNDS = 3
N_HEADS, D, SEED = 8, 64, 0
#: Where the ways that are not exact are measured.
SIZE_OF_APPROXIMATIONS = 2048
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1"
    for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "BLIS", "NUMEXPR")
}


class WorkerFailed(RuntimeError):
    """An implementation ended in an error, or was stopped for want of memory."""


def record(sizes=SIZES, rounds=ROUNDS, seconds=0.6, *, shown=iter):
    """Measure all implementations, and return data as it is written to the file.

    Parameters
    ----------
    sizes : list of int, optional
        Numbers of queries and keys.
    rounds : int, optional
        How often everything is measured.
    seconds : float, optional
        About how long each implementation is timed in a round, at each size.
    shown : callable, optional
        Wraps the list of jobs, so that progress can be shown.

    Returns
    -------
    dict
        ``kind``, ``schema``, ``date``, ``machine``, ``scripts`` (SHA-256 of each), ``settings``,
        ``ceilings`` and ``rows``, one for each implementation, size, kind of input and round.

    Raises
    ------
    WorkerFailed
        If an implementation fails; its message is in the error.
    """
    started = datetime.now(UTC)
    rows = []
    ceilings = measured("ceilings")
    for round_, task in shown(_jobs(sizes, rounds, seconds)):
        kept = {name: task[name] for name in ("name", "n", "inputs")}
        rows.append({"round": round_} | kept | measured(task))
    return {
        "schema": 1,
        "kind": "attention on one core",
        "date": started.isoformat(timespec="seconds"),
        "machine": machine(),
        "scripts": hashes(DECIDING),
        "settings": {
            "sizes": list(sizes), "rounds": rounds, "seconds": seconds, "n_heads": N_HEADS,
            "d": D, "dtype": "float32", "threads": 1, "seed": SEED,
        },
        "ceilings": ceilings,
        "rows": rows,
    }  # fmt: skip


def measured(task):
    """Run one worker on one task, and return its result."""
    done = subprocess.run(
        [sys.executable, "-m", "attnlib.benchmarks.one_core.worker", json.dumps(task)],
        capture_output=True,
        text=True,
        env=os.environ | ONE_THREAD,
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        if done.returncode == -signal.SIGKILL:
            why = "it was killed, most likely for want of memory. Give smaller --sizes"
        what = task if task == "ceilings" else f"{task['name']} at n = {task['n']}"
        raise WorkerFailed(f"{what}: {why}")
    return json.loads(done.stdout)


def _jobs(sizes, rounds, seconds):
    """Return what is measured, in order: pairs of round and task."""
    shuffled = random.Random(SEED)
    common = {"n_heads": N_HEADS, "d": D, "seed": SEED, "seconds": seconds}
    jobs = []
    for round_ in range(rounds):
        for n in sizes:
            names = [name for name, way in IMPLEMENTATIONS.items() if way.exact]
            shuffled.shuffle(names)
            first = round_ == 0
            jobs += [
                (round_, {"name": name, "n": n, "inputs": "random", "memory": first} | common)
                for name in names
            ]
    n = min(SIZE_OF_APPROXIMATIONS, max(sizes))
    for name, way in IMPLEMENTATIONS.items():
        if not way.exact or name in ("two_products", "row_blocks"):
            jobs += [
                (0, {"name": name, "n": n, "inputs": inputs, "memory": False} | common)
                for inputs in ("random", "local")
                if not (way.exact and inputs == "random")
            ]
    return jobs
