"""Several widgets in one page: two places of one model, links, and one that is broken."""

import pytest
from ipywidgets import jsdlink, jslink

from attnlib.widgets import STATE_MIME, WIDGETS
from tests.helpers.widget_pages import bundle, frame

pytestmark = pytest.mark.browser

#: Widgets with a slider that changes a trait: its class and the move.
SLIDING = {}
for _name, _cls in WIDGETS.items():
    for _move in _cls(**_cls.samples[0]).moves():
        if _move.role == "slider" and not _move.before:
            SLIDING.setdefault(_name, (_cls, _move))
CLS, MOVE = next(iter(SLIDING.values()))


def first():
    return CLS(**CLS.samples[0])


def sliders(page):
    return page.get_by_role("slider", name=MOVE.name, exact=True).all()


def texts(page):
    frame(page)
    return [slider.get_attribute("aria-valuetext") for slider in sliders(page)]


PICTURES = "all => all.map((e) => [...e.querySelectorAll('svg')].map((s) => s.innerHTML).join())"


@pytest.mark.parametrize("name", SLIDING)
def test_two_places_of_one_model_stay_in_step(show, name):
    cls, move = SLIDING[name]
    twice = bundle(cls(**cls.samples[0]))
    page = show(twice, twice)
    sliders = page.get_by_role("slider", name=move.name, exact=True)

    def seen():
        frame(page)
        drawn = page.locator("[data-model]").evaluate_all(PICTURES)
        return list(zip(drawn, (s.get_attribute("aria-valuetext") for s in sliders.all())))

    before = seen()
    sliders.first.press(move.key)
    assert seen()[0] == seen()[1] != before[0] == before[1]
    for button in page.get_by_role("button", name="Reset").all()[-1:]:
        button.click()
        assert seen() == before


@pytest.mark.parametrize(("link", "both"), [(jslink, True), (jsdlink, False)])
def test_links_are_stored_and_work(show, link, both):
    a, b, other = first(), first(), first()
    (trait,) = MOVE.then
    made = link((a, trait), (b, trait))
    expected = {"source": [a.model_name, trait], "target": [b.model_name, trait], "both": both}
    assert a.links() == b.links() == [expected] and other.links() == []
    page = show(a, b, other)
    made.unlink()
    start = texts(page)[2]
    sliders(page)[0].press(MOVE.key)
    moved = texts(page)[0]
    assert texts(page) == [moved, moved, start] and moved != start
    sliders(page)[1].press(MOVE.key)
    again = texts(page)[1]
    assert texts(page) == ([again, again, start] if both else [moved, again, start])


@pytest.mark.parametrize(
    "make", ['({ render() { throw new Error("no luck"); } })', '{ throw new Error("no luck"); }']
)
def test_a_broken_widget_leaves_the_others_alive(show, watch, make, monkeypatch):
    monkeypatch.setitem(WIDGETS, "bad", CLS)
    watch.expected.append("no luck")
    good = bundle(first())
    bad = good | {STATE_MIME: good[STATE_MIME] | {"script": "bad", "model": "Bad-1"}}
    code = f'AttentionBook.define("bad/bad.js", [], () => {make}); AttentionBook.show("bad");'
    page = show(first(), bad, first(), scripts=[code])
    places = page.locator("[data-model]").all()
    assert [p.get_attribute("data-alive") is not None for p in places] == [True, False, True]
    assert places[1].get_by_role("alert").inner_text().count("no luck") == 1
    assert places[1].locator("img").is_visible()
    start = texts(page)
    sliders(page)[0].press(MOVE.key)
    assert texts(page)[0] != start[0] and texts(page)[1] == start[1]
