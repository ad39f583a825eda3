"""Every widget, in a real browser without a kernel: what it declares is what it does.

All tests of a widget share one page, loaded anew for each.  Its timers run at once, so that what is
spoken after a rest is there without one.
"""

import json
from itertools import product

import pytest
from page_metrics import too_tall_or_small

from attnlib.widgets import WIDGETS
from tests.helpers.watching import Watch
from tests.helpers.widget_pages import (
    COARSE,
    centre,
    frame,
    perform,
    state,
    swipe,
    widget_page_text,
)

pytestmark = pytest.mark.browser

AT_ONCE = "{ const later = setTimeout; window.setTimeout = (run) => later(run, 0); }"
TOLD = "addEventListener('attention-numbers', ({ detail }) => (window.told = detail))"
MARKUP = "<img src=x onerror=alert(1)>"
#: Elements that come into the widget while the reader drags.
ADDED = """
    window.added = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node.nodeType === Node.ELEMENT_NODE) window.added.push(node.outerHTML);
    }).observe(document.querySelector(".attn"), { subtree: true, childList: true });
"""
HELD = "e => getComputedStyle(e).contain.includes('strict')"


@pytest.fixture(scope="module", params=WIDGETS)
def opened(request, browser, tmp_path_factory):
    """A widget's class, and a function that shows its first samples on a screen."""
    cls, watch, pages = WIDGETS[request.param], Watch(browser), {}
    folder = tmp_path_factory.mktemp(cls.__name__)
    watch.allowed.append(folder.as_uri())

    def opened(count=1, **screen):
        key = (count, *screen.items())
        if key not in pages:
            path = folder / f"{count}.html"
            shown = [cls(**sample) for sample in cls.samples[:count]]
            path.write_text(widget_page_text(shown), encoding="utf-8")
            pages[key] = watch.page(**screen)
            pages[key].add_init_script(AT_ONCE)
            pages[key].add_init_script(TOLD)
            pages[key].goto(path.as_uri())
        else:
            pages[key].reload()
        return pages[key]

    yield cls, opened
    watch.close()


@pytest.fixture
def cls(opened):
    return opened[0]


@pytest.fixture
def page(opened):
    return opened[1]()


def rounded(value):
    return json.loads(json.dumps(value), parse_float=lambda text: round(float(text), 6))


def first(cls, **changed):
    """The state of the first sample, with some traits changed."""
    return cls(**cls.samples[0] | changed).state()


def reset(page):
    button = page.get_by_role("button", name="Reset")
    button.click() if button.count() else page.reload()


def agrees(page, cls, *, changed):
    """The page has the first sample's state with these changes, and says what Python says."""
    now = state(page, cls)
    assert rounded(now) == rounded(first(cls, **changed))
    spoken = page.locator("[aria-live=polite]")
    assert (spoken.inner_text() if spoken.count() else "") == cls(**now).announcement()
    told = page.evaluate("window.told")
    assert told is None or told == cls(**now).shown()


def test_it_says_what_python_says_of_every_sample(opened):
    cls, show = opened
    page = show(count=len(cls.samples))
    frame(page)
    places = page.locator("[data-alive]").all()
    assert len(places) == len(cls.samples)
    for place, sample in zip(places, cls.samples):
        spoken = place.locator("[aria-live=polite]")
        assert (spoken.inner_text() if spoken.count() else "") == cls(**sample).announcement()
        assert cls(**sample).task.replace("`", "") in place.inner_text()
    assert page.locator("main img").count() == 0


def test_moves_work_by_keyboard_and_reset_undoes_them(cls, page):
    for move in cls(**cls.samples[0]).moves():
        perform(page, move)
        agrees(page, cls, changed=move.before | move.then)
        assert move.says in page.locator(".attn").inner_text(), move
        assert page.locator("[aria-invalid]").count() == 0, move
        reset(page)
        frame(page)
        agrees(page, cls, changed={})


