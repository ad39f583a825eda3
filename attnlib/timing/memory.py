"""How much memory a call needs at its worst moment."""

import os
import tracemalloc

from attnlib import _checks
from attnlib.timing.clock import gpu, known_device

_STATUS = "/proc/self/status"
_RESET_PEAK = "/proc/self/clear_refs"


def peak_memory(f, *, device="cpu", by="arrays"):
    r"""Measure the most memory that one call holds at any moment, above what was held before.

    Parameters
    ----------
    f : callable
        Called once, without arguments.  What it returns counts too.
    device : {"cpu", "cuda"}, optional
        Whose memory is measured.
    by : {"arrays", "process"}, optional
        On a CPU, ``"arrays"`` adds up what Python and NumPy ask for: exact, the same each time,
        and blind to other libraries.  ``"process"`` asks the system how large the whole process
        became: it sees PyTorch too, but misses what fits into memory that was freed before.  Use it
        in a fresh process, on Linux.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    ValueError
        If `device` or `by` is unknown or not available here.
    TypeError
        If `f` cannot be called.

    Notes
    -----
    With :math:`m(t)` bytes held at time t of the call:

    .. math:: \max_t m(t) - m(0)

    Tracing makes a call slower, so time and memory are measured in separate calls.  The whole
    process has one peak: where `f` itself calls this function, what came before is forgotten.

    Examples
    --------
    Two arrays of 8 MB live together, then one is thrown away.

    >>> import numpy as np
    >>> def f():
    ...     first = np.ones(10**6)
    ...     return first + 1
    >>> round(peak_memory(f) / 1e6)
    16
    """
    if not callable(f):
        raise TypeError(f"f must be a function, not {f!r}. Wrap the call: lambda: attend(Q, K, V).")
    _checks.choice(by, "by", ("arrays", "process"))
    if known_device(device) == "cuda":
        return _on_gpu(f)
    return _of_arrays(f) if by == "arrays" else _of_process(f)


def _of_arrays(f):
    """Trace what is allocated; a trace that was already running goes on afterwards."""
    was_running = tracemalloc.is_tracing()
    if not was_running:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        result = f()
        _, peak = tracemalloc.get_traced_memory()
        del result
    finally:
        if not was_running:
            tracemalloc.stop()
    return max(0, peak - before)


def _of_process(f):
    """Let the system forget the largest size so far, and ask for it again after the call."""
    if not (os.path.exists(_STATUS) and os.access(_RESET_PEAK, os.W_OK)):
        raise ValueError('by="process" needs Linux. Choose by="arrays".')
    with open(_RESET_PEAK, "w") as reset:
        reset.write("5")
    before = _resident("VmRSS")
    result = f()
    peak = _resident("VmHWM")
    del result
    return max(0, peak - before)


def _resident(field):
    """Read one size of this process, in bytes."""
    with open(_STATUS) as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def _on_gpu(f):
    torch = gpu()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    result = f()
    torch.cuda.synchronize()
    peak = torch.cuda.max_memory_allocated()
    del result
    return max(0, peak - before)
