"""One row of a recording: a back end is checked against float64, and timed only if it is right."""

import math
import warnings

import numpy as np
import torch

from attnlib.timing import machine, measure, peak_memory
from benchmarks.gpu.backends import BACKENDS, pinned
from benchmarks.gpu.plan import held_bytes, seed_of, tolerance
from benchmarks.recording import row, times, without_paths

#: Queries whose answers are checked, beside the first and the last.
CHECKED = 64
#: Timed calls of a row that takes long: fewer say nothing about quantiles.
LEAST_REPEATS = 5


def draw(task, device, seed):
    """Return standard normal Q, K and V, the queries to check, and their exact answers."""
    generator = torch.Generator(device).manual_seed(seed_of(task, seed))
    shape = [task[name] for name in ("batch", "n_heads", "n", "d")]
    Q, K, V = (
        torch.randn(shape, generator=generator, device=device).to(getattr(torch, task["dtype"]))
        for _ in range(3)
    )
    rng, n = np.random.default_rng(seed_of(task, seed)), task["n"]
    drawn = rng.choice(n, size=min(n, CHECKED), replace=False)
    rows = torch.tensor(sorted({0, n - 1, *map(int, drawn)}), device=device)
    return Q, K, V, rows, exact_rows(Q, K, V, rows, causal=task["causal"])


def exact_rows(Q, K, V, rows, *, causal):
    """Answer some of the queries in float64, one sequence after the other to save memory."""
    later = torch.arange(K.shape[-2], device=Q.device) > rows[:, None]
    answers = []
    for q, k, v in zip(Q, K, V):
        scores = q[:, rows].double() @ k.double().mT / Q.shape[-1] ** 0.5
        if causal:
            scores.masked_fill_(later, -torch.inf)
        answers.append(torch.softmax(scores, dim=-1) @ v.double())
    return torch.stack(answers)


def relative_error(output, exact, rows, shape):
    """Return the largest difference from the exact answers, relative to the largest of them."""
    if output.shape != shape:
        return float("inf")
    return float((output[:, :, rows].double() - exact).abs().max() / exact.abs().max())


def measured_row(task, inputs, settings, device):
    """Check a back end, time it, and return the row.

    A back end that the device lacks, that needs too much memory or that is wrong is not timed:
    its row has this ``status`` and the ``reason``.
    """
    memory = machine()["memory_bytes"] if device == "cpu" else None
    if memory and held_bytes(task) > memory / 2:
        reason = f"needs {held_bytes(task) / 1e9:.3g} of the {memory / 1e9:.3g} GB there are"
        return row(task, status="out of memory", reason=reason)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            return row(task, **_measured(task, *inputs, settings, device))
        except Exception as error:  # whatever a back end raises is its answer
            return row(task, **_failure(error, [str(warning.message) for warning in heard]))


def _measured(task, Q, K, V, rows, exact, settings, device):
    with pinned(task["name"]):
        f = BACKENDS[task["name"]](Q, K, V, task["causal"])
        error = relative_error(f(), exact, rows, Q.shape)
        if not error <= tolerance(task):
            return _wrong(error, tolerance(task))
        trial = measure(f, repeats=1, warmup=1, device=device).p50
        affordable = max(LEAST_REPEATS, int(settings["row_seconds"] / max(trial, 1e-9)))
        repeats = min(settings["repeats"], affordable)
        timing = measure(f, repeats=repeats, warmup=settings["warmup"], device=device)
        peak = peak_memory(f, device="cuda") if device == "cuda" else None
    return times(timing) | {"error": error, "peak_bytes": peak}


def _wrong(error, allowed):
    if not math.isfinite(error):
        return {"status": "wrong", "reason": "the output is not finite, or has another shape"}
    reason = f"{error:.2g} from float64, and {allowed:.2g} is allowed"
    return {"status": "wrong", "reason": reason, "error": error}


def _failure(error, heard):
    """Say why a back end did not run.

    PyTorch's error says only that no kernel is left; the warnings before it say why.
    """
    text = str(error)
    memory = isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError))
    memory |= "can't allocate memory" in text or "not enough memory" in text
    idle = ("because:", "runtime disabled", "deprecated")
    causes = [message for message in heard if not any(words in message for words in idle)]
    if memory or not isinstance(error, RuntimeError) or "ernel" not in text:
        causes = []
    lines = (causes[-1] if causes else text).strip().splitlines() or [type(error).__name__]
    reason = without_paths(lines[0].split("(Triggered internally")[0])[:300]
    return {"status": "out of memory" if memory else "unsupported", "reason": reason}
