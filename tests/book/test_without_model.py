"""Pages that open a published model run without its file, and show what was recorded."""

import subprocess
import sys

import nbformat
import pytest
from pages import NOTEBOOKS

from attnlib.data.published import MODELS
from attnlib.data.recorded import FOLDER

TOLD = "The model's file is not here"
OPENING = [path for path in NOTEBOOKS if "Recorded(" in path.read_text(encoding="utf-8")]
#: Runs the code of a notebook as one program, each cell's prints after a line of its own.
RUN = """
import json, sys
import matplotlib
matplotlib.use("agg")
from IPython.core.interactiveshell import InteractiveShell
from attnlib.data import published
from pathlib import Path
published.folder = lambda: Path(sys.argv[2])
shell = InteractiveShell.instance()
for number, cell in enumerate(json.loads(Path(sys.argv[1]).read_text())["cells"]):
    if cell["cell_type"] == "code":
        print(f"\\n=== {number}", flush=True)
        shell.run_cell("".join(cell["source"]), silent=True).raise_error()
"""


def printed(cell):
    """What a cell printed, unless it differs from run to run."""
    if cell.cell_type != "code" or "nbval-ignore-output" in cell.metadata.get("tags", []):
        return ""
    outputs = [out for out in cell.outputs if out.output_type == "stream" and out.name == "stdout"]
    return "".join(out.text for out in outputs).strip()


@pytest.mark.parametrize("path", OPENING, ids=lambda path: path.stem)
def test_what_was_recorded_is_what_the_model_says(path, tmp_path, monkeypatch):
    """The notebook is stored as it ran with the model; without it each cell prints the same."""
    for model in MODELS.values():
        monkeypatch.delenv(model.variable, raising=False)
    command = [sys.executable, "-c", RUN, str(path), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    found = {}
    for part in done.stdout.split("\n=== ")[1:]:
        number, _, text = part.partition("\n")
        found[int(number)] = text.strip()
    cells = nbformat.read(path, 4).cells
    assert TOLD in done.stdout and not any(TOLD in printed(cell) for cell in cells)
    compared = 0
    for number, cell in enumerate(cells):
        if stored := printed(cell):
            lines = [x for x in found[number].splitlines() if not x.startswith(TOLD)]
            assert "\n".join(lines).strip() == stored, f"cell {number}"
            compared += 1
    assert compared > 3


def test_there_are_such_pages():
    assert {path.stem for path in OPENING} >= {"22_real_model", "22_real_model_deeper"}
    assert {path.stem for path in FOLDER.iterdir()} == {"smollm", "sentences"}
