"""How long a call takes: many calls, timed one by one, and what the clock itself takes."""

import time
from dataclasses import dataclass

import numpy as np

from attnlib import _checks

#: Written before every timed call on a GPU, so that no call finds its data in the cache.
FLUSHED_BYTES = 256 * 1024**2


@dataclass(frozen=True, eq=False)
class Timing:
    r"""The seconds of many calls of one function.

    Parameters
    ----------
    seconds : array_like, shape (repeats,)
        How long each call took.
    overhead : float
        Median seconds of a call that does nothing, timed in the same way.
    device : str
        ``"cpu"`` or ``"cuda"``.

    Raises
    ------
    ValueError
        If `seconds` is empty, one of them is negative or not finite, `overhead` is negative, or
        `device` is unknown.
    TypeError
        If `seconds` holds anything but numbers.

    Notes
    -----
    A quantile is a time that this share of the calls did not exceed:

    .. math:: \#\{i : t_i \le p_{50}\} \ge 0.5 \cdot \text{repeats}

    The median does not move when another program interrupts a few calls; the mean does.

    Examples
    --------
    One of these five calls was interrupted:

    >>> timing = Timing([2, 2, 3, 2, 90], overhead=0, device="cpu")
    >>> timing.p50, timing.repeats
    (2.0, 5)
    """

    seconds: np.ndarray
    overhead: float
    device: str

    def __post_init__(self):
        seconds = _checks.numbers(self.seconds, "seconds")
        if seconds.ndim != 1 or seconds.size == 0 or (seconds < 0).any():
            raise ValueError(
                f"seconds has shape {seconds.shape} and must be one row of times, none of them "
                f"negative. Give one number for each call."
            )
        if _checks.number(self.overhead, "overhead") < 0:
            raise ValueError(f"overhead={self.overhead} is negative. Give a time in seconds.")
        object.__setattr__(self, "seconds", seconds.copy())
        object.__setattr__(self, "device", known_device(self.device))

    @property
    def repeats(self):
        """Number of timed calls."""
        return len(self.seconds)

    @property
    def p20(self):
        """Seconds that a fifth of the calls did not exceed."""
        return float(np.quantile(self.seconds, 0.2, method="inverted_cdf"))

    @property
    def p50(self):
        """Median seconds of a call."""
        return float(np.median(self.seconds))

    @property
    def p80(self):
        """Seconds that four fifths of the calls did not exceed."""
        return float(np.quantile(self.seconds, 0.8, method="inverted_cdf"))


def measure(f, *, repeats=20, warmup=3, device="cpu"):
    r"""Time many calls of a function, one by one.

    Parameters
    ----------
    f : callable
        Called without arguments; its result is discarded.
    repeats : int, optional
        Number of timed calls.
    warmup : int, optional
        Number of untimed calls before them: the first calls load code, fill caches, and ask the
        system for memory.
    device : {"cpu", "cuda"}, optional
        Where `f` computes.  A GPU goes on working after a call has returned, so there the times are
        taken on the GPU itself, by events, and its cache is overwritten before each call.

    Returns
    -------
    Timing
        The seconds of each call, quantiles, and the overhead of the clock.

    Raises
    ------
    ValueError
        If a number is too small, or `device` is unknown or not available.
    TypeError
        If `f` cannot be called, or a number is not an integer.

    Notes
    -----
    The overhead is measured in the same way, on a function that does nothing.  It is reported, not
    subtracted: a time below twenty times the overhead says little about `f`.

    .. math:: t_{\text{measured}} = t_f + t_{\text{overhead}}

    Examples
    --------
    >>> timing = measure(lambda: sum(range(1000)), repeats=5)
    >>> timing.repeats
    5
    >>> bool(0 < timing.p20 <= timing.p50 <= timing.p80)
    True
    """
    if not callable(f):
        raise TypeError(f"f must be a function, not {f!r}. Wrap the call: lambda: attend(Q, K, V).")
    repeats, warmup = _checks.count(repeats, "repeats"), _checks.count(warmup, "warmup", least=0)
    seconds_of = {"cpu": _seconds_on_cpu, "cuda": _seconds_on_cuda}[known_device(device)]
    if device == "cuda":
        gpu()
    for _ in range(warmup):
        f()
    seconds = seconds_of(f, repeats)
    overhead = float(np.median(seconds_of(_nothing, max(repeats, 9))))
    return Timing(seconds, overhead, device)


def known_device(device):
    """Return `device` if it is "cpu" or "cuda"."""
    return _checks.choice(device, "device", ("cpu", "cuda"))


def gpu():
    """Return the torch module if it finds a GPU."""
    try:
        import torch
    except ImportError:
        raise ValueError(
            'device="cuda" needs torch, which is not installed. Install it, or choose "cpu".'
        ) from None
    if not torch.cuda.is_available():
        raise ValueError('device="cuda": torch finds no GPU here. Choose device="cpu".')
    return torch


def _nothing():
    pass


def _seconds_on_cpu(f, repeats):
    seconds = np.empty(repeats)
    for i in range(repeats):
        start = time.perf_counter()
        f()
        seconds[i] = time.perf_counter() - start
    return seconds


def _seconds_on_cuda(f, repeats):
    """Time on the GPU's own clock; the cache is overwritten before each call."""
    torch = gpu()
    flushed = torch.empty(FLUSHED_BYTES, dtype=torch.int8, device="cuda")
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeats)]
    torch.cuda.synchronize()
    for start, end in events:
        flushed.zero_()
        start.record()
        f()
        end.record()
    torch.cuda.synchronize()
    return np.array([start.elapsed_time(end) / 1000 for start, end in events])
