"""Notebooks and mathematics as other processors compute: `make test TIER=processors`.

python tools/processors.py                         all of them, in every setting
python tools/processors.py book/18_vision.ipynb    only this one

Sums are rounded in another order with other instructions and other numbers of threads, and trained
networks end elsewhere. What a notebook stores and a test asserts has to hold in every setting.
"""

import json
import os
import subprocess
import sys

from pages import NOTEBOOKS
from stages import FOR_TESTS, NBVAL, PYTEST, ROOT, close, run

EVERYTHING = [
    *map(str, NOTEBOOKS[::-1]),
    "tests/mathematics",
    "tests/cost",
    "benchmarks",
    "attnlib",
]
EVERYTHING += [f"--ignore=attnlib/{folder}" for folder in ("widgets", "exercises", "figures")]
#: Prints what this process computes with; OpenBLAS is asked by its own name for itself.
PROBE = """
import ctypes, json, pathlib, sys
import numpy, torch
import numpy._core._multiarray_umath as core
folder = pathlib.Path(numpy.__file__).parent.parent / "numpy.libs"
kernel = None
for path in folder.glob("libscipy_openblas*"):
    ask = getattr(ctypes.CDLL(str(path)), "scipy_openblas_get_corename64_", None)
    if ask:
        ask.restype = ctypes.c_char_p
        kernel = ask().decode()
print(json.dumps({
    "PyTorch": torch.backends.cpu.get_cpu_capability(),
    "OpenBLAS": kernel,
    "NumPy": [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]],
    "threads": torch.get_num_threads(),
    "starts": "moved" if any(f.__module__ == "sitecustomize" for f in sys.meta_path
                             if hasattr(f, "__module__")) else "as they are",
}))
"""


def found(environment):
    """What a process computes with in this environment.

    >>> found({"OMP_NUM_THREADS": "1"})["threads"]
    1
    """
    result = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=ROOT, env=os.environ | environment,
        capture_output=True, text=True,
    )  # fmt: skip
    if result.returncode:
        raise SystemExit(f"{environment} cannot be asked for:\n{result.stderr}")
    return json.loads(result.stdout.splitlines()[-1])


def settings(features):
    """Heading -> environment and what has to be found in it.

    Settings of different libraries share a run: PyTorch's own loops, MKL and oneDNN in it,
    OpenBLAS, NumPy's loops. NumPy is told to leave out some `features` that this machine has.

    >>> [heading for heading, *_ in settings(["X86_V3", "X86_V4"])]
    ['as it is', 'AVX2 and two threads', 'SSE alone', 'starts moved']
    >>> settings(["X86_V3", "X86_V4"])[1][1]["NPY_DISABLE_CPU_FEATURES"]
    'X86_V4'
    """
    wide = [name for name in features if name.startswith(("AVX512", "X86_V4"))]
    two = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    avx2 = {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_CBWR": "AVX2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": " ".join(wide),
    }
    sse = {
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_CBWR": "COMPATIBLE",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": " ".join(features),
    }
    path = os.pathsep.join(filter(None, [str(ROOT / "tools/moved"), os.environ.get("PYTHONPATH")]))
    rest = [name for name in features if name not in wide]
    return [
        ("as it is", {}, {}),
        (
            "AVX2 and two threads",
            avx2 | two,
            {"PyTorch": "AVX2", "OpenBLAS": "Haswell", "NumPy": rest, "threads": 2},
        ),
        ("SSE alone", sse, {"PyTorch": "DEFAULT", "OpenBLAS": "Nehalem", "NumPy": []}),
        ("starts moved", {"PYTHONPATH": path, "MOVED_STARTS": "1"}, {"starts": "moved"}),
    ]


def results(paths=EVERYTHING):
    """Run what is in these paths in every setting, say what differs where; counts of each run.

    What this machine cannot do is said, and counts as skipped.
    """
    counted, differing = [], {}
    for heading, environment, wanted in settings(found(FOR_TESTS)["NumPy"]):
        there = found(FOR_TESTS | environment)
        missing = {name: there[name] for name in wanted if there[name] != wanted[name]}
        for name, value in missing.items():
            print(f"\n== {heading}: not on this machine: {name} {wanted[name]}, but {value}")
            counted.append((0, 0, 1))
        if wanted and len(missing) == len(wanted):
            continue
        failed = []
        command = [*PYTEST, *NBVAL, "-m", "not (browser or site or lab)", *paths]
        print("\n" + ", ".join(f"{name} {value}" for name, value in there.items()), flush=True)
        counted.append(run(heading, command, failed, **environment))
        for name in failed:
            differing.setdefault(name, []).append(heading)
    print("\n== what differs, and where" if differing else "\n== nothing differs")
    for name, headings in sorted(differing.items()):
        print(f"{name}: {', '.join(headings)}")
    return counted


def main(paths):
    """Run the command line; return the exit code."""
    return close(results(paths or EVERYTHING))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
