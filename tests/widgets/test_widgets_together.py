"""Presets, the spoken line, names; several widgets in one page, linked or broken."""

import pytest
from ipywidgets import jsdlink, jslink
from widget_lab import KINDS, expected_weights, lab
from widget_pages import bundle, frame, handle, point, weights, worked_rows

pytestmark = pytest.mark.browser


# Presets, live region, names


def test_presets_and_reset(show):
    presets = [
        {"label": "away", "query": [-1, -1]},
        {"label": "hard", "normalizer": "hardmax", "temperature": 0.1},
    ]
    page = show(lab("plane", presets=presets))
    start = worked_rows(page)
    page.get_by_role("button", name="away").click()
    page.get_by_role("button", name="hard").click()
    frame(page)
    assert point(page, "Query") == [-1, -1] and weights(page) == [0, 0, 1]
    assert page.get_by_role("radio", name="hardmax").is_checked()
    assert page.get_by_role("slider", name="Temperature").get_attribute("aria-valuetext") == "0.10"
    page.get_by_role("button", name="Reset").click()
    frame(page)
    assert worked_rows(page) == start and page.get_by_role("radio", name="softmax").is_checked()


@pytest.mark.parametrize("kind", ["signal", "scaling"])
def test_reset_takes_back_what_was_moved(show, kind):
    page = show(lab(kind))
    page.wait_for_function("document.querySelector('[aria-live]').textContent !== ''")
    before = page.locator("main").inner_text()
    for slider in page.get_by_role("slider").all():
        slider.press("ArrowRight")
    for radio in page.get_by_role("radio").all():
        radio.check(force=True)
    frame(page)
    assert page.locator("main").inner_text() != before
    page.get_by_role("button", name="Reset").click()
    frame(page)
    page.wait_for_function(
        "(text) => document.querySelector('main').innerText === text", arg=before
    )


def test_the_new_numbers_are_spoken_once_they_rest(show):
    page = show(lab("plane"))
    live = page.locator("[aria-live=polite]")
    heard = []
    page.expose_function("heard", lambda text: heard.append(text))
    live.evaluate(
        "(e) => new MutationObserver(() => heard(e.textContent)).observe(e, { childList: true })"
    )
    for _ in range(5):
        handle(page, "Query").press("ArrowRight")
    wanted = expected_weights([1.5, 1])
    page.wait_for_function(
        "(text) => document.querySelector('[aria-live]').textContent.includes(text)",
        arg=f"{wanted[0]:.3f}",
    )
    assert len(heard) <= 2, heard
    assert "Output" in live.inner_text()


INTERACTIVE = {"slider", "textbox", "button", "radio", "checkbox", "link", "searchbox", "group"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_control_has_a_name(show, kind):
    page = show(lab(kind))
    client = page.context.new_cdp_session(page)
    tree = client.send("Accessibility.getFullAXTree")["nodes"]
    nodes = [n for n in tree if not n["ignored"] and n["role"]["value"] in INTERACTIVE]
    assert len(nodes) > 1
    nameless = [n for n in nodes if not n.get("name", {}).get("value", "").strip()]
    assert not [n for n in nameless if n["role"]["value"] != "group"], nameless


# Several places, links, failures


def test_two_places_of_one_model_stay_in_step(show):
    plane = bundle(lab("plane"))
    page = show(plane, plane)
    first, second = page.locator("[data-model]").all()
    handle(first, "Query").press("ArrowRight")
    second.get_by_role("textbox", name="Query, y").fill("2")
    page.keyboard.press("Enter")
    frame(page)
    assert point(first, "Query") == point(second, "Query") == [1.1, 2]
    assert weights(first) == weights(second)
    second.get_by_role("button", name="Reset").click()
    frame(page)
    assert point(first, "Query") == [1, 1]


def temperatures(page):
    found = page.get_by_role("slider", name="Temperature").all()
    return [float(slider.get_attribute("aria-valuetext")) for slider in found]


def test_jslink_holds_both_ways(show):
    a, b, other = lab("plane"), lab("plane"), lab("plane")
    link = jslink((a, "temperature"), (b, "temperature"))
    page = show(a, b, other)
    link.unlink()
    sliders = page.get_by_role("slider", name="Temperature").all()
    sliders[0].press("End")
    frame(page)
    assert temperatures(page) == [10, 10, 1]
    sliders[1].press("Home")
    frame(page)
    assert temperatures(page) == [0.1, 0.1, 1]


def test_jsdlink_holds_one_way(show):
    a, b = lab("plane"), lab("plane")
    link = jsdlink((a, "temperature"), (b, "temperature"))
    page = show(a, b)
    link.unlink()
    sliders = page.get_by_role("slider", name="Temperature").all()
    sliders[1].press("Home")
    frame(page)
    assert temperatures(page) == [1, 0.1]
    sliders[0].press("End")
    frame(page)
    assert temperatures(page) == [10, 10]


def broken(script):
    found = bundle(lab("plane"))
    key = "application/vnd.attnlib.widget+json"
    return found | {key: found[key] | {"script": script, "model": "Broken-1"}}


@pytest.mark.parametrize(
    "code",
    [
        'AttentionBook.define("bad", () => ({ render() { throw new Error("no luck"); } }));',
        'AttentionBook.define("bad", () => { throw new Error("no luck"); });',
    ],
    ids=["render", "script"],
)
def test_a_broken_widget_says_one_line_and_the_others_live(show, watch, code):
    watch.expected.append("no luck")
    page = show(lab("plane"), broken("bad"), lab("quiz"), scripts=[code])
    places = page.locator("[data-model]").all()
    assert [p.get_attribute("data-alive") is not None for p in places] == [True, False, True]
    assert places[1].get_by_role("alert").inner_text().count("no luck") == 1
    assert places[1].locator("img").is_visible()
    handle(page, "Query").press("ArrowRight")
    frame(page)
    assert point(page, "Query") == [1.1, 1]
