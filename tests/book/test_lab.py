"""A chapter in JupyterLab: its picture before anything runs, then the widget and Python in step."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect
from widget_pages import centre, handle, numbers, point

from attnlib.widgets import STATE_MIME, WIDGETS

pytestmark = [pytest.mark.browser, pytest.mark.lab]

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "02_query_key_value.ipynb"
PATIENCE = 60_000
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # all cells are in the page
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture
def lab(tmp_path):
    """Address of a JupyterLab on a copy of the book; nothing of the reader's own is touched."""
    shutil.copytree(ROOT / "book", tmp_path / "book", ignore=shutil.ignore_patterns("_*"))
    for name, values in SETTINGS.items():
        path = tmp_path / "settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    environment = os.environ | {
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces"),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "PYTHONPATH": str(ROOT),
    }
    # JupyterLab shows no SVG of a notebook that is not trusted; `make lab` does this, too.
    trust = [sys.executable, "-m", "nbformat.sign", f"book/{NOTEBOOK}"]
    subprocess.run(trust, cwd=tmp_path, env=environment, check=True, capture_output=True)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", "--port=0", "--IdentityProvider.token=", "--notebook-dir=book"]
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


def test_make_lab_trusts_the_notebooks():
    recipe = (ROOT / "Makefile").read_text().split("\nlab:")[1].split("\n\n")[0]
    assert re.search(r"jupyter trust book/\*\.ipynb\n.*jupyter lab", recipe), recipe


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


def test_widget_and_python_are_in_step(lab, watch):
    source, widget, slider = first_widget()
    name = source.splitlines()[-1]
    (trait,) = slider.then
    watch.allowed.append(lab)
    page = watch.page(height=1000)
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page.goto(f"{lab}lab/tree/{NOTEBOOK}")
    cell = page.locator(".jp-CodeCell").filter(has_text=source.splitlines()[0]).first

    # Before anything runs, its picture.
    picture = cell.locator(".jp-OutputArea-output img")
    picture.scroll_into_view_if_needed()
    assert picture.get_attribute("src").startswith("data:image/svg+xml")
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 100
    everything = page.locator(".jp-Notebook").inner_text()
    assert "Error displaying widget" not in everything and "Loading widget" not in everything

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
    said = numbers(shown.locator(".jp-OutputArea-output").inner_text())
    assert said == pytest.approx(point(cell, slider.name))

    # Python moves the picture.
    run(page, f"{name}.{trait} = {widget.state()[trait]}")
    expect(knob).to_have_attribute("aria-valuetext", at)
    assert "Error displaying widget" not in page.locator(".jp-Notebook").inner_text()
    watch.faults = [f for f in watch.faults if re.search("widget|attn|error in", f, re.IGNORECASE)]
