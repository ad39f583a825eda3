"""What `make bench` measures, in its order, and the limits of its numbers."""

import random

from attnlib.cost import attention_cost
from benchmarks.one_core.ways import APPROXIMATE, EXACT
from benchmarks.recording import checked

KIND = "one_core"
ANEW = "make bench && cp _build/bench/one_core.json book/data/"

SIZES = [512, 1024, 2048, 4096]
#: Where the ways that are not exact are measured.
SIZE_OF_APPROXIMATIONS = 2048
#: An exact way in float32 differs from float64 by less.
TOLERANCE = 1e-5


def settings_for(*, n=SIZES, rounds=3, seconds=0.6):
    """Return the settings of a run: sizes, rounds, and about how long each way is timed in each."""
    chosen = {"n": list(n), "rounds": rounds, "seconds": seconds}
    return checked(chosen | {"n_heads": 8, "d": 64, "threads": 1, "seed": 0}, KIND)


def tasks(settings):
    """Return the rows of a run in their order, before anything is measured.

    All exact ways take turns in each round, shuffled, so that a disturbance spoils a round and not
    a comparison.  The others follow on two kinds of inputs.
    """
    shuffled, rows = random.Random(settings["seed"]), []
    for round_ in range(settings["rounds"]):
        for n in settings["n"]:
            names = list(EXACT)
            shuffled.shuffle(names)
            rows += [_task(settings, name, n, "random", round_) for name in names]
    n = min(SIZE_OF_APPROXIMATIONS, max(settings["n"]))
    for name in APPROXIMATE:
        rows += [_task(settings, name, n, inputs, 0) for inputs in ("random", "local")]
    return rows + [_task(settings, name, n, "local", 0) for name in ("two_products", "row_blocks")]


def _task(settings, name, n, inputs, round_):
    size = {"n": n, "batch": 1, "n_heads": settings["n_heads"], "d": settings["d"]}
    kind = {"dtype": "float32", "causal": False, "inputs": inputs, "round": round_}
    return {"name": name} | size | kind


def least(task):
    """Return operations and bytes that bound the time; None for a way that leaves some out."""
    if task["name"] in APPROXIMATE:
        return None
    n, d = task["n"], task["d"]
    fused = attention_cost(n, n, d, d, n_heads=task["n_heads"]).fused
    return fused.flops, fused.bytes


def tolerance(task):
    """Return the largest error that is still rounding; None for what is not exact attention."""
    return TOLERANCE if task["name"] in EXACT and task["name"] != "two_products" else None
