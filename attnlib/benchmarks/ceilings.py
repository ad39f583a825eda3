"""What the device can do at most, measured in the same run as everything else."""

import time
import warnings

import torch

from attnlib.timing import measure

#: Nominal peaks, dense, from the makers' data sheets; operations by number type, bytes, a second.
#: float32 means arithmetic in float32; tf32 is what matrix units make of float32.
_HOPPER = {"bfloat16": 989e12, "float16": 989e12, "tf32": 494e12, "float32": 67e12}
_AMPERE = {"bfloat16": 312e12, "float16": 312e12, "tf32": 156e12, "float32": 19.5e12}
NOMINAL = {
    "NVIDIA H200": {"flops_per_s": _HOPPER, "bytes_per_s": 4.8e12},
    "NVIDIA H100 80GB HBM3": {"flops_per_s": _HOPPER, "bytes_per_s": 3.35e12},
    "NVIDIA A100-SXM4-40GB": {"flops_per_s": _AMPERE, "bytes_per_s": 1.555e12},
    "NVIDIA A100-SXM4-80GB": {"flops_per_s": _AMPERE, "bytes_per_s": 2.039e12},
}

#: How large the ceilings' work is: (usual, quick).
MATRIX_SECONDS = (0.3, 0.004)
COPIED_BYTES = {"cuda": (2**30, 2**26), "cpu": (2**28, 2**25)}
CHAIN = 64


def nominal(name):
    """Return the data sheet's peaks of a device, or None where it is not in the table.

    Parameters
    ----------
    name : str
        As the driver names it.

    Returns
    -------
    dict or None
        ``flops_per_s``, by number type, and ``bytes_per_s``.

    Examples
    --------
    >>> nominal("NVIDIA H200")["bytes_per_s"]
    4800000000000.0
    >>> nominal("some processor") is None
    True
    """
    return NOMINAL.get(name)


def measure_ceilings(device, dtypes, *, quick=False, sizes=None):
    r"""Measure the rates that nothing on this device should exceed.

    Parameters
    ----------
    device : {"cpu", "cuda"}
        Where.
    dtypes : list of str
        Number types whose matrix products are measured.
    quick : bool, optional
        Whether small work is enough.
    sizes : dict of str to int, optional
        Side of the matrices for each dtype, so that a second measurement equals the first.

    Returns
    -------
    dict
        ``flops_per_s`` and ``matrix_size``, both by dtype; ``bytes_per_s`` of a large copy, read
        and written bytes both counted; ``exponentials_per_s`` or None; ``exponentials_by``, how
        they were computed; ``seconds``, how long all of it took.  Each rate is that of the
        fastest call: a ceiling is what the device does when nothing disturbs it.

    Notes
    -----
    For matrices of side m (Williams et al. 2009 take both rates as the roof):

    .. math:: \text{FLOPs per second} = \frac{2 m^3}{\min t}

    Examples
    --------
    >>> found = measure_ceilings("cpu", ["float32"], quick=True, sizes={"float32": 64})
    >>> found["matrix_size"], found["flops_per_s"]["float32"] > 0
    ({'float32': 64}, True)
    """
    began = time.monotonic()
    repeats = 50 if device == "cuda" else (20 if quick else 7)
    sizes = sizes or {dtype: _matrix_size(device, dtype, quick) for dtype in dtypes}
    flops = {dtype: _matrix_rate(device, dtype, sizes[dtype], repeats) for dtype in dtypes}
    exponentials, how = _exponential_rate(device, quick, repeats)
    copied = _copy_rate(device, COPIED_BYTES[device][quick], repeats)
    return {
        "flops_per_s": flops,
        "matrix_size": sizes,
        "bytes_per_s": copied,
        "exponentials_per_s": exponentials,
        "exponentials_by": how,
        "seconds": time.monotonic() - began,
    }


def _matrix_size(device, dtype, quick):
    """Return the side of matrices that are large for this device."""
    if device == "cuda":
        return 1024 if quick else 8192
    trial = 512
    seconds = 2 * trial**3 / _matrix_rate(device, dtype, trial, repeats=9)
    side = trial * (MATRIX_SECONDS[quick] / seconds) ** (1 / 3)
    return int(min(max(side // 64, 2), 128)) * 64


def _matrix_rate(device, dtype, side, repeats):
    A, B = (torch.randn(side, side, device=device).to(getattr(torch, dtype)) for _ in range(2))
    out = torch.empty_like(A)
    timing = measure(lambda: torch.mm(A, B, out=out), repeats=repeats, warmup=2, device=device)
    return float(2 * side**3 / timing.seconds.min())


def _copy_rate(device, size, repeats):
    source = torch.ones(size // 4, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    timing = measure(lambda: target.copy_(source), repeats=repeats, warmup=2, device=device)
    return float(2 * size / timing.seconds.min())


def _exponential_rate(device, quick, repeats):
    """Return exponentials a second, and how they were computed; None where it cannot be said."""
    count = 2**24 if device == "cuda" else 2**16
    x = torch.rand(count, device=device)
    if not (quick and device == "cpu"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.compiler.reset()
                chain = torch.compile(_chain, fullgraph=True, dynamic=False)
                chain(x)
                timing = measure(lambda: chain(x), repeats=repeats, warmup=2, device=device)
            return float(CHAIN * count / timing.seconds.min()), "a compiled chain of exponentials"
        except Exception as error:  # no compiler, or one that does not work here
            print(f"no compiled exponentials: {type(error).__name__}", flush=True)
    if device == "cuda":
        return None, None
    timing = measure(lambda: _in_place(x), repeats=repeats, warmup=2)
    return float(CHAIN * count / timing.seconds.min()), "torch.exp in place"


def _chain(x):
    """Apply x ← exp(−x) many times: one read, one write, and arithmetic between them."""
    for _ in range(CHAIN):
        x = torch.exp(-x)
    return x


def _in_place(x):
    """Compute as many exponentials, on numbers that stay in the cache and never grow."""
    for _ in range(CHAIN):
        torch.exp_(x.neg_())
