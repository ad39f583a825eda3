"""Recordings of benchmarks: what is read from them, and that every fault in one is found."""

import copy
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attnlib.benchmarks import (
    FUSED,
    PASSES,
    TOLERANCE,
    binding_term,
    groups,
    held_bytes,
    load,
    notices,
    problems,
    rows,
    script_hashes,
    settings_for,
    table,
    verdicts,
    work,
)
from attnlib.benchmarks.hashing import code_of
from attnlib.benchmarks.provenance import KIND, first_path, without_paths

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = ["naive", "flash", "cudnn"]
PEAKS = {
    "flops_per_s": {"bfloat16": 989e12, "float32": 67e12, "tf32": 494e12},
    "bytes_per_s": 4.8e12,
}
CEILINGS = {
    "flops_per_s": {"bfloat16": 800e12, "float32": 50e12},
    "matrix_size": {"bfloat16": 8192, "float32": 8192},
    "bytes_per_s": 4e12,
    "exponentials_per_s": 4e12,
    "exponentials_by": "a compiled chain of exponentials",
    "seconds": 1.5,
}
#: Share of its floor that each back end reaches in the recording that is made up here.
SHARE = {"naive": 0.9, "flash": 0.7, "cudnn": 0.85}


def made_up_row(group, backend):
    """A row whose numbers agree with each other; nothing was measured."""
    cost = work(backend, **group.size)
    amounts = {"flops": cost.flops, "bytes": cost.bytes, "exponentials": cost.exponentials}
    floor = max(
        cost.flops / CEILINGS["flops_per_s"][group.dtype],
        cost.bytes / CEILINGS["bytes_per_s"],
        cost.exponentials / CEILINGS["exponentials_per_s"],
    )
    seconds = floor / SHARE[backend]
    return {
        **group.size,
        "backend": backend,
        "status": "ok",
        "reason": None,
        "p20_s": 0.9 * seconds,
        "p50_s": seconds,
        "p80_s": 1.1 * seconds,
        "repeats": 30,
        "overhead_s": 1e-6,
        "error": TOLERANCE[group.dtype] / 10,
        "peak_bytes": 1000,
        **amounts,
        "floor_s": floor,
        "achieved_flops_per_s": cost.flops / seconds,
        "of_floor": floor / seconds,
    }


def made_up(**chosen):
    """A recording without faults, of a device that does not exist."""
    settings = settings_for(
        "cuda", **({"n": [4096, 8192], "dtype": ["bfloat16"], "backends": BACKENDS} | chosen)
    )
    versions = {"python": "3.11.7", "numpy": "2.4.6", "torch": "2.13.0", "triton": "3.5.0"}
    return {
        "schema": 1,
        "kind": KIND,
        "device": {
            "name": "a device that does not exist",
            "kind": "cuda",
            "driver": "570.0",
            "memory_bytes": 10**11,
            "threads": None,
        },
        "versions": versions | {"cuda": "12.8", "cudnn": "91002"},
        "machine": {"processor": "none", "gpus": []},
        "date": "2026-11-21T12:00:00+00:00",
        "scripts": script_hashes(),
        "seed": 0,
        "settings": settings,
        "nominal": PEAKS,
        "ceilings": {"start": CEILINGS, "end": dict(CEILINGS)},
        "rows": [made_up_row(g, b) for g in groups(settings) for b in settings["backends"]],
    }


@pytest.fixture(scope="module")
def sound():
    data = made_up()
    return json.dumps(data)


@pytest.fixture
def data(sound):
    return json.loads(sound)


def test_a_recording_without_faults_has_no_problems(data):
    assert problems(data) == []
    assert notices(data) == []
    data["nominal"] = None
    assert problems(data) == []
    assert len(data["rows"]) == 2 * 2 * 2 * 3


def unsupported(row, **fields):
    """Turn a row into one that was not measured."""
    timed = ("p20_s p50_s p80_s repeats overhead_s achieved_flops_per_s of_floor").split()
    row |= dict.fromkeys([*timed, "error", "peak_bytes"])
    row |= {"status": "unsupported", "reason": "no kernel"} | fields


def test_what_could_not_be_measured_is_no_problem(data):
    first, second, third, fourth, *_ = data["rows"]
    unsupported(first)
    unsupported(second, status="out of memory")
    unsupported(third, status="out of memory (predicted)")
    unsupported(fourth, status="wrong", error=0.5)
    assert problems(data) == []
    fourth["error"] = None  # too wrong for a number
    assert problems(data) == []


