"""The widgets under fingers, and the size of what is to be hit."""

import pytest
from widget_lab import APART, COARSE, KINDS, PLANE, centre, lab
from widget_pages import frame, handle, pixel, point

pytestmark = pytest.mark.browser


def swipe(page, start, end, steps=8):
    client = page.context.new_cdp_session(page)

    def send(kind, at):
        points = [] if at is None else [{"x": at[0], "y": at[1]}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", start)
    for step in range(1, steps + 1):
        send("touchMove", [a + (b - a) * step / steps for a, b in zip(start, end)])
    send("touchEnd", None)


def test_a_finger_moves_the_query_and_not_the_page(show):
    page = show(lab("plane"), **COARSE)
    swipe(page, pixel(page, PLANE, "Query", (1, 1)), pixel(page, PLANE, "Query", (-1, -1)))
    frame(page)
    assert point(page, "Query") == pytest.approx([-1, -1], abs=0.1)
    assert page.evaluate("scrollY") == 0


def test_a_finger_moves_the_moment(show):
    page = show(lab("signal", moment=10), **COARSE)
    start = centre(handle(page, "Moment").locator("circle").last)
    swipe(page, start, (start[0] + 120, start[1]))
    frame(page)
    assert point(page, "Moment")[0] > 20


def test_a_finger_beside_the_points_scrolls(show):
    page = show(lab("plane"), lab("plane"), **COARSE)
    x, y = pixel(page.locator("[data-model]").first, PLANE, "Query", (-2, -2))
    swipe(page, (x, y), (x, y - 300))
    page.wait_for_function("scrollY > 100")
    assert point(page.locator("[data-model]").first, "Query") == [1, 1]


GRASP = """
    (element, size) => {
      const hit = element.querySelector("circle:last-of-type").getBoundingClientRect();
      const [x, y] = [hit.x + hit.width / 2, hit.y + hit.height / 2];
      const away = size / 2 - 0.5;
      return [[away, 0], [-away, 0], [0, away], [0, -away]].filter(([dx, dy]) =>
        document.elementFromPoint(x + dx, y + dy)?.closest("[role=slider]") !== element).length;
    }
"""


@pytest.mark.parametrize(
    ("size", "screen"),
    [(24, {"width": w}) for w in (1280, 560, 360)]
    + [(44, COARSE), (44, COARSE | {"width": 600}), (44, COARSE | {"width": 360})],
    ids=lambda value: str(value if isinstance(value, int) else value["width"]),
)
@pytest.mark.parametrize("kind", ["plane", "signal"])
def test_points_are_large_enough_to_grasp(show, kind, size, screen):
    page = show(lab(kind, **(APART if kind == "plane" else {"moment": 30})), **screen)
    points = page.locator("svg [role=slider]").all()
    assert points
    for found in points:
        found.scroll_into_view_if_needed()
        assert found.evaluate(GRASP, size) == 0, found.get_attribute("aria-label")


@pytest.mark.parametrize("screen", [{"width": 1280}, {"width": 360}, COARSE])
@pytest.mark.parametrize("kind", KINDS)
def test_other_controls_are_large_enough(show, kind, screen):
    page = show(lab(kind), **screen)
    for control in page.locator("input:visible, button:visible").all():
        around = control.locator("xpath=ancestor-or-self::label | self::*").first
        box = around.bounding_box()
        assert min(box["width"], box["height"]) >= 24, control.evaluate("(e) => e.outerHTML")
