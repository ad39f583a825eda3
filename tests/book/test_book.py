"""The book keeps its promises: every chapter has its parts, and what is said twice agrees."""

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest
import yaml

from attnlib.exercises import all_exercises

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "book").glob("[0-9][0-9]_*.ipynb"))
by_name = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def notebook(path):
    return nbformat.read(path, as_version=4)


def prose(path):
    return "\n\n".join(c.source for c in notebook(path).cells if c.cell_type == "markdown")


def code(path):
    return [c for c in notebook(path).cells if c.cell_type == "code"]


def printed(path):
    """Everything a chapter's cells print or show, as one text."""
    texts = []
    for output in (o for cell in code(path) for o in cell.outputs):
        texts.append(output.get("text", ""))
        texts.extend(str(value) for value in output.get("data", {}).values())
    return "\n".join(texts)


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_chapters():
    assert CHAPTERS


@by_name
def test_a_chapter_opens_with_a_question_objectives_minutes_and_prerequisites(path):
    text = prose(path)
    assert re.search(rf"^# {int(path.stem[:2])} \w", text, re.MULTILINE)
    assert re.search(r"^\*\*[^*]+\?\*\*$", text, re.MULTILINE), "no opening question"
    objectives = text.split("After this chapter you can")[1].split("\n\n")[1]
    assert 3 <= objectives.count("\n- ") + 1 <= 5
    assert re.search(r"About \d+ minutes\. You need", text)


@by_name
def test_a_chapter_predicts_asks_exercises_and_sums_up(path):
    text, cells = prose(path), code(path)
    assert text.count("> **Predict.**") >= 1
    questions = [c for c in cells if re.search(r"widgets\.(Quiz|NumberQuestion)\(", c.source)]
    assert len(questions) >= 3
    for heading in ("## Questions", "## Exercises", "## Summary"):
        assert heading in text
    assert "**Further reading.**" in text and "{cite" in text


@by_name
def test_every_exercise_has_a_stub_three_hints_and_a_solution_that_passes(path):
    checks = {}
    for cell in code(path):
        for name in re.findall(r'check\("([\w.]+)"', cell.source):
            kind = "solution" if "solution" in cell.metadata.get("tags", []) else "stub"
            reply = "".join(o.get("data", {}).get("text/plain", "") for o in cell.outputs)
            checks.setdefault(name, {})[kind] = reply
    assert len(checks) >= 3
    for name, replies in checks.items():
        assert replies["stub"].startswith("Not attempted yet"), name
        assert replies["solution"].startswith("Passed"), name
    assert prose(path).count("<details><summary>Hint ") == 3 * len(checks)


def test_every_exercise_of_the_package_stands_in_a_chapter():
    in_chapters = set()
    for path in CHAPTERS:
        for cell in code(path):
            in_chapters |= set(re.findall(r'check\("([\w.]+)"', cell.source))
    assert in_chapters == set(all_exercises())


# The sources' worked numbers, recomputed to forty digits without this package.
WORKED = {
    "02_query_key_value": [".14930", ".01109", ".81728", ".02233", ".487856", ".024289",
                           "5.571899", ".045279", ".909443", "4.879", "0.453"],
}  # fmt: skip


@pytest.mark.parametrize("name", WORKED)
def test_worked_numbers_are_printed(name):
    text = printed(ROOT / "book" / f"{name}.ipynb")
    assert [number for number in WORKED[name] if number not in text] == []


@by_name
def test_decimals_in_prose_are_printed_by_the_chapter(path):
    """Every number of three or more decimals in the running text stands in some output."""
    shown = printed(path) + "\n".join(cell.source for cell in code(path))
    quoted = re.findall(r"(?<![\w.])\d+\.\d{3,}", prose(path))
    assert [number for number in quoted if number not in shown] == []


def test_the_cover_names_the_minutes_that_the_chapters_name():
    cover = prose(ROOT / "book" / "index.ipynb")
    for path in CHAPTERS:
        minutes = re.search(r"About (\d+) minutes", prose(path)).group(1)
        assert re.search(rf"\({path.name}\)\s*\| {minutes} min", cover), path.name


def test_the_table_of_contents_names_every_chapter():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    listed = {entry["file"] for part in toc["parts"] for entry in part["chapters"]}
    assert {f"book/{path.stem}" for path in CHAPTERS} <= listed


def test_vendored_files_agree_with_their_record():
    assert tool("vendor").problems() == []


def test_the_readme_shows_the_widget_as_it_is():
    readme = tool("readme_picture")
    standing = readme.TARGET.read_text(encoding="utf-8")
    assert standing == readme.picture(), "run: python tools/readme_picture.py"


def test_requirements_are_exact_and_inside_the_constraints():
    pins = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    tested = dict(
        re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    )
    tested = {name.lower().replace("_", "-"): version for name, version in tested.items()}
    assert len(pins) > 10
    for name, version in pins:
        assert tested[name.lower()] == version, name