def set_to(*path):
    """A spoiler that puts a value (last) into a place in nested dicts and lists."""
    *path, last, value = path

    def spoil(data):
        for name in path:
            data = data[name]
        data[last] = value

    return spoil


def drop(*path):
    def spoil(data):
        *before, last = path
        for name in before:
            data = data[name]
        del data[last]

    return spoil


def faster(factor):
    """A spoiler that makes one row so many times faster, in agreement with itself."""

    def spoil(data):
        row = data["rows"][1]
        for name in ("p20_s", "p50_s", "p80_s"):
            row[name] /= factor
        for name in ("achieved_flops_per_s", "of_floor"):
            row[name] *= factor

    return spoil


def without_peaks(spoil):
    def both(data):
        data["nominal"] = None
        spoil(data)

    return both


def too_many_bytes(data):
    """Make memory the limit: where nothing is computed to speak of, bytes alone exceed it."""
    data["nominal"] = PEAKS | {"bytes_per_s": 4e9}
    for ceilings in data["ceilings"].values():
        ceilings["bytes_per_s"] = 3e9
    for row in data["rows"]:
        floor = max(row["flops"] / 800e12, row["bytes"] / 3e9, row["exponentials"] / 4e12)
        row["of_floor"] *= floor / row["floor_s"]
        row["floor_s"] = floor


