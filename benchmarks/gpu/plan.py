"""What a run on one device measures, in its order, and what each back end has to do for it."""

import itertools

import numpy as np

from attnlib.cost import Ceilings, attention_cost, roofline_terms
from benchmarks.recording import checked

KIND = "gpu"
ANEW = "python -m benchmarks.gpu --device {device[kind]} --out FILE.json"

ITEMSIZE = {"bfloat16": 2, "float16": 2, "float32": 4}
#: Largest difference from float64 that is still rounding, relative to the largest exact output.
#: A half type may lose 16 units of roundoff (2⁻⁸ and 2⁻¹¹ each).  A score of size 6, among the
#: largest that random vectors make, is rounded as a product and again when it is scaled, and its
#: weight errs by six units for each; weight and output are rounded too.  float32 (2⁻²⁴) may lose
#: more of its units, because there the sums over d and n decide.  A wrong scale or a mask that is
#: one key off is an error of a tenth or more.
TOLERANCE = {"bfloat16": 16 * 2.0**-8, "float16": 16 * 2.0**-11, "float32": 1e-5}

#: Passes over an array of all pairs, (without, with a causal mask); None: no such array.
#: Compiled code has its mask inside the softmax.  The mask itself, one byte a pair for all heads
#: together, is not counted, so a floor with a mask is a little low.
PASSES = {"naive": (4, 6), "naive_scaled": (6, 8), "math": (4, 6), "flash": None}
PASSES |= {"efficient": None, "cudnn": None, "compiled": (4, 4), "flex": None}
FUSED = tuple(name for name, passes in PASSES.items() if passes is None)

#: What is measured by default.
SWEEP = {
    "cuda": {"tokens": 16384, "width": 2048, "n": [2**k for k in range(9, 16)], "d": [64, 128]}
    | {"dtype": ["bfloat16", "float16"], "repeats": 30, "warmup": 5},
    "cpu": {"tokens": 4096, "width": 512, "n": [2**k for k in range(8, 13)], "d": [64]}
    | {"dtype": ["float32"], "repeats": 15, "warmup": 2},
}
#: What --quick measures instead: enough to see that everything works.
QUICK = {"tokens": 256, "width": 128, "n": [64, 128, 256], "d": [64], "repeats": 5, "warmup": 1}


def settings_for(device, *, quick=False, **chosen):
    """Return the settings of a run: what was chosen, and the usual where that is None.

    Every n has about ``tokens`` positions in all, every d heads that are ``width`` wide together,
    so all inputs are of one size.
    """
    usual = {"causal": [False, True], "backends": list(PASSES), "row_seconds": 2.0, "seed": 0}
    settings = usual | SWEEP[device] | (QUICK if quick else {}) | {"quick": quick}
    settings |= {name: value for name, value in chosen.items() if value is not None}
    checked(settings, KIND)
    odd = [d for d in settings["d"] if settings["width"] % d]
    if odd:
        message = f"width={settings['width']} cannot be split into heads of d={odd[0]}"
        raise ValueError(f"{message}. Give a width that every d divides.")
    return settings


def tasks(settings):
    """Return the rows of a run in their order, before anything is measured.

    Rows with the same inputs stand together, their back ends shuffled by the seed.
    """
    rows = []
    chosen = (settings[name] for name in ("dtype", "causal", "n", "d"))
    for dtype, causal, n, d in itertools.product(*chosen):
        size = {"n": n, "batch": max(1, settings["tokens"] // n), "n_heads": settings["width"] // d}
        size |= {"d": d, "dtype": dtype, "causal": causal, "inputs": "random", "round": 0}
        order = np.random.default_rng(seed_of(size, settings["seed"]))
        rows += [{"name": str(b)} | size for b in order.permutation(settings["backends"])]
    return rows


def seed_of(task, seed):
    """Return the seed of a task's inputs, the same whichever tasks came before."""
    numbers = [seed, task["n"], task["d"], list(ITEMSIZE).index(task["dtype"]), int(task["causal"])]
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def work(task):
    """Return what a back end has to do for one call, as an `attnlib.cost.Cost`.

    One that writes the scores to memory computes all pairs even under a mask; the others only
    those that the mask leaves.
    """
    n, d, passes = task["n"], task["d"], PASSES[task["name"]]
    options = {name: task[name] for name in ("n_heads", "batch", "causal")}
    options |= {"itemsize": ITEMSIZE[task["dtype"]]}
    if passes is None:
        return attention_cost(n, n, d, d, **options).fused
    return attention_cost(n, n, d, d, passes=passes[task["causal"]], **options).naive


def least(task):
    """Return the operations and the fewest bytes that bound the time."""
    return work(task).flops, work(task | {"name": "flash"}).bytes


def tolerance(task):
    """Return the largest error that is still rounding."""
    return TOLERANCE[task["dtype"]]


def held_bytes(task):
    """Return how many bytes the scores and the weights take; PyTorch's ``"math"`` has float32."""
    rows, itemsize = task["batch"] * task["n_heads"] * task["n"], ITEMSIZE[task["dtype"]]
    if PASSES[task["name"]] is None:
        return 0
    return 2 * rows * task["n"] * (4 if task["name"] == "math" else itemsize)


def floor_terms(task, ceilings):
    """Return the least seconds of operations, bytes and exponentials; the largest is the floor."""
    rates = ceilings["bytes_per_s"], ceilings["exponentials_per_s"]
    machine, cost = Ceilings(ceilings["flops_per_s"][task["dtype"]], *rates), work(task)
    return roofline_terms(cost.flops, cost.bytes, machine, exponentials=cost.exponentials)
