"""The author's tools for notebooks, on small notebooks made here."""

import json
import re
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import jupytext
import pytest
from nbformat import from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import notebooks  # noqa: E402
from canonical import NotebookFault, canonical, difference, prepared, read, write  # noqa: E402
from cell_ids import describe, is_hand_given, slug, stable_ids  # noqa: E402
from execution import ExecutionFailed, Stopped, execute  # noqa: E402
from outputs import VIEW, WIDGET, stable_svg  # noqa: E402
from rules import problems  # noqa: E402

from attnlib.palette import notebook_macros  # noqa: E402

MACROS = notebook_macros()
TOOL = ROOT / "tools" / "notebooks.py"


def code(source="x = 1", outputs=(), tags=(), cell_id="some-code", **mystnb):
    metadata = {"tags": list(tags)} if tags else {}
    if mystnb:
        metadata["mystnb"] = mystnb
    cell = new_code_cell(source, outputs=list(outputs), metadata=metadata)
    cell["id"] = cell_id
    return cell


def prose(source="Some words.", cell_id="some-words", tags=()):
    cell = new_markdown_cell(source, metadata={"tags": list(tags)})
    cell["id"] = cell_id
    return cell


def book(*cells, **metadata):
    parts = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return from_dict(parts)


def form(*cells):
    """The cells of the canonical notebook, without the macros cell."""
    return canonical(book(*cells), MACROS).cells[1:]


