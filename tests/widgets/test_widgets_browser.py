"""The widgets under mouse and keyboard, in a real browser without a kernel."""

import re

import numpy as np
import pytest
from widget_lab import APART, KINDS, PLANE, centre, drag, expected_weights, lab
from widget_pages import frame, handle, numbers, pixel, point, weights, worked_rows

from attnlib import widgets

pytestmark = pytest.mark.browser


# Mouse


def test_the_query_is_dragged(show):
    page = show(lab("plane"))
    drag(page, pixel(page, PLANE, "Query", (1, 1)), pixel(page, PLANE, "Query", (-1, -1)))
    frame(page)
    assert point(page, "Query") == pytest.approx([-1, -1], abs=0.03)
    assert weights(page) == pytest.approx(expected_weights(point(page, "Query")), abs=1e-3)
    assert weights(page)[2] > 0.9


@pytest.mark.parametrize(
    ("plane", "name", "old"),
    [
        (PLANE, "Key 1", (2, 0)),
        (PLANE, "Key 3", (0, -2)),
        ("Values and output", "Value 2", (0, 10)),
    ],
)
def test_keys_and_values_are_dragged(show, plane, name, old):
    page = show(lab("plane", **APART))
    before = worked_rows(page)
    drag(page, pixel(page, plane, name, old), pixel(page, plane, name, (1.5, 1)))
    frame(page)
    assert point(page, name) == pytest.approx([1.5, 1], abs=0.08)
    assert worked_rows(page) != before


CHANGES = """
    window.changes = { shown: 0, written: 0 };
    const count = (kind) => new MutationObserver(() => (changes[kind] += 1));
    const tip = document.querySelector(".attn-head.attn-query");
    count("shown").observe(tip, { attributes: true });
    const cell = document.querySelector(".attn-score .attn-number");
    count("written").observe(cell, { characterData: true, subtree: true });
"""


def test_numbers_of_a_held_widget_follow_at_the_pace_of_reading(show):
    page = show(lab("plane"))
    page.evaluate(CHANGES)
    page.mouse.move(*pixel(page, PLANE, "Query", (1, 1)))
    page.mouse.down()
    for step in range(40):
        page.mouse.move(*pixel(page, PLANE, "Query", (1 - step / 20, 1)))
        frame(page)
    page.wait_for_timeout(100)
    assert weights(page) == pytest.approx(expected_weights(point(page, "Query")), abs=1e-3)
    changes = page.evaluate("changes")
    assert changes["shown"] > 30 and 3 < changes["written"] < 0.7 * changes["shown"], changes


def test_a_point_stays_in_its_picture(show):
    page = show(lab("plane"))
    drag(page, pixel(page, PLANE, "Query", (1, 1)), (1270, 3))
    frame(page)
    assert point(page, "Query") == [2.5, 2.5]


def test_the_right_button_moves_nothing(show):
    page = show(lab("plane"))
    page.mouse.move(*pixel(page, PLANE, "Query", (1, 1)))
    page.mouse.down(button="right")
    page.mouse.move(400, 400)
    page.mouse.up(button="right")
    frame(page)
    assert point(page, "Query") == [1, 1]


@pytest.mark.parametrize("kind", ["plane", "signal", "scaling"])
def test_a_held_widget_keeps_its_size_and_is_let_go(show, kind):
    page = show(lab(kind))
    widget = page.locator(".attn")
    size = widget.bounding_box()
    spot = page.locator("[role=slider] circle:last-of-type, input[type=range]").first
    page.mouse.move(*centre(spot))
    page.mouse.down()
    page.mouse.move(300, 300, steps=4)
    frame(page)
    assert "strict" in widget.evaluate("e => getComputedStyle(e).contain")
    assert widget.bounding_box() == pytest.approx(size)
    page.mouse.up()
    frame(page)
    assert "strict" not in widget.evaluate("e => getComputedStyle(e).contain")
    assert widget.evaluate("e => e.style.blockSize") == ""
    assert widget.bounding_box() == pytest.approx(size)


def test_the_moment_is_dragged_and_clicked(show):
    page = show(lab("signal", moment=10))
    picture = page.get_by_role("group", name="The signal, its weights and the filtered signal")
    box = picture.bounding_box()
    knob = centre(handle(page, "Moment").locator("circle").last)
    drag(page, knob, (box["x"] + box["width"] / 2, 300))
    frame(page)
    n = len(widgets.SignalWeights().signal)
    assert point(page, "Moment")[0] == pytest.approx((n - 1) / 2, abs=1)
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 60)
    frame(page)
    moment = int(point(page, "Moment")[0])
    assert moment > 0.8 * n
    expected = widgets.SignalWeights(moment=moment)
    said = numbers(page.get_by_text(f"At {moment}: signal").first.inner_text())
    assert said[1:3] == pytest.approx([expected.signal[moment], expected.output], abs=0.006)


