"""Stages of a test run: a heading and the seconds of each, and one line that counts all checks."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-m"]
#: Files are dealt out in the order listed, so that the short ones at the end fill all workers;
#: three of them, because a test that waits for a browser or a kernel leaves its core to another.
PYTEST = [*PYTHON, "pytest", "-q", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]
NBVAL = ["--nbval", "--nbval-sanitize-with=tests/book/nbval_sanitize.cfg"]

#: Threads that wait for each other spin, and take a core from a worker. Without bytecode every
#: process that a test starts would compile the whole package.
FOR_TESTS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}


def counts(report):
    """Passed, failed and skipped tests from pytest's report in XML.

    >>> counts('<testsuite tests="9" errors="1" failures="2" skipped="3"/>')
    (3, 3, 3)
    """
    suites = list(ElementTree.fromstring(report).iter("testsuite"))
    tests, errors, failures, skipped = (
        sum(int(suite.get(name)) for suite in suites)
        for name in ("tests", "errors", "failures", "skipped")
    )
    return tests - errors - failures - skipped, errors + failures, skipped


def failures(report):
    """Names of the tests that failed, from the same report: of a cell, its notebook and number.

    >>> failures('<testcase classname="book" name="a"><failure/></testcase>')
    ['book a']
    """
    cases = ElementTree.fromstring(report).iter("testcase")
    failed = [case for case in cases if {"failure", "error"} & {part.tag for part in case}]
    return [f"{case.get('classname')} {case.get('name')}" for case in failed]


def run(heading, command, failed=None, **environment):
    """Run one stage and return its counts. A stage without pytest counts as one check.

    To the list `failed` it adds the names of the tests that fail.
    """
    print(f"\n== {heading}", flush=True)
    environment = FOR_TESTS | environment
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        extra = [f"--junitxml={report}"] if "pytest" in command else []
        code = subprocess.run(command + extra, cwd=ROOT, env=os.environ | environment).returncode
        result = counts(report.read_text(encoding="utf-8")) if report.exists() else (0, 0, 0)
        if failed is not None and report.exists():
            failed += failures(report.read_text(encoding="utf-8"))
    if not extra:
        result = (1, 0, 0) if code == 0 else (0, 1, 0)
    elif code and not result[1]:
        result = (result[0], 1, result[2])  # pytest itself failed
    print(f"== {heading}: {time.monotonic() - start:.0f} s", flush=True)
    return result


def close(results):
    """Print the closing line and return the exit status of the whole run.

    It is 1 when something failed and, with CI=true, when something was skipped.
    """
    passed, failed, skipped = map(sum, zip(*results))
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or (skipped and os.environ.get("CI") == "true") else 0
