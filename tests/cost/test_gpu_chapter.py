"""A recording appears in chapter 14, deeper, by being there, and one that is damaged is refused."""

import json
import os
import subprocess
import sys

import nbformat
import pytest
import torch

from benchmarks.gpu import __main__ as gpu
from benchmarks.gpu import ceilings
from benchmarks.recording import ROOT

CHAPTER = ROOT / "book" / "14_on_a_gpu_deeper.ipynb"
#: So small that calling takes longer than computing: no rate comes near to a ceiling.
SMALL = "--device cpu --quick --tokens 64 --width 16 --d 8 16 --n 16 64 --repeats 3".split()

#: What the chapter's figures show, as JSON in the last line that is printed.
SEEN = """
import json
rings = lambda ax: [[float(line.get_xdata()[0]), float(line.get_ydata()[0]), line.get_mfc()]
                    for line in ax.lines if line.get_marker() == "o"]
print(json.dumps([[rings(panel) for panel in panels], rings(ax)]))
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A small recording of this processor."""
    out, before = tmp_path_factory.mktemp("recording") / "gpu.json", torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ceilings.COPIED_BYTES, "cpu", (2**28, 2**22))
        patch.setitem(ceilings.SIDE, "cpu", (2048, 256))
        ways = ["--backends", "naive", "math", "flash", "cudnn"]
        assert gpu.main([*SMALL, "--out", str(out), *ways]) == 0
    torch.set_num_threads(before)
    return json.loads(out.read_text(encoding="utf-8"))


def read(folder, **files):
    """Run the chapter where these files are its data; return what it prints, and what it draws.

    Nothing is measured: the last figure gets no points of this machine.
    """
    data = folder / "book" / "data"
    data.mkdir(parents=True)
    for name, text in files.items():
        (data / f"{name}.json").write_text(text, encoding="utf-8")
    cells = nbformat.read(CHAPTER, as_version=4).cells
    own = next(i for i, cell in enumerate(cells) if "## Your machine" in cell.source)
    code = [cell.source for cell in cells[:own] if cell.cell_type == "code"]
    drawn = [cell.source for cell in cells if "fig-own" in json.dumps(cell.metadata)]
    program = "\n".join([*code, "right, ceilings = [], None", *drawn, SEEN])
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=data.parent,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    printed, _, seen = done.stdout.strip().rpartition("\n")
    return printed, json.loads(seen)


def test_a_recording_appears_beside_one_that_is_refused(recording, tmp_path):
    text = json.dumps(recording)
    printed, (panels, roof) = read(tmp_path, gpu=text, gpu_cut=text[:-100], other="{}")
    assert "No recording yet" not in printed and "other" not in printed
    assert "Refused: gpu_cut.json is not" in printed
    assert f"gpu.json: {len(recording['rows'])} rows" in printed
    assert f"{recording['device']['name']} {recording['date'][:10]}" in printed
    assert "not measured naive reaches" in " ".join(printed.split())

    assert {row["status"] for row in recording["rows"]} == {"ok", "unsupported"}
    fine = [row for row in recording["rows"] if row["status"] == "ok" and not row["causal"]]
    for d, panel in zip((8, 16), panels, strict=True):
        drawn = {(x, y, fill == "#1d2126") for x, y, fill in panel}
        measured = [row for row in fine if row["d"] == d]
        assert drawn == {
            (row["n"], 1000 * row["p50_s"], row["name"] == "flash") for row in measured
        }
    assert len(roof) == len(fine)

    for name in ("naive", "flash"):
        half, both = (
            next(
                row["p50_s"]
                for row in recording["rows"]
                if (row["name"], row["n"], row["d"], row["causal"]) == (name, 64, 8, causal)
            )
            for causal in (True, False)
        )
        line = next(line for line in printed.splitlines() if line.startswith(f"{name} "))
        assert line.split()[2] == f"{1000 * both:.2f}"
        assert line.endswith(f"× {half / both:.2f}")


def test_without_one_that_is_whole_the_prediction_stands(recording, tmp_path):
    recording["rows"][0]["p50_s"] *= 1e-9
    printed, (panels, roof) = read(tmp_path, gpu=json.dumps(recording), gpu_2="{}")
    assert "Refused: gpu.json has" in printed and "Refused: gpu_2.json has 1" in printed
    assert printed.count("No recording yet") == 1
    assert panels == [[], []] and roof == []
