"""Change attnlib's mathematics in one place at a time, and see that a test fails each time.

python tools/mutate.py                         all of the mathematics
python tools/mutate.py attnlib/heads           only files under this path
python tools/mutate.py attnlib/... --line 64   only changes in this line
python tools/mutate.py --sample 300            a sample of 300, always the same
python tools/mutate.py --axes                  only axes: taken for others, transposes, new ones

For each mutant the tests of its module run first, and if they pass all tests of the mathematics.
Survivors are printed; mutants known to change nothing are in tools/mutants_equal.json, by function
and changed line, each with its reason.  The exit status is 1 if another mutant survives.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import numpy  # noqa: F401  (imported here once, not again in each child)
import pytest
import torch
from hypothesis import Phase, settings
from mutation import mutants

ROOT = Path(__file__).resolve().parent.parent
EQUAL = ROOT / "tools" / "mutants_equal.json"
#: Folder or file of attnlib -> the tests to run first.
TESTS = {
    "_checks.py": ["shapes", "normalizers", "scores"],
    "_shapes.py": ["shapes", "attention", "contract"],
    "_boundary.py": ["shapes", "attention", "contract"],
    "_pullbacks.py": ["gradients", "gradient_rules"],
    "attention.py": ["attention", "gradients", "gradient_rules"],
    "normalizers": ["normalizers", "jacobians", "gradients", "gradient_rules"],
    "scores": ["scores", "learned_scores", "gradients", "gradient_rules"],
    "masks": ["masks", "mask_kinds"],
    "projections.py": ["projections", "gradients", "gradient_rules"],
    "heads": ["heads", "cache", "language_model_parts", "gradients"],
    "positions": ["positions", "language_model_parts", "gradients"],
    "blocks": ["layers", "blocks", "language_model_parts", "gradients", "gradient_rules"],
    "parameters.py": ["parameters", "saving"],
    "efficient": ["efficient_exact", "efficient_window", "efficient_linear", "efficient_grouped"],
    "cost": ["cost", "cost_counted", "exponents"],
    "timing": ["timing", "machine"],
    "training.py": ["steps"],
    "gradients": ["gradients", "gradient_rules", "finite_difference", "positions"],
    "_safetensors.py": ["saving"],
    "data": ["control", "describer", "translation", "vision"],
    "networks": [
        "character_model",
        "control",
        "describer",
        "graphs",
        "language_model",
        "sampling",
        "saving",
        "sequence_models",
        "train_loop",
        "translation",
        "vision",
    ],
}
ALL_TESTS = list(dict.fromkeys(name for names in TESTS.values() for name in names))
ALL_TESTS += ["training", "slips", "contract"]
SECONDS = 120
#: Otherwise each child would compile all tests and the whole package again.
sys.dont_write_bytecode = False
#: Tests of the mathematics need nothing of conftest.py but its path, and it loads all widgets.
OPTIONS = ["-x", "-q", "--noconftest", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
OPTIONS += [option for plugin in ("nbval", "xdist") for option in ("-p", f"no:{plugin}")]


def sources(paths):
    """The files of mathematics under some paths, all of them if there are none."""
    files = []
    for name in TESTS:
        path = ROOT / "attnlib" / name
        files += [path] if path.is_file() else sorted(path.glob("*.py"))
    chosen = [Path(path).resolve() for path in paths]
    return [f for f in files if not chosen or any(f == c or c in f.parents for c in chosen)]


def passes(folder, names, seconds=SECONDS):
    """Whether all these tests pass with the attnlib in `folder`; in a child, so nothing stays."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.chdir(ROOT)
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            signal.alarm(seconds)
            # A counterexample is enough: the smallest one would take a hundred times as long.
            settings.register_profile("first", phases=[Phase.explicit, Phase.generate])
            settings.load_profile("first")
            sys.path.insert(0, str(folder))
            # Now, because pytest puts the repository itself first.
            assert Path(import_module("attnlib").__file__).is_relative_to(folder)
            tests = [str(next(ROOT.glob(f"tests/*/test_{name}.py"))) for name in names]
            code = int(pytest.main([*OPTIONS, *tests]))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0


def survives(job):
    """Whether a mutant passes all tests."""
    path, text = job[0], job[-1]
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "attnlib", Path(folder, "attnlib"))  # with its bytecode
        Path(folder, path.relative_to(ROOT)).write_text(text, encoding="utf-8")
        # What is nearest first: most mutants die there, in a fraction of the time of all.
        near = TESTS[path.relative_to(ROOT / "attnlib").parts[0]]
        own = [name for name in near if name.split("_")[-1] in path.stem]
        order = [own, [t for t in near if t not in own], [t for t in ALL_TESTS if t not in near]]
        alive = all(passes(folder, names) for names in order if names)
        return *job[:-1], alive


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", help="files or folders of attnlib")
    parser.add_argument("--line", type=int, nargs="+", help="only changes in these lines")
    parser.add_argument("--sample", type=int, help="only this many, drawn with a fixed seed")
    parser.add_argument("--axes", action="store_true", help="only changes of axes")
    arguments = parser.parse_args()
    known = {
        tuple(entry[key] for key in ("file", "function", "before", "after"))
        for entry in json.loads(EQUAL.read_text(encoding="utf-8"))
    }
    jobs = [
        (path, *mutant)
        for path in sources(arguments.paths)
        for mutant in mutants(path.read_text(encoding="utf-8"), arguments.axes)
        if arguments.line is None or mutant[0] in arguments.line
    ]
    if arguments.sample:
        jobs = random.Random(0).sample(jobs, min(arguments.sample, len(jobs)))
    if not passes(ROOT, ALL_TESTS, 600):
        sys.exit("The tests fail without any change: mend that first.")
    print(f"{len(jobs)} mutants", flush=True)
    start, counts = time.monotonic(), {"killed": 0, "equal": 0, "survived": 0}
    with get_context("spawn").Pool(2) as pool:
        for path, line, *change, alive in pool.imap_unordered(survives, jobs):
            name = path.relative_to(ROOT / "attnlib").as_posix()
            equal = (name, *change) in known
            outcome = ("equal" if equal else "survived") if alive else "killed"
            counts[outcome] += 1
            if outcome == "survived":
                function, before, after = change
                print(f"survived: {name}:{line}, {function}\n    {before}\n    {after}", flush=True)
            if sum(counts.values()) % 100 == 0:
                print(f"{sum(counts.values())} of {len(jobs)}", flush=True)
    summary = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    print(f"{len(jobs)} mutants: {summary}, in {time.monotonic() - start:.0f} s")
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
