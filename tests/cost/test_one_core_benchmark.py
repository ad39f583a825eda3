"""`make bench`: every way is what it is called, a small run is whole, and failures are named."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.checking import notices
from benchmarks.one_core import __main__ as program
from benchmarks.one_core import table, worker
from benchmarks.one_core.plan import settings_for
from benchmarks.one_core.ways import APPROXIMATE, EXACT, bare
from benchmarks.recording import ROOT

SIZES = [16, 32, 128]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A recording at small sizes; to save time one job is a process, the others are calls."""
    folder, jobs = tmp_path_factory.mktemp("bench"), []
    rates = {"flops_per_s": {"float32": 1e15}, "bytes_per_s": 1e12, "exponentials_per_s": 1e12}

    def in_worker(files, name, **arguments):
        jobs.append(name)
        if name == "ceilings":
            return rates
        if len(jobs) == 2:
            return in_process(files, name, **arguments)
        if name == "ratio":
            arguments |= {"n_q": 3, "n_k": 5}
        return getattr(worker, name)(**arguments)

    with pytest.MonkeyPatch.context() as patch:
        in_process = program.in_worker
        patch.setattr(program, "in_worker", in_worker)
        patch.setattr(worker, "ROUNDS", 3)
        sizes = map(str, SIZES)
        options = ["--rounds", "1", "--seconds", "0.002", "--out", str(folder), "--sizes", *sizes]
        status = program.main(options)
    assert status == 0 and jobs.count("ceilings") == jobs.count("ratio") == 2
    return folder


@pytest.mark.parametrize("name", [name for name in EXACT if name != "two_products"] + ["bare"])
def test_every_exact_way_is_attention(name):
    Q, K, V = worker.draw("random", (3, 37, 5), seed=1)
    E = np.exp(Q.astype(float) @ K.mT.astype(float) / 5**0.5)
    expected = E / E.sum(axis=-1, keepdims=True) @ V
    if name == "bare":
        output = bare(Q, K, V, np.empty((3, 37, 37), np.float32))
    else:
        output = np.asarray(worker._caller(name, Q, K, V)())
    assert np.abs(output - expected).max() < 2e-6
    assert output.dtype == (np.float64 if name == "textbook" else np.float32)
    assert worker.error_of(output, Q, K, V) < 1e-6 < 0.01 < worker.error_of(1.02 * output, Q, K, V)
    assert np.array_equal(EXACT["two_products"][1](Q, K, V), (Q @ K.transpose(0, 2, 1)) @ V)


def test_local_inputs_match_their_neighbours():
    Q, K, _ = worker.draw("local", (4, 400, 16), seed=0)
    scores = Q @ K.mT
    near = np.mean([np.diagonal(scores, k, axis1=1, axis2=2).mean() for k in (-2, -1, 1, 2)])
    far = np.diagonal(scores, 200, axis1=1, axis2=2).mean()
    assert near > 8 > 4 > abs(far)
    assert np.corrcoef(K[0].ravel(), K[1].ravel())[0, 1] > 0.7


def test_a_small_run_writes_data_and_a_picture(recorded):
    assert sorted(path.name for path in recorded.iterdir()) == ["one_core.json", "one_core.svg"]
    data = json.loads((recorded / "one_core.json").read_text(encoding="utf-8"))
    result = {(row["name"], row["n"]) for row in data["rows"] if row["inputs"] == "random"}
    assert {(name, n) for name in EXACT for n in SIZES} <= result
    local = {row["name"] for row in data["rows"] if row["inputs"] == "local"}
    assert local >= set(APPROXIMATE)
    for row in data["rows"]:
        assert (row["error"] is None) == (row["name"] == "two_products")
        asked = row["name"] in EXACT and row["inputs"] == "random"
        assert (row["peak_bytes"] is not None) == (asked and row["name"] != "torch_sdpa")
        assert sys.platform != "linux" or (row["peak_process_bytes"] is not None) == asked
    assert table.error(data, "window_64") > 0.1 > 1e-5 > table.error(data, "window_256")
    assert table.error(data, "grouped_4", "local") < table.error(data, "grouped_4")
    message = table.text(data)
    assert all(label in message for label, _ in (EXACT | APPROXIMATE).values())
    assert message.count("not measured") == 5 and message.count("over the bare formula") == 2
    deciding = {
        "benchmarks/one_core/worker.py",
        "attnlib/attention.py",
        "attnlib/efficient/rows.py",
    }
    assert deciding <= set(data["code"]["files"])
    assert not any("files have changed" in message for message in notices(data))


def test_a_failed_worker_is_named(monkeypatch):
    task = {"name": "row_blocks", "n": 0, "n_heads": 1, "d": 4, "inputs": "random", "round": 1}
    with pytest.raises(RuntimeError, match="row_blocks at n = 0"):
        program.in_worker({}, "measured", task=task, seed=0, seconds=0.01)
    done = subprocess.CompletedProcess([], -9, "", "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    with pytest.raises(RuntimeError, match=r"want of memory. Give smaller --sizes"):
        program.in_worker({}, "measured", task=task)
    done.returncode, done.stdout = 0, json.dumps({"result": 7, "files": {"a.py": "1"}})
    files = {"b.py": "2"}
    assert program.in_worker(files, "ceilings") == 7 and files == {"a.py": "1", "b.py": "2"}
    with pytest.raises(RuntimeError, match=r"a\.py was changed while it was measured"):
        program.in_worker({"a.py": "other"}, "ceilings")


def test_what_is_wrong_is_not_timed(monkeypatch):
    monkeypatch.setitem(worker.WAYS, "in_place", ("", lambda Q, K, V: 1.001 * V))
    monkeypatch.setattr(worker.timing, "measure", lambda *_, **__: pytest.fail("it was timed"))
    task = {"name": "in_place", "n": 8, "n_heads": 1, "d": 4, "inputs": "random", "round": 1}
    with pytest.raises(ValueError, match=r"its error is .*, and 1e-05 is allowed"):
        worker.measured(task, 0, 0.01)


@pytest.mark.parametrize("bad", [{"n": [0]}, {"seconds": -1}, {"rounds": 0}, {"n": [8, 8]}])
def test_bad_options_are_refused_before_anything_is_measured(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        settings_for(**bad)


def test_an_impossible_folder_gets_a_short_message(tmp_path):
    (tmp_path / "taken").write_text("")
    command = [sys.executable, "-m", "benchmarks.one_core", "--out", str(tmp_path / "taken")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 1 and done.stderr.startswith("make bench stopped: ")
    assert done.stderr.count("\n") == 1


def test_a_missed_target_is_an_error_on_request(recorded, monkeypatch, capsys):
    data = json.loads((recorded / "one_core.json").read_text(encoding="utf-8"))
    monkeypatch.setattr(program, "record", lambda *_: data)
    monkeypatch.setattr(program, "problems", lambda _: [])
    monkeypatch.setattr(program, "picture", lambda _: "<svg>")
    out = ["--out", str(recorded)]
    data["ratios"][0]["attention_s"] = [2.0 * x for x in data["ratios"][0]["bare_s"]]
    assert program.main(out) == 0 and program.main([*out, "--strict"]) == 1
    assert "MISSED     2.00" in capsys.readouterr().out
