"""One page in depth: from disk, without JavaScript, its theme, contents, search, print."""

import io
import re

import numpy as np
import pytest
from page_metrics import overflow, settle
from PIL import Image
from playwright.sync_api import expect

from tests.helpers.html_pages import Page
from tests.helpers.page_storage import wait_for_stored_theme

pytestmark = [pytest.mark.browser, pytest.mark.site]

each_protocol = pytest.mark.parametrize("protocol", ["http", "file"])

CHAPTER = "book/02_query_key_value.html"
COVER = "book/index.html"

# The page's background, which shows its theme.
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def brightness(page):
    red, green, blue = map(int, re.findall(r"\d+", page.evaluate(BACKGROUND))[:3])
    return (red + green + blue) / 765


@pytest.mark.parametrize("path", [COVER, CHAPTER])
def test_page_opens_from_disk_without_a_fault(open_page, path):
    page = open_page(path, protocol="file")
    assert "Hands on Attention" in page.title()
    places = page.locator("[data-model]")
    assert page.locator("[data-model][data-alive]").count() == places.count() > 0
    assert page.locator("mjx-container").count() == page.locator("span.math, div.math").count()


@pytest.mark.parametrize("late", ["**/*.woff*", "**/mathjax/**"])
def test_page_fits_while_fonts_and_formulas_load(watch, site, late):
    page = watch.page(width=360)
    watch.allowed.append(site.as_uri())
    watch.expected.append("ERR_FAILED")
    page.route(late, lambda route: route.abort())
    page.goto((site / CHAPTER).as_uri())
    page.evaluate("window.MathJax?.startup?.promise")
    assert overflow(page) <= 0


def test_index_redirects_to_the_cover(watch, site):
    page = watch.page()
    watch.allowed.append(site.as_uri())
    page.goto((site / "index.html").as_uri())
    page.wait_for_url("**/book/index.html")
    assert page.locator("[data-alive]").count() == 1


def test_formulas_use_the_colours_of_their_roles(open_page):
    page = open_page(CHAPTER)
    colours = page.evaluate(
        "['query', 'key', 'value'].map((role) => [...document.querySelectorAll(`.mjx-${role}`)]"
        ".map((e) => getComputedStyle(e).color)).flat()"
    )
    assert len(set(colours)) == 3


# Theme


def test_theme_follows_the_system(open_page):
    page = open_page(COVER)
    assert brightness(page) > 0.9
    page.emulate_media(color_scheme="dark")
    assert brightness(page) < 0.2


@each_protocol
def test_chosen_theme_is_remembered(open_page, protocol):
    page = open_page(COVER, protocol=protocol)
    page.get_by_role("button", name="Use the dark theme").click()
    assert brightness(page) < 0.2
    page.get_by_role("link", name="Read", exact=True).click()
    page.wait_for_url("**/01_*")
    wait_for_stored_theme(page)
    assert brightness(page) < 0.2
    page.get_by_role("button", name="Use the light theme").click()
    assert brightness(page) > 0.9


def test_theme_button_overrides_the_system(open_page):
    page = open_page(COVER, dark=True)
    page.get_by_role("button", name="Use the light theme").press("Enter")
    assert brightness(page) > 0.9


def test_print_is_light_and_without_navigation(open_page):
    page = open_page(CHAPTER, dark=True)
    page.emulate_media(media="print")
    assert brightness(page) > 0.9
    assert page.locator("nav:visible, header:visible, button.copy:visible").count() == 0
    assert page.get_by_text("Turn the query, watch the weights").first.is_visible()


CUT_OFF = """
    () => [...document.querySelectorAll("main *")].filter((e) => e.checkVisibility() &&
      e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
      .map((e) => e.outerHTML.slice(0, 200))
"""
UNFOLDED = "(all) => all.map((e) => e.checkVisibility())"