first = ("rows", 0)
SPOILERS = {
    "no dict": (lambda data: data.clear(), "has no field schema"),
    "schema": (set_to("schema", 2), "schema is 2"),
    "schema true": (set_to("schema", True), "schema is True"),
    "kind": (set_to("kind", "something else"), "kind is 'something else'"),
    "unknown field": (set_to("host", "x"), "unknown field host"),
    "no device": (drop("device"), "has no field device"),
    "device kind": (set_to("device", "kind", "tpu"), "kind is 'tpu'"),
    "device name": (set_to("device", "name", ""), "name is ''"),
    "driver": (set_to("device", "driver", 570), "driver is 570"),
    "threads": (set_to("device", "threads", 0), "threads is 0"),
    "versions": (drop("versions", "torch"), "has no field torch"),
    "cudnn": (set_to("versions", "cudnn", 91002), "cudnn is 91002"),
    "machine": (set_to("machine", {}), "machine is {}"),
    "date": (set_to("date", "yesterday"), "date is 'yesterday'"),
    "date without zone": (set_to("date", "2026-11-21T12:00:00"), "date is"),
    "date elsewhere": (set_to("date", "2026-11-21T12:00:00+02:00"), "date is"),
    "hash form": (set_to("scripts", "attnlib/benchmarks/gpu.py", "0" * 63), "scripts is"),
    "hash": (set_to("scripts", "attnlib/benchmarks/gpu.py", "0" * 64), "gpu.py is not the code"),
    "hash missing": (drop("scripts", "attnlib/timing/clock.py"), "clock.py is not the code"),
    "hash of more": (set_to("scripts", "attnlib/x.py", "0" * 64), "x.py is not the code"),
    "seed": (set_to("seed", -1), "seed is -1"),
    "settings list": (set_to("settings", "n", []), r"n is \[\]"),
    "settings type": (set_to("settings", "causal", ["no"]), "causal is"),
    "settings dtype": (set_to("settings", "dtype", ["int8"]), "dtype is"),
    "settings backends": (set_to("settings", "backends", ["x"]), "backends is"),
    "settings repeats": (set_to("settings", "repeats", 0), "repeats is 0"),
    "settings missing": (drop("settings", "tokens"), "no field tokens"),
    "ceilings end": (drop("ceilings", "end"), "has no field end"),
    "ceilings rate": (set_to("ceilings", "start", "bytes_per_s", 0), "bytes_per_s is 0"),
    "ceilings dtype": (
        lambda data: data["settings"]["dtype"].append("float16"),
        "no flops_per_s of float16",
    ),
    "ceilings peak": (
        set_to("ceilings", "end", "bytes_per_s", 5e12),
        "ceiling at the end, bytes_per_s, is 5e\\+12 and above the peak",
    ),
    "ceilings peak of products": (
        set_to("ceilings", "end", "flops_per_s", "bfloat16", 1e15),
        "flops_per_s of bfloat16, is 1e\\+15 and above",
    ),
    "nominal": (set_to("nominal", {"bytes_per_s": 1}), "nominal is"),
    "rows": (set_to("rows", {}), "rows is {}"),
    "row": (set_to(*first, []), r"row 0 is \[\]"),
    "row field missing": (drop(*first, "p50_s"), "row 0 has no field p50_s"),
    "row field unknown": (set_to(*first, "p51_s", 1), "unknown field p51_s"),
    "n": (set_to(*first, "n", 4096.0), "n is 4096.0"),
    "batch": (set_to(*first, "batch", 1), "batch and n_heads do not follow"),
    "n_heads": (set_to(*first, "n_heads", 3), "batch and n_heads do not follow"),
    "n_heads too small": (set_to(*first, "n_heads", 0), "n_heads is 0"),
    "d": (set_to(*first, "d", True), "d is True"),
    "dtype": (set_to(*first, "dtype", "int8"), "dtype is 'int8'"),
    "causal": (set_to(*first, "causal", 0), "causal is 0"),
    "backend": (set_to(*first, "backend", "magic"), "backend is 'magic'"),
    "status": (set_to(*first, "status", "fine"), "status is 'fine'"),
    "status unhashable": (set_to(*first, "status", {}), "status is {}"),
    "reason": (set_to(*first, "reason", " "), "reason is ' '"),
    "reason of ok": (set_to(*first, "reason", "why"), "reason is there although"),
    "no reason": (lambda data: unsupported(data["rows"][0], reason=None), "reason is missing"),
    "time of unsupported": (
        lambda data: unsupported(data["rows"][0], p50_s=1.0),
        "p50_s is there although the status is unsupported",
    ),
    "time of wrong": (
        lambda data: unsupported(data["rows"][0], status="wrong", p50_s=1.0),
        "p50_s is there although the status is wrong",
    ),
    "error of unsupported": (
        lambda data: unsupported(data["rows"][0], error=0.0),
        "error is there although",
    ),
    "no error": (set_to(*first, "error", None), "error is missing although"),
    "no repeats": (set_to(*first, "repeats", None), "repeats is missing although"),
    "no memory": (set_to(*first, "peak_bytes", None), "peak_bytes is missing although"),
    "p20": (set_to(*first, "p20_s", 1e3), "do not rise"),
    "p80": (set_to(*first, "p80_s", 1e-12), "do not rise"),
    "p50": (set_to(*first, "p50_s", 0.0), "p50_s is 0.0"),
    "p50 nan": (set_to(*first, "p50_s", float("nan")), "p50_s is nan"),
    "p80 infinite": (set_to(*first, "p80_s", float("inf")), "p80_s is inf"),
    "repeats": (set_to(*first, "repeats", 2.5), "repeats is 2.5"),
    "overhead": (set_to(*first, "overhead_s", -1), "overhead_s is -1"),
    "error": (set_to(*first, "error", 0.2), "error is 0.2, and 0.062 is allowed"),
    "peak memory": (set_to(*first, "peak_bytes", -1), "peak_bytes is -1"),
    "flops": (set_to(*first, "flops", 7), "flops is 7, and its sizes make it"),
    "bytes": (set_to(*first, "bytes", 7), "bytes is 7, and its sizes make it"),
    "exponentials": (set_to(*first, "exponentials", 7), "exponentials is 7, and its sizes"),
    "floor": (set_to(*first, "floor_s", 1.0), "floor_s is 1, and the ceilings make it"),
    "rate": (set_to(*first, "achieved_flops_per_s", 1.0), "its time makes it"),
    "share": (set_to(*first, "of_floor", 0.5), "of_floor is 0.5, and its time makes it"),
    "twice": (lambda data: data["rows"].append(dict(data["rows"][0])), "is there twice"),
    "missing": (lambda data: data["rows"].pop(), "n=8192, d=128, bfloat16, causal is missing"),
    "elsewhere": (set_to("settings", "backends", ["naive", "flash"]), "not among what the set"),
    "faster than the peak": (faster(2), "operations a second is above the limit of 9.89e\\+14"),
    "faster than measured": (without_peaks(faster(2)), "above the limit of 1.04e\\+15"),
    "more bytes than the peak": (too_many_bytes, "bytes a second is above the limit of 4e\\+09"),
    "path in a reason": (
        lambda data: unsupported(data["rows"][0], reason="no file /opt/x/y.so"),
        "path of the machine",
    ),
    "path on windows": (set_to("machine", "blas", "C:\\libs\\x"), "path of the machine"),
    "path as a key": (set_to("machine", {"/usr/lib/x": 1}), "path of the machine"),
}


