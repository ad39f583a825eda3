"""Recordings: every fault is reported, some things are notices, and tables show the rest."""

import json
import re
import subprocess
import sys

import pytest

from attnlib.timing import Timing, machine
from benchmarks import libraries, recording
from benchmarks.checking import PROGRAMS, load, notices, problems
from benchmarks.checking import main as check
from benchmarks.gpu import plan as gpu
from benchmarks.gpu.verdicts import verdicts as gpu_verdicts
from benchmarks.one_core import plan as one_core
from benchmarks.one_core.picture import picture
from benchmarks.one_core.table import RATIOS, of_peak, peak, ratio, text, verdicts
from benchmarks.recording import KEY, PATH, ROOT, Recorder, header, row, without_paths

PEAKS = {"flops_per_s": {"bfloat16": 989e12, "float32": 67e12, "tf32": 494e12}}
PEAKS |= {"bytes_per_s": 4.8e12}
CEILINGS = {"flops_per_s": {"bfloat16": 8e14, "float32": 5e13}, "bytes_per_s": 4e12}
CEILINGS |= {"exponentials_per_s": 4e12}
#: Share of its floor that each back end reaches in the recording that is made up here.
SHARES = {"naive": 0.9, "flash": 0.7, "cudnn": 0.85}


def timed(seconds):
    return recording.times(Timing([0.9 * seconds, seconds, 1.1 * seconds], 1e-9, "cpu"))


def made_up_gpu(**chosen):
    """A recording without faults, of a device that does not exist."""
    chosen = {"n": [4096, 8192], "dtype": ["bfloat16"], "backends": list(SHARES)} | chosen
    settings = gpu.settings_for("cuda", **chosen)
    device = {"name": "a device that does not exist", "kind": "cuda", "threads": None}
    rows = []
    for task in gpu.tasks(settings):
        seconds = max(gpu.floor_terms(task, CEILINGS).values()) / SHARES[task["name"]]
        rows.append(row(task, **timed(seconds), error=1e-9, peak_bytes=1000))
    result = header("gpu", device, settings, nominal=PEAKS)
    return result | {"ceilings": {"start": CEILINGS, "end": CEILINGS}, "rows": rows}


def made_up_one_core(bound=1.0, blocks=1.2, torch=0.7, over_bare=1.2):
    """Data in which all is known: seconds that grow with n², memory with n or n²."""
    settings = one_core.settings_for()
    factors = {"two_products": bound, "row_blocks": blocks, "torch_sdpa": torch}
    rows = []
    for task in one_core.tasks(settings):
        n, disturbed = task["n"], 10 if task["round"] == 1 else 1
        seconds = factors.get(task["name"], 3.0) * (n / 512) ** 2 * disturbed
        memory = 16 * n if task["name"] in ("row_blocks", "torch_sdpa") else n**2
        rows.append(row(task, **timed(seconds), error=1e-7, peak_bytes=memory))
    ratios = [
        shape | {"attention_s": [over_bare, 9.0, over_bare], "bare_s": [1.0] * 3, "error": 1e-7}
        for _, shape, _ in RATIOS
    ]
    result = header("one_core", {"name": "x", "kind": "cpu", "threads": 1}, settings)
    ceilings = CEILINGS | {"flops_per_s": {"float32": 1e15}}
    return result | {
        "ceilings": {"start": ceilings, "end": ceilings},
        "rows": rows,
        "ratios": ratios,
    }


SOUND = {"gpu": json.dumps(made_up_gpu()), "one_core": json.dumps(made_up_one_core())}


@pytest.fixture(params=SOUND)
def data(request):
    return json.loads(SOUND[request.param])


@pytest.fixture
def on_gpu():
    return json.loads(SOUND["gpu"])


def test_a_faultless_recording_can_be_read(data, tmp_path, capsys):
    assert problems(data) == [] == notices(data)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    assert load(path) == data and check([path]) == 0
    assert "a.json: whole, and made by the code that is here" in capsys.readouterr().out


def put(*path):
    """A spoiler that puts a value (last) into a place in nested dicts and lists."""
    *path, last, value = path

    def spoil(data):
        for name in path:
            data = data[name]
        data[last] = value

    return spoil


def unmeasured(row, status="unsupported", **fields):
    row |= dict.fromkeys(recording.MEASURED) | {"status": status, "reason": "no kernel"} | fields


def faster(factor):
    def spoil(data):
        row = next(row for row in data["rows"] if row["name"] == "flash")
        for name in ("p20_s", "p50_s", "p80_s"):
            row[name] /= factor

    return spoil


