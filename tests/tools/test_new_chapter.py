"""One command begins a chapter; it refuses bad arguments and then changes nothing."""

import os
import re
import shutil
import subprocess
import sys

import new_chapter
import pytest
import yaml
from site_tools import ROOT


@pytest.fixture
def copy(tmp_path):
    """`copy("tool.py", ...)` runs a tool in a copy of the book."""
    left_out = shutil.ignore_patterns(".*", "_build", "__pycache__", "tests", "vendor", "fonts")
    shutil.copytree(ROOT, tmp_path / "copy", ignore=left_out)

    def copy(tool, *arguments):
        command = [sys.executable, f"tools/{tool}", *arguments]
        where = {"cwd": tmp_path / "copy", "env": os.environ | {"PYTHONPATH": "."}}
        done = subprocess.run(command, capture_output=True, text=True, **where)
        return done.returncode, done.stdout + done.stderr

    copy.folder = tmp_path / "copy"
    return copy


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.suffix != ".pyc"
            and path.is_file()}  # fmt: skip


def test_new_chapter_is_written_and_listed(copy):
    before = files(copy.folder)
    code, output = copy("new_chapter.py", "97", "not_yet")
    assert code == 0, output
    after = files(copy.folder)
    changed = {str(path.relative_to(copy.folder)) for path in after
               if after[path] != before.get(path)}  # fmt: skip
    notebook, deeper = "book/97_not_yet.ipynb", "book/97_not_yet_deeper.ipynb"
    pages = {"README.md", "book/index.ipynb", "book/teach.md"}
    assert changed == {notebook, deeper, "_toc.yml", *pages}
    parts = yaml.safe_load((copy.folder / "_toc.yml").read_text())["parts"]
    entries = {entry["file"]: entry for part in parts for entry in part["chapters"]}
    listed = [entry for entry in entries if re.match(r"book/\d\d_", entry)]
    assert listed == sorted(listed)
    assert entries["book/97_not_yet"]["sections"] == [{"file": "book/97_not_yet_deeper"}]
    cover = (copy.folder / "book/index.ipynb").read_text()
    assert "97 [Not yet](97_not_yet.ipynb)" in cover
    # It is canonical; both tools report the same missing parts.
    missing = [line[2:] for line in output.splitlines() if line.startswith("- ")]
    code, checked = copy("notebooks.py", "--check", notebook, deeper)
    found = [line.removeprefix("book/").replace(".ipynb", "", 1) for line in checked.splitlines()]
    assert code == 1 and found[:-1] == missing
    for rule in ("nothing_to_do", "enough_questions", "predictions", "further_reading"):
        assert any(f"[{rule}]" in line for line in missing), rule
    # A second chapter of this number is refused.
    code, output = copy("new_chapter.py", "97", "something_else")
    assert code == 1 and "there is book/97_not_yet.ipynb already" in output
    assert files(copy.folder) == after


def test_what_is_counted_reaches_heads_and_cover(copy):
    lesson, deeper, cover = (
        copy.folder / "book" / f"{name}.ipynb"
        for name in ("04_scaling", "04_scaling_deeper", "index")
    )
    before = int(re.search(r"deeper (\d+) min", lesson.read_text())[1])
    deeper.write_text(deeper.read_text().replace("## ", "word " * 600 + "\\n\\n## ", 1))
    code, output = copy("notebooks.py", "--check", "book/04_scaling_deeper.ipynb")
    for path in (lesson, deeper, cover):
        assert code == 1 and f"{path.name}: does not match the chapters as they are" in output
    assert copy("notebooks.py", "--no-execute", "book/04_scaling_deeper.ipynb")[0] == 0
    assert f"· deeper {before + 10} min. You need" in lesson.read_text()
    assert f"*Deeper {before + 10} min. You need" in deeper.read_text()
    assert f"[{before + 10}\N{NO-BREAK SPACE}min](04_scaling_deeper.ipynb)" in cover.read_text()
    assert copy("notebooks.py", "--check")[0] == 0


@pytest.mark.parametrize(
    "number, name, words",
    [
        ("", "", "N is '', expected a number from 1 to 99: make new-chapter"),
        ("0", "x", "N is '0'"),
        ("100", "x", "N is '100'"),
        ("5", "", "NAME is '', expected lower_case_words"),
        ("5", "Many queries", "NAME is 'Many queries'"),
        ("5", "class", "NAME is 'class'"),
        ("5", "../x", "NAME is '../x'"),
        ("5", "even_deeper", "NAME is 'even_deeper', which names a deeper page"),
        ("5", "scaling", "there is book/04_scaling.ipynb already"),
    ],
)
def test_bad_arguments_are_refused(number, name, words):
    with pytest.raises(SystemExit, match=f"^{words.replace('.', '[.]')}"):
        new_chapter.main(number, name)


def test_first_chapter_goes_before_all_others():
    toc = "root: a\nchapters:\n  # A comment.\n  - file: book/02_b\n  - file: book/04_d\n"
    extended = new_chapter.with_entry(toc, "01_a")
    entry = "  - file: book/01_a\n    sections:\n      - file: book/01_a_deeper\n"
    assert extended == toc.replace("  - file: book/02_b", f"{entry}  - file: book/02_b")
