"""The benchmark of one device, proved on the processor: complete, interrupted, refused, wrong."""

import functools
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
from attnlib.benchmarks import (
    PASSES,
    TOLERANCE,
    exact,
    gpu,
    header,
    load,
    measuring,
    rows,
    settings_for,
)
from attnlib.benchmarks import ceilings as ceilings_module
from attnlib.benchmarks.backends import BACKENDS, Backend
from attnlib.benchmarks.budget import Budget, OutOfTimeError
from attnlib.benchmarks.journal import Journal, set_aside
from attnlib.benchmarks.plan import Group, groups

#: Sizes so small that calling takes longer than computing: however busy the machine is, no rate
#: comes near to a ceiling.
SMALL = "--device cpu --quick --tokens 64 --width 8 --d 8 --repeats 3".split()
COMMAND = [sys.executable, "-m", "attnlib.benchmarks.gpu"]


def arguments(out, *more, backends=("naive", "math", "flash"), n=(64, 128)):
    lists = ["--backends", *backends, "--n", *map(str, n)]
    return [*SMALL, "--out", str(out), *lists, *map(str, more)]


def bench(out, *more, **chosen):
    return gpu.main(arguments(out, *more, **chosen))


@pytest.fixture(autouse=True, scope="module")
def little_time():
    """One thread, because threads wait for each other on a busy machine; a short copy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ceilings_module.COPIED_BYTES, "cpu", (2**28, 2**22))
        yield
    torch.set_num_threads(before)


def qkv(n=8, batch=2, n_heads=3, d=4, dtype=torch.float32):
    return torch.randn(3, batch, n_heads, n, d, generator=torch.Generator().manual_seed(0)).to(
        dtype
    )


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """A recording that was made without disturbance."""
    out = tmp_path_factory.mktemp("complete") / "a.json"
    assert bench(out) == 0
    return out


def test_a_run_leaves_a_recording_without_problems(complete):
    data = load(complete)
    assert [path.name for path in complete.parent.iterdir()] == ["a.json"]
    assert len(data["rows"]) == 2 * 2 * 3
    assert {row["status"] for row in data["rows"]} == {"ok"}
    assert all(row["repeats"] == 3 and row["peak_bytes"] is None for row in data["rows"])
    assert all(0 < row["error"] < TOLERANCE["float32"] for row in data["rows"])
    assert data["device"]["threads"] == torch.get_num_threads()
    assert data["nominal"] is None and data["seed"] == 0


def test_the_recording_says_nothing_private(complete):
    text = complete.read_text(encoding="utf-8")
    for private in (os.uname().nodename, str(complete.parent), sys.prefix, os.getcwd()):
        assert private not in text


def test_the_same_command_changes_nothing_when_all_is_done(complete, capsys):
    before = complete.read_bytes()
    assert bench(complete) == 0
    assert "a.json is complete already" in capsys.readouterr().out
    assert complete.read_bytes() == before
    assert bench(complete, "--seed", 1) == 2
    assert "a.json is from another run: seed is 0 there and 1 here" in capsys.readouterr().err
    assert complete.read_bytes() == before


def test_back_ends_take_turns_in_an_order_that_the_seed_decides():
    group = Group(8, 1, 1, 4, "float32", False)
    orders = {tuple(group.order(list(PASSES), seed)) for seed in range(5)}
    assert len(orders) > 3 and all(sorted(order) == sorted(PASSES) for order in orders)
    assert group.order(list(PASSES), 3) == group.order(list(PASSES), 3)
    other = Group(8, 1, 1, 4, "float32", True)
    assert group.seed(0) != other.seed(0) != group.seed(1)
    first, again = (exact.draw_inputs(group, "cpu", 0) for _ in range(2))
    assert torch.equal(first.Q, again.Q) and not torch.equal(first.Q, first.K)


def test_the_sweep_of_a_gpu_is_as_announced():
    settings = settings_for("cuda")
    found = groups(settings)
    assert len(found) == 7 * 2 * 2 * 2
    assert all(g.n_heads * g.d == 2048 and g.batch == max(1, 16384 // g.n) for g in found)
    assert [g.dtype for g in found] == ["bfloat16"] * 28 + ["float16"] * 28
    assert [g.causal for g in found[:28]] == [False] * 14 + [True] * 14
    for bad in ({"n": [8, 8]}, {"width": 100}, {"repeats": 0}, {"n": [0]}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            settings_for("cuda", **bad)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", ["naive", "naive_scaled", "math", "flash"])
def test_every_back_end_is_attention(name, causal):
    Q, K, V = qkv()
    with BACKENDS[name].pinned():
        output = BACKENDS[name].prepare(Q, K, V, causal)()
    mask = attnlib.causal(8) if causal else None
    arrays = (x.double().numpy() for x in (Q, K, V))
    expected, _ = attnlib.scaled_dot_product_attention(*arrays, mask=mask)
    np.testing.assert_allclose(output, expected, atol=1e-6)
    rows = [0, 3, 7]
    found = exact.exact_rows(Q, K, V, rows, causal=causal)
    np.testing.assert_allclose(found, expected[:, :, rows], atol=1e-14)


class Passes(TorchDispatchMode):
    """Counts how often an array of so many numbers is read or written."""

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
def test_the_naive_ways_pass_over_all_pairs_as_often_as_counted(name, causal):
    Q, K, V = qkv(n=16)
    call = BACKENDS[name].prepare(Q, K, V, causal)
    with Passes(2 * 3 * 16 * 16) as passes:
        call()
    assert passes.count == PASSES[name][causal]


def test_a_pinned_back_end_leaves_no_other():
    enabled = [
        torch.backends.cuda.math_sdp_enabled,
        torch.backends.cuda.flash_sdp_enabled,
        torch.backends.cuda.mem_efficient_sdp_enabled,
        torch.backends.cuda.cudnn_sdp_enabled,
    ]
    before = [ask() for ask in enabled]
    for number, name in enumerate(("math", "flash", "efficient", "cudnn")):
        with BACKENDS[name].pinned():
            assert [ask() for ask in enabled] == [i == number for i in range(4)]
    assert [ask() for ask in enabled] == before


def test_the_compiler_may_not_put_another_back_end_in_its_place(monkeypatch):
    asked = []
    monkeypatch.setattr(torch, "compile", lambda f, **options: asked.append(options) or f)
    monkeypatch.setattr(torch.compiler, "reset", lambda: asked.append("reset"))
    BACKENDS["compiled"].prepare(*qkv(), False)
    pinned = {"fullgraph": True, "dynamic": False, "options": {"pattern_matcher": False}}
    assert asked == ["reset", pinned]


def test_compiled_code_is_right_or_unsupported(tmp_path):
    out = tmp_path / "a.json"
    assert bench(out, "--causal", "yes", backends=["compiled"], n=[16]) == 0
    (row,) = load(out)["rows"]
    assert row["status"] == "ok" or (row["status"] == "unsupported" and row["reason"])


def test_where_nothing_compiles_the_row_says_why_and_the_ceiling_is_another(
    tmp_path, monkeypatch, capsys
):
    def fails(*arguments, **options):
        raise RuntimeError("no compiler in /opt/somewhere/bin, sorry\nsecond line")

    monkeypatch.setattr(torch, "compile", fails)
    out = tmp_path / "a.json"
    assert bench(out, "--causal", "no", backends=["compiled", "flex", "naive"], n=[16]) == 0
    data = load(out)
    for name in ("compiled", "flex"):
        (row,) = rows(data, backend=name)
        assert row["status"] == "unsupported"
        assert row["reason"] == "no compiler in (a path), sorry"
    assert rows(data, backend="naive")[0]["status"] == "ok"
    monkeypatch.setitem(ceilings_module.COPIED_BYTES, "cpu", (2**20, 2**20))
    monkeypatch.setattr(ceilings_module, "MATRIX_SECONDS", (1e-4, 1e-4))
    found = ceilings_module.measure_ceilings("cpu", ["float32"])
    assert found["exponentials_by"] == "torch.exp in place"
    assert "no compiled exponentials" in capsys.readouterr().out


def test_what_the_device_cannot_do_is_a_row(tmp_path, capsys):
    out = tmp_path / "a.json"
    assert bench(out, backends=["cudnn", "efficient", "naive"]) == 0
    data = load(out)
    for row in rows(data, backend=["cudnn", "efficient"]):
        assert row["status"] == "unsupported" and "backend" in row["reason"]
        assert row["p50_s"] is None and row["floor_s"] > 0
    assert all(row["status"] == "ok" for row in rows(data, backend="naive"))
    assert "cudnn         unsupported: No viable backend" in capsys.readouterr().out


WRONG_ANSWERS = {
    "garbage": lambda Q, K, V, causal: lambda: torch.randn_like(V),
    "no scale": lambda Q, K, V, causal: BACKENDS["naive_scaled"].prepare(2 * Q, K, V, causal),
    "no mask": lambda Q, K, V, causal: BACKENDS["naive_scaled"].prepare(Q, K, V, False),
    "nan": lambda Q, K, V, causal: lambda: V * torch.nan,
    "one wrong row": lambda Q, K, V, causal: lambda: last_row_zero(Q, K, V, causal),
    "other shape": lambda Q, K, V, causal: lambda: V[..., :-1],
}


def last_row_zero(Q, K, V, causal):
    output = BACKENDS["naive_scaled"].prepare(Q, K, V, causal)().clone()
    output[:, :, -1] = 0
    return output


@pytest.mark.parametrize("wrong", WRONG_ANSWERS.values(), ids=WRONG_ANSWERS)
def test_a_wrong_back_end_is_not_timed(tmp_path, monkeypatch, wrong):
    timed = []
    measure = measuring.measure
    monkeypatch.setitem(BACKENDS, "naive", Backend(wrong))
    monkeypatch.setattr(measuring, "measure", lambda f, **o: timed.append(f) or measure(f, **o))
    out = tmp_path / "a.json"
    assert bench(out, "--causal", "yes", backends=["naive"], n=[128]) == 0
    (row,) = load(out)["rows"]
    assert row["status"] == "wrong" and row["p50_s"] is None and not timed
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
def test_running_out_of_memory_is_a_row_whenever_it_happens(
    tmp_path, monkeypatch, error, status, after
):
    def prepare(Q, K, V, causal):
        call, calls = BACKENDS["math"].prepare(Q, K, V, causal), itertools.count()

        def f():
            if next(calls) >= after:
                raise error
            return call()

        return f

    monkeypatch.setitem(BACKENDS, "naive", Backend(prepare))
    out = tmp_path / "a.json"
    assert bench(out, "--causal", "no", backends=["naive", "math"], n=[64]) == 0
    data = load(out)
    (row,) = rows(data, backend="naive")
    assert row["status"] == status and row["reason"] and row["error"] is None
    assert rows(data, backend="math")[0]["status"] == "ok"


def test_what_cannot_fit_is_not_tried(tmp_path, monkeypatch):
    def tried(*arguments):
        raise AssertionError("it was tried")

    monkeypatch.setitem(BACKENDS, "naive", Backend(tried))
    monkeypatch.setattr(measuring, "available_bytes", lambda: 400_000)
    out = tmp_path / "a.json"
    assert bench(out, "--causal", "no", backends=["naive", "flash"], n=[256]) == 0
    data = load(out)
    (row,) = rows(data, backend="naive")
    assert row["status"] == "out of memory (predicted)"
    assert row["reason"] == "needs 0.000557 GB, more than half of the 0.0004 GB available"
    assert rows(data, backend="flash")[0]["status"] == "ok"


def test_the_reason_of_a_missing_kernel_is_the_warning_before_it():
    heard = ["Flash attention kernel not used because:", "Expected dtype half. (Triggered", "x"]
    heard[2] = "cuDNN attention has been runtime disabled. (Triggered internally at /a/b.cpp:1)"
    found = measuring._failure(RuntimeError("No available kernel. Aborting execution."), heard)
    assert found == {"status": "unsupported", "reason": "Expected dtype half. (Triggered"}
    found = measuring._failure(RuntimeError("something else\nmore"), heard)
    assert found["reason"] == "something else"


def start(*command):
    return subprocess.Popen(
        [*COMMAND, *command],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def stop_after(process, part, rows, how):
    """Send a signal once the part file holds so many rows; returns what was said."""
    end = time.monotonic() + 120
    while not part.exists() or part.read_bytes().count(b"\n") < rows + 1:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end, "no row within two minutes"
        time.sleep(0.002)
    process.send_signal(how)
    return process.communicate(timeout=120)[0]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, how):
    out, part = tmp_path / "a.json", tmp_path / "a.json.part"
    command = arguments(out, "--repeats", 1000, n=(64, 80, 96))
    process = start(*command)
    said = stop_after(process, part, 4, how)
    kept = part.read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    lines = kept.splitlines()
    assert not out.exists() and 5 <= len(lines) < 19
    if how != signal.SIGKILL:
        assert "Every finished row is kept. Give the same command again" in said
        assert process.returncode == 3
    assert gpu.main(command) == 0
    data = load(out)  # no row missing, none twice
    assert len(data["rows"]) == 18 and not part.exists()
    written = [line.strip().removesuffix(b",") for line in out.read_bytes().splitlines()]
    begin = written.index(lines[1])
    assert written[begin : begin + len(lines) - 1] == lines[1:]
    assert data["date"] == json.loads(lines[0])["date"]


def cut(complete, folder, count):
    """Put the part file of a run into a folder, as it was after so many rows."""
    data = json.loads(complete.read_text(encoding="utf-8"))
    first = {name: value for name, value in data.items() if name != "rows"}
    first["ceilings"] = {"start": data["ceilings"]["start"]}
    part = folder / "a.json.part"
    lines = [json.dumps(line) for line in [first, *data["rows"][:count]]]
    part.write_text("".join(line + "\n" for line in lines))
    return part


@pytest.mark.parametrize("torn", ['{"n": 64, "ba', "{", json.dumps({"n": 64})])
def test_a_torn_last_line_is_dropped_and_measured_again(complete, tmp_path, capsys, torn):
    part = cut(complete, tmp_path, 5)
    with part.open("a") as file:
        file.write(torn)
    assert bench(tmp_path / "a.json") == 0
    assert "Notice: the last line was torn" in capsys.readouterr().out
    assert load(tmp_path / "a.json")["rows"][:5] == load(complete)["rows"][:5]


def test_a_torn_line_is_gone_from_the_file_before_a_row_follows(complete, tmp_path):
    part = cut(complete, tmp_path, 5)
    whole = part.read_text()
    part.write_text(whole + '{"n": 6')
    with Journal(tmp_path / "a.json") as journal:
        _, notice = journal.resume(json.loads(whole.splitlines()[0]))
        assert "torn" in notice and len(journal.rows) == 5
        assert part.read_text() == whole
        journal.append({"n": 1})
    assert part.read_text() == whole + '{"n": 1}\n'


def test_a_file_with_half_a_header_is_begun_anew(tmp_path, capsys):
    (tmp_path / "a.json.part").write_text('{"schema": 1, "ki')
    assert bench(tmp_path / "a.json", "--causal", "no", n=[64]) == 0
    assert "torn" in capsys.readouterr().out
    assert len(load(tmp_path / "a.json")["rows"]) == 3


def test_a_spoilt_line_in_the_middle_is_refused_by_number(complete, tmp_path, capsys):
    part = cut(complete, tmp_path, 5)
    lines = part.read_text().splitlines(keepends=True)
    lines[2] = lines[2][:20] + "\n"
    part.write_text("".join(lines))
    assert bench(tmp_path / "a.json") == 2
    assert "line 3 of a.json.part is spoilt" in capsys.readouterr().err
    assert part.read_text() == "".join(lines)


OTHER_RUNS = {
    "seed": (lambda first: first.update(seed=7), "seed is 7 there and 0 here"),
    "settings": (lambda first: first["settings"].update(repeats=9), "settings.repeats is 9"),
    "device": (lambda first: first["device"].update(name="x"), "device.name is 'x'"),
    "versions": (lambda first: first["versions"].update(torch="1"), "versions.torch is '1'"),
    "hash": (lambda first: first["scripts"].popitem(), "scripts.attnlib/timing/memory.py is None"),
    "schema": (lambda first: first.update(schema=0), "schema is 0 there and 1 here"),
}


@pytest.mark.parametrize(("change", "said"), OTHER_RUNS.values(), ids=OTHER_RUNS)
def test_rows_of_another_run_are_neither_mixed_nor_lost(complete, tmp_path, capsys, change, said):
    part = cut(complete, tmp_path, 5)
    first, *others = part.read_text().splitlines()
    first = json.loads(first)
    change(first)
    before = "\n".join([json.dumps(first), *others]) + "\n"
    part.write_text(before)
    assert bench(tmp_path / "a.json") == 2
    error = capsys.readouterr().err
    assert said in error and "--out" in error and "--fresh" in error
    assert part.read_text() == before
    if said.startswith("seed"):
        assert bench(tmp_path / "a.json", "--fresh", "--causal", "no", n=[64]) == 0
        assert (tmp_path / "a.json.part.old").read_text() == before
        assert set_aside(tmp_path / "a.json.part.old") == "a.json.part.old.old"


def test_two_runs_into_one_file_are_refused(tmp_path, capsys):
    pytest.importorskip("fcntl")
    (tmp_path / "a.json.part").write_text("")
    with Journal(tmp_path / "a.json") as other:
        other.resume({})
        assert bench(tmp_path / "a.json") == 2
    assert "another run writes into a.json.part" in capsys.readouterr().err


def test_a_run_stops_before_its_budget_is_spent_and_goes_on(tmp_path, monkeypatch, capsys):
    out, part = tmp_path / "a.json", tmp_path / "a.json.part"
    now = [0.0]

    def slow(*arguments):
        now[0] += 10  # a row takes ten seconds, by the clock of the budget
        return measuring.measure_row(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(gpu, "measure_row", slow)
        patch.setattr(gpu, "Budget", functools.partial(Budget, clock=lambda: now[0]))
        assert bench(out, "--budget", 100) == 3
    said = capsys.readouterr().out
    assert "Stopped: the next row (" in said and "Give the same command again" in said
    assert now[0] <= 100
    lines = part.read_text().splitlines()
    assert 5 <= len(lines) < 12 and not out.exists()
    assert bench(out) == 0
    assert load(out)["rows"][: len(lines) - 1] == [json.loads(line) for line in lines[1:]]


def test_a_row_that_does_not_fit_into_the_budget_is_not_begun(tmp_path, monkeypatch, capsys):
    tried = []
    monkeypatch.setitem(BACKENDS, "compiled", Backend(lambda *inputs: tried.append(inputs)))
    assert bench(tmp_path / "a.json", "--budget", 30, backends=["compiled"]) == 3
    assert "the next row (compiled, n=64, d=8, float32) needs about" in capsys.readouterr().out
    assert not tried


def test_a_budget_learns_how_long_rows_take():
    budget = Budget(100, reserve=10, clock=lambda: 0.0)
    naive, flash, flex = (
        {"backend": name, "floor_s": 1.0, "flops": 40} for name in ("naive", "flash", "flex")
    )
    unseen = budget.expected(naive, 10)
    budget.learn({"backend": "naive", "flops": 20, "repeats": 10, "p50_s": 2.0}, 21.0)
    assert budget.expected(naive, 10) == 1.5 * 1.0 + 10 * 4.0 < unseen
    assert budget.expected(flex, 10) > budget.expected(flash, 10) == unseen
    budget.need(90, "this")
    with pytest.raises(OutOfTimeError, match="that needs about 91 s and 90 s are left"):
        budget.need(91, "that")
    for bad in (0, -1, float("nan")):
        with pytest.raises(ValueError, match=r"budget=.* must be above 0"):
            Budget(bad)


def test_a_device_that_no_longer_answers_ends_the_run_and_keeps_its_row(
    tmp_path, monkeypatch, capsys
):
    def lost(device, row):
        raise gpu.DeviceLostError("CUDA error: illegal memory access")

    monkeypatch.setattr(gpu, "_settle", lost)
    assert bench(tmp_path / "a.json") == 3
    assert "the device no longer answers (CUDA error" in capsys.readouterr().out
    assert (tmp_path / "a.json.part").read_text().count("\n") == 2


def test_bad_arguments_are_refused_with_a_remedy(tmp_path, monkeypatch, capsys):
    out = tmp_path / "a.json"
    assert bench(out, "--width", 100) == 2
    assert "width=100 cannot be split into heads of d=8" in capsys.readouterr().err
    assert bench(out, "--budget", 0) == 2
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu.main(["--device", "cuda", "--out", str(out)]) == 2
    assert "torch finds no GPU here. Give --device cpu." in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_known_devices_have_peaks_and_others_have_none():
    assert ceilings_module.nominal("NVIDIA H200")["flops_per_s"]["bfloat16"] == 989e12
    assert ceilings_module.nominal("NVIDIA H200 NVL") is None
    here = {"processor": None, "memory_bytes": None, "gpus": []}
    assert header.device_of("cpu", here)["name"] == "unknown processor"