def stream(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def rich(data):
    return new_output("display_data", data=data)


CORE_WIDGET = rich({VIEW: {"model_id": "8f"}, "text/plain": "IntSlider(value=3)"})
SVG_OUTPUT = rich({"image/svg+xml": "<svg/>", "text/plain": "<Figure>"})
OUR_WIDGET = rich(
    {
        VIEW: {"model_id": "8f"},
        WIDGET: {"state": {"q": 1}},
        "text/html": "<svg/>",
        "text/plain": "Q",
    }
)


# Form


def test_metadata_is_only_what_the_book_needs():
    cell = code(tags=["hide-input"], figure={"name": "f"})
    cell.metadata |= {"collapsed": True, "execution": {"t": 1}, "editable": False, "slideshow": {}}
    found = canonical(
        book(cell, jupytext={}, widgets={}, mystnb={"a": 1}, kernelspec={"name": "py312"}), MACROS
    )
    assert set(found.metadata) == {"kernelspec", "language_info", "mystnb"}
    assert found.metadata.kernelspec == {
        "name": "python3",
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
    }
    assert "version" not in found.metadata.language_info
    assert found.cells[1].metadata == {"tags": ["hide-input"], "mystnb": {"figure": {"name": "f"}}}


def test_the_notebook_given_is_left_alone():
    notebook = book(code(outputs=[OUR_WIDGET], cell_id="0a1b2c3d"))
    before = write(notebook)
    canonical(notebook, MACROS)
    assert write(notebook) == before


def test_cells_are_numbered_as_by_one_run():
    result = new_output("execute_result", data={"text/plain": "1"}, execution_count=7)
    cells = [code(cell_id="a") | {"execution_count": 9}, prose(), code("x", [result], cell_id="b")]
    found = form(*cells)
    assert [cell.get("execution_count") for cell in found] == [1, None, 2]
    assert found[2].outputs[0].execution_count == 2


def test_canonical_of_canonical_is_itself_byte_for_byte():
    cells = [
        prose("# A title", "0a1b2c3d"),
        code("print(1)", [stream("1 \n"), stream("2\n")], cell_id="1a1b2c3d"),
        code("print(1)", [OUR_WIDGET, SVG_OUTPUT], cell_id="1a1b2c3e"),
    ]
    once = write(canonical(book(*cells), MACROS))
    assert write(canonical(read(once), MACROS)) == once
    assert once.endswith("}\n") and '\n "cells"' in once


def test_accents_and_roots_stay_readable():
    assert "√d à" in write(canonical(book(prose("√d à")), MACROS))


@pytest.mark.parametrize("first", [(), ("stale",)])
def test_macros_cell_is_inserted_and_refreshed(first):
    old = [prose(text, "macros", ["remove-cell"]) for text in first]
    cells = canonical(book(*old, prose()), MACROS).cells
    assert [cell.id for cell in cells] == ["macros", "some-words"]
    assert cells[0].source == MACROS and cells[0].metadata.tags == ["remove-cell"]


def test_macros_cell_that_was_edited_as_text_is_not_doubled():
    once = canonical(book(prose()), MACROS)
    text = jupytext.writes(once, "md:myst")
    again = canonical(jupytext.reads(text, "md:myst"), MACROS)
    assert [cell.id for cell in again.cells] == ["macros", "some-words"]


def test_an_authors_cell_called_macros_is_not_thrown_away():
    cells = form(prose("Mine.", "macros"))
    assert [(cell.id, cell.source) for cell in cells] == [("macros-2", "Mine.")]


def test_text_that_is_no_notebook_is_named_so():
    with pytest.raises(NotebookFault, match="not a notebook"):
        read("<<<<<<< HEAD")


def test_invalid_notebook_is_refused():
    cell = code(outputs=[rich({})])
    cell.outputs[0]["surprise"] = 1
    with pytest.raises(NotebookFault, match="not valid"):
        form(cell)


def test_difference_names_the_first_cell():
    wanted = canonical(book(prose(), code(), code("y", cell_id="b")), MACROS)
    found = read(write(wanted))
    assert difference(found, wanted) == "the layout of the file differs"
    found.metadata["x"] = 1
    assert "metadata" in difference(found, wanted)
    found.cells[3].source = "z"
    found.cells[2].execution_count = None
    assert difference(found, wanted) == "cell some-code differs in execution_count"
    found.cells = wanted.cells[:3]
    assert difference(found, wanted) == "3 cells instead of 4"


# Ids


@pytest.mark.parametrize(
    ("cell_id", "kept"),
    [
        ("fig-causal-mask", True),
        ("Setup_1", True),
        ("0a1b2c3d", False),
        ("1f0c4d9e-8a3b-4c5d-9e7f-0123456789ab", False),
        ("1f0c4d9e8a3b4c5d9e7f0123456789ab", False),
        ("two words", False),
        ("x" * 65, False),
        ("", False),
    ],
)
def test_only_hand_given_ids_are_kept(cell_id, kept):
    assert is_hand_given({"id": cell_id}) == kept
    assert (form(prose("# Derived", cell_id))[0].id == cell_id) == kept


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        (prose("(label)=\n## Why √d? *Scaling*\ntext"), "why-d-scaling"),
        (prose("We now turn the query by hand"), "we-now-turn-the-query"),
        (prose("$$"), "markdown"),
        (code("weights = softmax(scores)\nother"), "weights-softmax-scores-other"),
        (code("a = 1\ndef row_softmax(x):\n    return x"), "row-softmax"),
        (code("import numpy as np\nfrom attnlib import attend"), "imports"),
        (code("def f(): ...", figure={"name": "fig-causal-mask"}), "fig-causal-mask"),
        (code("1 + 1"), "code"),
    ],
)
def test_derived_ids_say_what_the_cell_is(cell, name):
    assert describe(cell) == name


def test_slug_is_cut_at_a_word():
    assert slug("a" * 30 + " " + "b" * 30) == "a" * 30
    assert len(slug("a" * 99)) == 40


def test_ids_are_unique_and_hand_given_ones_win():
    cells = [
        prose("# Scores", "0a1b2c3d"),
        prose("# Scores", "0a1b2c3e"),
        prose("# Anything", "scores"),
        prose("# Anything", "scores"),
        prose("# Anything", "scores-2"),
    ]
    assert stable_ids(cells) == ["scores-3", "scores-4", "scores", "scores-5", "scores-2"]


def test_ids_stay_when_the_text_changes():
    cell = form(prose("# Scores", "0a1b2c3d"))[0]
    cell.source = "# Weights"
    assert form(cell)[0].id == "scores"


def test_missing_ids_are_filled_in():
    cell = prose("# Scores")
    del cell["id"]
    assert form(cell)[0].id == "scores"


# Outputs


