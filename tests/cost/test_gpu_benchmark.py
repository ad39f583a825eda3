"""The benchmark of one device, proved on the processor: complete, interrupted, refused, wrong."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import attnlib
from benchmarks.checking import load
from benchmarks.gpu import __main__ as gpu
from benchmarks.gpu import ceilings, rows
from benchmarks.gpu.backends import BACKENDS, pinned
from benchmarks.gpu.plan import FUSED, PASSES, TOLERANCE, settings_for, tasks, work
from benchmarks.recording import ROOT

#: Sizes so small that calling takes longer than computing: however busy the machine is, no rate
#: comes near to a ceiling.
SMALL = "--device cpu --quick --tokens 64 --width 8 --d 8 --repeats 3".split()


def arguments(out, *more, backends=("naive", "math", "flash"), n=(64, 128)):
    lists = ["--backends", *backends, "--n", *map(str, n)]
    return [*SMALL, "--out", str(out), *lists, *map(str, more)]


def bench(out, *more, **chosen):
    return gpu.main(arguments(out, *more, **chosen))


def named(data, name):
    return [row for row in data["rows"] if row["name"] == name]


@pytest.fixture(autouse=True, scope="module")
def little_time():
    """One thread, because threads wait for each other on a busy machine; a short copy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ceilings.COPIED_BYTES, "cpu", (2**28, 2**22))
        patch.setitem(ceilings.SIDE, "cpu", (2048, 256))
        yield
    torch.set_num_threads(before)


def qkv(n=8):
    return torch.randn(3, 2, 3, n, 4, generator=torch.Generator().manual_seed(0))


def test_a_run_leaves_a_whole_anonymous_recording(tmp_path, capsys):
    out = tmp_path / "a.json"
    assert bench(out) == 0
    data = load(out)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert len(data["rows"]) == 2 * 2 * 3
    for row in data["rows"]:
        assert row["status"] == "ok" and row["repeats"] == 3 and row["peak_bytes"] is None
        assert 0 < row["error"] < TOLERANCE["float32"]
    assert data["device"]["threads"] == 1 and data["nominal"] is None
    assert {"benchmarks/gpu/backends.py", "attnlib/cost/roofline.py"} <= set(data["code"]["files"])
    before = out.read_text(encoding="utf-8")
    for private in (os.uname().nodename, str(tmp_path), sys.prefix, os.getcwd()):
        assert private not in before
    assert bench(out) == 2 and out.read_text(encoding="utf-8") == before
    assert "a.json is whole. Remove it, or give another --out" in capsys.readouterr().err