first = ("rows", 0)
SPOILERS = {
    "schema": (put("schema", 1), "2 was expected"),
    "kind": (put("kind", "something else"), "no recording of one_core or of gpu"),
    "a field too many": (put("host", "x"), "'host' was unexpected"),
    "device": (put("device", "kind", "tpu"), "'tpu' is not one of"),
    "date elsewhere": (put("date", "2026-11-21T12:00:00+02:00"), r"\$.date"),
    "hash": (put("code", "files", "attnlib/attention.py", "0" * 39), "does not match"),
    "no code": (put("code", "files", {}), "files"),
    "settings": (put("settings", "n", []), r"\$.settings.n"),
    "a setting twice": (put("settings", "n", [512, 512]), "non-unique"),
    "no rate": (put("ceilings", "start", "bytes_per_s", 0), "bytes_per_s: 0 is less than"),
    "rows": (put("rows", {}), r"\$.rows: {} is not of type 'array'"),
    "row": (put(*first, []), r"rows\[0\]"),
    "a row's field too many": (put(*first, "p51_s", 1), "'p51_s' was unexpected"),
    "n": (put(*first, "n", 1.5), "1.5 is not of type 'integer'"),
    "true": (put(*first, "d", True), "True is not of type 'integer'"),
    "status": (put(*first, "status", "fine"), "'fine' is not one of"),
    "reason of ok": (put(*first, "reason", "why"), "reason: 'why' is not of type 'null'"),
    "no reason": (lambda d: unmeasured(d["rows"][0], reason=None), "None is not of type 'string'"),
    "time of wrong": (lambda d: unmeasured(d["rows"][0], "wrong", p50_s=1.0), "of type 'null'"),
    "no time": (put(*first, "p50_s", None), "None is not of type 'number'"),
    "time 0": (put(*first, "p50_s", 0.0), "p50_s: 0.0 is less than or equal"),
    "nan": (put(*first, "p50_s", float("nan")), "NaN or infinity"),
    "infinite": (put(*first, "p80_s", float("inf")), "NaN or infinity"),
    "too few calls": (put(*first, "repeats", 2), "2 is less than the minimum of 3"),
    "times that fall": (put(*first, "p20_s", 1e9), "do not rise"),
    "the clock alone": (put(*first, "overhead_s", 1e9), "longer than the overhead"),
    "twice": (lambda d: d["rows"].append(d["rows"][0]), "appears twice"),
    "missing": (lambda d: d["rows"].pop(), "is missing"),
    "of another sweep": (put(*first, "n", 77), "is not asked for by the settings"),
    "path": (put("machine", "processor", "/opt/x/y.so"), "A path of the machine"),
    "path on windows": (put("machine", "system", "C:\\libs\\x"), "A path of the machine"),
    "path as a key": (put("machine", "/usr/lib/x", 1), "A path of the machine"),
}


@pytest.mark.parametrize(("spoil", "message"), SPOILERS.values(), ids=SPOILERS)
def test_every_fault_is_reported(data, spoil, message, tmp_path):
    spoil(data)
    messages = problems(data)
    assert any(re.search(message, sentence) for sentence in messages), messages
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=rf"a\.json has {len(messages)} problems. The first: "):
        load(path)


def without_peaks(spoil):
    return lambda data: (data.update(nominal=None), spoil(data))


ON_A_GPU = {
    "faster than the peak": (faster(2), "operations a second is above the limit of 9.89e\\+14"),
    "faster than measured": (without_peaks(faster(2)), "above the limit of 1.04e\\+15"),
    "more bytes": (put("nominal", "bytes_per_s", 4e9), "bytes a second is above the limit of 4e"),
    "ceilings too high": (put("ceilings", "end", "bytes_per_s", 5e12), "above the maker's peak"),
    "wrong": (put(*first, "error", 0.2), "its error is 0.2, and 0.062 is allowed"),
    "no error": (put(*first, "error", None), "its error is None"),
    "no memory": (put(*first, "peak_bytes", None), "peak_bytes is missing"),
    "heads": (put(*first, "n_heads", 3), "is not asked for by the settings"),
    "dtype": (put("settings", "dtype", ["int8"]), "'int8' is not one of"),
}


@pytest.mark.parametrize(("spoil", "message"), ON_A_GPU.values(), ids=ON_A_GPU)
def test_every_fault_of_a_gpu_is_reported(on_gpu, spoil, message):
    spoil(on_gpu)
    if "bytes a second" in message:
        for ceilings in on_gpu["ceilings"].values():
            ceilings["bytes_per_s"] = 3e9
    assert any(re.search(message, sentence) for sentence in problems(on_gpu)), problems(on_gpu)


