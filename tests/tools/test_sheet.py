"""Sheets for a class: the same problems with other numbers, a key that agrees, formulas set."""

import re
from html import unescape

import pytest
import sheet

from attnlib.exercises import all_practice

KINDS = [kind for name, kind in all_practice().items() if name.startswith("query_key_value.")]


def test_students_get_same_problems_with_other_numbers():
    pages, key = sheet.sheets(KINDS, "Practice", students=12, seed=7)
    sections = re.findall(r"<section>.*?</section>", pages)
    assert len(sections) == 12 and pages.count('class="problem"') == 12 * len(KINDS)
    texts = [re.sub(r"Sheet \d+", "", section) for section in sections]
    assert len(set(texts)) == 12
    assert len({re.sub(r"[-\d.]+", "#", text) for text in texts}) == 1
    for kind in KINDS:
        assert pages.count(f"{kind.title.capitalize()}</h2>") == 12
        for problem in kind.problems(12, 7):
            assert sheet.typeset(problem["question"]) in pages
            assert key.count(f"<td>{sheet.shown(problem['answer'])}</td>") >= 1
            for mistake in problem["mistakes"]:
                assert f"{sheet.shown(mistake['value'])}: " in key
                assert sheet.typeset(mistake["reply"]) not in pages
    assert sheet.sheets(KINDS, "Practice", students=12, seed=7) == (pages, key)
    assert sheet.sheets(KINDS, "Practice", students=12, seed=8)[0] != pages


@pytest.mark.browser
def test_formulas_are_set_and_sheets_fit_pages(watch, tmp_path, monkeypatch):
    monkeypatch.setattr(sheet, "TARGET", tmp_path / "sheets")
    monkeypatch.setattr(sheet, "ROOT", tmp_path)
    assert sheet.main("2,04_scaling", "3", "3") == 0
    watch.allowed.append(tmp_path.as_uri())
    page = watch.page()
    for name in ("sheets", "key"):
        page.goto((tmp_path / "sheets" / f"{name}.html").as_uri())
        page.evaluate("MathJax.startup.promise.then(() => document.fonts.ready)")
        asked = (tmp_path / "sheets" / f"{name}.html").read_text().count(r"\(")
        assert page.locator("mjx-container").count() == asked > 20
        assert page.locator("mjx-merror").count() == 0
        assert "`" not in page.locator("body").inner_text()
    page.goto((tmp_path / "sheets" / "sheets.html").as_uri())
    page.evaluate("MathJax.startup.promise.then(() => document.fonts.ready)")
    for paper in ("A4", "Letter"):
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 3, paper


def test_overfull_sheet_is_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sheet, "TARGET", tmp_path / "sheets")
    monkeypatch.setattr(sheet, "ROOT", tmp_path)
    sheet.main("01,02,04", "1", "1")
    assert "9 problems take more than one page" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["", "3", "1"], "say which chapters: make sheet CHAPTERS="),
        (["99", "3", "1"], "there is no chapter '99'"),
        (["02", "", "1"], "STUDENTS is '', expected a number from 1 to 200"),
        (["02", "201", "1"], "STUDENTS is '201'"),
        (["02", "3", "-1"], "SEED is '-1'"),
    ],
)
def test_bad_arguments_leave_the_old_sheets(arguments, words, tmp_path, monkeypatch):
    monkeypatch.setattr(sheet, "TARGET", tmp_path)
    (tmp_path / "key.html").write_text("old")
    with pytest.raises(SystemExit, match=re.escape(words)):
        sheet.main(*arguments)
    assert (tmp_path / "key.html").read_text() == "old"


def test_plain_formulas_become_tex():
    every = [text for kind in all_practice().values() for p in kind.problems(20, 1)
             for text in [p["question"], *p["working"]]]  # fmt: skip
    for text in every:
        for formula in re.findall(r"\\\((.*?)\\\)", unescape(sheet.typeset(text))):
            assert not re.search(r"[−·√²₀-₉]", formula), text