def test_back_ends_take_turns_in_the_sweep():
    result = tasks(settings_for("cuda"))
    assert len(result) == 7 * 2 * 2 * 2 * 8
    for task in result:
        assert task["n_heads"] * task["d"] == 2048 and task["batch"] == max(1, 16384 // task["n"])
    assert [task["dtype"] for task in result[::224]] == ["bfloat16", "float16"]
    groups = [tuple(task["name"] for task in result[i : i + 8]) for i in range(0, len(result), 8)]
    assert len(set(groups)) > 20 and all(sorted(group) == sorted(PASSES) for group in groups)
    assert tasks(settings_for("cuda")) == result != tasks(settings_for("cuda", seed=1))
    first, again, other = (rows.draw(task, "cpu", 0) for task in (TASK, TASK, TASK | {"n": 9}))
    assert all(map(torch.equal, first, again)) and not torch.equal(first[0], other[0][:, :, :8])
    for name, bad in (("n", [8, 8]), ("width", 100), ("repeats", 0), ("d", [0]), ("seed", -1)):
        with pytest.raises(ValueError, match=name):
            settings_for("cuda", **{name: bad})


TASK = {"name": "naive", "n": 8, "batch": 2, "n_heads": 3, "d": 4, "dtype": "float32"}
TASK |= {"causal": True, "inputs": "random", "round": 0}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", ["naive", "naive_scaled", "math", "flash", "compiled"])
def test_every_back_end_is_attention(monkeypatch, name, causal):
    asked = []
    monkeypatch.setattr(torch, "compile", lambda f, **options: asked.append(options) or f)
    Q, K, V = qkv()
    with pinned(name):
        output = BACKENDS[name](Q, K, V, causal)()
    mask = attnlib.causal(8) if causal else None
    arrays = (x.double().numpy() for x in (Q, K, V))
    expected, _ = attnlib.scaled_dot_product_attention(*arrays, mask=mask)
    np.testing.assert_allclose(output, expected, atol=1e-6)
    result = rows.exact_rows(Q, K, V, torch.tensor([0, 3, 7]), causal=causal)
    np.testing.assert_allclose(result, expected[:, :, [0, 3, 7]], atol=1e-14)
    if name == "compiled":  # the compiler may not put another back end in its place
        assert asked == [
            {"fullgraph": True, "dynamic": False, "options": {"pattern_matcher": False}}
        ]


class Passes(TorchDispatchMode):
    """Counts how often an array of this size is read or written."""

    def __init__(self, pairs):
        super().__init__()
        self.pairs, self.count = pairs, 0

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        result = function(*arguments, **(options or {}))
        if not any(word in str(function) for word in ("view", "expand", "transpose")):
            touched = [x for x in arguments if isinstance(x, torch.Tensor)] + [result]
            self.count += sum(x.numel() == self.pairs for x in touched)
        return result


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", ["naive", "naive_scaled"])
def test_naive_ways_make_the_counted_passes(name, causal):
    call = BACKENDS[name](*qkv(n=16), causal)
    with Passes(2 * 3 * 16 * 16) as passes:
        call()
    assert passes.count == PASSES[name][causal]


@pytest.mark.parametrize("causal", [False, True])
def test_work_is_counted_for_each_way(causal):
    size = {"n": 64, "batch": 2, "n_heads": 3, "d": 16, "dtype": "bfloat16", "causal": causal}
    pairs, ends = 6 * 64 * 64, 4 * 6 * 64 * 16 * 2
    for name, passes in PASSES.items():
        cost = work(size | {"name": name})
        computed = 6 * 64 * 65 // 2 if causal and passes is None else pairs
        assert (cost.flops, cost.exponentials) == (4 * 16 * computed, computed)
        assert cost.bytes == ends + (passes[causal] * pairs * 2 if passes else 0)
    assert set(FUSED) == {"flash", "efficient", "cudnn", "flex"}


def test_a_pinned_back_end_leaves_no_other():
    names = ("math", "flash", "mem_efficient", "cudnn")
    enabled = [getattr(torch.backends.cuda, f"{name}_sdp_enabled") for name in names]
    before = [ask() for ask in enabled]
    for number, name in enumerate(("math", "flash", "efficient", "cudnn")):
        with pinned(name):
            assert [ask() for ask in enabled] == [i == number for i in range(4)]
    assert [ask() for ask in enabled] == before


def test_an_unsupported_back_end_becomes_an_explained_row(tmp_path, monkeypatch, capsys):
    def fails(*arguments, **options):
        raise RuntimeError("no compiler in /opt/somewhere/bin, sorry\nsecond line")

    monkeypatch.setattr(torch, "compile", fails)
    out, names = tmp_path / "a.json", ["compiled", "flex", "cudnn", "efficient", "naive"]
    assert bench(out, "--causal", "no", backends=names, n=[16]) == 0
    data = load(out)
    reasons = {row["name"]: (row["status"], row["reason"]) for row in data["rows"]}
    assert reasons["compiled"] == reasons["flex"]
    assert reasons["flex"] == ("unsupported", "no compiler in (a path), sorry")
    assert reasons["cudnn"][0] == "unsupported" and "backend" in reasons["efficient"][1]
    assert reasons["naive"] == ("ok", None)
    assert "cudnn         unsupported: No viable backend" in capsys.readouterr().out
    heard = ["Flash attention kernel not used because:", "Expected dtype half. (Triggered", "x"]
    heard[2] = "cuDNN attention has been runtime disabled. (Triggered internally at /a/b.cpp:1)"
    result = rows._failure(RuntimeError("No available kernel. Aborting execution."), heard)
    assert result == {"status": "unsupported", "reason": "Expected dtype half. (Triggered"}


def last_row_zero(Q, K, V, causal):
    output = BACKENDS["naive_scaled"](Q, K, V, causal)().clone()
    output[:, :, -1] = 0
    return output


WRONG_ANSWERS = {
    "garbage": lambda Q, K, V, causal: lambda: torch.randn_like(V),
    "no scale": lambda Q, K, V, causal: BACKENDS["naive_scaled"](2 * Q, K, V, causal),
    "no mask": lambda Q, K, V, causal: BACKENDS["naive_scaled"](Q, K, V, False),
    "nan": lambda Q, K, V, causal: lambda: V * torch.nan,
    "one wrong row": lambda Q, K, V, causal: lambda: last_row_zero(Q, K, V, causal),
    "other shape": lambda Q, K, V, causal: lambda: V[..., :-1],
}
SETTINGS = settings_for("cpu", quick=True, repeats=3)


def measured(**changes):
    task = TASK | changes
    return rows.measured_row(task, rows.draw(task, "cpu", 0), SETTINGS, "cpu")


@pytest.mark.parametrize("wrong", WRONG_ANSWERS.values(), ids=WRONG_ANSWERS)
def test_a_wrong_back_end_is_not_timed(monkeypatch, wrong):
    monkeypatch.setitem(BACKENDS, "naive", wrong)
    monkeypatch.setattr(rows, "measure", lambda f, **options: pytest.fail("it was timed"))
    row = measured(n=128)
    assert row["status"] == "wrong" and row["p50_s"] is None
    assert "from float64" in row["reason"] or "not finite" in row["reason"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate"), "out of memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), "out of memory"),
        (MemoryError(), "out of memory"),
        (ValueError("not for these sizes"), "unsupported"),
    ],
)
@pytest.mark.parametrize("after", [0, 1, 4])
def test_running_out_of_memory_becomes_a_row(monkeypatch, error, status, after):
    def prepare(Q, K, V, causal):
        call, calls = BACKENDS["math"](Q, K, V, causal), itertools.count()

        def f():
            if next(calls) >= after:
                raise error
            return call()

        return f

    monkeypatch.setitem(BACKENDS, "naive", prepare)
    row = measured()
    assert row["status"] == status and row["reason"] and row["error"] is None