def test_impossible_speeds_on_one_core_are_reported():
    data = made_up_one_core()
    for ceilings in data["ceilings"].values():
        ceilings["flops_per_s"]["float32"] = 1e8
    assert any("above the limit of 1.3e+08" in message for message in problems(data))
    data = made_up_one_core()
    data["rows"][0]["error"] = 1e-3
    data["ratios"][0]["error"] = 1e-3
    assert any("0.001 is greater than the maximum" in message for message in problems(data))


def test_other_files_are_refused(tmp_path, capsys):
    for thing in (None, [], 3, "text", {}, {"rows": [1]}):
        assert problems(thing)
    (tmp_path / "half.json").write_text('{"schema": 1, ')
    assert check([tmp_path / "half.json"]) == 1
    assert "half.json is not JSON" in capsys.readouterr().out


def test_every_field_is_needed(data):
    for holder in (data, data["device"], data["code"], data["settings"], data["rows"][0]):
        for name in list(holder):
            value = holder.pop(name)
            assert problems(data), name
            holder[name] = value
    assert problems(data) == []


def test_missing_and_borderline_measurements_are_no_problem(on_gpu):
    faster(1.05)(on_gpu)
    one, two, three = on_gpu["rows"][-3:]
    unmeasured(one)
    unmeasured(two, "out of memory")
    unmeasured(three, "wrong", error=0.5)
    assert problems(on_gpu) == []
    data = made_up_gpu(dtype=["float32"])
    faster(2)(data)  # above 67e12, below the 494e12 of tf32
    assert problems(data) == []
    faster(10)(data)
    assert any("limit of 4.94e+14" in message for message in problems(data))


def test_changed_code_and_drifting_ceilings_are_notices(data, tmp_path, capsys):
    files = data["code"]["files"]
    assert {"attnlib/attention.py", "attnlib/timing/clock.py", "benchmarks/recording.py"} <= {
        *files
    }
    files["attnlib/attention.py"] = "0" * 40
    files["attnlib/gone.py"] = "0" * 40
    data["ceilings"]["end"] = data["ceilings"]["end"] | {"bytes_per_s": 3e12}
    assert problems(data) == []
    changed, drift = notices(data)
    assert re.match(rf"2 of {len(files)} files have changed", changed)
    see = f"git diff {data['code']['revision'] or ''} -- attnlib/attention.py attnlib/gone.py"
    assert see in changed
    assert changed.endswith(f"anew: {PROGRAMS[data['kind']].ANEW.format(**data)}")
    assert "bytes_per_s went from 4e+12 at the start to 3e+12 at the end: -25 %" in drift
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    assert check([path]) == 0 and "files have changed" in capsys.readouterr().out


def test_hashes_are_those_of_git(monkeypatch, tmp_path):
    path = ROOT / "attnlib" / "attention.py"
    message = subprocess.run(["git", "hash-object", path], capture_output=True, text=True).stdout
    assert recording.hash_of(path) == recording.files_in_use()["attnlib/attention.py"]
    assert message.strip() in ("", recording.hash_of(path))
    assert recording.hash_of(tmp_path / "none.py") is None
    monkeypatch.setenv("PATH", str(tmp_path))  # no git
    assert header("gpu", {}, {})["code"]["revision"] is None


def test_a_recorder_refuses_lines_of_another_run(tmp_path):
    out = tmp_path / "a.json"
    kept = [{"n": 1}, {"n": 2}]
    first = Recorder(out, {"date": "then", "settings": {"n": 1}})
    assert not first.resume()
    first.begin({"bytes_per_s": 1})
    for each in kept:
        first.append(each)
    whole = first.part.read_text()
    first.part.write_text(whole + '{"n": 3')  # killed while it wrote
    again = Recorder(out, {"date": "now", "settings": {"n": 1}})
    assert again.resume() and again.rows == kept and again.header["date"] == "then"
    assert again.part.read_text() == whole
    with pytest.raises(ValueError, match=r"header.settings.n is 1 there and 2 here.*another --out"):
        Recorder(out, {"date": "now", "settings": {"n": 2}}).resume()
    assert again.part.read_text() == whole
    again.append({"n": 3})
    data = again.finish({"bytes_per_s": 2})
    assert json.loads(out.read_text()) == data and data["rows"] == [*kept, {"n": 3}]
    assert data["ceilings"] == {"start": {"bytes_per_s": 1}, "end": {"bytes_per_s": 2}}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    with pytest.raises(ValueError, match=r"a\.json is whole"):
        first.resume()
    out.unlink()
    first.part.write_text(whole.replace("}", ""))
    with pytest.raises(ValueError, match=r"a\.json\.part is spoilt"):
        first.resume()


