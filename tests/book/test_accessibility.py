"""Axe finds nothing against WCAG 2.2 AA, also in use; each page by itself is visited elsewhere."""

import pytest

from attnlib.widgets import WIDGETS
from tests.helpers.axe_rules import violations
from tests.helpers.widget_pages import frame, perform

pytestmark = [pytest.mark.browser, pytest.mark.site]

CHAPTER = "book/02_query_key_value.html"


def check(page):
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        # From the top: wherever the page has been scrolled to, its bar lies over a piece of it.
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        frame(page)
        found = violations(page)
        assert not found, f"{scheme}, {width} px wide:\n" + "\n".join(found)


#: Each width and each theme; a fault of one shows in one of these.
LOOKS = [(1280, "light"), (360, "dark")]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_theme_button_and_open_contents(open_page, theme):
    page = open_page("search.html", width=360, dark=theme == "light")
    page.get_by_role("button", name=f"Use the {theme} theme").click()
    page.get_by_role("button", name="Contents").click()
    assert violations(page) == []


def test_search_results(open_page):
    page = open_page("search.html?q=query", width=360)
    page.locator("#search-results a").first.wait_for()
    assert violations(page) == []


def test_everything_unfolded_and_every_question_answered(open_page):
    page = open_page(CHAPTER)
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    for radio in page.locator("fieldset input[type=radio], fieldset input[type=checkbox]").all():
        radio.check(force=True)
    for field in page.locator("input[inputmode=decimal]").all():
        field.fill("nothing")
        field.press("Enter")
    for button in page.get_by_role("button", name="Check").all():
        button.click()
    frame(page)
    assert page.locator("[aria-invalid=true]").count() > 3
    assert violations(page) == []


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_in_use(show, name):
    cls = WIDGETS[name]
    widget = cls(**cls.samples[0])
    page = show(widget)
    for move in widget.moves():
        perform(page, move)
    check(page)


@pytest.mark.parametrize("name", WIDGETS)
def test_a_focused_control_can_be_seen(show, name):
    cls = WIDGETS[name]
    page = show(cls(**cls.samples[0]))
    before = page.screenshot()
    page.keyboard.press("Tab")
    assert page.screenshot() != before
    for found in page.locator("svg [role=slider]").all():
        found.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        assert found.evaluate("(e) => document.activeElement === e")
        assert page.screenshot() != before
