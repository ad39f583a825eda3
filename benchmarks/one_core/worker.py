"""Measure one way in a separate process: a job comes in as JSON, a result goes out.

NumPy and PyTorch timed in one process disturb each other, and memory that one way gave back would
hide what the next one takes.
"""

import functools
import json
import math
import sys
import time

import numpy as np

from attnlib import timing
from benchmarks.one_core.plan import tolerance
from benchmarks.one_core.ways import EXACT, WAYS, bare, softmax, with_weights
from benchmarks.recording import files_in_use, times

#: Rows of the output that are compared with float64; rounds in which two ways take turns.
CHECKED_ROWS, ROUNDS = 64, 21


def main():
    """Read a job from the command line, and print its result."""
    name, arguments = json.loads(sys.argv[1])
    result = {"measured": measured, "ceilings": ceilings, "ratio": ratio}[name](**arguments)
    print(json.dumps({"result": result, "files": files_in_use()}))


def measured(task, seed, seconds):
    """Measure one way at one size for about `seconds`; in the first round its memory too."""
    inputs = functools.partial(draw, task["inputs"], seed=seed)
    shape = task["n_heads"], task["n"], task["d"]
    call = _caller(task["name"], *inputs(shape))
    _caller(task["name"], *inputs((shape[0], 16, shape[2])))()  # loads code: no memory of the call
    first_time = task["name"] in EXACT and task["inputs"] == "random" and task["round"] == 0
    memory = _memory(call, task["name"]) if first_time else {}
    start = time.perf_counter()
    output = np.asarray(call())  # warms up, too
    first = time.perf_counter() - start
    error = None if task["name"] == "two_products" else error_of(output, *inputs(shape))
    if tolerance(task) and not error <= tolerance(task):
        raise ValueError(f"its error is {error:.2g}, and {tolerance(task):.2g} is allowed")
    repeats = max(3, min(100, math.ceil(seconds / max(first, 1e-6))))
    timed = times(timing.measure(call, repeats=repeats, warmup=int(first < seconds)))
    return timed | memory | {"error": error}


def ceilings():
    """Measure what one core can do at most, in float32; the exponentials stay in the cache."""
    A, B = np.random.default_rng(0).normal(size=(2, 1536, 1536)).astype(np.float32)
    source = np.ones(2**25, np.float32)
    target, few = np.empty_like(source), np.linspace(-1, 0, 2**14, dtype=np.float32)
    room = np.empty_like(few)

    def best(f, repeats):
        return timing.measure(f, repeats=repeats, warmup=2).seconds.min()

    return {
        "flops_per_s": {"float32": 2 * 1536**3 / best(lambda: A @ B, 15)},
        "bytes_per_s": 2 * source.nbytes / best(lambda: np.copyto(target, source), 15),
        "exponentials_per_s": few.size / best(lambda: np.exp(few, out=room), 2000),
    }


def ratio(batch, n_q, n_k, d, calls, seed):
    """Time attention with weights and the bare formula in turn; a round is a median of calls."""
    Q, K, V = (draw("random", (batch, n, d), seed + i)[i] for i, n in enumerate((n_q, n_k, n_k)))
    S = np.empty((batch, n_q, n_k), np.float32)
    error = error_of(with_weights(Q, K, V), Q, K, V)
    medians = {"attention_s": [], "bare_s": []}
    for _ in range(ROUNDS):
        for seconds, way in zip(medians.values(), (with_weights, functools.partial(bare, S=S))):
            timed = timing.measure(functools.partial(way, Q, K, V), repeats=calls, warmup=0)
            seconds.append(timed.p50)
    return medians | {"error": error}


def draw(inputs, shape, seed):
    """Draw queries, keys and values in float32, each of a shape (n_heads, n, d).

    In ``"random"`` all entries are independent.  In ``"local"`` the vectors wander slowly from
    position to position and heads are alike, so that near keys match and heads can share.
    """
    rng, (_, n, d) = np.random.default_rng(seed), shape
    if inputs == "random":
        return rng.normal(size=(3, *shape)).astype(np.float32)
    path = rng.normal(size=(2, n, d))
    for i in range(1, n):
        path[:, i] = 0.95 * path[:, i - 1] + math.sqrt(1 - 0.95**2) * path[:, i]
    own = rng.normal(size=(3, *shape))
    return (0.9 * path[[0, 0, 1], None] + math.sqrt(1 - 0.9**2) * own).astype(np.float32)


def error_of(output, Q, K, V):
    """Return how far some rows are from float64, as a share of their length (root mean square)."""
    rows = np.unique(np.linspace(0, Q.shape[-2] - 1, CHECKED_ROWS).astype(int))
    Q, K, V = Q[:, rows].astype(float), K.astype(float), V.astype(float)
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    exact = softmax(scores) @ V
    return float(np.linalg.norm(output[:, rows] - exact) / np.linalg.norm(exact))


def _caller(name, Q, K, V):
    if name == "torch_sdpa":
        import torch

        torch.set_num_threads(1)
        Q, K, V = (torch.from_numpy(np.ascontiguousarray(X)) for X in (Q, K, V))
    return functools.partial(WAYS[name][1], Q, K, V)


def _memory(call, name):
    try:
        process = timing.peak_memory(call, by="process")
    except ValueError:  # only Linux tells
        process = None
    arrays = None if name == "torch_sdpa" else timing.peak_memory(call)
    return {"peak_process_bytes": process, "peak_bytes": arrays}


if __name__ == "__main__":
    main()
