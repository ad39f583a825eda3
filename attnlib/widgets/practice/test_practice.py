"""Practice: what is refused, and what it replies to a number, a few, and to asking for the way."""

import pytest
from traitlets import TraitError

from attnlib.widgets import Practice
from tests.helpers.widget_pages import frame, refused

ONE, TWO = Practice.samples
PROBLEM = ONE["problems"][0]


@pytest.mark.parametrize(
    ("words", "problems"),
    [
        ("one or more", []),
        ("needs answer, mistakes, question, working", [{"question": "Six?"}]),
        ("needs answer, mistakes, question, working", [PROBLEM | {"working": []}]),
    ],
)
def test_what_is_wrong_is_refused(words, problems):
    refused(Practice, words, problems=problems)


def test_every_answer_has_a_number_for_each_field():
    for wrong in ({"answer": [1, 2]}, {"mistakes": [{"value": [], "reply": "None."}]}):
        with pytest.raises(TraitError, match="give a label for each"):
            Practice(problems=[PROBLEM | wrong])


def test_the_answer_is_sealed_in_the_state():
    practice = Practice(**ONE)
    assert "<li>Take 3 twice: <code>3 + 3 = 6</code></li>" in practice.answered()
    assert "Take 3 twice" not in str(practice.stored()) + str(practice.picture())


HEARD = """
    window.heard = [];
    document.addEventListener("attention-answer", ({ detail }) => heard.push(detail));
"""


def heard(page):
    return [(answer["right"], answer["first"]) for answer in page.evaluate("heard")]


@pytest.mark.browser
def test_numbers_are_judged_together_and_first_tries_count(show):
    page = show(Practice(name="a.b", **TWO))
    page.evaluate(HEARD)
    first, second = page.get_by_role("textbox").all()
    verdict = page.get_by_role("status")

    def typed(a, b):
        first.fill(a)
        second.fill(b)
        second.press("Enter")
        return verdict.inner_text()

    assert "Type a number" in typed("1", "x") and second.get_attribute("aria-invalid") == "true"
    assert heard(page) == []
    assert typed("2", "1") == "Not yet. The other way round."
    assert typed("100", "2*100") == "Not yet."
    assert typed("1", "7") == "Not yet, but right so far: a third."
    assert typed("1", "4/2") == typed("1", "2") == "Right."
    assert heard(page) == [(False, True), (False, False), (False, False), (True, False)]
    page.get_by_role("button", name="Another one").press("Enter")
    frame(page)
    assert first.input_value() == second.input_value() == verdict.inner_text() == ""
    assert first.evaluate("(e) => e === document.activeElement")
    typed("1", "2")
    assert heard(page)[4:] == [(True, True)]


@pytest.mark.browser
def test_reading_the_working_first_counts_as_wrong(show):
    page = show(Practice(**ONE))
    page.evaluate(HEARD)
    way = page.get_by_role("button", name="Show the working")
    assert page.get_by_text("Take 3 twice").count() == 1 and way.is_visible()
    assert not page.get_by_text("Take 3 twice").is_visible()
    way.click()
    assert page.get_by_text("Take 3 twice").is_visible()
    page.get_by_role("button", name="Hide the working").click()
    assert not page.get_by_text("Take 3 twice").is_visible()
    page.get_by_role("textbox").fill("6")
    page.get_by_role("button", name="Check").click()
    assert heard(page) == [(False, True), (True, False)]
