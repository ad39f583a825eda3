"""The author's tools for notebooks, on small notebooks made here."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import jupytext
import notebooks
import pytest
from canonical import NotebookFault, canonical, difference, read, write
from cell_ids import describe, is_chosen, stable_ids
from nbformat import from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from outputs import VIEW, WIDGET, stable_svg

from attnlib.palette import notebook_macros

ROOT = Path(__file__).resolve().parents[2]
MACROS = notebook_macros()


def code(source="x = 1", outputs=(), tags=(), cell_id="some-code", **mystnb):
    metadata = {"tags": [*tags], "mystnb": mystnb}
    return new_code_cell(source, outputs=[*outputs], metadata=metadata) | {"id": cell_id}


def prose(source="Some words.", cell_id="some-words", tags=()):
    return new_markdown_cell(source, metadata={"tags": [*tags]}) | {"id": cell_id}


def book(*cells, **metadata):
    parts = {"cells": [*cells], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return from_dict(parts)


def form(*cells):
    """The cells of the canonical notebook, without the macros cell."""
    return canonical(book(*cells), MACROS).cells[1:]


def save(path, *cells):
    path.write_text(write(book(*cells)))
    return path


def stream(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def rich(data):
    return new_output("display_data", data=data)


CORE_WIDGET = rich({VIEW: {"model_id": "8f"}, "text/plain": "IntSlider(value=3)"})
OUR_WIDGET = rich({VIEW: {"model_id": "8f"}, WIDGET: {"state": {"q": 1}}, "text/html": "<svg/>"})


# Form


def test_canonical_keeps_only_what_the_book_needs():
    cell = code("x", tags=["hide-input"], figure={"name": "f"}, cell_id="0a1b2c3d")
    cell["metadata"] |= {"collapsed": True, "execution": {"t": 1}, "slideshow": {}}
    cell["outputs"] = [new_output("execute_result", data={"text/plain": "1"}, execution_count=7)]
    rules = {"except": {"predictions": "Nothing here surprises."}}
    notebook = book(
        prose("√d à"), code() | {"execution_count": 9}, cell, widgets={}, attention_book=rules,
        kernelspec={"name": "py312"},
    )  # fmt: skip
    before = write(notebook)
    result = canonical(notebook, MACROS)
    assert write(notebook) == before, "the original is left alone"
    assert set(result.metadata) == {"kernelspec", "language_info", "attention_book"}
    assert result.metadata.attention_book == rules
    assert result.metadata.kernelspec.name == "python3"
    assert "version" not in result.metadata.language_info
    macros, _, first, second = result.cells
    assert (macros.id, macros.source, macros.metadata.tags) == ("macros", MACROS, ["remove-cell"])
    assert second.metadata == {
        "tags": ["hide-input"],
        "mystnb": {"figure": {"name": "f"}},
        "jupyter": {"source_hidden": True},
    }
    # Counted as by one run from top to bottom.
    counts = (first.execution_count, second.execution_count, second.outputs[0].execution_count)
    assert (second.id, counts) == ("f", (1, 2, 2))
    once = write(result)
    assert write(canonical(read(once), MACROS)) == once
    assert "√d à" in once and once.endswith("}\n")


SOURCE, OUTPUTS = {"source_hidden": True}, {"outputs_hidden": True}
OPENED = {"hide-input": SOURCE, "remove-input": SOURCE, "hide-cell": SOURCE, "hide-output": OUTPUTS,
          "solution": SOURCE | OUTPUTS, "live-only nbval-ignore-output": None}  # fmt: skip


def test_tags_decide_what_jupyterlab_folds():
    cells = [code(tags=names.split()) for names in OPENED] + [prose(tags=["hide-input"])]
    for cell in cells:
        cell["metadata"]["jupyter"] = {"source_hidden": True, "outputs_hidden": True, "x": 1}
    once = canonical(book(*cells), MACROS)
    assert [c.metadata.get("jupyter") for c in once.cells[1:]] == [*OPENED.values(), None]
    again = jupytext.reads(jupytext.writes(once, "md:myst"), "md:myst")
    assert [c.metadata for c in canonical(again, MACROS).cells] == [c.metadata for c in once.cells]


def test_macros_cell_is_renewed_after_text_editing():
    old = prose("stale", "macros", ["remove-cell"])
    mine = prose("Mine.", "macros")
    once = canonical(book(old, mine), MACROS)
    assert [(c.id, c.source) for c in once.cells] == [("macros", MACROS), ("macros-2", "Mine.")]
    text = jupytext.writes(once, "md:myst")
    again = canonical(jupytext.reads(text, "md:myst"), MACROS)
    assert [cell.source for cell in again.cells] == [MACROS, "Mine."]


def test_invalid_notebook_is_refused():
    with pytest.raises(NotebookFault, match="not a notebook"):
        read("<<<<<<< HEAD")
    cell = code() | {"outputs": [rich({}) | {"surprise": 1}]}
    with pytest.raises(NotebookFault, match="not valid"):
        form(cell)


def test_difference_names_the_first_cell():
    wanted = canonical(book(prose(), code(), code("y", cell_id="b")), MACROS)
    edited = read(write(wanted))
    assert "layout" in difference(edited, wanted)
    edited.cells[3].source = "z"
    edited.cells[2].execution_count = None
    assert difference(edited, wanted) == "cell some-code differs in execution_count"
    edited.cells = wanted.cells[:3]
    assert difference(edited, wanted) == "3 cells instead of 4"


# Ids


def test_only_chosen_ids_are_kept():
    uuid = "1f0c4d9e-8a3b-4c5d-9e7f-0123456789ab"
    for cell_id in ("0a1b2c3d", uuid, uuid.replace("-", ""), "two words", "x" * 65, ""):
        assert not is_chosen(cell_id)
        assert form(prose("# Derived", cell_id))[0].id == "derived"
    assert is_chosen("fig-causal-mask") and is_chosen("Setup_1")


def test_derived_ids_are_readable_and_unique():
    assert describe(prose("$$")) == "markdown"
    assert describe(code("weights = softmax(q @ k)")) == "weights-softmax-q-k"
    assert describe(code("f()", figure={"name": "fig-mask"})) == "fig-mask"
    assert len(describe(prose("a" * 99))) == 40
    ids = ["0a1b2c3d", "0a1b2c3e", "scores", "scores", "scores-2"]
    cells = [prose("# Scores", cell_id) for cell_id in ids]
    assert stable_ids(cells) == ["scores-3", "scores-4", "scores", "scores-5", "scores-2"]


# Outputs


def test_widgets_lose_their_kernel_view():
    (output,) = form(code(outputs=[OUR_WIDGET]))[0].outputs
    assert set(output.data) == {WIDGET, "text/html"}
    tags = ["live-only", "nbval-ignore-output"]
    (output,) = form(code(outputs=[CORE_WIDGET, stream("a")], tags=tags))[0].outputs
    assert output.text == "a"


ADDRESS = "0x7f3b2c1d4e50"


@pytest.mark.parametrize(
    "outputs, tags, words",
    [
        ([CORE_WIDGET], [], "shows a core ipywidget"),
        ([], ["live-only"], "must be tagged nbval-ignore-output"),
        ([stream(f"<f at {ADDRESS}>")], [], "prints a memory address"),
        ([rich({"text/plain": ADDRESS})], [], "prints a memory address"),
        ([rich({WIDGET: {"state": {"f": ADDRESS}}})], [], "prints a memory address"),
        ([new_output("error", ename="E", evalue="", traceback=[f"\x1b[31m{ADDRESS}"])],
         ["raises-exception"], "prints a memory address"),
        ([stream("UserWarning: odd\n", "stderr")], [], "writes to stderr: UserWarning: odd"),
        ([stream("UserWarning: odd\n", "stderr")], ["allow-stderr"], None),
        ([stream("UserWarning: odd\n", "stderr")], ["raises-exception"], None),
        ([stream("0xff 0xffffffff 0x1.8p+1")], [], None),
    ],
)  # fmt: skip
def test_outputs_that_cannot_be_committed_are_refused(outputs, tags, words):
    cells = [code(outputs=outputs, tags=tags, cell_id="this"), code(tags=["live-only"])]
    with pytest.raises(NotebookFault) as fault:
        form(*cells)
    lines = str(fault.value).splitlines()  # all faults at once
    assert lines.pop().startswith("cell some-code is tagged live-only")
    assert [words in line and line.startswith("cell this ") for line in lines] == [True] * bool(
        words
    )


def test_library_frames_of_a_traceback_are_dropped():
    frames = ["Traceback", "\x1b[32mCell In[1]", "\x1b[36mFile /home/me/x.py:3", "ValueError: no"]
    error = new_output("error", ename="ValueError", evalue="no", traceback=frames)
    (output,) = form(code(outputs=[error], tags=["raises-exception"]))[0].outputs
    assert output.traceback == [frames[0], frames[1], frames[3]]


def test_matplotlib_figures_are_reproducible():
    source = """
        import io, matplotlib
        matplotlib.use("svg")
        import matplotlib.pyplot as plt
        fig, (a, b) = plt.subplots(2)
        a.plot([1, 2], "o"); a.scatter([1, 2], [2, 3]); a.bar([1], [2], hatch="/")
        b.imshow([[1, 2]])
        out = io.StringIO(); fig.savefig(out, format="svg"); print(out.getvalue())
    """
    run = [sys.executable, "-c", textwrap.dedent(source)]
    one, two = (subprocess.run(run, capture_output=True, text=True).stdout for _ in range(2))
    drawing = stable_svg(one)
    assert one != two and len(one) > 5000
    assert drawing == stable_svg(two) == stable_svg(drawing) and "metadata" not in drawing
    # References still lead to their elements, and another drawing has other ids.
    ids = re.findall(r'\bid="([^"]+)"', drawing)
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', drawing)) <= set(ids)
    markers = {name for name in ids if re.fullmatch(r"m[0-9a-f]{10}", name)}
    other = stable_svg(one.replace("</svg>", "<g/></svg>"))
    assert markers and not any(name in other for name in markers)


# The command


def test_a_second_run_changes_nothing(tmp_path):
    cells = [prose("# Tiny", "0a1b2c3d"), code("from pathlib import Path\nPath.cwd().name")]
    path = save(tmp_path / "tiny.ipynb", *cells, prose("More."), code("print(1)\nprint(2)"))
    assert notebooks.process(path) == []
    once = path.read_bytes()
    assert tmp_path.name.encode() in once
    assert notebooks.process(path) == notebooks.check(path) == []
    assert path.read_bytes() == once


def test_failures_are_reported_and_the_files_stay(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("notebooks.SECONDS_A_CELL", 2)
    cells = {
        "bad": [code("a = 1"), code("1 / 0", cell_id="by-zero")],
        "slow": [code("import time; time.sleep(99)", cell_id="slow")],
        "noisy": [code("object()", cell_id="noisy")],
    }
    paths = [save(tmp_path / f"{name}.ipynb", *cells[name]) for name in cells]
    before = [path.read_bytes() for path in paths]
    assert notebooks.main([*map(str, paths)]) == 1
    assert [path.read_bytes() for path in paths] == before
    output = capsys.readouterr().out
    for words in (
        "bad.ipynb: cell by-zero failed", "1 / 0", "ZeroDivisionError: division by zero",
        "slow.ipynb: cell slow failed", "timed out",
        "noisy.ipynb: cell noisy prints a memory address",
    ):  # fmt: skip
        assert words in output
    assert "\x1b" not in output


def test_check_reports_and_changes_nothing(tmp_path, capsys):
    path = save(tmp_path / "a.ipynb", prose(), code("print(1)", [stream("one")]))
    before = path.read_bytes()
    assert notebooks.main(["--check", str(path)]) == 1
    assert "a.ipynb: is not canonical: cell macros differs in" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert notebooks.main(["--no-execute", str(path)]) == 0
    assert read(path.read_text()).cells[2].outputs[0].text == "one"
    assert notebooks.check(path) == []
    path.write_text(path.read_text() + "\n")
    assert ["layout" in line for line in notebooks.check(path)] == [True]


def test_broken_rule_is_reported_after_writing(tmp_path, capsys):
    path = save(tmp_path / "a.ipynb", code())
    assert notebooks.main(["--no-execute", str(path)]) == 1
    assert "a.ipynb: cell some-code follows no prose" in capsys.readouterr().out
    assert len(read(path.read_text()).cells) == 2


# What nbval sees

SHOW = f"""
import uuid
class Plane:
    def _repr_mimebundle_(self, include=None, exclude=None):
        picture = "<p>Turn</p><svg><g id='" + uuid.uuid4().hex + "'><path/></g>\\n</svg>"
        state = {{"widget": "Plane", "state": {{"q": [1, 2]}}}}
        return {{"{VIEW}": {{"model_id": uuid.uuid4().hex}}, "{WIDGET}": state,
                "text/html": picture, "text/plain": "Plane"}}