def test_paths_are_found_and_replaced():
    for message in ("in /usr/lib/x.so:", "'C:\\a\\b'", "(/a/b)", "file:///a/b", "/tmp/x"):
        assert PATH.search(message) and not PATH.search(without_paths(message)), message
    for message in ("benchmarks/gpu/rows.py", "1/2", "bytes / s", "GB/s", "a/b/c", "Linux 6/x"):
        assert not PATH.search(message), message


def test_checking_needs_no_torch():
    code = "import sys, benchmarks.checking; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60).returncode == 0


#: All but what libraries answered, which has a test of its own.
RECORDINGS = sorted({*ROOT.glob("book/data/*.json")} - {libraries.FILE})


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda p: p.name)
def test_every_recording_of_the_book_is_whole(path):
    data = load(path)
    print(*notices(data), sep="\n")  # that the code has changed since is no failure
    made = verdicts(data) if data["kind"] == "one_core" else gpu_verdicts(data)
    assert all(verdict.met is not None for verdict in made)


def test_verdicts_on_a_gpu_compare_with_targets(on_gpu):
    result = gpu_verdicts(on_gpu)
    assert [v.met for v in result] == [True] * 5 + [False]
    naive, product, times_faster = result[:3]
    assert naive.value == pytest.approx(0.9) and "limited by bytes" in naive.sentence
    assert product.value == pytest.approx(0.85) and "(cudnn)" in product.sentence
    seconds = {r["name"]: r["p50_s"] for r in on_gpu["rows"] if wanted(r, 64)}
    assert times_faster.value == pytest.approx(seconds["naive"] / seconds["cudnn"])
    on_gpu["ceilings"]["end"] = CEILINGS | {"flops_per_s": {"bfloat16": 9e14}}
    assert gpu_verdicts(on_gpu)[1].value == pytest.approx(0.85 * 8 / 9)
    for each in on_gpu["rows"]:
        if wanted(each, 128) and each["name"] != "naive":
            each["p50_s"] *= 3
    assert [v.met for v in gpu_verdicts(on_gpu)] == [True] * 4 + [False] * 2
    on_gpu["rows"] = []
    assert {str(v)[:12] for v in gpu_verdicts(on_gpu)} == {"not measured"}


def wanted(row, d):
    return {"n": 8192, "d": d, "causal": False}.items() <= row.items()


def test_each_target_of_one_core_can_be_missed():
    assert [v.met for v in verdicts(made_up_one_core())] == [True] * 7
    for missed, changes in (
        ([0], {"blocks": 1.31, "torch": 0.9}),
        ([1], {"torch": 0.59}),
        ([5], {"over_bare": 1.36}),
        ([5, 6], {"over_bare": 4.1}),
    ):
        data = made_up_one_core(**changes)
        assert [i for i, v in enumerate(verdicts(data)) if not v.met] == missed
        assert text(data).count("MISSED") == len(missed)
    for name, factor, missed in (
        ("row_blocks", lambda n: 60 if n == 4096 else 1, [2, 3]),
        ("row_blocks", lambda n: n**0.11, [3]),
        ("float32_kept", lambda n: n**-0.06, [4]),
    ):
        data = made_up_one_core()
        for each in data["rows"]:
            if each["name"] == name:
                each["peak_bytes"] = round(each["peak_bytes"] * factor(each["n"]))
        assert [i for i, v in enumerate(verdicts(data)) if not v.met] == missed


def test_ratios_are_taken_inside_a_round():
    data = made_up_one_core(bound=2.0, blocks=3.0)
    assert ratio(data, "row_blocks", 2048) == pytest.approx(1.5)
    key = dict(zip(KEY, ("two_products", 2048, 1, 8, 64, "float32", False, "random", 1)))
    data["rows"] = [r for r in data["rows"] if not key.items() <= r.items()]
    assert ratio(data, "row_blocks", 2048) == pytest.approx(1.5)
    assert ratio(data, "row_blocks", 2048, to="nothing") is None
    share = of_peak(data, "row_blocks", 2048)
    assert share == pytest.approx(4 * 8 * 2048**2 * 64 / (3 * 16) / 1e15)
    assert peak(data, "row_blocks", 512) == 16 * 512


def test_tables_fit_and_pictures_are_reproducible():
    data = made_up_one_core()
    assert max(map(len, text(data).splitlines())) <= 100 + len(machine()["processor"])
    svg = picture(data)
    assert svg.startswith("<svg") and svg == picture(json.loads(SOUND["one_core"]))
    assert picture(made_up_one_core(blocks=9.9)) != svg
