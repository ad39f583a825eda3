"""One row of a recording: a back end is checked, and timed only if it is right."""

import math
import warnings
from dataclasses import dataclass

import torch

from attnlib.benchmarks import exact
from attnlib.benchmarks.backends import BACKENDS
from attnlib.benchmarks.budget import OTHER_CALLS, Budget, OutOfTimeError, available_bytes
from attnlib.benchmarks.provenance import without_paths
from attnlib.benchmarks.work import TOLERANCE, floor_terms, held_bytes, work
from attnlib.timing import measure, peak_memory

#: Timed calls of a row that takes long: fewer say nothing about quantiles.
LEAST_REPEATS = 5


@dataclass(frozen=True)
class Run:
    """What all rows of a run share."""

    device: str
    settings: dict
    ceilings: dict
    seed: int
    budget: Budget


def empty_row(group, backend, ceilings):
    """Return the row of a back end as it is before anything was measured."""
    cost = work(backend, **group.size)
    counts = {"flops": cost.flops, "bytes": cost.bytes, "exponentials": cost.exponentials}
    floor = max(floor_terms(cost, ceilings, group.dtype).values())
    measured = ("p20_s", "p50_s", "p80_s", "repeats", "overhead_s", "error", "peak_bytes")
    rates = {"achieved_flops_per_s": None, "of_floor": None}
    return (
        group.size
        | {"backend": backend, "status": "ok", "reason": None}
        | dict.fromkeys(measured)
        | counts
        | {"floor_s": floor}
        | rates
    )


def measure_row(run, group, inputs, backend):
    """Check a back end, time it, and say how near to its floor it comes.

    Parameters
    ----------
    run : Run
        Device, settings, ceilings, seed, budget.
    group : Group
        Sizes and number type.
    inputs : Inputs
        From `draw_inputs`.
    backend : str
        A key of `attnlib.benchmarks.backends.BACKENDS`.

    Returns
    -------
    dict
        The row.  What the device cannot do, or not in its memory, or not right, is a row with
        that ``status`` and its ``reason``, and is not timed.  ``peak_bytes`` is None on a CPU,
        where PyTorch's memory cannot be seen from within the process.

    Raises
    ------
    OutOfTimeError
        If the row does not fit into the time that is left.
    """
    row = empty_row(group, backend, run.ceilings)
    name = f"the next row ({backend}, n={group.n}, d={group.d}, {group.dtype})"
    calls = run.settings["warmup"] + LEAST_REPEATS + OTHER_CALLS
    refused = _too_large(run.device, group, backend)
    if refused:
        return row | {"status": "out of memory (predicted)", "reason": refused}
    run.budget.need(run.budget.expected(row, calls), name)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            return row | _measured(run, group, inputs, backend, row, name)
        except OutOfTimeError:
            raise
        except Exception as error:  # whatever a back end raises is its answer
            return row | _failure(error, [str(warning.message) for warning in heard])


def _measured(run, group, inputs, backend, row, name):
    """Return what was measured: the error, and where it is small the times and the memory."""
    kind = BACKENDS[backend]
    with kind.pinned():
        f = kind.prepare(inputs.Q, inputs.K, inputs.V, group.causal)
        error = exact.relative_error(f(), inputs.exact, inputs.rows)
        if not error <= TOLERANCE[group.dtype]:
            return _wrong(error, TOLERANCE[group.dtype])
        trial = measure(f, repeats=1, warmup=1, device=run.device)
        repeats = _repeats(trial.p50, run.settings)
        run.budget.need((repeats + run.settings["warmup"] + 1) * trial.p50, name)
        timing = measure(f, repeats=repeats, warmup=run.settings["warmup"], device=run.device)
        peak = peak_memory(f, device="cuda") if run.device == "cuda" else None
    return {
        "p20_s": timing.p20,
        "p50_s": timing.p50,
        "p80_s": timing.p80,
        "repeats": timing.repeats,
        "overhead_s": timing.overhead,
        "error": error,
        "peak_bytes": peak,
        "achieved_flops_per_s": row["flops"] / timing.p50,
        "of_floor": row["floor_s"] / timing.p50,
    }


def _repeats(call_seconds, settings):
    """Return how many calls to time: as many as wanted, fewer where they take long."""
    affordable = int(settings["row_seconds"] / max(call_seconds, 1e-9))
    return min(settings["repeats"], max(LEAST_REPEATS, affordable))


def _wrong(error, tolerance):
    """Return the fields of a row whose back end is not right."""
    if not math.isfinite(error):
        reason = "the output is not finite, or has another shape"
        return {"status": "wrong", "reason": reason}
    reason = f"{error:.2g} from float64, and {tolerance:.2g} is allowed"
    return {"status": "wrong", "reason": reason, "error": error}


def _failure(error, heard):
    """Return the fields of a row whose back end did not run.

    PyTorch says in its error that no kernel is left, and in warnings before it why.
    """
    text = str(error)
    memory = isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError))
    memory |= "can't allocate memory" in text or "not enough memory" in text
    idle = ("because:", "runtime disabled", "deprecated")
    said = [message for message in heard if not any(words in message for words in idle)]
    if memory or not isinstance(error, RuntimeError) or "ernel" not in text:
        said = []
    lines = (said[-1] if said else text).strip().splitlines() or [type(error).__name__]
    reason = without_paths(lines[0].split("(Triggered internally")[0])[:300]
    return {"status": "out of memory" if memory else "unsupported", "reason": reason}


def _too_large(device, group, backend):
    """Return why a row would not fit into a CPU's memory, or None."""
    available = available_bytes() if device == "cpu" else None
    needed = held_bytes(backend, **group.size)
    if available is None or needed <= available / 2:
        return None
    return f"needs {needed / 1e9:.3g} GB, more than half of the {available / 1e9:.3g} GB available"