# Keyboard

TABBABLE = """
    () => {
      const all = document.querySelectorAll("input, button, a[href], [tabindex='0']");
      const shown = [...all].filter((e) => e.checkVisibility({ visibilityProperty: true }));
      const groups = Map.groupBy(shown, (e) => (e.type === "radio" ? e.name : null));
      return shown.filter((e) => e.type !== "radio" || e ===
        (groups.get(e.name).find((x) => x.checked) ?? groups.get(e.name)[0])).length;
    }
"""


@pytest.mark.parametrize("kind", KINDS)
def test_tab_reaches_every_control(show, kind):
    page = show(lab(kind))
    wanted = page.evaluate(TABBABLE)
    seen = 0
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        inside = "document.activeElement !== document.body && !document.activeElement.dataset.seen"
        if not page.evaluate(inside):
            break
        page.evaluate("document.activeElement.dataset.seen = 'yes'")
        seen += 1
    assert seen == wanted > 0


@pytest.mark.parametrize(
    ("key", "moved"),
    [
        ("ArrowRight", (0.1, 0)),
        ("ArrowLeft", (-0.1, 0)),
        ("ArrowUp", (0, 0.1)),
        ("ArrowDown", (0, -0.1)),
        ("Shift+ArrowLeft", (-0.5, 0)),
        ("Shift+ArrowUp", (0, 0.5)),
    ],
)
def test_arrow_keys_move_the_query(show, key, moved):
    page = show(lab("plane"))
    handle(page, "Query").press(key)
    frame(page)
    query = [1 + moved[0], 1 + moved[1]]
    assert point(page, "Query") == pytest.approx(query)
    assert weights(page) == pytest.approx(expected_weights(query), abs=6e-4)


def test_arrow_keys_stop_at_the_edge_and_leave_the_page_alone(show):
    page = show(lab("plane"), height=300)
    for _ in range(5):
        handle(page, "Key 1").press("Shift+ArrowDown")
    top = page.evaluate("scrollY")
    for _ in range(3):
        handle(page, "Key 1").press("Shift+ArrowDown")
    frame(page)
    assert point(page, "Key 1") == [1, -2.5] and page.evaluate("scrollY") == top


def test_arrow_keys_move_the_moment(show):
    page = show(lab("signal", moment=10))
    handle(page, "Moment").press("ArrowRight")
    handle(page, "Moment").press("Shift+ArrowRight")
    frame(page)
    assert point(page, "Moment")[0] == 16


def test_temperature_and_normaliser_by_keyboard(show):
    page = show(lab("plane"))
    temperature = page.get_by_role("slider", name="Temperature")
    temperature.press("End")
    frame(page)
    assert temperature.get_attribute("aria-valuetext") == "10.00"
    assert max(weights(page)) - min(weights(page)) < 0.1
    page.get_by_role("radio", name="softmax").press("ArrowRight")
    frame(page)
    assert page.get_by_role("radio", name="sparsemax").is_checked()
    page.get_by_role("radio", name="sparsemax").press("ArrowLeft")
    page.get_by_role("radio", name="softmax").press("ArrowLeft")
    frame(page)
    assert page.get_by_role("radio", name="hardmax").is_checked()
    assert weights(page) == [1, 0, 0]


def test_signal_weights_change_their_kind(show):
    page = show(lab("signal", moment=20))
    reach, bandwidth = (
        page.get_by_role("slider", name=re.compile(name)) for name in ("Reach", "Bandwidth")
    )
    assert reach.is_visible() and not bandwidth.is_visible()
    page.get_by_role("radio", name=re.compile("fixed")).press("ArrowRight")
    frame(page)
    assert bandwidth.is_visible() and not reach.is_visible()
    bandwidth.press("ArrowRight")
    frame(page)
    # From 0.15 the slider steps along powers of ten, -0.80, -0.75, ...
    expected = widgets.SignalWeights(moment=20, mode="adaptive", bandwidth=10**-0.75)
    said = numbers(page.get_by_text("At 20: signal").first.inner_text())
    assert said[2] == pytest.approx(expected.output, abs=0.006)


def test_scaling_lab_answers_to_the_keyboard(show):
    page = show(lab("scaling"))
    for _ in range(4):
        page.get_by_role("slider", name="Components d").press("ArrowRight")
    page.get_by_role("radio", name="1/√d").check(force=True)
    page.get_by_role("slider", name="Query like its key").press("ArrowRight")
    frame(page)
    expected = widgets.ScalingLab(dimension=64, scale="sqrt", correlation=0.05)
    said = numbers(" ".join(page.locator(".attn-panel-note").all_inner_texts()))
    top = np.sort(expected.weights)[:, -1].mean()
    spread = [expected.scores.mean(), expected.scores.std()]
    found = [*spread, top, expected.own_weight, expected.gradient]
    assert said == pytest.approx(found, abs=6e-3)