@pytest.mark.parametrize("sheet", ["A4", "Letter"])
def test_print_cuts_nothing_off_and_hides_answers(open_page, sheet):
    page = open_page(CHAPTER)
    margins = page.evaluate(
        "[...document.styleSheets].flatMap((s) => [...s.cssRules])"
        ".find((rule) => rule instanceof CSSPageRule).style.margin"
    )
    side = float(margins.split()[1].removesuffix("mm"))
    width = {"A4": 210, "Letter": 215.9}[sheet] - 2 * side
    page.set_viewport_size({"width": int(width / 25.4 * 96), "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate(CUT_OFF) == []
    for folded, shown in (("Hint", False), ("Solution", False), ("Predicted?", True)):
        details = page.locator("details").filter(has=page.locator("summary", has_text=folded))
        visible = details.locator(":scope > :not(summary)").evaluate_all(UNFOLDED)
        assert visible and set(visible) == {shown}, folded


def test_first_widget_starts_before_deferred_scripts(watch, server):
    watch.allowed.append(server)
    page, held = watch.page(), []
    # The first deferred script; no other runs before it.
    page.route("**/book.js", lambda route: held.append(route))
    page.goto(server + CHAPTER, wait_until="commit")
    first = page.locator("#first-widget[data-alive]")
    expect(first).to_have_count(1)
    assert page.locator("[data-alive]").count() == 1
    assert page.locator("[data-set][role=button]").count() == 0
    for script in held:
        script.fallback()
    settle(page)
    assert page.locator("[data-set][role=button]").count() > 0
    before = first.inner_text()
    page.locator("[data-set]").first.click()
    expect(first).not_to_have_text(before)


# Contents and search


@pytest.mark.parametrize("path", [CHAPTER, COVER])
def test_contents_open_and_close(open_page, path):
    page = open_page(path, width=360, height=740)
    menu = page.get_by_role("button", name="Contents")
    drawer = page.get_by_role("navigation", name="Contents")
    assert not drawer.is_visible() and menu.get_attribute("aria-expanded") == "false"
    menu.click()
    assert drawer.is_visible() and menu.get_attribute("aria-expanded") == "true"
    assert page.evaluate("document.activeElement.closest('#contents') !== null")
    assert overflow(page) <= 0
    page.keyboard.press("Escape")
    assert not drawer.is_visible()
    assert page.evaluate("document.activeElement.textContent") == "Contents"
    page.keyboard.press("Enter")
    assert drawer.is_visible()
    page.mouse.click(355, 600)
    assert not drawer.is_visible()
    menu.press(" ")
    drawer.get_by_role("link", name="Notation").click()
    page.wait_for_url("**/notation.html")


def test_contents_work_without_script(open_page):
    page = open_page(CHAPTER, width=360, java_script_enabled=False)
    drawer = page.get_by_role("navigation", name="Contents")
    assert drawer.get_by_role("link", name="Notation").is_visible()


def test_contents_list_sections_and_mark_the_current(open_page):
    page = open_page(CHAPTER, reduced_motion="reduce")
    contents = page.get_by_role("navigation", name="Contents")
    links = contents.locator("[aria-current=page] + ul a[href^='#']")
    deeper = contents.locator("[aria-current=page] + ul > li > a:not([href^='#'])")
    assert deeper.all_inner_texts() == ["2 Query, key, value, deeper"]
    headings = page.locator("article > section > section > h2")
    titles = [text.rstrip("#") for text in headings.all_text_contents()]
    assert links.all_inner_texts() == titles and len(titles) > 5
    for title in (titles[-1], titles[1]):
        contents.get_by_role("link", name=title, exact=True).click()
        marked = contents.locator("[aria-current=location]")
        marked.filter(has_text=title).wait_for()
        assert marked.count() == 1 and links.evaluate_all(SEEN)[titles.index(title)]
    page.evaluate("scrollTo(0, 0)")
    marked.wait_for(state="detached")


SEEN = """
    (all) => all.map((e) => e.getBoundingClientRect()).map(({ top, bottom }) =>
      top > 0 && bottom < innerHeight)
"""


def test_drawer_shows_current_section_and_follows_links(open_page):
    page = open_page(CHAPTER, width=360, height=400, reduced_motion="reduce")
    drawer, menu = page.locator("#contents"), page.get_by_role("button", name="Contents")
    page.locator("#exercises > h2").evaluate("(e) => e.scrollIntoView()")
    drawer.locator("[aria-current=location]", has_text="Exercises").wait_for(state="attached")
    menu.click()
    link = drawer.get_by_role("link", name="Exercises", exact=True)
    assert link.evaluate_all(SEEN) == [True]
    drawer.get_by_role("link", name="Questions", exact=True).click()
    assert not drawer.is_visible()
    page.wait_for_function("document.querySelector('#questions').getBoundingClientRect().top < 99")


WIDTHS = """
    () => ["p", ".cell_input", "pre", "[data-look=wide]", "[data-look=boxed]"].map((name) => {
      const { width } = document.querySelector(`section > section ${name}`).getBoundingClientRect();
      return Math.round(width);
    })
"""


@pytest.mark.parametrize(
    ("window", "text", "code", "letter"),
    [(1280, 640, 760, 15), (992, 640, 642, 13), (360, 328, 328, 13)],
)
def test_code_and_wide_widgets_exceed_text_width(open_page, window, text, code, letter):
    page = open_page(CHAPTER, width=window)
    assert page.evaluate(WIDTHS) == [text, code, code, code, text]
    assert page.locator("pre").first.evaluate("e => getComputedStyle(e).fontSize") == f"{letter}px"
    scrolled = page.locator("pre").evaluate_all("all => all.filter((e) => e.tabIndex === 0).length")
    assert scrolled == 0 or window < 1280


REACHED = """
    () => {
      const all = [...document.querySelectorAll("pre, mjx-container")];
      const wide = all.filter((e) => e.scrollWidth > e.clientWidth);
      const kinds = new Set(wide.map((e) => e.tagName));
      return kinds.size === 2 && all.every((e) => wide.includes(e) === (e.tabIndex === 0));
    }
"""


def test_wide_content_can_be_scrolled_by_keyboard(open_page):
    page = open_page(CHAPTER, width=1280)
    folded = page.locator("details pre").first
    folded.evaluate("e => e.append('x'.repeat(200))")
    assert folded.get_attribute("tabindex") is None
    folded.locator("xpath=ancestor::details").evaluate("e => (e.open = true)")
    page.wait_for_function("e => e.tabIndex === 0", arg=folded.element_handle())
    page.locator("details").evaluate_all("all => all.forEach((e) => (e.open = true))")
    page.set_viewport_size({"width": 240, "height": 800})
    page.wait_for_function(REACHED)


def test_pressed_widget_does_not_twitch(open_page):
    page = open_page(CHAPTER, width=1280)
    widget = page.locator(".attn").first
    widget.get_by_role("slider", name="Query", exact=True).locator("circle").last.hover()
    shots = [widget.screenshot()]
    page.mouse.down()
    shots.append(widget.screenshot())
    before, pressed = (np.array(Image.open(io.BytesIO(shot)), dtype=int) for shot in shots)
    assert (abs(pressed - before).max(axis=2) > 25).sum() < 500


@each_protocol
def test_search_finds_a_chapter(open_page, protocol):
    page = open_page(COVER, protocol=protocol)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.ariaLabel") == "Search the book"
    page.keyboard.type("query")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=query")
    results = page.locator("#search-results").get_by_role("link")
    results.first.wait_for()
    page.wait_for_function("/\\d/.test(document.getElementById('search-results').textContent)")
    assert any("Query, key, value" in text for text in results.all_inner_texts())
    assert page.locator("input[name=q]").last.input_value() == "query"
    page.get_by_role("link", name=re.compile("Query, key, value")).first.click()
    page.wait_for_url("**/02_query_key_value.html*")
    assert "key" in page.locator("h1").inner_text()


def test_slash_can_be_typed_in_a_field(open_page):
    page = open_page(CHAPTER)
    field = page.get_by_role("textbox", name="Query, x")
    field.fill("1")
    field.press("/")
    assert field.input_value() == "1/"


def test_code_can_be_copied(open_page):
    page = open_page(CHAPTER, permissions=["clipboard-read", "clipboard-write"])
    visible = page.locator("pre:visible").filter(has_text="import numpy")
    button = page.get_by_role("button", name="Copy").first
    button.click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == visible.first.inner_text() and copied.startswith("import")


# Without JavaScript


def test_without_script_every_widget_shows_its_picture(open_page):
    page = open_page(CHAPTER, java_script_enabled=False)
    answers = []
    for place in page.locator("[data-model]").all():
        image = place.locator("img")
        if image.count():
            assert image.evaluate("(i) => i.decode().then(() => i.naturalWidth)") > 0
            assert image.get_attribute("alt").strip()
        else:
            assert place.locator("p").first.inner_text().strip()
            answers.append(place.get_by_role("link", name="Answer").get_attribute("href"))
    assert len(set(answers)) == len(answers) > 5
    page.locator("[data-model]").get_by_role("link", name="Answer").last.click()
    page.wait_for_url(f"**/{answers[-1]}")
    assert page.locator(":target li").last.is_visible()


def test_without_script_the_text_holds_the_numbers(site):
    text = Page(site / CHAPTER).text
    for number in ["0.487856", "5.571899", "0.909443", "0.488", "0.024"]:
        assert number in text
