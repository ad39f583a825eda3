"""Questions with options: what is refused, and the replies to every choice."""

from html import escape

import pytest
from traitlets import TraitError

from attnlib.widgets import Quiz
from tests.helpers.widget_pages import refused

ONE, TWO = Quiz.samples
CODE = ONE["question"].split("```")[1].removeprefix("python\n").removesuffix("\n")
YES, NO = ONE["options"]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("two or more", [YES]),
        ("at least one of them correct", [NO, NO]),
        ("text, correct and why", [YES, {"text": "no", "correct": False}]),
        ("text, correct and why", [YES, NO | {"why": ""}]),
    ],
)
def test_what_is_wrong_is_refused(words, options):
    refused(Quiz, words, options=options)


def test_options_are_needed():
    with pytest.raises(TraitError, match="Quiz needs options"):
        Quiz(question="So?")


def test_questions_and_answers_are_complete():
    quiz = Quiz(**ONE)
    assert "<code>axis</code>" in quiz.asked() and quiz.asked() in quiz.picture()["text/html"]
    for option in ONE["options"]:
        assert option["text"] in quiz.asked() and option["why"] in quiz.answered()
    assert "Right." in quiz.answered() and "Wrong." in quiz.answered()
    assert f'</p><pre tabindex="0"><code>{escape(CODE)}</code></pre><p>Think of' in quiz.asked()


@pytest.mark.browser
def test_every_choice_is_explained(show):
    page = show(Quiz(**ONE))
    check, verdict = page.get_by_role("button", name="Check"), page.get_by_role("status")
    check.click()
    assert verdict.inner_text() == "Choose an answer first."
    page.get_by_role("radio", name="queries").check()
    check.click()
    assert "Not yet" in verdict.inner_text()
    assert page.get_by_text("Because of queries.").is_visible()
    assert not page.get_by_text("Because of keys.").is_visible()
    page.get_by_role("radio", name="queries").press("ArrowUp")
    assert not page.get_by_text("Because of queries.").is_visible()
    check.press("Enter")
    assert verdict.inner_text() == "Right." and page.get_by_text("Because of keys.").is_visible()


@pytest.mark.browser
def test_code_is_kept_and_scrolls_inside_itself(show):
    page = show(Quiz(**ONE), width=360)
    code = page.locator("fieldset > pre")
    assert code.text_content() == code.inner_text() == CODE
    assert page.get_by_role("group", name="Which axis?", exact=True).count() == 1
    assert code.evaluate("(e) => getComputedStyle(e.firstChild).fontSize") == "15px"
    assert code.get_attribute("tabindex") == "0"
    code.focus()
    code.press("ArrowRight")
    page.wait_for_function("document.querySelector('pre').scrollLeft > 0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.browser
def test_several_right_answers(show):
    page = show(Quiz(**TWO))
    check, verdict = page.get_by_role("button", name="Check"), page.get_by_role("status")
    for name, reply in {"one": "not all", "two": "Right.", "three": "Not yet"}.items():
        page.get_by_role("checkbox", name=name).check()
        check.click()
        assert reply in verdict.inner_text()
