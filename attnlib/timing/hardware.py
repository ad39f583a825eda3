"""The machine on which a measurement is made."""

import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata, util
from pathlib import Path

import numpy as np

LIBRARIES = ["numpy", "torch", "triton", "threadpoolctl"]


def machine():
    r"""Describe the machine: processor, cores, threads, libraries, GPUs.

    Returns
    -------
    dict
        ``processor`` : str; ``architecture`` : str; ``cores`` : int, those that this process may
        use; ``threads`` : int, those that matrix products use; ``memory_bytes`` : int or None;
        ``system`` : str; ``python`` : str; ``blas`` : dict with ``name`` and ``version``;
        ``libraries`` : dict from name to version; ``gpus`` : list of dicts with ``name``,
        ``driver`` and ``memory_bytes``, empty where there is none.  What cannot be determined
        is None.  It names neither a person nor the machine.

    Notes
    -----
    A time means nothing without these facts: the same call on the same processor takes about

    .. math:: t(\text{threads}) \approx \frac{t(1)}{\text{threads}}

    as long as neither memory nor anything else is the limit.

    Examples
    --------
    >>> here = machine()
    >>> here["libraries"]["numpy"] == np.__version__
    True
    >>> here["cores"] >= here["threads"] >= 1
    True
    """
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "processor": _processor(),
        "architecture": platform.machine(),
        "cores": _cores(),
        "threads": _threads(),
        "memory_bytes": _memory(),
        "system": platform.system(),
        "python": platform.python_version(),
        "blas": {"name": blas.get("name"), "version": blas.get("version")},
        "libraries": {name: _version(name) for name in LIBRARIES if _version(name)},
        "gpus": _gpus(),
    }


def _processor():
    """Return the processor's name as the system gives it."""
    if sys.platform == "darwin":
        return _output_of(["sysctl", "-n", "machdep.cpu.brand_string"]) or platform.processor()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except (OSError, UnicodeDecodeError):
        pass
    return platform.processor() or None


def _cores():
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _threads():
    """Return how many threads NumPy's matrix products use."""
    if util.find_spec("threadpoolctl"):
        import threadpoolctl

        pools = [
            pool["num_threads"]
            for pool in threadpoolctl.threadpool_info()
            if pool["user_api"] == "blas"
        ]
        return min(max(pools, default=_cores()), _cores())
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        if os.environ.get(name, "").isdigit():
            return min(max(int(os.environ[name]), 1), _cores())
    return _cores()


def _memory():
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _gpus():
    """Return NVIDIA's GPUs as their own tool names them; PyTorch is not loaded for it."""
    listing = _output_of(
        ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    )
    gpus = []
    for line in (listing or "").splitlines():
        parts = [part.strip() for part in line.split(",")]
        if len(parts) != 3:
            continue  # a message, not a GPU
        name, driver, memory = (None if part.startswith("[") else part for part in parts)
        mebibytes = (memory or "").removesuffix(" MiB")
        gpus.append(
            {
                "name": name,
                "driver": driver,
                "memory_bytes": int(mebibytes) * 2**20 if mebibytes.isdigit() else None,
            }
        )
    return gpus


def _output_of(command):
    """Return what a program prints, or None where it is missing or fails."""
    if not shutil.which(command[0]):
        return None
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