@pytest.mark.parametrize(("spoil", "said"), SPOILERS.values(), ids=SPOILERS)
def test_every_fault_is_reported(data, spoil, said):
    spoil(data)
    found = problems(data)
    assert any(re.search(said, sentence) for sentence in found), found


def test_every_field_is_needed(data):
    for holder in (data, data["device"], data["versions"], data["settings"], data["rows"][0]):
        for name in list(holder):
            value = holder.pop(name)
            assert any(f"has no field {name}" in said for said in problems(data)), name
            holder[name] = value
    assert sorted(problems(data)) == []


def test_anything_that_is_no_recording_is_a_problem():
    for thing in (None, [], 3, "text", {}, {"rows": [1]}):
        assert problems(thing)


def test_just_below_a_limit_is_no_problem(data):
    faster(1.05)(data)
    assert problems(data) == []


def test_the_hash_can_be_left_out(data, tmp_path):
    data["scripts"]["attnlib/benchmarks/gpu.py"] = "0" * 64
    assert problems(data, check_hash=False) == []
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    assert load(path, check_hash=False) == data
    with pytest.raises(ValueError, match=r"a\.json has 1 problems.*gpu\.py is not the code"):
        load(path)


def test_float32_may_use_the_matrix_units_of_tf32():
    data = made_up(dtype=["float32"])
    assert problems(data) == []
    faster(2)(data)  # above 67e12, below 494e12
    assert problems(data) == []
    faster(10)(data)
    assert any("limit of 4.94e+14" in said for said in problems(data))


def test_a_drift_of_the_ceilings_is_a_notice(data):
    data["ceilings"]["end"]["flops_per_s"] = {"bfloat16": 600e12, "float32": 49e12}
    data["ceilings"]["end"]["exponentials_per_s"] = None
    assert problems(data) == []
    (said,) = notices(data)
    assert "flops_per_s of bfloat16 went from 8e+14 at the start to 6e+14" in said
    assert "-25 %" in said


def test_a_file_that_is_not_json_is_refused(tmp_path):
    path = tmp_path / "half.json"
    path.write_text('{"schema": 1, ')
    with pytest.raises(ValueError, match=r"half\.json is not JSON"):
        load(path)


def test_rows_and_tables_are_chosen_by_field(data):
    assert len(rows(data)) == 24
    assert [row["n"] for row in rows(data, d=64, causal=True, backend="flash")] == [4096, 8192]
    assert len(rows(data, backend=["flash", "cudnn"], n=8192)) == 8
    unsupported(data["rows"][0])
    n, columns = table(data, "of_floor", d=64, causal=False)
    assert n.tolist() == [4096, 8192] and list(columns) == BACKENDS
    np.testing.assert_allclose(columns["naive"], [np.nan, 0.9])
    np.testing.assert_allclose(columns["cudnn"], 0.85)
    with pytest.raises(ValueError, match="several rows have n=4096 and backend='naive'"):
        table(data, d=64)
    with pytest.raises(ValueError, match="the field 'dd' is unknown"):
        rows(data, dd=64)
    with pytest.raises(ValueError, match="field 'p51_s' is unknown"):
        table(data, "p51_s")


def test_verdicts_compare_the_recording_with_its_targets(data):
    found = verdicts(data)
    assert [verdict["d"] for verdict in found] == [64] * 3 + [128] * 3
    naive, product, faster_than = found[:3]
    assert naive["value"] == pytest.approx(0.9) and naive["met"] and naive["binds"] == "bytes"
    # At d = 64 the exponentials of this device take 1.07 ms and the operations 1.37 ms.
    assert product["backend"] == "cudnn" and product["binds"] == "operations"
    assert product["value"] == pytest.approx(0.85) and product["met"]
    row = {b: rows(data, n=8192, d=64, causal=False, backend=b)[0]["p50_s"] for b in BACKENDS}
    assert faster_than["value"] == pytest.approx(row["naive"] / row["cudnn"])
    assert all(verdict["met"] == (verdict["value"] >= verdict["wanted"]) for verdict in found)
    data["ceilings"]["end"]["flops_per_s"]["bfloat16"] = 900e12
    assert verdicts(data)[1]["value"] == pytest.approx(0.85 * 800 / 900)
    for row in rows(data, backend=["flash", "cudnn"], n=8192, d=128):
        row["p50_s"] *= 3
        row["achieved_flops_per_s"] /= 3
    assert [verdict["met"] for verdict in verdicts(data)] == [True] * 4 + [False] * 2