def test_neighbouring_pieces_of_a_stream_are_joined():
    pieces = [stream("a"), stream("b \n"), SVG_OUTPUT, stream("c")]
    found = form(code(outputs=pieces))[0].outputs
    assert [output.get("text") for output in found] == ["ab \n", None, "c"]


def test_widget_keeps_state_and_picture_and_loses_the_view():
    (output,) = form(code(outputs=[OUR_WIDGET]))[0].outputs
    assert set(output.data) == {WIDGET, "text/html", "text/plain"}


def test_core_widget_is_refused_with_cell_id():
    with pytest.raises(NotebookFault, match=r"^cell slider-here shows a core ipywidget"):
        form(code(outputs=[CORE_WIDGET], cell_id="slider-here"))


def test_live_only_cell_loses_core_widgets_only():
    tags = ["live-only", "nbval-ignore-output"]
    (output,) = form(code(outputs=[CORE_WIDGET, stream("a")], tags=tags))[0].outputs
    assert output.text == "a"


@pytest.mark.parametrize("outputs", [[CORE_WIDGET], []])
def test_live_only_needs_nbval_ignore_output(outputs):
    with pytest.raises(NotebookFault, match=r"some-code .* must be tagged nbval-ignore-output"):
        form(code(outputs=outputs, tags=["live-only"]))


@pytest.mark.parametrize(
    "output",
    [
        stream("<object at 0x7f3b2c1d4e50>"),
        rich({"text/plain": "<f at 0x10a3b4c50>"}),
        rich({WIDGET: {"state": {"f": "<f at 0x7f3b2c1d4e50>"}}, "text/html": "<p/>"}),
        new_output("error", ename="E", evalue="", traceback=["\x1b[0;31m0x7f3b2c1d4e50"]),
    ],
)
def test_memory_address_is_refused(output):
    with pytest.raises(NotebookFault, match="cell some-code prints a memory address"):
        form(code(outputs=[output], tags=["raises-exception"]))


def test_short_hexadecimal_numbers_are_no_addresses():
    assert form(code(outputs=[stream("0xff 0xffffffff 0x1.8p+1")]))


def test_stderr_is_refused_unless_tagged():
    warning = stream("UserWarning: odd\n", "stderr")
    with pytest.raises(NotebookFault, match="cell some-code writes to stderr: UserWarning: odd"):
        form(code(outputs=[warning]))
    for tag in ("allow-stderr", "raises-exception"):
        assert form(code(outputs=[warning], tags=[tag]))[0].outputs


def test_all_faults_are_told_at_once():
    cells = [code(outputs=[CORE_WIDGET], cell_id="a"), code(tags=["live-only"], cell_id="b")]
    with pytest.raises(NotebookFault) as fault:
        form(*cells)
    assert [line[:6] for line in str(fault.value).splitlines()] == ["cell a", "cell b"]


def test_library_frames_of_a_traceback_are_dropped():
    frames = ["Traceback", "\x1b[32mCell In[1]", "\x1b[36mFile /home/me/x.py:3", "ValueError: no"]
    error = new_output("error", ename="ValueError", evalue="no", traceback=frames)
    (output,) = form(code(outputs=[error], tags=["raises-exception"]))[0].outputs
    assert output.traceback == [frames[0], frames[1], frames[3]]


SVG = """<?xml version="1.0"?>
<svg>
 <metadata><dc:date>2026-11-21</dc:date></metadata>
 <defs><path id="C0_1_{0}" d="M0"/><path id="DejaVuSans-41"/></defs>
 <use xlink:href="#C0_1_{0}" clip-path="url(#p{1})" x="{2}"/><use xlink:href="#DejaVuSans-41"/>
 <clipPath id="p{1}"/>
</svg>"""


def test_svg_loses_date_and_salt():
    one = stable_svg(SVG.format("0123456789", "abcdef0123", 5))
    two = stable_svg(SVG.format("a123456789", "bbcdef0123", 5).replace("2026", "2027"))
    assert one == two == stable_svg(one)
    assert "metadata" not in one and "0123456789" not in one and "abcdef0123" not in one
    assert one.count("DejaVuSans-41") == 2


def test_svg_references_still_lead_to_their_elements():
    text = stable_svg(SVG.format("0123456789", "abcdef0123", 5))
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(set(ids)) == len(ids) == 3
    assert set(re.findall(r"#([^\")]+)", text)) == set(ids)


