"""Measure one implementation in a process of its own: a job comes in as JSON, a result goes out.

NumPy and PyTorch timed in one process disturb each other, and memory that one implementation gave
back would hide what the next one takes.
"""

import functools
import json
import math
import sys
import time

import numpy as np

from attnlib import timing
from attnlib.benchmarks.one_core.implementations import IMPLEMENTATIONS

#: How many rows of the output are compared with float64.
CHECKED_ROWS = 64


def main():
    """Read a job from the command line, and print its result."""
    job = json.loads(sys.argv[1])
    print(json.dumps(ceilings() if job == "ceilings" else result_of(**job)))


def result_of(name, n, n_heads, d, seed, inputs, seconds, memory):
    """Measure one implementation at one size.

    Parameters
    ----------
    name : str
        A key of `IMPLEMENTATIONS`.
    n, n_heads, d : int
        Sizes.
    seed : int
        Of the inputs.
    inputs : {"random", "local"}
        What they are like, see `draw`.
    seconds : float
        About how long to go on timing; three calls at least.
    memory : bool
        Whether to measure memory as well.

    Returns
    -------
    dict
        ``p20_s, p50_s, p80_s, overhead_s`` in seconds, ``repeats``, ``error`` relative to exact
        attention (None for the bound), ``peak_process_bytes`` and ``peak_arrays_bytes`` (None
        where they cannot be had or were not asked for).
    """
    implementation = IMPLEMENTATIONS[name]
    call = _caller(implementation, *draw(inputs, n, n_heads, d, seed))
    small = _caller(implementation, *draw(inputs, 16, n_heads, d, seed))
    small()  # loads code, so that the memory of the first large call is its own
    process, arrays = _memory(call, implementation) if memory else (None, None)
    start = time.perf_counter()
    output = np.asarray(call())  # warms up, too
    first = time.perf_counter() - start
    repeats = max(3, min(100, math.ceil(seconds / max(first, 1e-6))))
    times = timing.measure(call, repeats=repeats, warmup=int(first < seconds))
    return {
        "p20_s": times.p20,
        "p50_s": times.p50,
        "p80_s": times.p80,
        "overhead_s": times.overhead,
        "repeats": times.repeats,
        "error": _error(output, *draw(inputs, n, n_heads, d, seed))
        if implementation.attention
        else None,
        "peak_process_bytes": process,
        "peak_arrays_bytes": arrays,
    }


def ceilings():
    """Measure what one core can do at most, in float32.

    Returns
    -------
    dict
        ``flops_per_s`` of a matrix product of 1536³, ``bytes_per_s`` read and written by a copy of
        128 MiB, ``exponentials_per_s`` on 64 KiB, which stay in the cache.  Each is the best of
        many: a ceiling is what nothing passes.
    """
    A, B = np.random.default_rng(0).normal(size=(2, 1536, 1536)).astype(np.float32)
    source = np.ones(2**25, np.float32)
    target, few = np.empty_like(source), np.linspace(-1, 0, 2**14, dtype=np.float32)
    room = np.empty_like(few)

    def best(f, repeats):
        return timing.measure(f, repeats=repeats, warmup=2).seconds.min()

    return {
        "flops_per_s": 2 * 1536**3 / best(lambda: A @ B, 15),
        "bytes_per_s": 2 * source.nbytes / best(lambda: np.copyto(target, source), 15),
        "exponentials_per_s": few.size / best(lambda: np.exp(few, out=room), 2000),
    }


def draw(inputs, n, n_heads, d, seed):
    """Draw queries, keys and values in float32, shape (n_heads, n, d).

    In ``"random"`` all entries are independent.  In ``"local"`` the vectors wander slowly from
    position to position and heads are alike, so that near keys match and heads can share.
    """
    rng = np.random.default_rng(seed)
    if inputs == "random":
        return rng.normal(size=(3, n_heads, n, d)).astype(np.float32)
    path = rng.normal(size=(2, n, d))
    for i in range(1, n):
        path[:, i] = 0.95 * path[:, i - 1] + math.sqrt(1 - 0.95**2) * path[:, i]
    own = rng.normal(size=(3, n_heads, n, d))
    return (0.9 * path[[0, 0, 1], None] + math.sqrt(1 - 0.9**2) * own).astype(np.float32)


def _caller(implementation, Q, K, V):
    """Return the call without arguments that is measured."""
    if implementation.torch:
        import torch

        torch.set_num_threads(1)
        Q, K, V = (torch.from_numpy(np.ascontiguousarray(X)) for X in (Q, K, V))
    return functools.partial(implementation.function, Q, K, V)


def _memory(call, implementation):
    """Return the peak of the process and of NumPy's arrays, in bytes, or None."""
    try:
        process = timing.peak_memory(call, by="process")
    except ValueError:  # only Linux tells
        process = None
    return process, None if implementation.torch else timing.peak_memory(call)


def _error(output, Q, K, V):
    """Return how far some rows are from float64, as a share of their length (root mean square)."""
    rows = np.unique(np.linspace(0, Q.shape[-2] - 1, CHECKED_ROWS).astype(int))
    Q, K, V = Q[:, rows].astype(float), K.astype(float), V.astype(float)
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    exact = (powers / powers.sum(axis=-1, keepdims=True)) @ V
    return float(np.linalg.norm(output[:, rows] - exact) / np.linalg.norm(exact))


if __name__ == "__main__":
    main()
