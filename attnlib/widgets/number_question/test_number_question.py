"""Questions for a number: what is refused, and the replies to what is typed."""

import pytest
from traitlets import TraitError

from attnlib.widgets import NumberQuestion
from tests.helpers.widget_pages import refused

SAMPLE = NumberQuestion.samples[0]


def test_a_tolerance_is_not_negative():
    refused(NumberQuestion, "tolerance", tolerance=-1)


@pytest.mark.parametrize(
    "mistakes",
    [
        [{"value": 4.15, "reply": "Near."}],
        [{"value": 8, "reply": "a"}, {"value": 8.2, "reply": "b"}],
        [{"value": 9, "reply": "a", "tolerance": 4.9}],
    ],
)
def test_mistakes_that_cannot_be_told_apart_are_refused(mistakes):
    with pytest.raises(TraitError, match="cannot tell"):
        NumberQuestion(**SAMPLE | {"mistakes": mistakes})


def test_mistakes_take_the_tolerance_of_the_answer():
    mistakes = [{"value": 8, "reply": "a"}, {"value": 9, "reply": "b", "tolerance": 0.5}]
    question = NumberQuestion(**SAMPLE | {"mistakes": mistakes})
    assert [m["tolerance"] for m in question.mistakes] == [0.1, 0.5]


def test_questions_and_answers_are_complete():
    question = NumberQuestion(**SAMPLE)
    assert "<code>2 + 2</code>?" in question.picture()["text/html"]
    assert question.answered() == "<p>4. Yes, four.</p>"


@pytest.mark.browser
def test_it_answers_back_and_keeps_what_was_typed(show):
    page = show(NumberQuestion(**SAMPLE))
    field, verdict = page.get_by_role("textbox"), page.get_by_role("status")
    replies = {"4": "Right. Yes, four.", "3,95": "Right.", "8/2": "Right.", "22": "Add."}
    replies |= {"2·(9−7)": "Right.", "400": "Not yet. Count.", "0.04": "a factor of 100"}
    replies |= {"4.15": "right up to rounding", "2**": "Type a number", "2(2)": "Type a number"}
    replies |= {"−4": "Mind the sign.", "7": "Count.", "four": "Type a number", "": "Type a"}
    for typed, reply in replies.items():
        field.fill(typed)
        field.press("Enter")
        assert reply in verdict.inner_text() and field.input_value() == typed
    field.fill("4")
    page.get_by_role("button", name="Check").click()
    assert verdict.inner_text() == "Right. Yes, four."