def test_every_control_is_declared_and_has_a_name(cls, page):
    sample = cls(**cls.samples[0])
    declared = {(move.role, move.name) for move in sample.moves() if not move.before}
    buttons = [option["label"] for option in state(page, cls).get("presets", [])]
    client = page.context.new_cdp_session(page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    roles = {"slider", "spinbutton", "textbox", "combobox", "radio", "checkbox", "link", "button"}
    controls = [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in roles
    ]
    controls = {control for control in controls if control not in {("button", b) for b in buttons}}
    assert controls - {("button", "Reset"), ("button", "Check")} == declared


def test_presets_do_what_they_say(cls, page):
    for preset in state(page, cls).get("presets", []):
        label = preset.pop("label")
        page.get_by_role("button", name=label).click()
        frame(page)
        agrees(page, cls, changed=preset)


TABBABLE = """
    () => {
      const all = document.querySelectorAll("input, button, a[href], [tabindex='0']");
      const shown = [...all].filter((e) => e.checkVisibility({ visibilityProperty: true }));
      const groups = Map.groupBy(shown, (e) => (e.type === "radio" ? e.name : null));
      return shown.filter((e) => e.type !== "radio" || e ===
        (groups.get(e.name).find((x) => x.checked) ?? groups.get(e.name)[0])).length;
    }
"""
UNSEEN = """
    () => {
      const here = document.activeElement;
      if (here === document.body || here.dataset.seen) return false;
      return (here.dataset.seen = "yes");
    }
"""


def test_tab_reaches_every_control(page):
    wanted, seen = page.evaluate(TABBABLE), 0
    page.keyboard.press("Tab")
    while page.evaluate(UNSEEN):
        seen += 1
        page.keyboard.press("Tab")
    assert seen == wanted > 0


def handles(page):
    """Whatever has a place in a picture and can be dragged there."""
    return page.locator("svg [role=slider]").all()


def reached(page, cls, point, target):
    """The handle is under the pointer, as far as its steps allow; one declared trait changed."""
    frame(page)
    label = point.get_attribute("aria-label")
    (move,) = (m for m in cls(**cls.samples[0]).moves() if (m.role, m.name) == ("slider", label))
    assert centre(point.locator("circle").last)[0] == pytest.approx(target[0], abs=6), label
    changed = {trait: state(page, cls)[trait] for trait in move.then}
    assert rounded(changed) != rounded({trait: first(cls)[trait] for trait in changed})
    agrees(page, cls, changed=changed)
    reset(page)
    frame(page)


def towards_the_middle(page, point):
    start = centre(point.locator("circle").last)
    middle = centre(point.locator("xpath=ancestor::*[name()='svg']"))[0]
    return start, (start[0] + (40 if start[0] <= middle else -40), start[1])


def test_dragging_handles_keeps_size_and_elements(cls, page):
    widget = page.locator(".attn")
    page.evaluate(ADDED)
    size = widget.bounding_box()
    for point in handles(page):
        start, target = towards_the_middle(page, point)
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*target, steps=4)
        frame(page)
        assert widget.evaluate(HELD) and widget.bounding_box() == pytest.approx(size)
        page.mouse.up()
        assert not widget.evaluate(HELD) and widget.evaluate("e => e.style.blockSize") == ""
        assert widget.bounding_box() == pytest.approx(size)
        reached(page, cls, point, target)
    assert page.evaluate("window.added") == []


def test_the_right_button_moves_nothing(cls, page):
    for point in handles(page)[:1]:
        start, target = towards_the_middle(page, point)
        page.mouse.move(*start)
        page.mouse.down(button="right")
        page.mouse.move(*target)
        page.mouse.up(button="right")
        frame(page)
        agrees(page, cls, changed={})


def test_a_finger_moves_handles_and_not_the_page(opened):
    cls, show = opened
    page = show(**COARSE)
    for point in handles(page):
        point.scroll_into_view_if_needed()
        top = page.evaluate("scrollY")
        start, target = towards_the_middle(page, point)
        swipe(page, start, target)
        assert page.evaluate("scrollY") == top
        reached(page, cls, point, target)


