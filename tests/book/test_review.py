"""What the browser keeps of a reader's answers: the cover, the review, and deleting it."""

import json

import pytest
from rules import Page as Notebook
from rules.exercises import named
from site_tools import ROOT, chapters

from attnlib.exercises import all_practice, all_questions
from tests.helpers.widget_pages import frame

pytestmark = [pytest.mark.browser, pytest.mark.site]

CHAPTER, COVER, REVIEW = "book/02_query_key_value.html", "book/index.html", "book/review.html"
KEPT = "JSON.parse(localStorage.getItem('attention-answers'))"
CLOSED = """
    Object.defineProperty(window, "localStorage", {
      get() { throw new DOMException("closed", "SecurityError"); },
    });
"""
LESSON = Notebook.read(ROOT / "book" / "02_query_key_value.ipynb")
OF_LESSON = [*named(LESSON, "ask"), *named(LESSON, "practice")]
OF_CHAPTER = [n for n in [*all_questions(), *all_practice()] if n.startswith("query_key_value.")]
DAY = 24 * 60 * 60 * 1000


def go(page, address):
    page.goto(page.url.rsplit("/book/", 1)[0] + "/" + address)


def waiting(page):
    """Wait until the review shows a problem."""
    page.locator("#practice-review [aria-busy=false] .attn-question").wait_for()
    frame(page)
    return page.locator("#practice-review")


def answer(page, typed):
    """Answer the problem of the review, in all its fields."""
    review = waiting(page)
    for field in review.get_by_role("textbox").all():
        field.fill(typed)
    review.get_by_role("button", name="Check").press("Enter")


def test_cover_counts_right_answers(open_page):
    page = open_page(COVER)
    assert page.locator(".progress").count() == 0
    go(page, CHAPTER)
    for option, right in (("All grow by the factor exp(5).", False), ("Nothing.", True)):
        page.get_by_role("radio", name=option).check(force=True)
        page.get_by_role("button", name="Check").first.click()
        kept = page.evaluate(KEPT)
        assert kept["opened"].keys() == {"02_query_key_value.html"}
        entry = kept["answers"]["query_key_value.shift"]
        assert (entry["right"], entry["wrong"], entry["level"]) == (int(right), 1, 0)
    go(page, COVER)
    (said,) = page.locator(".progress").all_inner_texts()
    assert said == f"1 of {len(OF_LESSON)} answered right" and len(OF_LESSON) < len(OF_CHAPTER)
    assert "Query, key, value" in page.locator("td:has(.progress)").inner_text()


@pytest.mark.parametrize("protocol", ["http", "file"])
def test_review_asks_opened_chapters_until_deleted(open_page, protocol):
    page = open_page(REVIEW, protocol=protocol)
    assert "knows of no chapter that you opened" in waiting(page).inner_text()
    page.evaluate(
        "AttentionProgress.open('02_query_key_value.html');"
        "AttentionProgress.record('query_key_value.weights', false, true, Date.now() - 9e6)"
    )
    page.get_by_role("button", name="Next").press("Enter")
    review = waiting(page)
    status = review.get_by_role("status").first.inner_text()
    assert status == "From chapter 2 Query, key, value: wrong last time."
    assert page.evaluate("document.activeElement.matches('#practice-review input')")
    answer(page, "7")
    assert "Not yet" in review.inner_text()
    row = page.locator(
        "#practice-review tr", has=page.get_by_role("link", name="from scores to weights")
    )
    assert row.locator("td").all_inner_texts()[1:3] == ["0", "2"]
    kinds = set()
    for _ in range(6):
        page.get_by_role("button", name="Next").click()
        kinds.add(waiting(page).locator(".attn-title").inner_text())
        assert "chapter 2" in review.get_by_role("status").first.inner_text()
    # The one that was wrong a moment ago rests for two minutes.
    assert kinds == {"Practice: how two weights compare", "Practice: one query, three keys"}
    page.get_by_role("button", name="Delete all of this").click()
    assert page.evaluate(KEPT)
    page.get_by_role("button", name="Press again to delete it all").click()
    assert page.evaluate(KEPT) is None
    assert page.get_by_role("button", name="Delete all of this").is_disabled()
    assert row.locator("td").all_inner_texts()[1:] == ["0", "0", "not tried yet"]


