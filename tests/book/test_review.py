"""What the browser keeps of answers and exercises: cover, review, files of it, deleting it."""

import json

import pytest
from pages import Page as Notebook
from pages import asked, named
from site_tools import ROOT, chapters

from attnlib.exercises import all_exercises, all_practice, all_questions
from tests.helpers.axe_rules import violations
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
EXERCISES = list(asked(LESSON))
NOTHING = {"opened": {}, "answers": {}, "code": {}, "replaced": {}, "solved": {}}
DAY = 24 * 60 * 60 * 1000
#: Deeper pages without a question or an exercise.
SILENT = {"book/22_real_model_deeper.html", "book/23_limits_deeper.html"}


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


def row(page, text):
    """The words of a row of the review's tables."""
    cells = page.locator("#practice-review tr", has_text=text).first.locator("th, td")
    return cells.all_inner_texts()


def saved(page):
    """The file that the review's button saves, as text."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save to a file").click()
    assert download.value.suggested_filename == "attention-progress.json"
    return download.value.path().read_text(encoding="utf-8")


def read(page, text):
    """Let the review read a file; what it says."""
    status = page.locator("#practice-review section").get_by_role("status")
    status.evaluate("(e) => (e.textContent = '')")
    buffer = text if isinstance(text, bytes) else text.encode()
    file = {"name": "progress.json", "mimeType": "application/json", "buffer": buffer}
    page.get_by_label("Read a file").set_input_files(file)
    status.filter(has_text=".").wait_for()
    return status.inner_text()


def file_of(**parts):
    return json.dumps({"program": "attention-progress", "version": 1, **parts})


def test_cover_counts_right_answers_and_solved_exercises(open_page):
    page = open_page(COVER)
    assert page.locator(".progress").count() == 0
    go(page, CHAPTER)
    for option, right in (("All grow by the factor exp(5).", False), ("Nothing.", True)):
        page.get_by_role("radio", name=option).press("Space")
        page.get_by_role("button", name="Check").first.click()
        kept = page.evaluate(KEPT)
        assert kept["opened"].keys() == {"02_query_key_value.html"}
        entry = kept["answers"]["query_key_value.shift"]
        assert (entry["right"], entry["wrong"], entry["level"]) == (int(right), 1, 0)
    go(page, COVER)
    (said,) = page.locator(".progress").all_inner_texts()
    of = len(OF_LESSON) + len(EXERCISES)
    assert said == f"1 of {of} done"
    assert "Query, key, value" in page.locator("td:has(.progress)").inner_text()
    for name in EXERCISES[:2]:
        page.evaluate("(name) => AttentionProgress.solve(name)", name)
    page.evaluate("AttentionProgress.solve('query_key_value.of_another_edition')")
    assert page.evaluate("(name) => AttentionProgress.isSolved(name)", EXERCISES[0])
    assert not page.evaluate("(name) => AttentionProgress.isSolved(name)", EXERCISES[2])
    page.reload()
    assert page.locator(".progress").inner_text() == f"3 of {of} done"
    go(page, REVIEW)
    assert row(page, "2 Query, key, value") == [
        "2 Query, key, value", f"1 of {len(OF_LESSON)}", f"2 of {len(EXERCISES)}"
    ]  # fmt: skip
    assert row(page, "2 Query, key, value, deeper")[2] == "none"
    links = page.locator("#practice-review tr", has_text="3 Scores and weights").first
    for link, id in zip(links.get_by_role("link").all(), ("questions", "exercises"), strict=True):
        go(page, "book/" + link.get_attribute("href"))
        assert page.locator("section:target").get_attribute("id") == id
        page.go_back()


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
    page.evaluate("AttentionProgress.write('query_key_value.answer', 'mine')")
    page.get_by_role("button", name="Delete all of this").click()
    assert page.evaluate(KEPT)["code"].keys() == {"query_key_value.answer"}
    again = "Press again to delete it all, also what you wrote in exercises"
    page.get_by_role("button", name=again).click()
    assert page.evaluate(KEPT) is None
    assert page.evaluate("AttentionProgress.written('query_key_value.answer')") is None
    for name in ("Delete all of this", "Save to a file"):
        assert page.get_by_role("button", name=name).is_disabled()
    assert row.locator("td").all_inner_texts()[1:] == ["0", "0", "not tried yet"]


def test_a_kind_is_called_wrong_only_where_its_last_answer_was(open_page):
    page = open_page(REVIEW)
    review = waiting(page)
    kind = review.locator(".attn-title").inner_text().removeprefix("Practice: ")

    def next_of_kind():
        return row(page, kind)[-1]

    assert next_of_kind() == "not tried yet"
    answer(page, "7e7")
    assert next_of_kind() == "wrong last time"
    right = """() => {
        const place = document.querySelector("#practice-review .attn-live");
        const [model] = [...AttentionBook.models.values()].slice(-1);
        const { unsealed } = AttentionBook.load("shared/parts.js");
        const problems = unsealed(model.get("problems"));
        return problems[model.get("at") % problems.length].answer.map(String);
    }"""
    for field, number in zip(review.get_by_role("textbox").all(), page.evaluate(right)):
        field.fill(number)
    review.get_by_role("button", name="Check").press("Enter")
    assert "Right." in review.inner_text()
    assert next_of_kind() == "right after a mistake"
    kept = page.evaluate(KEPT)["answers"]
    (entry,) = kept.values()
    assert entry["was"] == {"right": True} and entry["level"] == 0
    # What was kept before the last answer was.
    name, old = next(iter(kept)), {part: n for part, n in entry.items() if part != "was"}
    text = json.dumps({"answers": {name: old}})
    page.evaluate("(kept) => localStorage.setItem('attention-answers', kept)", text)
    page.reload()
    assert next_of_kind() == "wrong last time"


@pytest.mark.parametrize("protocol", ["http", "file"])
def test_a_question_shows_what_was_answered(open_page, protocol):
    page = open_page(CHAPTER, protocol=protocol)
    choice = page.locator(".attn-live[data-script=quiz]").first
    number = page.locator(".attn-live[data-script=number_question]").first
    assert choice.get_by_role("status").inner_text() == ""
    for option, words in (
        ("All grow by the factor exp(5).", "Answered before, and not right yet."),
        ("Nothing.", "Answered before, and right."),
    ):
        choice.get_by_role("radio", name=option).press("Space")
        choice.get_by_role("button", name="Check").click()
        page.reload()
        assert choice.get_by_role("status").inner_text() == words
        assert choice.get_by_role("radio", name=option).is_checked()
        assert not choice.locator(".attn-why").first.is_visible()
    field = number.get_by_role("textbox")
    for typed in ("7*1e6", "0"):
        field.fill(typed)
        field.press("Enter")
        page.reload()
        assert field.input_value() == typed
        assert "Answered before, and" in number.get_by_role("status").inner_text()
    kept = page.evaluate(KEPT)["answers"]
    assert kept["query_key_value.shift"]["was"] == {"right": True, "given": ["Nothing."]}
    page.evaluate("AttentionProgress.forget()")
    page.reload()
    assert field.input_value() == "" == number.get_by_role("status").inner_text()
    assert violations(page) == []


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
    page.evaluate("AttentionProgress.write('a.b', 'mine')")
    said = read(page, file_of(code={"c.d": {"text": "theirs", "time": 1}}))
    assert said.endswith("Storage is closed or full: this lasts as long as the page is open.")
    texts = {name: entry["text"] for name, entry in json.loads(saved(page))["code"].items()}
    assert texts == {"a.b": "mine", "c.d": "theirs"}


def test_full_storage_keeps_what_was_written_as_long_as_the_page(open_page):
    page = open_page(REVIEW)
    page.evaluate("AttentionProgress.write('a.b', 'short')")
    page.evaluate("AttentionProgress.write('a.b', 'long'.repeat(3e6))")
    assert page.evaluate("AttentionProgress.written('a.b').length") == 12_000_000
    assert page.evaluate(KEPT)["code"]["a.b"]["text"] == "short"
    page.evaluate("AttentionProgress.write('a.b', 'shorter')")
    assert page.evaluate(KEPT)["code"]["a.b"]["text"] == "shorter"


def test_two_tabs_lose_nothing_of_each_other(open_page):
    page = open_page(REVIEW)
    other = page.context.new_page()
    other.goto(page.url)
    page.evaluate("document.addEventListener('attention-progress', () => (window.heard = true))")
    other.evaluate("AttentionProgress.write('a.b', 'theirs', 5); AttentionProgress.solve('a.b')")
    page.wait_for_function("window.heard")  # the other tab's change reaches this one
    page.evaluate("AttentionProgress.write('c.d', 'mine', 6)")
    other.evaluate("AttentionProgress.write('a.b', 'theirs', 7)")  # the same: its time stays
    assert page.evaluate(KEPT)["code"] == {
        "a.b": {"text": "theirs", "time": 5}, "c.d": {"text": "mine", "time": 6}
    }  # fmt: skip
    other.evaluate("AttentionProgress.erase('c.d'); AttentionProgress.erase('never.written')")
    assert page.evaluate("['a.b', 'c.d'].map(AttentionProgress.written)") == ["theirs", None]
    assert page.evaluate(KEPT)["solved"].keys() == {"a.b"}


@pytest.mark.parametrize("protocol", ["http", "file"])
def test_saved_file_brings_all_back(open_page, protocol):
    page = open_page(REVIEW, protocol=protocol)
    text = 'def f(x):\n    return "é 词 </script><img src=x onerror=alert(1)>"\n'
    page.evaluate(
        """(text) => {
          AttentionProgress.open("04_scaling.html");
          AttentionProgress.record("scaling.shift", false, true);
          AttentionProgress.record("query_key_value.weights", true, true);
          AttentionProgress.write("scaling.score_std", text);
          AttentionProgress.solve("scaling.score_std");
        }""",
        text,
    )
    # A newer text takes the place of the one that is here, which is kept and shown as it is.
    newer = {"scaling.score_std": {"text": "newer", "time": 9e12}}
    said = read(page, file_of(code=newer))
    came = "Read from the file: 1 text of an exercise. 1 older text from here is kept below."
    assert said == came
    page.get_by_text("scaling.score_std, an older text, of").click()
    assert page.locator("#practice-review details pre").text_content() == text
    assert violations(page) == []
    before, file = page.evaluate(KEPT), saved(page)
    assert {part: len(entries) for part, entries in before.items()} == {
        "opened": 1, "answers": 2, "code": 1, "replaced": 1, "solved": 1
    }  # fmt: skip
    assert file.count("\n") > 20 and json.loads(file)["version"] == 1  # a person can read it
    page.get_by_role("button", name="Delete all of this").click()
    page.get_by_role("button", name="Press again").click()
    assert page.evaluate(KEPT) is None and page.locator("#practice-review details").count() == 0
    assert read(page, file) == (
        "Read from the file: 1 opened page, 2 answers, 1 text of an exercise and 1 solved exercise."
    )
    assert page.evaluate(KEPT) == before
    assert row(page, "4 Scaling")[2].startswith("1 of ")
    assert read(page, file) == "The file holds nothing new."
    assert page.evaluate(KEPT) == before


def test_reading_a_file_loses_nothing_on_either_side(open_page):
    page = open_page(REVIEW)
    answer = {"right": 0, "wrong": 0, "level": 0, "last": 0}
    here = {
        "opened": {"a.html": 1},
        "answers": {
            "a.older": answer | {"right": 3, "level": 1, "last": 10},
            "a.newer": answer | {"right": 1, "level": 2, "last": 30},
        },
        "code": {
            "a.same": {"text": "same", "time": 1},
            "a.newer": {"text": "mine", "time": 30},
            "a.older": {"text": "mine", "time": 10},
        },
        "replaced": {"a.older @3": {"text": "long ago", "time": 3}},
        "solved": {"a.both": 5},
    }
    there = {
        "opened": {"a.html": 9, "b.html": 2},
        "answers": {
            "a.older": answer | {"right": 1, "wrong": 4, "last": 20},
            "a.newer": answer | {"last": 20},
            "a.only": answer | {"wrong": 1, "last": 5},
            "__proto__": answer,
            "a.damaged": answer | {"level": 99},
        },
        "code": {
            "a.same": {"text": "same", "time": 40},
            "a.newer": {"text": "theirs", "time": 20},
            "a.older": {"text": "theirs", "time": 20},
            "a.only": {"text": "theirs", "time": 1},
            "a.damaged": {"text": 7, "time": 1},
        },
        "replaced": {"a.older @4": {"text": "theirs, long ago", "time": 4}},
        "solved": {"a.both": 3, "a.only": 4, "a.damaged": "today"},
        "unknown": {"a.b": 1},
    }
    page.evaluate("(kept) => localStorage.setItem('attention-answers', kept)", json.dumps(here))
    assert read(page, file_of(**there)) == (
        "Read from the file: 1 opened page, 3 answers, 2 texts of exercises and 1 solved exercise. "
        "1 text stayed, because it is newer here; the file's is kept below. "
        "1 older text from here is kept below. "
        "3 damaged entries were left out."
    )
    assert json.loads(page.evaluate("localStorage.getItem('attention-answers')")) == {
        "opened": {"a.html": 1, "b.html": 2},
        "answers": {
            "a.older": {"right": 3, "wrong": 4, "level": 0, "last": 20},
            "a.newer": {"right": 1, "wrong": 0, "level": 2, "last": 30},
            "a.only": answer | {"wrong": 1, "last": 5},
            "__proto__": answer,
        },
        "code": {
            "a.same": {"text": "same", "time": 1},
            "a.newer": {"text": "mine", "time": 30},
            "a.older": {"text": "theirs", "time": 20},
            "a.only": {"text": "theirs", "time": 1},
        },
        "replaced": {
            "a.older @3": {"text": "long ago", "time": 3},
            "a.older @4": {"text": "theirs, long ago", "time": 4},
            "a.older @10": {"text": "mine", "time": 10},
            "a.newer @20": {"text": "theirs", "time": 20},
        },
        "solved": {"a.both": 5, "a.only": 4},
    }


def test_bad_files_change_nothing(open_page):
    page = open_page(REVIEW)
    page.evaluate("AttentionProgress.write('a.b', 'mine')")
    before = page.evaluate(KEPT)
    foreign = "This is no file of this book: another program wrote it. Nothing has changed."
    bad = {
        "": "This is no file of this book: it is not JSON. Nothing has changed.",
        b"\x89PNG\x00\xff": "This is no file of this book: it is not JSON. Nothing has changed.",
        file_of()[:-1]: "This is no file of this book: it is not JSON. Nothing has changed.",
        "null": foreign,
        "[1, 2]": foreign,
        '{"version": 1, "code": {"a.b": {"text": "theirs", "time": 9e15}}}': foreign,
        file_of(code={"a.b": {"text": "theirs", "time": 9e15}}, version=2): (
            "This file has a version that this page does not know. Nothing has changed."
        ),
        file_of(code={"a.c": {"text": "x" * 5_000_000, "time": 1}}): (
            "This is no file of this book: it is too large. Nothing has changed."
        ),
        file_of(answers=7, code="text", solved=[], opened=None): (
            "The file holds nothing new. 4 damaged entries were left out."
        ),
    }
    for file, sentence in bad.items():
        assert read(page, file) == sentence
        assert page.evaluate(KEPT) == before


@pytest.mark.parametrize(
    "kept",
    ["{oops", "[]", "7", '{"answers": {"a.b": {"right": "x"}}, "opened": {"x.html": "today"}}',
     '{"answers": {"a.b": {"right": 1, "wrong": 0, "level": 99, "last": 1}}}', '{"answers": []}',
     '{"answers": {"a.b": {"right": 1, "wrong": 0, "level": 1, "last": 1, "was": 1}}}',
     '{"answers": {"a.b": {"right": 1, "wrong": 0, "level": 1, "last": 1, "was": '
     '{"right": true, "given": [1]}}}}',
     '{"code": {"a.b": "text", "a.c": {"text": 1, "time": 1}, "a.d": {"text": "x"}}, "solved": 1}'],
)  # fmt: skip
def test_malformed_storage_is_ignored(open_page, kept):
    page = open_page(COVER)
    page.evaluate("(kept) => localStorage.setItem('attention-answers', kept)", kept)
    page.reload()
    assert page.evaluate("AttentionProgress.load()") == NOTHING
    page.evaluate("AttentionProgress.record('c.d', true, true)")
    assert page.evaluate(KEPT)["answers"].keys() == {"c.d"}
    # What is whole beside a damaged entry stays.
    entry = {"text": "mine", "time": 1}
    half = {"code": {"a.b": None, "c.d": entry}, "solved": {"a.b": "today", "c.d": 1}}
    page.evaluate("(kept) => localStorage.setItem('attention-answers', kept)", json.dumps(half))
    loaded = page.evaluate("AttentionProgress.load()")
    assert loaded == NOTHING | {"code": {"c.d": entry}, "solved": {"c.d": 1}}


def test_site_holds_all_practice_and_answers(site):
    folder = site / "_static" / "practice"
    assert {path.stem for path in folder.glob("*.js")} == {"asked", *all_practice()}
    text = (folder / "asked.js").read_text(encoding="utf-8")
    listed = json.loads(text.removeprefix("window.AttentionAsked = ").removesuffix(";"))
    others = ["book/build_numpy.html", "book/build_pytorch.html", "book/in_a_library.html"]
    pages = [*chapters(), *others, "book/slips.html"]
    asking = [page for page in pages if page not in SILENT]
    assert [f"book/{chapter['page']}" for chapter in listed] == asking
    questions = [name for chapter in listed for name in chapter["questions"]]
    assert sorted(questions) == sorted(all_questions())
    assert sorted(n for c in listed for n in c["exercises"]) == sorted(all_exercises())
    answers = (site / "book" / "answers.html").read_text(encoding="utf-8")
    for name in [*all_questions(), *all_practice()]:
        anchor = "answer-" + name.replace(".", "-").replace("_", "-")
        assert answers.count(f'id="{anchor}"') == 1
        (chapter,) = (c for c in listed if name in c["questions"] or name in c["practice"])
        page = (site / "book" / chapter["page"]).read_text(encoding="utf-8")
        assert page.count(f'href="answers.html#{anchor}"') == 1
