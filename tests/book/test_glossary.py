"""The words of the glossary in the chapters, and the lessons on one page."""

import re

import pytest
from bs4 import BeautifulSoup
from site_tools import ROOT

CHAPTER = "book/04_scaling.html"


def soup(site, page):
    return BeautifulSoup((site / "book" / page).read_text(encoding="utf-8"), "html.parser")


def entries(site):
    """Of each entry its words, its sentence, and the address of its lesson."""
    for item in soup(site, "glossary.html").select("dl.glossary dd"):
        words, term = [], item.find_previous_sibling()
        while term and term.name == "dt":
            words.append(term.find(string=True).strip())
            term = term.find_previous_sibling()
        sentence, lesson = item.find_all("p")
        yield words, " ".join(sentence.text.split()), lesson.a["href"]


def occurs(word, text):
    return re.search(rf"\b{re.escape(word)}s?\b", text, re.IGNORECASE)


@pytest.mark.site
def test_each_word_occurs_where_the_glossary_sends_readers(site):
    count, lost = 0, []
    for words, _, address in entries(site):
        page, _, place = address.partition("#")
        lesson = soup(site, page).article
        for headline in lesson.select("h1, h2, h3"):
            headline.decompose()
        here, anywhere = (" ".join(part.text.split()) for part in (lesson.find(id=place), lesson))
        count += 1
        lost += [words] if not any(occurs(word, here) for word in words) else []
        lost += [word for word in words if not occurs(word, anywhere)]
    assert lost == []
    assert count > 80


@pytest.mark.site
def test_words_are_explained_once_and_in_their_sense(site):
    links = {
        path.stem: {
            (a.text, a["title"]): a.parent.text for a in soup(site, path.name).select(".term")
        }
        for path in sorted((site / "book").glob("[0-9]*.html"))
    }
    for page, found in links.items():
        sentences = [sentence for _, sentence in found]
        assert len({*sentences}) == len(sentences), page
    sentence = {word: sentence for words, sentence, _ in entries(site) for word in words}
    explained = {page: {sentence for _, sentence in found} for page, found in links.items()}
    assert sentence["Jacobian"] in explained["03_scores_and_weights"]
    assert sentence["Jacobian"] not in explained["04_scaling"]  # it is in bold there
    assert "queries" in {word for found in links.values() for word, _ in found}
    for page, phrase in (
        ("01_adaptive_weights", "arrow keys"),
        ("01_adaptive_weights_deeper", "a projection is symmetric"),
        ("11_block_deeper", "these frequencies"),
        ("06_multi_head_deeper", "without loss"),
    ):
        assert phrase in soup(site, f"{page}.html").text
        around = {word: text for (word, _), text in links[page].items()}
        assert not any(word in phrase and phrase in around[word] for word in around)


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("protocol", ["http", "file"])
def test_a_word_shows_its_sentence(open_page, site, protocol):
    page = open_page(CHAPTER, protocol=protocol, width=360, reduced_motion="reduce")
    word, tip = page.locator("a.term").nth(1), page.get_by_role("tooltip")
    sentence = soup(site, "04_scaling.html").select("a.term")[1]["title"]
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


@pytest.mark.site
@pytest.mark.browser
def test_a_finger_shows_the_sentence_before_it_follows_the_link(open_page):
    page = open_page(CHAPTER, width=360, reduced_motion="reduce", has_touch=True)
    word, tip = page.locator("a.term").first, page.get_by_role("tooltip")
    word.tap()
    assert tip.is_visible()
    page.locator("h1").tap()
    assert not tip.is_visible()
    word.tap()
    word.tap()
    page.wait_for_url("**/glossary.html#term-*")


@pytest.mark.site
@pytest.mark.browser
def test_without_script_a_word_keeps_its_sentence(open_page):
    word = open_page(CHAPTER, java_script_enabled=False).locator("a.term").first
    assert word.get_attribute("title")


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_lessons_fit_one_sheet_of_paper(open_page, paper):
    page = open_page("book/one_page.html")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 1
    lessons = {p.stem for p in ROOT.glob("book/[0-9]*.ipynb") if not p.stem.endswith("_deeper")}
    items = page.locator("#the-lessons-on-one-page li").all()
    links = [item.locator("a").first.get_attribute("href") for item in items]
    assert {link.partition(".html#")[0] for link in links} == lessons