def test_what_cannot_fit_is_not_tried(monkeypatch):
    monkeypatch.setitem(BACKENDS, "naive", lambda *inputs: pytest.fail("it was tried"))
    monkeypatch.setattr(rows, "machine", lambda: {"memory_bytes": 400_000})
    row = measured(n=256)
    assert (
        row["status"] == "out of memory"
        and row["reason"] == "needs 0.00315 of the 0.0004 GB there are"
    )
    assert measured(n=256, name="flash")["status"] == "ok"


def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    out, part = tmp_path / "a.json", tmp_path / "a.json.part"
    command = arguments(out, "--repeats", 300, n=(64, 80, 96))
    command = [sys.executable, "-m", "benchmarks.gpu", *command]
    options = {"env": os.environ | {"OMP_NUM_THREADS": "1"}, "cwd": ROOT}
    process = subprocess.Popen(command, **options, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while not part.exists() or part.read_bytes().count(b"\n") < 5:
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    lines = part.read_bytes()[: part.read_bytes().rfind(b"\n") + 1].splitlines()
    assert not out.exists() and 5 <= len(lines) < 19
    first, *kept = map(json.loads, lines)
    part.write_bytes(b"".join(line + b"\n" for line in lines) + b'{"name": "na')
    assert subprocess.run(command, **options, timeout=120).returncode == 0
    data = load(out)  # no row missing, none twice
    assert data["rows"][: len(kept)] == kept and len(data["rows"]) == 18 and not part.exists()
    assert data["date"] == first["date"]


def test_no_row_begins_after_the_budget(tmp_path, monkeypatch, capsys):
    out, part = tmp_path / "a.json", tmp_path / "a.json.part"
    clock = itertools.count(step=10)
    with monkeypatch.context() as patch:
        patch.setattr(gpu.time, "monotonic", lambda: next(clock))
        assert bench(out, "--budget", 35, n=[64]) == 3
    assert "the 35 s of --budget are over. Every finished row is kept" in capsys.readouterr().out
    lines = part.read_text().splitlines()
    assert len(lines) == 4 and not out.exists()
    assert bench(out, n=[64], backends=["math"]) == 2
    assert "a.json.part is from another run: header.settings.b" in capsys.readouterr().err
    assert bench(out, n=[64]) == 0
    assert load(out)["rows"][:3] == [json.loads(line) for line in lines[1:]]


def test_a_dead_device_ends_the_run(tmp_path, monkeypatch, capsys):
    def lost():
        raise torch.AcceleratorError("CUDA error: illegal memory access")

    monkeypatch.setattr(gpu.gc, "collect", lost)
    assert bench(tmp_path / "a.json") == 3
    assert "the device no longer answers (CUDA error" in capsys.readouterr().out
    assert (tmp_path / "a.json.part").read_text().count("\n") == 2


def test_bad_arguments_are_refused_with_a_remedy(tmp_path, monkeypatch, capsys):
    out = tmp_path / "a.json"
    for more, message in (
        (["--width", 100], "width=100 cannot be split into heads of d=8. Give a width"),
        (["--repeats", 2], "repeats=2 cannot be: 2 is less than the minimum of 3"),
    ):
        assert bench(out, *more) == 2 and message in capsys.readouterr().err
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu.main(["--device", "cuda", "--out", str(out)]) == 2
    assert "torch finds no GPU here. Give --device cpu." in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
