"""What a measurement was made on, as real and made-up systems tell it."""

import getpass
import json
import os
import platform
import re
import socket
import subprocess
import sys
from importlib import util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from attnlib.timing import hardware, machine


def failing(error):
    return lambda *arguments, **options: (_ for _ in ()).throw(error)


def giving(result):
    return lambda *arguments, **options: result


def test_a_machine_has_the_fields_that_are_promised():
    here = machine()
    kinds = {"architecture": str, "system": str, "python": str, "cores": int, "threads": int}
    kinds |= {"processor": str | None, "memory_bytes": int | None}
    kinds |= {"blas": dict, "libraries": dict, "gpus": list}
    assert set(here) == set(kinds) and set(here["blas"]) == {"name", "version"}
    assert all(isinstance(here[name], kind) for name, kind in kinds.items())
    assert here["cores"] >= here["threads"] >= 1
    assert here["python"] == ".".join(map(str, sys.version_info[:3]))
    assert here["libraries"]["numpy"] == np.__version__ and "torch" in here["libraries"]
    assert here["system"] == platform.system()
    assert here["architecture"] == platform.machine()
    assert json.loads(json.dumps(here)) == here == machine()


def test_a_machine_description_is_anonymous(monkeypatch):
    names = [platform.node(), socket.gethostname(), getpass.getuser(), str(Path.home())]
    words = re.split(r"[^\w/.-]+", json.dumps(machine()))
    assert not set(filter(None, names)) & set(words)
    for module, name in ((platform, "node"), (socket, "gethostname"), (getpass, "getuser")):
        monkeypatch.setattr(module, name, failing(AssertionError("asked for a name")))
    machine()


def cpuinfo(read):
    return hardware, "Path", lambda path: SimpleNamespace(read_text=read)


CPUINFO = "processor\t: 0\nmodel\t: 1\nmodel name\t: Fast One: 3 GHz\nmodel name\t: Another\n"
UNREADABLE = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "")
PAGES = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}
NUMPY = {"numpy": np.__version__}
FOUND = [
    ("processor", cpuinfo(giving(CPUINFO)), "Fast One: 3 GHz"),
    ("processor", cpuinfo(giving("processor\t: 0\n")), "its name"),
    ("processor", cpuinfo(failing(PermissionError())), "its name"),
    ("processor", cpuinfo(failing(UNREADABLE)), "its name"),
    ("cores", (os, "sched_getaffinity", {0: {3, 5, 8}}.__getitem__), 3),
    ("memory_bytes", (os, "sysconf", PAGES.__getitem__), 4096000),
    ("memory_bytes", (os, "sysconf", failing(ValueError())), None),
    ("memory_bytes", (os, "sysconf", failing(OSError())), None),
    ("memory_bytes", (os, "sysconf", failing(AttributeError())), None),
    ("libraries", (hardware, "LIBRARIES", ["numpy", "no-such-one"]), NUMPY),
]


@pytest.mark.parametrize(("field", "change", "expected"), FOUND)
def test_what_the_system_does_not_say_is_none(monkeypatch, field, change, expected):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "processor", giving("its name"))
    monkeypatch.setattr(*change, raising=False)
    assert machine()[field] == expected
    monkeypatch.setattr(platform, "processor", giving(""))
    assert machine()[field] == (None if expected == "its name" else expected)


@pytest.mark.parametrize(("count", "cores"), [(7, 7), (None, 1)])
def test_all_cores_are_counted_by_default(monkeypatch, count, cores):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", giving(count))
    assert machine()["cores"] == cores


EIGHT = (os, "sched_getaffinity", giving(set(range(8))))


def test_threads_without_a_library_to_ask(monkeypatch):
    monkeypatch.setattr(*EIGHT, raising=False)
    names = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    monkeypatch.setattr(util, "find_spec", giving(None))
    for name in names:
        monkeypatch.delenv(name, raising=False)
    assert machine()["threads"] == 8
    message = zip([*names, *names[-1:] * 5], ["5", "4", "3", "99", "0", "1", "many", ""])
    for (name, text), threads in zip(message, [5, 4, 3, 8, 1, 1, 4, 4], strict=True):
        monkeypatch.setenv(name, text)
        assert machine()["threads"] == threads


POOLS = [([("blas", 3)], 3), ([("blas", 99)], 8), ([("blas", 2), ("blas", 4)], 4), ([], 8)]
POOLS += [([("openmp", 6), ("blas", 1)], 1)]


@pytest.mark.parametrize(("pools", "threads"), POOLS)
def test_threads_are_those_of_matrix_products(monkeypatch, pools, threads):
    monkeypatch.setattr(*EIGHT, raising=False)
    message = [{"user_api": kind, "num_threads": number} for kind, number in pools]
    library = SimpleNamespace(threadpool_info=giving(message))
    monkeypatch.setattr(util, "find_spec", lambda name: name == "threadpoolctl" or None)
    monkeypatch.setitem(sys.modules, "threadpoolctl", library)
    assert machine()["threads"] == threads


@pytest.fixture
def program(monkeypatch, tmp_path):
    """`program(name, text, status)` puts a program on the path, and returns what it is asked."""

    def put(name, text, status=0):
        (tmp_path / "answer").write_text(text)
        script = f'echo "asked $@" > {tmp_path}/asked; cat {tmp_path}/answer; exit {status}'
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        return tmp_path / "asked"

    return put


def test_gpus_are_those_that_nvidias_tool_names(program):
    message = "Fast One 80GB, 555.42.02, 81559 MiB\nSmall, 550.1, [N/A]\nOdd, [N/A], [N/A]\n"
    asked = program("nvidia-smi", message)
    assert machine()["gpus"] == [
        {"name": "Fast One 80GB", "driver": "555.42.02", "memory_bytes": 81559 * 2**20},
        {"name": "Small", "driver": "550.1", "memory_bytes": None},
        {"name": "Odd", "driver": None, "memory_bytes": None},
    ]
    assert "--query-gpu=name,driver_version,memory.total --format=csv,noheader" in asked.read_text()


def test_a_broken_tool_means_no_gpus(monkeypatch, program, tmp_path):
    limits = []

    def hang(command, timeout, **options):
        limits.append(timeout)
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine()["gpus"] == []
    program("nvidia-smi", "Fast, 1, 5 MiB\n")
    assert len(machine()["gpus"]) == 1
    for text, status in (("Fast, 1, 5 MiB\n", 9), ("\n", 0), ("No devices were found\n", 0)):
        program("nvidia-smi", text, status)
        assert machine()["gpus"] == []
    (tmp_path / "nvidia-smi").write_bytes(b"\x7fELF")
    assert machine()["gpus"] == []
    monkeypatch.setattr(subprocess, "run", hang)
    assert machine()["gpus"] == [] and limits == [20]


def test_a_mac_is_asked_for_its_processor(monkeypatch, program):
    asked = program("sysctl", "Fast Mac\n")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert machine()["processor"] == "Fast Mac"
    assert asked.read_text() == "asked -n machdep.cpu.brand_string\n"
    program("sysctl", "", 1)
    monkeypatch.setattr(platform, "processor", giving("arm"))
    assert machine()["processor"] == "arm"