GRASP = """
    (element, size) => {
      const hit = element.querySelector("circle:last-of-type").getBoundingClientRect();
      const [x, y] = [hit.x + hit.width / 2, hit.y + hit.height / 2];
      const away = size / 2 - 0.5;
      return [[away, 0], [-away, 0], [0, away], [0, -away]].filter(([dx, dy]) =>
        document.elementFromPoint(x + dx, y + dy)?.closest("[role=slider]") !== element).length;
    }
"""


SMALL = """
    () => [...document.querySelectorAll("input, button")].filter((e) => {
      const { width, height } = (e.closest("label") ?? e).getBoundingClientRect();
      return e.checkVisibility() && Math.min(width, height) < 24;
    }).map((e) => e.outerHTML)
"""


@pytest.mark.parametrize("screen", [{}, COARSE], ids=["mouse", "finger"])
def test_controls_are_large_and_nothing_overflows(opened, screen):
    page = opened[1](**screen)
    for width in (1280, 560, 360):
        page.set_viewport_size({"width": width, "height": 844})
        frame(page)
        for point in handles(page):
            point.scroll_into_view_if_needed()
            assert point.evaluate(GRASP, 44 if screen else 24) == 0, (width, point.inner_html())
        assert page.evaluate(SMALL) == [] == too_tall_or_small(page), width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


NONSENSE = ["abc", "", "1.2.3", "--1", "Infinity", "0x1", MARKUP]


def test_text_that_is_no_number_is_refused(cls, page):
    fields = page.get_by_role("textbox").all()
    for typed, field in [*product(NONSENSE, fields[:1]), *product(NONSENSE[:1], fields)]:
        field.fill(typed)
        field.press("Enter")
        frame(page)
        assert field.input_value() == typed and field.get_attribute("aria-invalid") == "true"
        message = page.locator("[role=alert], [role=status]").first.inner_text()
        assert "number" in message and "NaN" not in page.locator("main").inner_text()
        agrees(page, cls, changed={})
        reset(page)


def test_new_numbers_are_spoken_once_they_rest(cls, show):
    sliders = [move for move in cls(**cls.samples[0]).moves() if move.role == "slider"]
    if not sliders:
        return
    page, heard = show(cls(**cls.samples[0])), []
    page.expose_function("heard", lambda text: heard.append(text))
    page.locator("[aria-live=polite]").evaluate(
        "(e) => new MutationObserver(() => heard(e.textContent)).observe(e, { childList: true })"
    )
    for _ in range(5):
        page.get_by_role("slider", name=sliders[0].name, exact=True).press(sliders[0].key)
    frame(page)
    wanted = cls(**state(page, cls)).announcement()
    page.wait_for_function(
        "(text) => document.querySelector('[aria-live]').textContent === text", arg=wanted
    )
    assert len(heard) <= 2 and wanted != cls(**cls.samples[0]).announcement()


PLAIN = {"title", "task", "question", "label", "text", "why", "reply", "hint", "working", "fields"}


def with_text(value, text, name=None):
    """A trait's value with everything in it that a reader reads replaced."""
    if isinstance(value, dict):
        return {key: with_text(item, text, key) for key, item in value.items()}
    if isinstance(value, list):
        return [with_text(item, text, name) for item in value]
    return text if name in PLAIN and isinstance(value, str) else value


def test_text_is_never_markup(cls, show):
    text = MARKUP + "</script><script>alert(2)</script>"
    widget = cls(**cls.samples[0])
    traits = {name: getattr(widget, name) for name in cls.state_names()}
    page = show(cls(**with_text(traits, text)))
    assert page.locator("[data-alive]").count() == 1
    assert page.get_by_text(text).count() >= 2 and page.locator("main img").count() == 0
