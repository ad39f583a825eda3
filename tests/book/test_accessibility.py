"""Axe reports nothing against WCAG 2.2 AA in pages and widgets in use; see also test_every_page."""

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
        # From the top: on a scrolled page the bar covers a piece of the text.
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        frame(page)
        faults = violations(page)
        assert not faults, f"{scheme}, {width} px wide:\n" + "\n".join(faults)


#: Each width and each theme; a fault of one shows in one of these.
LOOKS = [(1280, "light"), (360, "dark")]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_theme_button_and_open_contents_pass(open_page, theme):
    page = open_page("search.html", width=360, dark=theme == "light")
    page.get_by_role("button", name=f"Use the {theme} theme").click()
    page.get_by_role("button", name="Contents").click()
    assert violations(page) == []


def test_search_results_pass(open_page):
    page = open_page("search.html?q=query", width=360)
    page.locator("#search-results a").first.wait_for()
    assert violations(page) == []


def test_unfolded_and_answered_chapter_passes(open_page):
    page = open_page(CHAPTER)
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    for radio in page.locator("fieldset input[type=radio], fieldset input[type=checkbox]").all():
        radio.press("Space")
    for field in page.locator("input[inputmode=decimal]").all():
        field.fill("nothing")
        field.press("Enter")
    for button in page.get_by_role("button", name="Check").all():
        button.click()
    frame(page)
    assert page.locator("[aria-invalid=true]").count() > 3
    assert violations(page) == []


@pytest.mark.parametrize("name", WIDGETS)
def test_widget_in_use_passes(show, name):
    cls = WIDGETS[name]
    widget = cls(**cls.samples[0])
    page = show(widget)
    for move in widget.moves():
        perform(page, move)
    check(page)


@pytest.mark.parametrize("name", WIDGETS)
def test_focused_control_is_visible(show, name):
    cls = WIDGETS[name]
    page = show(cls(**cls.samples[0]))
    before = page.screenshot()
    page.keyboard.press("Tab")
    assert page.screenshot() != before
    for slider in page.locator("svg [role=slider]").all():
        slider.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        assert slider.evaluate("(e) => document.activeElement === e")
        assert page.screenshot() != before
