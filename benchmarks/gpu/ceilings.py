"""What the device can do at most, measured in the same run as everything else."""

import functools

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

#: Side of the matrices, and bytes of the copy: (usual, quick).
SIDE = {"cuda": (8192, 1024), "cpu": (2048, 512)}
COPIED_BYTES = {"cuda": (2**30, 2**26), "cpu": (2**28, 2**25)}
#: Exponentials computed in a row on the same numbers.
CHAIN = 64


def measure_ceilings(device, settings):
    """Measure the rates that nothing on this device should exceed.

    ``flops_per_s`` of a matrix product by dtype; ``bytes_per_s`` of a large copy, read and written;
    ``exponentials_per_s``, or None where a GPU's compiler does not work.  Each is the rate of the
    fastest call: a ceiling is what the device does when nothing disturbs it.
    """
    quick = settings["quick"]

    def fastest(f):
        repeats = 50 if device == "cuda" else 9
        return float(measure(f, repeats=repeats, warmup=2, device=device).seconds.min())

    def product(dtype):
        A, B = torch.randn(2, side, side, device=device).to(getattr(torch, dtype))
        out = torch.empty_like(A)
        return lambda: torch.mm(A, B, out=out)

    side, copied = SIDE[device][quick], COPIED_BYTES[device][quick]
    source = torch.ones(copied // 4, device=device)
    target = torch.empty_like(source)
    return {
        "flops_per_s": {
            dtype: 2 * side**3 / fastest(product(dtype)) for dtype in settings["dtype"]
        },
        "bytes_per_s": 2 * copied / fastest(lambda: target.copy_(source)),
        "exponentials_per_s": _exponentials(device, fastest),
    }


def _exponentials(device, fastest):
    x = torch.rand(2**24 if device == "cuda" else 2**16, device=device)
    f = functools.partial(_in_place, x)
    if device == "cuda":
        torch.compiler.reset()
        f = functools.partial(torch.compile(_chain, fullgraph=True, dynamic=False), x)
        try:
            f()
        except Exception as error:  # no compiler, or one that does not work here
            print(f"no compiled exponentials: {type(error).__name__}", flush=True)
            return None
    return CHAIN * x.numel() / fastest(f)


def _chain(x):
    """Apply x ← exp(−x) many times: one read, one write, and arithmetic between them."""
    for _ in range(CHAIN):
        x = torch.exp(-x)
    return x


def _in_place(x):
    """Compute as many exponentials, on numbers that stay in the cache and never grow."""
    for _ in range(CHAIN):
        torch.exp_(x.neg_())