def test_verdicts_need_no_row(data):
    unsupported(rows(data, n=8192, d=64, causal=False, backend="naive")[0])
    data["rows"] = [row for row in data["rows"] if row["d"] == 64]
    found = verdicts(data)
    assert [verdict["met"] for verdict in found] == [None, True, None, None, None, None]
    assert all((verdict["note"] == "not recorded") == (verdict["met"] is None) for verdict in found)
    assert all(verdict["note"] == "not recorded" for verdict in verdicts(data, n=512))
    assert binding_term(data["rows"][0], CEILINGS) == "bytes"


def test_work_is_counted_for_each_way():
    size = {"n": 64, "batch": 2, "n_heads": 3, "d": 16, "dtype": "bfloat16"}
    pairs, ends = 6 * 64 * 64, 4 * 6 * 64 * 16 * 2
    for backend, passes in PASSES.items():
        for causal in (False, True):
            cost = work(backend, causal=causal, **size)
            if passes is None:
                allowed = 6 * 64 * 65 // 2 if causal else pairs
                assert (cost.bytes, cost.exponentials) == (ends, allowed)
                assert cost.flops == 4 * 16 * allowed
            else:
                assert cost.bytes == ends + passes[causal] * pairs * 2
                assert (cost.flops, cost.exponentials) == (4 * 16 * pairs, pairs)
    assert held_bytes("flash", causal=True, **size) == ends
    assert held_bytes("naive", causal=True, **size) == ends + 4 * pairs + 64 * 64
    assert held_bytes("math", causal=False, **size) == ends + 8 * pairs
    assert set(FUSED) == {"flash", "efficient", "cudnn", "flex"}
    with pytest.raises(ValueError, match=r"backend='magic' is unknown.*naive"):
        work("magic", causal=False, **size)
    with pytest.raises(ValueError, match=r"dtype='int8' is unknown.*bfloat16"):
        held_bytes("naive", causal=False, **(size | {"dtype": "int8"}))


def test_the_hash_of_a_file_changes_with_the_file(tmp_path):
    shutil.copytree(ROOT / "attnlib", tmp_path / "attnlib", ignore=lambda *_: ["__pycache__"])
    before = script_hashes(tmp_path)
    assert before == script_hashes()
    assert {Path(name).parent.name for name in before} == {"benchmarks", "cost", "timing"}
    for name in before:
        path = tmp_path / name
        path.write_text(path.read_text() + "changed = 1\n")
        after = script_hashes(tmp_path)
        assert {key for key in before if before[key] != after[key]} == {name}
        before = after
    (tmp_path / "attnlib" / "timing" / "more.py").write_text("")
    assert len(script_hashes(tmp_path)) == len(before) + 1
    with pytest.raises(ValueError, match="holds no attnlib"):
        script_hashes(tmp_path / "attnlib")


def test_only_code_counts_in_a_hash():
    said = '"""A module."""\n\n# About f.\n\n\ndef f(x):\n    """Add one."""\n    return x + 1\n'
    assert code_of(said) == code_of("def f(x):\n    return x + 1\n")
    assert code_of(said) != code_of(said.replace("+", "-"))


def test_paths_are_found_and_replaced():
    for text in ("in /usr/lib/x.so:", "'C:\\a\\b'", "(/a/b)", "file:///a/b", "/tmp/x"):
        assert first_path([{"a": text}]) == text, text
        assert first_path(without_paths(text)) is None, text
    for text in ("attnlib/benchmarks/gpu.py", "1/2", "bytes / s", "GB/s", "a/b/c", "Linux 6/x"):
        assert first_path(text) is None, text


def test_reading_recordings_needs_no_torch():
    code = "import sys, attnlib.benchmarks; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def faults_in(folder):
    """The problems of every recording of one device in a folder, by file."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and data.get("kind") == KIND and problems(data):
            found[path.name] = problems(data)
    return found


def test_every_recording_of_the_book_is_sound():
    assert faults_in(ROOT / "book" / "data") == {}


def test_a_spoilt_recording_in_the_book_would_be_found(data, tmp_path):
    (tmp_path / "sound.json").write_text(json.dumps(data))
    (tmp_path / "other.json").write_text('{"kind": "something else"}')
    spoilt = copy.deepcopy(data)
    spoilt["rows"][0]["p50_s"] /= 2
    (tmp_path / "spoilt.json").write_text(json.dumps(spoilt))
    assert list(faults_in(tmp_path)) == ["spoilt.json"]