def test_different_drawings_share_no_id():
    one, two = (stable_svg(SVG.format("0123456789", "abcdef0123", x)) for x in (5, 6))
    assert one.replace('x="5"', 'x="6"') != two


def test_real_matplotlib_figures_come_out_the_same_twice():
    code = """
        import io, matplotlib
        matplotlib.use("svg")
        import matplotlib.pyplot as plt
        fig, (a, b) = plt.subplots(2)
        a.plot([1, 2], "o"); a.scatter([1, 2], [2, 3]); a.bar([1], [2], hatch="/")
        b.imshow([[1, 2]])
        out = io.StringIO(); fig.savefig(out, format="svg"); print(out.getvalue())
    """
    run = [sys.executable, "-c", textwrap.dedent(code)]
    one, two = (subprocess.run(run, capture_output=True, text=True).stdout for _ in range(2))
    assert one != two and len(one) > 5000
    assert stable_svg(one) == stable_svg(two)


# Rules


ALT = {"image": {"alt": "A matrix."}}
FIGURE = ALT | {"figure": {"caption": "One.", "name": "fig-one"}}


def broken(*cells):
    return problems(canonical(book(*cells), MACROS))


def lines(count):
    return "\n\n".join(["x = 1"] * count)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([prose(), code(lines(21)), *[prose(), code("y")] * 2], "has 21 visible lines"),
        ([prose(), code(lines(7))], "median visible code cell has 7 lines"),
        ([prose(), code(outputs=[SVG_OUTPUT])], "without alt text"),
        ([prose(), code(outputs=[SVG_OUTPUT], image={"alt": " "})], "without alt text"),
        (
            [prose(), code(outputs=[SVG_OUTPUT], **ALT, figure={"name": "fig-one"})],
            "without a caption",
        ),
        (
            [prose(), code(outputs=[SVG_OUTPUT], **ALT, figure={"caption": "One."})],
            "without a name",
        ),
        ([prose(), code(outputs=[rich({"image/png": "iVBO"})])], "without alt text"),
        ([prose(), code(outputs=[rich({WIDGET: {}, "text/plain": "Q"})])], "without its picture"),
        ([prose("![x](http://a.b/c.png)")], "takes an image from the network"),
        ([prose('<img alt="" src="https://a.b/c.png">')], "takes an image from the network"),
        ([prose("```{figure} http://a.b/c.png\n```")], "takes an image from the network"),
        ([prose(), code(outputs=[stream("Traceback (most recent")])], "shows a traceback"),
        (
            [prose(), code(outputs=[new_output("error", ename="E", evalue="", traceback=[])])],
            "shows a traceback",
        ),
        ([code()], "follows no prose"),
        ([prose(), code("x", cell_id="a"), code("y")], "cell some-code follows no prose"),
        ([prose(tags=["remove-cell"]), code()], "follows no prose"),
    ],
)
def test_each_rule_speaks_up(cells, message):
    (problem,) = broken(*cells)
    assert message in problem


@pytest.mark.parametrize(
    "cells",
    [
        [prose(), code(lines(20)), *[prose(), code("y")] * 2],
        [prose(), code(lines(30), tags=["hide-input"])],
        [prose(), code(outputs=[SVG_OUTPUT], **ALT)],
        [prose(), code(outputs=[SVG_OUTPUT], **FIGURE)],
        [prose(), code(outputs=[OUR_WIDGET])],
        [prose(), code(outputs=[rich({WIDGET: {}, "image/svg+xml": "<svg/>"})])],
        [prose("![x](figures/c.png) and http://a.b/ and [link](https://a.b)")],
        [prose(), code(outputs=[stream("Traceback")], tags=["raises-exception"])],
        [prose(), code("x"), code("y", tags=["solution"]), prose(), code("z")],
        [prose(), code("x", tags=["hide-cell"]), code("y")],
    ],
)
def test_each_rule_lets_the_good_case_pass(cells):
    assert broken(*cells) == []


# The command


def run_tool(*arguments):
    done = subprocess.run(
        [sys.executable, str(TOOL), *map(str, arguments)], capture_output=True, text=True
    )
    return done.returncode, done.stdout


