"""Words of the text that put a widget into a state, and numbers in it that follow the widget."""

import json

import pytest

from attnlib.widgets import QueryPlane
from tests.helpers.widget_pages import frame, handle, state

pytestmark = pytest.mark.browser

TURNED = {"query": [-1.0, -1.0], "normalizer": "hardmax"}
TEXT = f"""<div style="height: HEIGHT"></div>
<p style="font-size: 18px">
So <span data-widget="fig-1" data-set='{json.dumps(TURNED)}'>turn the query
to a place that makes this phrase longer than a line of the page</span>: the third weight is
<span data-widget="fig-1" data-show="weights.2">0.024</span>, and the other answer begins with
<span data-widget="fig-2" data-show="output.0">7.28</span>.</p>"""
OTHER = {"query": [2, 0]}
LOOK = "e => { const s = getComputedStyle(e); return [s.textDecorationLine, s.backgroundColor]; }"


def opened(show, height=0, **options):
    """A page with this text above two planes; its control, its numbers."""
    text = TEXT.replace("HEIGHT", f"{height}px")
    page = show(QueryPlane(), QueryPlane(**OTHER), prose=text, **options)
    return page, page.locator("[data-set]"), page.locator("[data-show]")


@pytest.mark.parametrize("press", ["click", "Enter", " "])
def test_words_set_the_state_and_numbers_follow(show, press):
    page, _, numbers = opened(show, height=600)
    plane = QueryPlane()
    assert numbers.all_inner_texts()[0] == plane.shown()["weights"][2]
    page.get_by_role("textbox", name="Key 1, x").first.fill("typed and refused")
    page.keyboard.press("Enter")
    control = page.get_by_role("button", name="turn the query")
    control.focus()
    control.click() if press == "click" else control.press(press)
    frame(page)
    plane.query, plane.normalizer = TURNED.values()
    assert state(page, QueryPlane) == plane.state()
    assert numbers.all_inner_texts()[0] == plane.shown()["weights"][2] == "1.000"
    assert control.evaluate("e => e === document.activeElement")
    assert page.get_by_role("alert").first.inner_text() == ""
    page.wait_for_function(
        "(text) => document.querySelector('#fig-1 [aria-live]').textContent === text",
        arg=plane.announcement(),
    )
    # The other widget's number stays as it is, until that widget moves.
    before = QueryPlane(**OTHER).shown()["output"][0]
    assert numbers.last.inner_text() == before
    page.get_by_role("slider", name="Temperature").last.press("End")
    frame(page)
    other = QueryPlane(**OTHER, temperature=10).shown()["output"][0]
    assert numbers.last.inner_text() == other != before


def test_numbers_in_text_follow_once_the_hand_rests(show):
    page, _, numbers = opened(show)
    box = handle(page.locator("#fig-1"), "Query").locator("circle").last.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 120, y + 120, steps=4)
    assert numbers.first.inner_text() == "0.024"
    page.wait_for_timeout(600)
    held = numbers.first.inner_text()
    assert held == QueryPlane(**state(page, QueryPlane)).shown()["weights"][2] != "0.024"
    page.mouse.up()


def test_words_wrap_and_can_be_hit(show):
    _, words, _ = opened(show, width=360)
    assert words.evaluate("e => getComputedStyle(e).display") == "inline"
    lines = words.evaluate("e => [...e.getClientRects()].map((r) => [r.width, r.height])")
    assert len(lines) > 1 and all(height >= 24 for _, height in lines)


@pytest.mark.parametrize("height", [250, 3000])
def test_the_page_scrolls_only_to_a_hidden_widget(show, height):
    page, words, _ = opened(show, height=height, reduced_motion="reduce")
    words.scroll_into_view_if_needed()
    page.evaluate("e => e.scrollIntoView({ block: 'end' })", words.element_handle())
    top = page.evaluate("scrollY")
    words.click()
    frame(page)
    seen = page.locator("#fig-1 svg").first.evaluate(
        "e => e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().bottom <= innerHeight"
    )
    assert seen and (page.evaluate("scrollY") == top) == (height == 250)
    assert words.evaluate("e => e === document.activeElement")


def test_without_script_or_on_paper_words_are_plain(show):
    page, words, numbers = opened(show, java_script_enabled=False)
    assert words.get_attribute("role") is None and words.get_attribute("tabindex") is None
    assert words.evaluate(LOOK) == ["none", "rgba(0, 0, 0, 0)"]
    assert numbers.first.inner_text() == "0.024"
    page, words, _ = opened(show)
    assert words.evaluate(LOOK) != ["none", "rgba(0, 0, 0, 0)"]
    page.emulate_media(media="print")
    assert words.evaluate(LOOK) == ["none", "rgba(0, 0, 0, 0)"]