def test_pauses_double_when_right_and_restart_when_wrong(open_page):
    page = open_page(COVER)

    def record(right, days, first=True):
        page.evaluate(
            "([right, first, now]) => AttentionProgress.record('a.b', right, first, now)",
            [right, first, days * DAY],
        )
        entry = page.evaluate(KEPT)["answers"]["a.b"]
        return entry["level"], page.evaluate("x => AttentionProgress.due(x)", entry) / DAY - days

    assert record(True, 100) == (1, pytest.approx(1))
    assert record(True, 100.5) == (1, pytest.approx(0.5))  # not due: it neither rises nor waits
    days, pauses = 101.0, []
    for _ in range(5):
        level, pause = record(True, days)
        pauses.append(round(pause))
        days += pause
    assert pauses == [2, 4, 8, 16, 16] and level == 5
    assert record(False, days) == (0, pytest.approx(2 / (24 * 60)))
    assert record(True, days + 0.0001, first=False)[0] == 0
    assert record(True, days + 0.0002) == (1, pytest.approx(1))


def test_most_overdue_kind_comes_next(open_page):
    page = open_page(COVER)

    def comes(now, last=None):
        return page.evaluate(
            "([now, last]) => AttentionProgress.next(['new', 'wrong', 'one', 'two'], last, now)",
            [now * DAY, last],
        )

    for name, right, day in (("one", True, 9), ("two", True, 5), ("two", True, 7.5)):
        page.evaluate(
            "([n, r, d]) => AttentionProgress.record(n, r, true, d)", [name, right, day * DAY]
        )
    page.evaluate("d => AttentionProgress.record('wrong', false, true, d)", 9.4 * DAY)
    assert comes(9.4001) == "new" and comes(9.4001, last="new") == "two"
    assert comes(9.41) == "wrong" and comes(9.41, last="wrong") == "new"
    assert page.evaluate("AttentionProgress.next(['one'], 'one')") == "one"


def test_review_works_without_storage(watch, server):
    watch.allowed.append(server)
    page = watch.page(width=360)
    page.add_init_script(CLOSED)
    page.goto(server + REVIEW)
    answer(page, "abc")
    assert "Type a number" in page.locator("#practice-review").inner_text()
    answer(page, "7")
    assert "Not yet" in page.locator("#practice-review").inner_text()
    wrong = page.locator("#practice-review td:nth-child(3)").all_inner_texts()
    assert wrong.count("1") == 1 and wrong.count("0") == len(all_practice()) - 1


@pytest.mark.parametrize(
    "kept",
    ["{oops", "[]", "7", '{"answers": {"a.b": {"right": "x"}}, "opened": {"x.html": "today"}}',
     '{"answers": {"a.b": {"right": 1, "wrong": 0, "level": 99, "last": 1}}}', '{"answers": []}'],
)  # fmt: skip
def test_malformed_storage_is_ignored(open_page, kept):
    page = open_page(COVER)
    page.evaluate("(kept) => localStorage.setItem('attention-answers', kept)", kept)
    page.reload()
    assert page.evaluate("AttentionProgress.load()") == {"opened": {}, "answers": {}}
    page.evaluate("AttentionProgress.record('c.d', true, true)")
    assert page.evaluate(KEPT)["answers"].keys() == {"c.d"}


def test_site_holds_all_practice_and_answers(site):
    folder = site / "_static" / "practice"
    assert {path.stem for path in folder.glob("*.js")} == {"asked", *all_practice()}
    text = (folder / "asked.js").read_text(encoding="utf-8")
    listed = json.loads(text.removeprefix("window.AttentionAsked = ").removesuffix(";"))
    assert [f"book/{chapter['page']}" for chapter in listed] == chapters()
    asked = [name for chapter in listed for name in chapter["questions"]]
    assert sorted(asked) == sorted(all_questions())
    answers = (site / "book" / "answers.html").read_text(encoding="utf-8")
    for name in [*all_questions(), *all_practice()]:
        anchor = "answer-" + name.replace(".", "-").replace("_", "-")
        assert answers.count(f'id="{anchor}"') == 1
        (chapter,) = (c for c in listed if name in c["questions"] or name in c["practice"])
        page = (site / "book" / chapter["page"]).read_text(encoding="utf-8")
        assert page.count(f'href="answers.html#{anchor}"') == 1