def save(path, *cells):
    path.write_text(write(book(*cells)))
    return path


TINY = [
    prose("# Tiny", "0a1b2c3d"),
    code("from pathlib import Path\nprint(Path.cwd().name)\nprint('two')", cell_id="0a1b2c3e"),
    prose("More."),
    code("1 + 1", cell_id="sum"),
]


def test_run_writes_the_canonical_form_and_a_second_run_changes_nothing(tmp_path):
    path = save(tmp_path / "tiny.ipynb", *TINY)
    status, said = run_tool(path)
    assert (status, "2/2 cells" in said) == (0, True), said
    once = path.read_bytes()
    assert tmp_path.name.encode() in once
    assert run_tool(path)[0] == 0
    assert path.read_bytes() == once
    assert notebooks.check(path) == []
    ids = [cell.id for cell in read(once.decode()).cells]
    assert ids == ["macros", "tiny", "pathlib-path-print-path", "some-words", "sum"]


def test_failure_is_reported_and_the_file_stays(tmp_path):
    path = save(tmp_path / "bad.ipynb", prose(), code("a = 1"), code("1 / 0", cell_id="by-zero"))
    before = path.read_bytes()
    status, said = run_tool(path)
    assert status == 1 and path.read_bytes() == before
    for words in ("bad.ipynb: cell by-zero failed", "1 / 0", "ZeroDivisionError: division by zero"):
        assert words in said
    assert "\x1b" not in said


def test_outputs_that_cannot_be_committed_leave_the_file(tmp_path):
    path = save(tmp_path / "noisy.ipynb", prose(), code("object()", cell_id="noisy"))
    before = path.read_bytes()
    status, said = run_tool(path)
    assert status == 1 and path.read_bytes() == before
    assert "noisy.ipynb: cell noisy prints a memory address" in said


def test_a_cell_that_never_ends_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("execution.TIMEOUT", 1)
    path = tmp_path / "slow.ipynb"
    notebook = prepared(book(code("import time; time.sleep(99)", cell_id="slow")), MACROS)
    with pytest.raises(ExecutionFailed, match=r"slow.ipynb: cell slow failed"):
        execute(notebook, path, threading.Event())


def test_a_stopped_run_starts_no_cell(tmp_path):
    stop = threading.Event()
    stop.set()
    notebook = prepared(book(code("open('trace', 'w')")), MACROS)
    with pytest.raises(Stopped):
        execute(notebook, tmp_path / "a.ipynb", stop)
    assert not (tmp_path / "trace").exists()


def test_check_reports_and_changes_nothing(tmp_path, capsys):
    path = save(tmp_path / "raw.ipynb", *TINY)
    before = path.read_bytes()
    assert notebooks.main(["--check", str(path)]) == 1
    assert "raw.ipynb: is not canonical: cell macros differs in" in capsys.readouterr().out
    assert path.read_bytes() == before


def test_no_execute_keeps_the_outputs(tmp_path, capsys):
    cells = [prose(), code("print(1)", [stream("one")])]
    path = save(tmp_path / "a.ipynb", *cells)
    assert notebooks.main(["--no-execute", str(path)]) == 0
    assert read(path.read_text()).cells[2].outputs[0].text == "one"
    assert notebooks.main(["--check", str(tmp_path)]) == 0


def test_broken_rule_is_told_after_the_file_is_written(tmp_path, capsys):
    path = save(tmp_path / "a.ipynb", code())
    assert notebooks.main(["--no-execute", str(path)]) == 1
    assert "a.ipynb: cell some-code follows no prose" in capsys.readouterr().out
    assert len(read(path.read_text()).cells) == 2


def test_check_sees_bytes(tmp_path):
    path = save(tmp_path / "a.ipynb", prose())
    notebooks.process(path, run=False)
    assert notebooks.check(path) == []
    path.write_text(path.read_text() + "\n")
    assert notebooks.check(path) == ["is not canonical: the layout of the file differs"]


def test_check_reports_core_widgets(tmp_path):
    path = save(tmp_path / "a.ipynb", prose(), code(outputs=[CORE_WIDGET]))
    assert "core ipywidget" in notebooks.check(path)[0]


