"""The words of the glossary in the chapters, and the lessons on one page."""

import re

import pytest
from site_tools import ROOT

from tests.helpers.html_pages import pages

pytestmark = [pytest.mark.browser, pytest.mark.site]

CHAPTER = "book/04_scaling.html"
ENTRY = re.compile(r"((?:^\w.*\n)+)  (\S.*)\n\n  \[Lesson \d+\]\((\w+)\.ipynb(#[\w-]+)\)$", re.M)


def entries():
    """Of each entry its words, its sentence, and the page and place of its lesson."""
    text = (ROOT / "book/glossary.md").read_text(encoding="utf-8").partition(":sorted:\n")[2]
    found = [(w.splitlines(), s, page, place) for w, s, page, place in ENTRY.findall(text)]
    assert len(found) == len(re.split(r"\n\n(?=\w)", text.strip()))
    return found


def test_each_word_occurs_in_the_lesson_that_explains_it(site):
    texts = {page.path.stem: " ".join(page.text.lower().split()) for page in pages(site)}
    lost = [
        (w, page) for w, _, page, _ in entries() if not any(t.lower() in texts[page] for t in w)
    ]
    assert lost == []


def test_words_are_explained_once_a_page_and_not_after_they_are_in_bold(site):
    terms = {}
    for page in pages(site):
        if re.match(r"\d\d_", page.path.stem):
            links = [a for tag, a in page.elements if tag == "a" and "term" in a.get("class", "")]
            terms[page.path.stem] = [a["title"] for a in links]
    assert all(len({*titles}) == len(titles) for titles in terms.values())
    sentences = {word: sentence for words, sentence, *_ in entries() for word in words}
    assert sentences["Jacobian"] in terms["03_scores_and_weights"]
    assert sentences["Jacobian"] not in terms["04_scaling"]


@pytest.mark.parametrize("protocol", ["http", "file"])
def test_a_word_shows_its_sentence(open_page, protocol):
    page = open_page(CHAPTER, protocol=protocol, width=360, reduced_motion="reduce")
    word, tip = page.locator("a.term").nth(1), page.get_by_role("tooltip")
    sentence = next(s for w, s, *_ in entries() if w[0] == word.inner_text().lower())
    assert not tip.is_visible()
    word.hover()
    assert tip.inner_text() == sentence
    tip.hover()
    page.wait_for_timeout(300)
    assert tip.is_visible()
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    page.mouse.move(0, 0)
    word.focus()
    assert tip.inner_text() == sentence
    assert word.get_attribute("aria-describedby") == tip.get_attribute("id")
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 360
    word.blur()
    assert not tip.is_visible()
    word.click()
    page.wait_for_url("**/glossary.html#term-*")


def test_without_script_a_word_keeps_its_sentence(open_page):
    word = open_page(CHAPTER, java_script_enabled=False).locator("a.term").first
    assert word.get_attribute("title")


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_lessons_fit_one_sheet_of_paper(open_page, paper):
    page = open_page("book/one_page.html")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 1
    lessons = {
        path.stem for path in (ROOT / "book").glob("[0-9]*.ipynb") if "deeper" not in path.stem
    }
    items = page.locator("#the-lessons-on-one-page li").all()
    links = [item.locator("a").first.get_attribute("href") for item in items]
    assert {link.partition(".html#")[0] for link in links} == lessons
