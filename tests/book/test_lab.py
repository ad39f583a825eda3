"""A chapter of the workbook in JupyterLab: no answer in sight, pictures before anything runs, the
widget and Python in step, and what a student wrote stays.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
import workbook
from outputs import tags, texts
from playwright.sync_api import expect

from attnlib.widgets import STATE_MIME, WIDGETS
from tests.helpers.widget_pages import centre, handle, numbers, point

pytestmark = [pytest.mark.browser, pytest.mark.lab]

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "02_query_key_value.ipynb"
PATIENCE = 60_000
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # all cells are in the page
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture
def make_workbook(tmp_path, monkeypatch, capsys):
    """`make_workbook()` runs `make workbook` for a copy of the book; returns what it prints."""
    shutil.copytree(ROOT / "book", tmp_path / "book", ignore=shutil.ignore_patterns("_*"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))

    def make_workbook():
        workbook.main(tmp_path / "book", tmp_path / "workbook")
        return capsys.readouterr().out

    return make_workbook


@pytest.fixture
def lab(tmp_path, make_workbook):
    """Address of a JupyterLab on the workbook; nothing of the reader's own is touched."""
    make_workbook()
    for name, values in SETTINGS.items():
        path = tmp_path / "settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    environment = os.environ | {
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces"),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [
        "--ip=127.0.0.1",
        "--port=0",
        "--IdentityProvider.token=",
        "--notebook-dir=workbook",
    ]
    command += ["--LabApp.extension_manager=readonly"]
    with open(tmp_path / "lab.log", "w") as log:
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield address_of(process, tmp_path)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def address_of(process, folder):
    """Wait until the server has written down where it listens."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end and process.poll() is None:
        for path in (folder / "runtime").glob("jpserver-*.json"):
            try:
                return f"http://127.0.0.1:{json.loads(path.read_text())['port']}/"
            except json.JSONDecodeError:
                pass  # still being written
        time.sleep(0.1)
    pytest.fail("JupyterLab does not start:\n" + (folder / "lab.log").read_text()[-3000:])


def run(page, code):
    """Run code in a new last cell and return the cell."""
    cells = page.locator(".jp-Notebook .jp-Cell")
    count = cells.count()
    cells.last.locator(".jp-InputPrompt").first.click()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    expect(cells).to_have_count(count + 1)
    page.keyboard.press("Enter")
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    return cells.last


def test_make_lab_opens_the_workbook():
    rule = (ROOT / "Makefile").read_text().split("\nlab:")[1].split("\n\n")[0]
    assert re.fullmatch(r" workbook\n\t\S+/jupyter lab workbook", rule), rule


def first_widget():
    """The source of the chapter's first widget, the widget, and its first slider."""
    notebook = json.loads((ROOT / "book" / NOTEBOOK).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if stored := output.get("data", {}).get(STATE_MIME):
                widget = WIDGETS[stored["script"]](**stored["state"])
                slider = next(move for move in widget.moves() if move.role == "slider")
                return "".join(cell["source"]), widget, slider
    raise AssertionError(f"no widget in {NOTEBOOK}")


def lines(text):
    """The lines of a text that say something."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) > 3}


def test_a_student_works_in_a_copy(lab, make_workbook, watch, tmp_path):
    source, widget, slider = first_widget()
    name = source.splitlines()[-1]
    (trait,) = slider.then
    copied = tmp_path / "workbook" / NOTEBOOK
    chapter = nbformat.read(ROOT / "book" / NOTEBOOK, as_version=4).cells
    places = {cell.id: i for i, cell in enumerate(nbformat.read(copied, as_version=4).cells)}
    solutions = [cell for cell in chapter if "solution" in tags(cell)]
    predicted = [c for c in chapter if "hide-output" in tags(c) and "hide-input" not in tags(c)]
    watch.allowed.append(lab)
    page = watch.page(height=1000)
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page.goto(f"{lab}lab/tree/{NOTEBOOK}")
    cell = page.locator(".jp-CodeCell").filter(has_text=source.splitlines()[0]).first

    def cell_of(one):
        return page.locator(".jp-Notebook .jp-Cell").nth(places[one.id])

    # Before anything runs, its picture.
    picture = cell.locator(".jp-OutputArea-output img")
    picture.scroll_into_view_if_needed()
    assert picture.get_attribute("src").startswith("data:image/svg+xml")
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 100
    everything = page.locator(".jp-Notebook").inner_text()
    assert "Error displaying widget" not in everything and "Loading widget" not in everything

    # No answer is in sight; a click shows a solution.
    open_text = lines("\n".join(c.source for c in chapter if c not in solutions))
    answers = set().union(*(lines(c.source) - open_text for c in solutions))
    answers |= set().union(*(lines(texts(o)) for c in solutions + predicted for o in c.outputs))
    assert len(answers) > 20 and not [line for line in answers if line in everything]
    for solution in solutions:
        expect(cell_of(solution).locator(".jp-InputArea-editor")).to_be_hidden()
    solution = cell_of(solutions[-1])
    solution.locator(".jp-Placeholder-content").click()
    assert lines(solutions[-1].source) <= lines(solution.inner_text())

    # Formulas know the book's own macros.
    page.locator("mjx-container").first.wait_for()
    assert page.locator("mjx-merror, mjx-container [style*='color: red']").count() == 0
    assert not re.search(r"\\[qkv]\b", page.locator(".jp-MarkdownCell").nth(1).inner_text())

    # Everything runs, and the widget comes alive.
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    knob = handle(cell, slider.name)
    knob.wait_for()
    at = knob.get_attribute("aria-valuetext")
    shown = run(page, "print('everything', 'ran')")  # comes after all the others
    expect(shown.locator(".jp-OutputArea-output")).to_have_text(re.compile("everything ran"))
    assert page.locator(".jp-OutputArea-output[data-mime-type*=stderr]").count() == 0
    for one in predicted:
        assert lines(texts(one.outputs[0])) <= lines(cell_of(one).inner_text())

    # The mouse moves Python.
    knob.scroll_into_view_if_needed()
    x, y = centre(knob.locator("circle").last)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 50, y, steps=8)
    page.mouse.up()
    expect(knob).not_to_have_attribute("aria-valuetext", at)
    shown = run(page, f"print('now', {name}.{trait})")
    expect(shown.locator(".jp-OutputArea-output")).to_have_text(re.compile("now"))
    printed = numbers(shown.locator(".jp-OutputArea-output").inner_text())
    assert printed == pytest.approx(point(cell, slider.name))

    # Keys move a slider, and not the notebook.
    dial = cell.locator("input[type=range]").first
    before = dial.input_value()
    dial.press("ArrowLeft")
    expect(dial).not_to_have_value(before)

    # Python moves the picture.
    run(page, f"{name}.{trait} = {widget.state()[trait]}")
    expect(knob).to_have_attribute("aria-valuetext", at)
    assert "Error displaying widget" not in page.locator(".jp-Notebook").inner_text()
    watch.faults = [f for f in watch.faults if re.search("widget|attn|error in", f, re.IGNORECASE)]

    # What a student saved stays even when the chapter changes.
    page.keyboard.press("Control+s")
    expect(page.locator(".jp-mod-dirty")).to_have_count(0)
    saved = copied.read_bytes()
    assert f"{NOTEBOOK}: kept" in make_workbook()
    chapter = tmp_path / "book" / NOTEBOOK
    chapter.write_text(chapter.read_text().replace("## Summary", "## In short"))
    assert f"_2.ipynb: made, beside {NOTEBOOK} (of an older chapter)" in make_workbook()
    assert copied.read_bytes() == saved and b"'everything', 'ran'" in saved