def test_checkpoints_are_no_notebooks(tmp_path):
    (tmp_path / ".ipynb_checkpoints").mkdir()
    save(tmp_path / ".ipynb_checkpoints" / "a.ipynb", prose())
    assert notebooks.find_notebooks([tmp_path]) == []
    assert notebooks.main([str(tmp_path)]) == 1


# What nbval sees

SHOW = f"""
import uuid
class Plane:
    def __init__(self, q): self.q = q
    def _repr_mimebundle_(self, include=None, exclude=None):
        picture = "<p>Turn</p><svg><g id='" + uuid.uuid4().hex + "'><path/></g>\\n</svg>"
        state = {{"widget": "Plane", "state": {{"q": [self.q, 2]}}}}
        return {{"{VIEW}": {{"model_id": uuid.uuid4().hex}}, "{WIDGET}": state,
                "text/html": picture, "text/plain": "Plane"}}
Plane(1)
"""
DRAW = """
from IPython.display import SVG
import random
start = '<?xml version="1.0"?>\\n<svg xmlns="http://www.w3.org/2000/svg">\\n'
SVG(start + f'<g id="{random.random()}"/></svg>')
"""


#: Edits of the committed file: which cell (0 a widget, 1 a number, 2 a drawing), what for what.
VARIANTS = {
    "good": None,
    "svg": (2, "<g id=", "<g data-changed='' id="),
    "html_svg": (0, "<path/>", "<circle/>"),
    "state": (0, '"q": [1, 2]', '"q": [9, 2]'),
    "html": (0, "<p>Turn</p>", "<p>Torn</p>"),
    "number": (1, "0.25", "0.26"),
    "no_picture": (2, "image/svg+xml", "image/other"),
    "uncounted": (1, '"execution_count": 2', '"execution_count": null'),
}
RED = {("state", 0), ("html", 0), ("number", 1), ("no_picture", 2), ("uncounted", 1)}


@pytest.fixture(scope="module")
def nbval(tmp_path_factory):
    """Outcomes of one nbval run over all variants: (variant, cell) -> PASSED or FAILED."""
    folder = tmp_path_factory.mktemp("nbval")
    cells = [
        code(SHOW, cell_id="show"),
        code("print(0.25)", cell_id="number"),
        code(DRAW, cell_id="draw"),
    ]
    path = save(folder / "good.ipynb", *cells)
    notebooks.process(path)
    for name, edit in list(VARIANTS.items())[1:]:
        notebook = read(path.read_text())
        cell = [cell for cell in notebook.cells if cell.cell_type == "code"][edit[0]]
        found = json.dumps({key: cell[key] for key in ("execution_count", "outputs")})
        assert found.count(edit[1]) == 1, name
        cell.update(from_dict(json.loads(found.replace(*edit[1:]))))
        (folder / f"{name}.ipynb").write_text(write(notebook))
    command = [sys.executable, "-m", "pytest", "--nbval", "-q", "-rA", "--tb=short", "--color=no"]
    command += ["-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"]
    command += [f"--nbval-sanitize-with={ROOT / 'tests' / 'book' / 'nbval_sanitize.cfg'}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    outcomes = {}
    for line in done.stdout.splitlines():
        words = line.replace("::", " ").split()
        if words and words[0] in ("PASSED", "FAILED"):
            outcomes[words[1].removesuffix(".ipynb"), int(words[3])] = words[0]
    assert len(outcomes) == 3 * len(VARIANTS), done.stdout
    return outcomes, done.stdout


@pytest.mark.parametrize("name", VARIANTS)
def test_nbval_sees_what_it_should(nbval, name):
    outcomes, report = nbval
    for cell in range(3):
        wanted = "FAILED" if (name, cell) in RED else "PASSED"
        assert outcomes[name, cell] == wanted, report


def test_the_committed_side_holds_no_widget_view(tmp_path):
    path = save(tmp_path / "a.ipynb", prose(), code(SHOW, cell_id="show"))
    notebooks.process(path)
    (output,) = read(path.read_text()).cells[2].outputs
    assert set(output.data) == {WIDGET, "text/html", "text/plain"}
