"""Texts that repeat one another agree, as do pinned versions and vendored files."""

import doctest
import json
import re
from importlib import metadata

import contents
import nbformat
import pytest
import readme_picture
import vendor
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pages import DEEPER, Page
from site_tools import ROOT, files

from attnlib.exercises import all_exercises

CHAPTERS = {path.stem: path for path in sorted((ROOT / "book").glob("[0-9][0-9]_*.ipynb"))}

# The sources' worked numbers, recomputed to forty digits without this package.
WORKED = {
    "02_query_key_value": [".14930", ".01109", ".81728", ".02233", ".487856", ".024289",
                           "5.571899", ".045279", ".909443", "4.879", "0.453"],
}  # fmt: skip


@pytest.mark.parametrize("name", WORKED)
def test_worked_numbers_are_printed(name):
    text = Page(CHAPTERS[name], nbformat.read(CHAPTERS[name], as_version=4)).printed
    assert [number for number in WORKED[name] if number not in text] == []


def test_every_folder_of_exercises_has_its_page():
    pages = {re.sub(r"^\d\d_", "", path.stem) for path in (ROOT / "book").glob("*.ipynb")}
    assert {name.split(".")[0] for name in all_exercises()} <= pages


def test_contents_list_every_chapter_once():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    entries = [entry for part in toc["parts"] for entry in part["chapters"]]
    under = {entry["file"]: [*files(entry.get("sections", ()))] for entry in entries}
    listed = [*files(entries)]
    assert sorted(set(listed)) == sorted(listed)
    assert [name for name in CHAPTERS if f"book/{name}" not in listed] == []
    for name in CHAPTERS:
        if name.endswith(DEEPER):
            assert under[f"book/{name.removesuffix(DEEPER)}"] == [f"book/{name}"]


def test_heads_cover_readme_and_teach_match_what_is_counted():
    assert contents.stale() == [], "run: make notebooks"


def test_vendored_files_agree_with_their_record():
    assert vendor.problems() == []


def test_numpy_of_the_page_is_the_one_that_pyodide_names():
    lock = json.loads((vendor.PYODIDE / "pyodide-lock.json").read_text())["packages"]["numpy"]
    assert vendor.digest(vendor.PYODIDE / lock["file_name"]) == lock["sha256"]


def test_texts_name_the_size_of_the_page_s_python():
    script = (ROOT / "book/_assets/python.js").read_text(encoding="utf-8")
    (megabytes,) = re.findall(r"const megabytes = (\d+);", script)
    for name in ("README.md", "book/run.md", "book/index.ipynb"):
        assert f"{megabytes} MB" in (ROOT / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("name", readme_picture.PICTURES)
def test_readme_pictures_are_current(name):
    text, target = readme_picture.picture(name)
    assert target.read_text(encoding="utf-8") == text, "run: python tools/readme_picture.py"


def pins(name):
    """The exact versions that a file of requirements names."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {canonicalize_name(p): v for p, v in re.findall(r"^([\w.-]+)==(\S+)", text, re.M)}


def test_requirements_are_pinned_within_constraints():
    wanted = pins("book/requirements.txt") | pins("requirements.txt")
    assert len(wanted) > 10 and wanted.items() <= pins("constraints.txt").items()
    assert "\n-r book/requirements.txt\n" in (ROOT / "requirements.txt").read_text()


def needed(packages):
    """These packages with everything that they need on this machine."""
    needs, left = set(), set(packages)
    while left:
        needs.add(package := left.pop())
        for need in map(Requirement, metadata.requires(package) or []):
            if not need.marker or need.marker.evaluate({"extra": ""}):
                left |= {canonicalize_name(need.name)} - needs
    return needs


def test_reading_needs_no_pytorch():
    """Every test of the site proves that it is built without PyTorch (`site_tools.BUILD`)."""
    reading = needed({*pins("book/requirements.txt"), "attnlib"})
    assert not reading & {"torch", "jupyterlab"} and "sphinx" in reading
    assert "torch" in needed(pins("requirements.txt"))


def test_documents_name_the_pinned_pytorch():
    for name in ("README.md", "book/run.md", ".github/workflows/book.yml"):
        named = re.findall(r"torch==(\S+)", (ROOT / name).read_text(encoding="utf-8"))
        assert {*named} == {pins("requirements.txt")["torch"]}, name


def test_run_it_names_the_pages_that_need_pytorch():
    run = (ROOT / "book/run.md").read_text(encoding="utf-8")
    named = re.search(
        r"lessons ([\d, and]+), which train, all deeper pages except those of chapters "
        r"([\d, and]+), and in the end (.+?)\. ",
        run,
    )
    needing, without, others = [], [], []
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        cells = nbformat.read(path, 4).cells  # library code in a lesson's text is read, not run
        code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        needs = re.search(r"import torch|attnlib\.experiments", code)
        if not path.name[:2].isdigit():
            others += [path.name] if needs else []
        elif path.stem.endswith("_deeper") != bool(needs):
            (needing if needs else without).append(int(path.name[:2]))
    lessons, deeper, rest = named.groups()
    assert [int(n) for n in re.findall(r"\d+", lessons)] == needing
    assert [int(n) for n in re.findall(r"\d+", deeper)] == without
    assert re.findall(r"\((.+?)\)", rest) == others


def test_the_readme_prints_what_it_shows():
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert results.attempted >= 3 and results.failed == 0