Plane()
"""
DRAW = """
from IPython.display import SVG
import random
start = '<?xml version="1.0"?>\\n<svg xmlns="http://www.w3.org/2000/svg">\\n'
SVG(start + f'<g id="{random.random()}"/></svg>')
"""

#: Source, what is changed in its stored outputs into what, and whether nbval should see it.
EDITS = {
    "widget": (SHOW, "", "", False),
    "picture-of-a-widget": (SHOW, "<path/>", "<circle/>", False),
    "state": (SHOW, '"q": [1, 2]', '"q": [9, 2]', True),
    "html": (SHOW, "<p>Turn</p>", "<p>Torn</p>", True),
    "number": ("print(0.25)", "", "", False),
    "other-number": ("print(0.25)", "0.25", "0.26", True),
    "uncounted": ("print(0.25)", '"execution_count": 7', '"execution_count": null', True),
    "drawing": (DRAW, "<g id=", "<g data-changed='' id=", False),
    "no-drawing": (DRAW, "image/svg+xml", "image/other", True),
    "two-streams": ("import sys\nfor _ in 'ab':\n    print(_, flush=True)", "a\\nb", "a\\nc", True),
}  # fmt: skip


def test_nbval_sees_what_changed(tmp_path):
    path = tmp_path / "edited.ipynb"
    save(path, *[code(source, cell_id=name) for name, (source, *_) in EDITS.items()])
    notebooks.process(path)
    notebook = read(path.read_text())
    for cell in notebook.cells[1:]:
        _, old, new, _ = EDITS[cell.id]
        stored = json.dumps({key: cell[key] for key in ("execution_count", "outputs")})
        assert VIEW not in stored and (not old or stored.count(old) == 1), cell.id
        cell.update(from_dict(json.loads(stored.replace(old, new))))
    path.write_text(write(notebook))
    command = [sys.executable, "-m", "pytest", "--nbval", "-q", "-rA", "--tb=short", "--color=no"]
    command += ["-p", "no:cacheprovider"]
    command += [f"--nbval-sanitize-with={ROOT / 'tests' / 'book' / 'nbval_sanitize.cfg'}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    outcomes = {
        int(n): w for w, n in re.findall(r"^(\w+) \S+::Cell (\d+)", done.stdout, re.MULTILINE)
    }
    seen = {name: outcomes.get(number) for number, name in enumerate(EDITS)}
    assert seen == {n: "FAILED" if red else "PASSED" for n, (*_, red) in EDITS.items()}, done.stdout
