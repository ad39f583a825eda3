"""The workbook: copies of chapters that hold no answer and are never overwritten."""

import nbformat
import pytest
import workbook
from canonical import canonical, read, write
from nbformat.sign import NotebookNotary
from outputs import tags
from site_tools import ROOT
from test_notebook_tools import MACROS, OUR_WIDGET, book, code, prose, stream

SOURCES = """
@article{one2001, author = {One, Ann}, year = {2001}}
@article{two2002, author = {Two, Bob and {\\v{C}}ech, Jan}, year = {2002}}
@article{many2003, author = {Many, Jo and One, Ann and Two, Bob}, year = {2003}}
"""
FIGURE = {"figure": {"name": "fig-two", "caption": "Two, as {cite:t}`one2001` drew it."}}
CELLS = [
    prose("# 1 First"),
    code("plane", [OUR_WIDGET], ["hide-input"], "plane", **FIGURE),
    code("print(4)", [stream("four")], ["hide-output"], "predicted", figure={"name": "fig-four"}),
    code("my_query = 42", [stream("Passed.")], ["solution", "hide-cell"], "answer"),
]


@pytest.fixture
def make(tmp_path, monkeypatch, capsys):
    """`make()` runs the tool on a book of two chapters and returns what it says."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    chapters, folder = tmp_path / "book", tmp_path / "workbook"
    chapters.mkdir()
    (chapters / "references.bib").write_text(SOURCES)

    def write_chapter(name, *cells):
        # As an author saves it, with nothing folded.
        (chapters / name).write_text(write(book(*cells, attention_book={"except": {"a": "b"}})))

    def make():
        workbook.main(chapters, folder)
        return capsys.readouterr().out.splitlines()

    make.folder, make.write = folder, write_chapter
    write_chapter("01_first.ipynb", *CELLS)
    write_chapter("02_second.ipynb", code("2", [stream("2")], cell_id="two"))
    return make


PLAIN = {
    "as {cite:t}`two2002` and {cite:t}`many2003,one2001` say":
        "as Two and Čech (2002) and Many et al. (2003) and One (2001) say",
    "is known {cite:p}`one2001,many2003`.": "is known (One, 2001; Many et al., 2003).",
    "See {numref}`fig-two` and {numref}`the other <fig-four>`.": "See Figure 1.1 and the other.",
    "as {doc}`chapter 2 <02_second>` says": "as chapter 2 says",
    "the [notation](notation.md) page, [in [1, 2]](a/b.md#c)": "the *notation* page, *in [1, 2]*",
    "in the notebook ([how to run it](run.md)): change": "in the notebook: change",
    "([how](run.md) and why), (and [how](run.md))": "(*how* and why), (and *how*)",
    "([chapter 2](02_second.ipynb#here), [web](https://a.b/c.md), [up](#2-second))": None,
    "![picture](a.svg) `f[0](x.md)` $w[1](x.md)$ $$w[2](x.md)$$ `{cite:t}`": None,
}  # fmt: skip


def test_roles_and_links_become_words(make):
    make.write("02_second.ipynb", *map(prose, PLAIN))
    make()
    cells = read((make.folder / "02_second.ipynb").read_text()).cells[1:]
    assert [cell.source for cell in cells] == [new or old for old, new in PLAIN.items()]


def test_a_copy_holds_no_answer_and_is_trusted(make):
    assert make() == ["workbook/01_first.ipynb: made", "workbook/02_second.ipynb: made"]
    made = nbformat.read(make.folder / "01_first.ipynb", as_version=4)
    nbformat.validate(made)
    assert NotebookNotary().check_signature(made)
    cells = {cell.id: cell for cell in made.cells}
    first, *rest = [cell.source for cell in made.cells if cell.cell_type == "markdown"]
    assert first == MACROS
    assert rest == ["# 1 First", "*Figure 1.1.* Two, as One (2001) drew it."]
    assert cells["plane"].outputs and cells["plane"].metadata.jupyter == {"source_hidden": True}
    for name in ("predicted", "answer"):
        assert cells[name].outputs == [] and cells[name].execution_count is None
    assert cells["predicted"].metadata.jupyter == {}  # nothing to unfold
    assert cells["answer"].metadata.jupyter == {"source_hidden": True}
    first, _, rest = cells["answer"].source.partition("\n")
    assert first == "# A solution" and rest == "my_query = 42"  # the first line is in sight


def test_a_deeper_page_counts_figures_on_and_has_its_own_copies(make):
    figure = {"figure": {"name": "fig-five", "caption": "Five."}}
    make.write("01_first_deeper.ipynb", code("5", [stream("5")], cell_id="five", **figure))
    assert [line.partition(" ")[2] for line in make()] == ["made"] * 3
    make.write("01_first.ipynb", prose("# 1 First of all"), *CELLS[1:])
    make.write("02_second.ipynb", prose("see [1](01_first.ipynb#here), [2](02_second.ipynb)"))
    said = make()
    text = (make.folder / "02_second_2.ipynb").read_text()
    assert "see [1](01_first_2.ipynb#here), [2](02_second_2.ipynb)" in text
    assert said[0].endswith(
        "_2.ipynb: made, beside 01_first.ipynb (of an older chapter), left as it is"
    )
    assert said[1] == "workbook/01_first_deeper.ipynb: kept"
    assert "*Figure 1.3.* Five." in (make.folder / "01_first_deeper.ipynb").read_text()


def test_no_copy_is_ever_overwritten(make):
    make()
    first, second = make.folder / "01_first.ipynb", make.folder / "02_second.ipynb"
    first.write_text(first.read_text().replace("# 1 First", "# 1 My own"))
    # A copy may have another name.
    second.rename(make.folder / "02_second-mine.ipynb")
    before = contents(make.folder)
    assert make() == ["workbook/01_first.ipynb: kept", "workbook/02_second-mine.ipynb: kept"]
    assert contents(make.folder) == before
    # A word or a tag makes a new edition, results do not.
    make.write("01_first.ipynb", prose("# 1 First of all"), *CELLS[1:])
    make.write("02_second.ipynb", code("2", [stream("2")], ["hide-output"], "two"))
    assert make() == [
        "workbook/01_first_2.ipynb: made, beside 01_first.ipynb (of an older chapter), "
        "left as it is",
        "workbook/02_second.ipynb: made, beside 02_second-mine.ipynb (of an older chapter), "
        "left as it is",
    ]
    make.write("02_second.ipynb", code("2", [stream("3")], ["hide-output"], "two"))
    assert make() == ["workbook/01_first_2.ipynb: kept", "workbook/02_second.ipynb: kept"]
    assert before.items() <= contents(make.folder).items()


def test_caption_makes_new_edition_but_colour_and_minutes_do_not(make, monkeypatch):
    head = "*Lesson 30 min · questions and exercises 40 min · deeper 50 min. You need chapter 1.*"
    make.write("02_second.ipynb", prose(head))
    make()
    make.write("02_second.ipynb", prose(head.replace("50", "65")))
    figure = FIGURE["figure"] | {"caption": "Two, drawn anew."}
    plane = code("plane", [OUR_WIDGET], ["hide-input"], "plane", figure=figure)
    make.write("01_first.ipynb", CELLS[0], plane, *CELLS[2:])
    assert make()[0].startswith("workbook/01_first_2.ipynb: made")
    monkeypatch.setattr(workbook, "notebook_macros", lambda: MACROS.replace("RGB", "rgb"))
    assert make() == ["workbook/01_first_2.ipynb: kept", "workbook/02_second.ipynb: kept"]


FOREIGN = {
    "empty": "", "cut off": '{"cells": [{"cell', "a list": "[]", "a number": "3", "bytes": b"\xff",
    "no metadata": '{"cells": []}', "other metadata": '{"cells": [], "metadata": []}',
    "a chapter": write(canonical(book(*CELLS, attention_book={"except": {}}), "$$\n$$")),
    "an odd edition": write(book(attention_book={"edition": ["?"]})),
    "a folder": None,
}  # fmt: skip


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_foreign_file_stays_and_is_named(make, content):
    make.folder.mkdir()
    path = make.folder / "01_first.ipynb"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = contents(make.folder)
    (make.folder / "01_first_2.ipynb").symlink_to("nowhere")
    line, _ = make()
    assert line.startswith("workbook/01_first_3.ipynb: made, beside 01_first.ipynb (")
    assert before.items() <= contents(make.folder).items() and path.exists()
    assert make()[0] == "workbook/01_first_3.ipynb: kept"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_broken_chapter_and_blocked_folder_are_reported(make):
    make.folder.write_text("a file")
    with pytest.raises(SystemExit, match="the workbook cannot be written: "):
        make()
    assert make.folder.read_text() == "a file"
    make.folder.unlink()
    make.write("02_second.ipynb", prose("As {eq}`one` says."))
    with pytest.raises(SystemExit, match=r"02_second\.ipynb: nothing is known of 'eq' in “As "):
        make()
    (make.folder.parent / "book/02_second.ipynb").write_text("<<<<<<< HEAD")
    with pytest.raises(SystemExit, match=r"02_second\.ipynb: is not a notebook"):
        make()


CHAPTERS = workbook.chapters(ROOT / "book")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_chapter_can_be_copied(path):
    words = workbook.Words(ROOT / "book", CHAPTERS, {path.name: path.name for path in CHAPTERS})
    before = write(CHAPTERS[path])
    copied = workbook.workbook_copy(CHAPTERS[path], words)
    assert write(CHAPTERS[path]) == before
    nbformat.validate(copied)
    answers = [cell for cell in copied.cells if tags(cell) & {"hide-output", "solution"}]
    assert answers or path.stem.endswith("_sheet")
    assert not any(cell.outputs for cell in answers)
    for cell in copied.cells:
        assert cell.cell_type != "markdown" or words.plain(cell.source) == cell.source
