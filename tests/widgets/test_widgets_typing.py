"""What a reader types into the widgets: numbers, nonsense, answers, markup."""

import pytest
from widget_lab import expected_weights, lab, options
from widget_pages import frame, point, weights

from attnlib import widgets

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=alert(1)>"

# Typing


@pytest.mark.parametrize(
    ("typed", "value"),
    [("1.5", 1.5), ("1,5", 1.5), ("−2", -2), ("-0.25", -0.25), (" .5 ", 0.5), ("25e-1", 2.5)],
)
def test_a_number_can_be_typed(show, typed, value):
    page = show(lab("plane"))
    page.get_by_role("textbox", name="Query, x").fill(typed)
    page.keyboard.press("Enter")
    frame(page)
    assert point(page, "Query") == [value, 1]
    assert weights(page) == pytest.approx(expected_weights([value, 1]), abs=6e-4)


@pytest.mark.parametrize("typed", ["abc", "1e9", "", "1.2.3", "--1", "Infinity", "0x1", MARKUP])
def test_what_is_no_number_is_said_and_nothing_is_lost(show, typed):
    page = show(lab("plane"))
    field = page.get_by_role("textbox", name="Query, x")
    field.fill(typed)
    field.press("Enter")
    frame(page)
    message = page.get_by_role("alert").inner_text()
    assert "Query, x" in message and "−2.5" in message and "2.5" in message
    assert field.input_value() == typed and field.get_attribute("aria-invalid") == "true"
    assert point(page, "Query") == [1, 1] and "NaN" not in page.locator("main").inner_text()
    page.get_by_role("textbox", name="Query, y").fill("2")
    page.keyboard.press("Enter")
    frame(page)
    assert point(page, "Query") == [1, 2]
    assert field.input_value() == typed, "what stands in the other field is lost"
    field.press("Escape")
    assert field.input_value() == "1" and field.get_attribute("aria-invalid") is None
    assert page.get_by_role("alert").inner_text() == ""


def test_a_complaint_lasts_until_its_own_field_is_mended(show):
    page = show(lab("plane"))
    for name, typed in [("Query, x", "abc"), ("Key 1, y", "9e9"), ("Query, y", "2")]:
        page.get_by_role("textbox", name=name).fill(typed)
        page.keyboard.press("Enter")
        frame(page)
    assert "Key 1, y" in page.get_by_role("alert").inner_text()
    page.get_by_role("textbox", name="Key 1, y").press("Escape")
    assert "Query, x" in page.get_by_role("alert").inner_text()


@pytest.mark.parametrize("name", ["Reset", "turned"])
def test_a_button_clears_what_was_refused(show, name):
    page = show(lab("plane", presets=[{"label": "turned", "query": [1, 1]}]))
    field = page.get_by_role("textbox", name="Query, x")
    field.fill("abc")
    field.press("Enter")
    page.get_by_role("button", name=name).click()
    frame(page)
    assert field.input_value() == "1" and field.get_attribute("aria-invalid") is None
    assert page.get_by_role("alert").inner_text() == ""


def test_leaving_a_field_takes_it_over(show):
    page = show(lab("plane"))
    page.get_by_role("textbox", name="Value 3, y").fill("12")
    page.keyboard.press("Tab")
    frame(page)
    assert point(page, "Value 3") == [5, 12]


def test_arrow_keys_nudge_a_number(show):
    page = show(lab("plane"))
    field = page.get_by_role("textbox", name="Key 2, y")
    for key in ("ArrowUp", "Shift+ArrowUp", "ArrowDown", "ArrowUp"):
        field.press(key)
    frame(page)
    assert point(page, "Key 2") == [0.5, 1.6] and field.input_value() == "1.6"


# Questions


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ("4", "Right. Yes, four."),
        ("3,95", "Right. Yes, four."),
        ("22", "Add."),
        ("−4", "Mind the sign."),
        ("7", "Count."),
        ("four", "Type a number"),
        ("", "Type a number"),
        (MARKUP, "Type a number"),
    ],
)
def test_number_question_answers_back(show, typed, reply):
    page = show(lab("number"))
    field = page.get_by_role("textbox", name="Two plus two?")
    field.fill(typed)
    field.press("Enter")
    assert reply in page.get_by_role("status").inner_text()
    assert field.input_value() == typed
    field.fill("4")
    page.get_by_role("button", name="Check").click()
    assert page.get_by_role("status").inner_text() == "Right. Yes, four."


def test_quiz_explains_every_choice(show):
    page = show(lab("quiz"))
    check, said = page.get_by_role("button", name="Check"), page.get_by_role("status")
    check.click()
    assert said.inner_text() == "Choose an answer first."
    page.get_by_role("radio", name="queries").check()
    check.click()
    assert "Not yet" in said.inner_text()
    assert page.get_by_text("Because of queries.").is_visible()
    assert not page.get_by_text("Because of keys.").is_visible()
    page.get_by_role("radio", name="queries").press("ArrowUp")
    assert not page.get_by_text("Because of queries.").is_visible()
    check.press("Enter")
    assert said.inner_text() == "Right." and page.get_by_text("Because of keys.").is_visible()


def test_quiz_with_several_right_answers(show):
    answers = options("one", "two", "three")
    answers[1]["correct"] = True
    page = show(widgets.Quiz(question="Which?", options=answers))
    check, said = page.get_by_role("button", name="Check"), page.get_by_role("status")
    page.get_by_role("checkbox", name="one").check()
    check.click()
    assert "not all" in said.inner_text()
    page.get_by_role("checkbox", name="two").check()
    check.click()
    assert said.inner_text() == "Right."
    page.get_by_role("checkbox", name="three").check()
    check.click()
    assert "Not yet" in said.inner_text()


def test_text_is_never_markup(show):
    text = MARKUP + "</script><script>alert(2)</script>"
    presets = [{"label": text, "query": [0, 0]}]
    page = show(
        widgets.QueryPlane(title=text, task=f"`{text}`", presets=presets),
        widgets.Quiz(title=text, question=text, options=options(text, text + "!")),
        widgets.NumberQuestion(question=text, answer=1, why=text, hint=text),
    )
    assert page.locator("[data-alive]").count() == 3
    page.get_by_role("textbox").last.fill("9")
    page.keyboard.press("Enter")
    assert page.locator("main img").count() == 0
    assert page.get_by_text(text).count() >= 6
