"""`make bench`: what it measures, what follows from it, and what is refused."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attnlib.benchmarks.one_core import WorkerFailed, checking, load, problems, record, table
from attnlib.benchmarks.one_core.implementations import IMPLEMENTATIONS
from attnlib.benchmarks.one_core.picture import picture
from attnlib.benchmarks.one_core.recording import measured
from attnlib.benchmarks.one_core.worker import draw

ROOT = Path(__file__).resolve().parents[2]
EXACT = [name for name, way in IMPLEMENTATIONS.items() if way.exact]
SIZES = [32, 64, 128]


@pytest.fixture(scope="module")
def recorded():
    """A real recording at small sizes, made once: every worker is a process."""
    return record(SIZES, rounds=1, seconds=0.005)


def made_up(bound=1.0, rows=1.2, torch=0.7):
    """Data in which all is known: seconds that grow with n², memory with n or n²."""
    sizes = [512, 1024, 2048, 4096]
    times = {name: 3.0 for name in EXACT} | {
        "two_products": bound, "row_blocks": rows, "torch_sdpa": torch,
    }  # fmt: skip
    data = {
        "schema": 1,
        "kind": "attention on one core",
        "date": "2026-01-01T00:00:00+00:00",
        "machine": {
            "processor": "a processor", "cores": 1, "libraries": {"numpy": "2"},
            "blas": {"name": "a BLAS"},
        },
        "scripts": checking.hashes(checking.DECIDING),
        "settings": {
            "sizes": sizes, "rounds": 3, "seconds": 1.0, "n_heads": 8, "d": 64,
            "dtype": "float32", "threads": 1, "seed": 0,
        },
        "ceilings": {"flops_per_s": 1e15, "bytes_per_s": 1e12, "exponentials_per_s": 1e12},
        "rows": [],
    }  # fmt: skip
    for round_ in range(3):
        for n in sizes:
            for name, factor in times.items():
                p50 = factor * (n / 512) ** 2 * (10 if round_ == 1 else 1)
                grows = n if name in ("row_blocks", "online_softmax", "torch_sdpa") else n**2
                data["rows"].append(
                    {
                        "round": round_, "name": name, "n": n, "inputs": "random",
                        "p20_s": 0.9 * p50, "p50_s": p50, "p80_s": 1.1 * p50,
                        "overhead_s": 1e-7, "repeats": 5, "error": 1e-7,
                        "peak_process_bytes": 2 * grows if round_ == 0 else None,
                        "peak_arrays_bytes": grows if round_ == 0 else None,
                    }
                )  # fmt: skip
    return data


@pytest.mark.parametrize("name", [n for n in EXACT if IMPLEMENTATIONS[n].attention])
def test_every_exact_way_is_attention(name):
    Q, K, V = draw("random", 37, 3, 5, seed=1)
    E = np.exp(Q.astype(float) @ K.mT.astype(float) / 5**0.5)
    expected = E / E.sum(axis=-1, keepdims=True) @ V
    if IMPLEMENTATIONS[name].torch:
        import torch

        Q, K, V = map(torch.from_numpy, (Q, K, V))
    output = np.asarray(IMPLEMENTATIONS[name].function(Q, K, V))
    assert np.abs(output - expected).max() < 2e-6
    assert output.dtype == np.float64 if name == "textbook" else np.float32


def test_the_bound_is_the_two_products_and_nothing_else():
    Q, K, V = draw("random", 7, 2, 3, seed=0)
    bound = IMPLEMENTATIONS["two_products"].function(Q, K, V)
    assert np.array_equal(bound, (Q @ K.transpose(0, 2, 1)) @ V)


def test_local_inputs_match_their_neighbours_and_heads_are_alike():
    Q, K, _ = draw("local", 400, 4, 16, seed=0)
    scores = Q @ K.mT
    near = np.mean([np.diagonal(scores, k, axis1=1, axis2=2).mean() for k in (-2, -1, 1, 2)])
    far = np.diagonal(scores, 200, axis1=1, axis2=2).mean()
    assert near > 8 > 4 > abs(far)
    assert np.corrcoef(K[0].ravel(), K[1].ravel())[0, 1] > 0.7


def test_a_small_recording_is_whole_and_exact(recorded):
    assert problems(recorded) == []
    found = {(row["name"], row["n"]) for row in recorded["rows"] if row["inputs"] == "random"}
    assert {(name, n) for name in EXACT for n in SIZES} <= found
    approximate = {row["name"] for row in recorded["rows"] if row["inputs"] == "local"}
    assert approximate >= set(IMPLEMENTATIONS) - set(EXACT)


def test_every_worker_measures_memory_once_and_the_bound_has_no_error(recorded):
    rows = [row for row in recorded["rows"] if row["name"] in EXACT and row["inputs"] == "random"]
    for row in rows:
        assert (row["error"] is None) == (row["name"] == "two_products")
        assert (row["peak_arrays_bytes"] is None) == (row["name"] == "torch_sdpa")
    if sys.platform == "linux":
        assert all(row["peak_process_bytes"] is not None for row in rows)


def test_ways_that_are_not_exact_say_how_far_off_they_are(recorded):
    by_window = table.error(recorded, "window_64"), table.error(recorded, "window_256")
    assert by_window[0] > 0.1 and by_window[1] < 1e-5  # 256 reaches everything here
    assert table.error(recorded, "linear_elu") > 0.1
    assert table.error(recorded, "grouped_4", "local") < table.error(recorded, "grouped_4")


def test_the_tables_name_every_way_and_fit_the_screen(recorded):
    said = table.text(recorded)
    assert all(way.label in said for way in IMPLEMENTATIONS.values())
    assert max(map(len, said.splitlines())) <= 100
    assert said.count("not measured") == 5  # the targets are for larger sizes


def test_a_ratio_is_taken_inside_a_round():
    data = made_up(bound=2.0, rows=3.0)
    assert table.ratio(data, "row_blocks", 2048) == pytest.approx(1.5)
    data["rows"] = [r for r in data["rows"] if (r["round"], r["name"]) != (1, "two_products")]
    assert table.ratio(data, "row_blocks", 2048) == pytest.approx(1.5)
    assert table.ratio(data, "row_blocks", 2048, to="nothing") is None


def test_the_share_of_the_peak_is_flops_over_time_over_the_ceiling():
    data = made_up()
    data["ceilings"]["flops_per_s"] = 1e9
    seconds = 1.2 * 16  # (2048 / 512)² of what it takes at 512, in the median of the rounds
    flops = 4 * 8 * 2048**2 * 64
    share = table.of_peak(data, "row_blocks", 2048)
    assert share == pytest.approx(flops / seconds / 1e9)
    assert f"{table.of_peak(data, 'row_blocks', 4096):.0%}" in table.text(data)


def test_slopes_are_those_of_the_data():
    data = made_up()
    assert table.memory_slope(data, "row_blocks") == pytest.approx(1)
    assert table.memory_slope(data, "float32_kept") == pytest.approx(2)
    assert table.time_slopes(data, "textbook") == pytest.approx([2, 2, 2])


def test_all_targets_can_be_met_and_each_can_be_missed():
    assert [v.met for v in table.verdicts(made_up())] == [True] * 5
    assert "MISSED" not in table.text(made_up())
    slow, slower = made_up(rows=1.31, torch=0.9), made_up(rows=1.2, torch=0.59)
    assert [v.met for v in table.verdicts(slow)] == [False, True, True, True, True]
    assert [v.met for v in table.verdicts(slower)] == [True, False, True, True, True]
    for name, factor, missed in (
        ("row_blocks", lambda n: 60 if n == 4096 else 1, [2, 3]),
        ("row_blocks", lambda n: n**0.11, [3]),
        ("float32_kept", lambda n: n**-0.06, [4]),
    ):
        data = made_up()
        for row in data["rows"]:
            if row["name"] == name and row["peak_arrays_bytes"]:
                row["peak_arrays_bytes"] *= factor(row["n"])
        met = [verdict.met for verdict in table.verdicts(data)]
        assert [i for i, ok in enumerate(met) if not ok] == missed
        assert table.text(data).count("MISSED") == len(missed)


SPOILT = {
    "other code": (lambda d: d["scripts"].popitem(), "other code"),
    "another kind": (lambda d: d.update(kind="x"), "not a recording"),
    "a field too few": (lambda d: d.pop("date"), "The fields must be"),
    "a path": (lambda d: d.update(date="/some/where/else"), "holds a path"),
    "a row's field": (lambda d: d["rows"][5].pop("error"), "its fields must be"),
    "an unknown way": (lambda d: d["rows"][5].update(name="magic"), "no such implementation"),
    "times that fall": (lambda d: d["rows"][5].update(p20_s=1e6), "must rise"),
    "no time": (lambda d: d["rows"][5].update(p20_s=0.0), "must rise"),
    "too few calls": (lambda d: d["rows"][5].update(repeats=2), "three repetitions"),
    "the clock alone": (lambda d: d["rows"][5].update(overhead_s=1e6), "longer than the overhead"),
    "wrong numbers": (lambda d: d["rows"][5].update(error=1e-3), "is not below"),
    "nan": (lambda d: d["rows"][5].update(error=float("nan")), "is not below"),
    "faster than light": (
        lambda d: d["ceilings"].update(flops_per_s=1e6),
        "above the ceiling of the same run",
    ),
    "a row twice": (lambda d: d["rows"].append(dict(d["rows"][5])), "twice"),
    "a row missing": (lambda d: d["rows"].pop(5), "1 rows are missing"),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_spoilt_file_is_refused(what, tmp_path):
    spoil, sentence = SPOILT[what]
    data = made_up()
    assert problems(data) == []
    spoil(data)
    assert any(sentence in problem for problem in problems(data))
    path = tmp_path / "one_core.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(sentence)):
        load(path)


def test_only_the_hash_of_the_code_can_be_left_unchecked():
    data = made_up()
    data["scripts"] = {}
    assert problems(data) and problems(data, check_hash=False) == []


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("book/data/one_core*.json")), ids=lambda p: p.name
)
def test_the_recording_in_the_book_is_whole_and_made_by_this_code(path):
    data = load(path)
    assert data["settings"]["sizes"] == [512, 1024, 2048, 4096]
    assert all(verdict.met is not None for verdict in table.verdicts(data))


def test_the_picture_is_the_same_every_time_and_says_the_slopes():
    data = made_up()
    svg = picture(data)
    assert svg.startswith("<svg") and svg == picture(copy.deepcopy(data))
    other = made_up(rows=9.9)
    assert picture(other) != svg


def test_a_worker_that_fails_is_named():
    task = {"name": "row_blocks", "n": 0, "n_heads": 1, "d": 4, "seed": 0, "inputs": "random"}
    with pytest.raises(WorkerFailed, match="row_blocks at n = 0"):
        measured(task | {"seconds": 0.01, "memory": False})


def test_a_worker_that_is_killed_says_what_to_do(monkeypatch):
    def killed(*_, **__):
        return subprocess.CompletedProcess([], -9, "", "")

    monkeypatch.setattr(subprocess, "run", killed)
    with pytest.raises(WorkerFailed, match=r"want of memory. Give smaller --sizes"):
        measured({"name": "textbook", "n": 10**6})


def command(*arguments, cwd=ROOT):
    return subprocess.run(
        [sys.executable, "-m", "attnlib.benchmarks.one_core", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=300,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sizes", "0"], "'0' is not a whole number above 0"),
        (["--sizes", "many"], "'many' is not a whole number above 0"),
        (["--seconds", "-1"], "'-1' is not a number of seconds above 0"),
        (["--rounds", "1.5"], "'1.5' is not a whole number above 0"),
    ],
)
def test_bad_options_are_refused_before_anything_is_measured(arguments, said):
    done = command(*arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_made_is_said_before_anything_is_measured(tmp_path):
    (tmp_path / "taken").write_text("")
    done = command("--sizes", "16", "--out", str(tmp_path / "taken"))
    assert done.returncode == 1 and "make bench stopped" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_prints_the_table_and_writes_picture_and_data(tmp_path, monkeypatch, capsys):
    from attnlib.benchmarks.one_core import __main__ as program

    monkeypatch.setattr(program, "record", lambda *_, **__: made_up(rows=1.4))
    assert program.main(["--out", str(tmp_path / "new")]) == 0
    assert program.main(["--out", str(tmp_path / "new"), "--strict"]) == 1
    assert "MISSED" in capsys.readouterr().out
    assert load(tmp_path / "new" / "one_core.json") == made_up(rows=1.4)
    assert (tmp_path / "new" / "one_core.svg").read_text(encoding="utf-8").startswith("<svg")
    monkeypatch.setattr(program, "record", lambda *_, **__: made_up())
    assert program.main(["--out", str(tmp_path / "new"), "--strict"]) == 0
