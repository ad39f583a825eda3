"""The query plane: what it refuses, what follows, and that its picture is what it says."""

import math
import re
from itertools import combinations

import numpy as np
import pytest
from traitlets import TraitError

from attnlib import attend, dot, figures, sparsemax
from attnlib.widgets import QueryPlane
from tests.helpers.widget_pages import COARSE, drag, frame, handle, numbers, point, refused, swipe

LEFT, RIGHT = "Query and keys", "Values and output"
browser = pytest.mark.browser


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("query must be finite numbers of shape (2,): got shape (1,)", "query", [1]),
        ("got shape (3,)", "query", [1, 2, 3]),
        ("got shape (1, 2)", "query", [[1, 2]]),
        ("not finite", "query", [1, math.nan]),
        ("not finite", "query", [1, math.inf]),
        ("got ['a', 'b']", "query", ["a", "b"]),
        ("query", "query", None),
        ("between -2.5 and 2.5 (key_range)", "query", [1, 2.6]),
        ("between -2.5 and 2.5 (key_range)", "K", [[1, 0], [0, 1], [9, 9]]),
        ("K must be finite numbers of shape (n, 2)", "K", [[1, 0], [0, 1], [1]]),
        ("between -2.0 and 12.0 (value_range)", "V", [[1, 0], [0, 1], [1, 13]]),
        ("shape (n, 2)", "V", []),
        ("normalizer", "normalizer", "soft"),
        ("temperature", "temperature", 0),
        ("temperature", "temperature", 11),
        ("temperature", "temperature", "hot"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(QueryPlane, words, **{trait: value})


def test_numbers_of_keys_and_values_are_fixed():
    with pytest.raises(TraitError, match="got 2 keys and 3 values"):
        QueryPlane(K=[[1, 0], [0, 1]])
    seven = [[0, 0]] * 7
    with pytest.raises(TraitError, match="one to six keys"):
        QueryPlane(K=seven, V=seven)
    plane = QueryPlane()
    before = plane.state()
    for trait in ("K", "V"):
        with pytest.raises(TraitError, match=f"this QueryPlane has 3 {trait}, got 2: make a new"):
            setattr(plane, trait, [[1, 0], [0, 1]])
    with pytest.raises(TraitError):
        plane.weights = [1, 0, 0]
    assert plane.state() == before


def test_the_worked_example_follows_the_traits():
    plane, seen = QueryPlane(), []
    assert plane.weights.round(6).tolist() == [0.487856, 0.487856, 0.024289]
    plane.observe(lambda change: seen.append(change.new.round(3).tolist()), "weights")
    plane.query = [-1, -1]
    plane.normalizer = "hardmax"
    assert seen == [[0.045, 0.045, 0.909], [0, 0, 1]]
    assert plane.output.tolist() == [5, 5]
    plane.normalizer, plane.temperature = "sparsemax", 0.5
    plane.K = np.array([[1, 2], [0, 1], [2, 0.5]])
    raw = np.array(plane.K) @ plane.query
    np.testing.assert_allclose(plane.scores, raw)
    np.testing.assert_allclose(plane.weights, sparsemax(raw, temperature=0.5))
    np.testing.assert_allclose(plane.output, plane.weights @ np.array(plane.V))


# Its still picture


@pytest.mark.parametrize("normalizer", ["softmax", "hardmax"])
def test_the_picture_holds_the_worked_example(normalizer):
    plane = QueryPlane(query=[-1.5, 0.25], normalizer=normalizer)
    svg = plane.picture()["image/svg+xml"]
    written = {text.replace("−", "-") for text in re.findall(r"<!-- (.*?) -->", svg)}
    assert {f"{x:.2f}" for x in plane.scores} | {f"{x:.3f}" for x in plane.weights} <= written
    assert {"k₂ = [0.5, 0.5]", "v₁ = [10, 0]", plane.words["left"]} <= written
    products = plane.weights[:, None] * np.array(plane.V)
    for vector in [*products, plane.output]:
        assert f"[{', '.join(f'{x + 0.0:.2f}' for x in vector)}]" in written


def test_feet_lie_on_the_querys_line():
    query, K = np.array([-1.5, 0.25]), np.array(QueryPlane().K)
    ax = figures.query_and_keys(query, K, limits=[-3, 3])
    feet = np.vstack([dots.get_offsets() for dots in ax.collections])
    np.testing.assert_allclose(feet @ query, K @ query)
    np.testing.assert_allclose(feet @ [0.25, 1.5], 0, atol=1e-12)
    for values in ([[1, 1], [1, 1], [1, 1]], [[0, 0], [5, 5], [10, 10]]):
        assert "<svg" in QueryPlane(V=values).picture()["image/svg+xml"]


# In the browser


def pixel(page, plane, name, where):
    """Where in the window a point of a picture is, from the picture's own range."""
    box = page.get_by_role("group", name=plane, exact=True).bounding_box()
    low, high = (
        float(handle(page, name).get_attribute(f"aria-value{end}")) for end in ("min", "max")
    )
    x, y = (where[0] - low) / (high - low), (high - where[1]) / (high - low)
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def cells(page):
    """The cells' texts of the worked table, one list for each key."""
    rows = page.locator("[role=table] [role=row]").all()[1:-1]
    return [row.locator("[role=cell]").all_inner_texts() for row in rows]


def weights(page):
    return [numbers(row[3])[-1] for row in cells(page)]


def bars(page):
    return page.locator(".attn-track").evaluate_all(
        "all => all.map((e) => parseFloat(getComputedStyle(e).backgroundSize))"
    )


def expected(query):
    plane = QueryPlane(query=query)
    return attend(np.array([query]), plane.K, plane.V, score=dot)[1][0]


@browser
def test_a_dragged_point_stays_in_its_picture(show):
    page = show(QueryPlane())
    drag(page, pixel(page, RIGHT, "Value 2", (0, 10)), pixel(page, RIGHT, "Value 2", (1.5, 1)))
    drag(page, pixel(page, LEFT, "Query", (1, 1)), (1270, 3))
    frame(page)
    assert point(page, "Value 2") == pytest.approx([1.5, 1], abs=0.08)
    assert point(page, "Query") == [2.5, 2.5]


CHANGES = """
    window.changes = { shown: 0, written: 0 };
    const count = (kind) => new MutationObserver(() => (changes[kind] += 1));
    const tip = document.querySelector(".attn-head.attn-query");
    count("shown").observe(tip, { attributes: true });
    const cell = document.querySelector(".attn-example-score .attn-number");
    count("written").observe(cell, { characterData: true, subtree: true });
"""


@browser
def test_held_numbers_change_at_reading_pace(show):
    page = show(QueryPlane())
    page.evaluate(CHANGES)
    page.mouse.move(*pixel(page, LEFT, "Query", (1, 1)))
    page.mouse.down()
    start = page.evaluate("performance.now()")
    for where in [pixel(page, LEFT, "Query", (1 - step / 20, 1)) for step in range(40)]:
        page.mouse.move(*where)
        frame(page)
    page.wait_for_timeout(100)
    passed = page.evaluate("performance.now()") - start
    rest = expected(point(page, "Query"))
    assert weights(page) == pytest.approx(rest, abs=1e-3)
    assert bars(page) == pytest.approx(100 * rest, abs=0.1)
    changes = page.evaluate("changes")
    assert changes["shown"] > 30 and 3 < changes["written"] <= passed / 66 + 1, (changes, passed)


@browser
def test_a_finger_beside_the_points_scrolls(show):
    page = show(QueryPlane(), QueryPlane(), **COARSE)
    box = page.get_by_role("group", name=LEFT, exact=True).first.bounding_box()
    x, y = box["x"] + 0.1 * box["width"], box["y"] + 0.9 * box["height"]
    swipe(page, (x, y), (x, y - 300))
    page.wait_for_function("scrollY > 100")
    assert numbers(handle(page, "Query").first.get_attribute("aria-valuetext")) == [1, 1]


@browser
def test_every_key_moves_a_point_to_the_edge(show):
    page = show(QueryPlane(), height=300)
    at = np.array([1.0, 1.0])
    ways = {"ArrowRight": (0.1, 0), "ArrowLeft": (-0.1, 0), "ArrowUp": (0, 0.1)}
    ways |= {"ArrowDown": (0, -0.1), "Shift+ArrowLeft": (-0.5, 0), "Shift+ArrowUp": (0, 0.5)}
    for key, way in ways.items():
        handle(page, "Query").press(key)
        frame(page)
        at += way
        assert point(page, "Query") == pytest.approx(at)
        assert weights(page) == pytest.approx(expected(at), abs=6e-4)
    for _ in range(5):
        handle(page, "Key 1").press("Shift+ArrowDown")
    top = page.evaluate("scrollY")
    for _ in range(3):
        handle(page, "Key 1").press("Shift+ArrowDown")
    frame(page)
    assert point(page, "Key 1") == [1, -2.5] and page.evaluate("scrollY") == top


@browser
def test_a_field_can_be_nudged_and_left(show):
    page = show(QueryPlane())
    page.get_by_role("textbox", name="Value 3, y").fill("12")
    page.keyboard.press("Tab")
    field = page.get_by_role("textbox", name="Key 2, y")
    for key in ("ArrowUp", "Shift+ArrowUp", "ArrowDown", "ArrowUp"):
        field.press(key)
    frame(page)
    assert point(page, "Value 3") == [5, 12]
    assert point(page, "Key 2") == [0.5, 1.6] and field.input_value() == "1.6"


@browser
def test_a_complaint_lasts_until_it_is_resolved(show):
    page = show(QueryPlane(presets=[{"label": "turned", "query": [1, 1]}]))
    message = page.get_by_role("alert")
    field = page.get_by_role("textbox", name="Query, x")
    for name, typed in [("Query, x", "abc"), ("Key 1, y", "9e9"), ("Query, y", "2")]:
        page.get_by_role("textbox", name=name).fill(typed)
        page.keyboard.press("Enter")
        frame(page)
    assert point(page, "Query") == [1, 2] and field.input_value() == "abc"
    assert all(words in message.inner_text() for words in ("Key 1, y", "−2.5", "2.5"))
    page.get_by_role("textbox", name="Key 1, y").press("Escape")
    assert "Query, x" in message.inner_text()
    field.press("Escape")
    assert message.inner_text() == "" and field.input_value() == "1"
    for name in ("Reset", "turned"):
        field.fill("abc")
        field.press("Enter")
        page.get_by_role("button", name=name).click()
        frame(page)
        assert field.input_value() == "1" and field.get_attribute("aria-invalid") is None
        assert message.inner_text() == ""


# What is drawn

SIZE = 320  # of a picture, in its own units
BOXES = "(all) => all.map((e) => e.getBBox()).map((b) => [b.x, b.y, b.width, b.height])"


def in_plane(where, low, high):
    """Where a point lies in a picture, in the picture's units."""
    x, y = where
    return np.array([(x - low) * SIZE / (high - low), (high - y) * SIZE / (high - low)])


def corners(path):
    """The corners of an outline of absolute moves and lines, shape ``(n, 2)``."""
    return np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", path), dtype=float)


@browser
@pytest.mark.parametrize("query", [(1, 1), (-2, 0.5), (0, -1.5), (2, 2), (-1, -1)])
def test_arrows_end_in_points_and_feet_show_scores(show, query):
    page = show(QueryPlane(query=query))
    plane = page.get_by_role("group", name=LEFT)
    low, high = QueryPlane().key_range
    tip, origin = in_plane(query, low, high), in_plane((0, 0), low, high)
    head = corners(plane.locator("path.attn-query").get_attribute("d"))
    np.testing.assert_allclose(head[0], tip, atol=0.02)
    along = (tip - origin) / np.linalg.norm(tip - origin)
    across = np.array([-along[1], along[0]])
    assert ((head[1:] - tip) @ along < -10).all()
    assert (head[1:] - tip) @ across == pytest.approx([6, 0, -6], abs=0.02)
    shaft = plane.locator("line.attn-arrow.attn-query")
    start, end = ([float(shaft.get_attribute(f"{axis}{i}")) for axis in "xy"] for i in (1, 2))
    assert start == pytest.approx(origin)
    assert (np.array(end) - start) @ across == pytest.approx(0, abs=1e-6)

    path = page.locator(".attn-foot").get_attribute("d")
    dots = [list(map(float, place)) for place in re.findall(r"M(\S+) ([^m]+)m", path)]
    feet = (np.array(dots) - origin) * [1, -1] * (high - low) / SIZE
    np.testing.assert_allclose(feet @ query, np.array(QueryPlane().K) @ query, atol=1e-3)
    np.testing.assert_allclose(feet @ [query[1], -query[0]], 0, atol=1e-3)

    # Names do not lie over each other.
    for a, b in combinations(np.array(plane.locator(".attn-label").evaluate_all(BOXES)), 2):
        overlap = np.minimum(a[:2] + a[2:], b[:2] + b[2:]) - np.maximum(a[:2], b[:2])
        assert overlap[0] <= 2 or overlap[1] <= 4


@browser
def test_bars_discs_and_output_show_weights_and_mean(show):
    model = QueryPlane(query=[0.6, 0.2], V=[[9, 1], [2, 7], [4, 4]])
    page = show(model)
    assert bars(page) == pytest.approx(100 * model.weights, abs=0.02)
    plane = page.get_by_role("group", name=RIGHT)
    radii = np.array([float(r.get_attribute("r")) for r in plane.locator(".attn-disc").all()])
    assert radii**2 / (radii**2).sum() == pytest.approx(model.weights, abs=2e-3)
    path = plane.locator(".attn-output").get_attribute("d")
    x, top = map(float, re.match(r"M(\S+) ([^l\s]+)l", path).groups())
    assert [x, top + 9] == pytest.approx(in_plane(model.output, *model.value_range), abs=0.01)
