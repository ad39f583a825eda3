"""What the widgets draw is what they say: arrows, bars, discs and curves against attnlib."""

import re
from itertools import pairwise

import numpy as np
import pytest
from widget_lab import lab
from widget_pages import handle, numbers

from attnlib import attend, dot, widgets

pytestmark = pytest.mark.browser

BOXES = """
    (all) => all.map((element) => {
      const { x, y, width, height } = element.getBBox();
      return [x, y, width, height];
    })
"""
SIZE = 320  # of a square picture, in its own units


def in_plane(where, low, high):
    """Where a point lies in a square picture, in the picture's units."""
    x, y = where
    return np.array([(x - low) * SIZE / (high - low), (high - y) * SIZE / (high - low)])


def corners(path):
    """The corners of an outline of absolute moves and lines, shape ``(n, 2)``."""
    return np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", path), dtype=float)


@pytest.mark.parametrize("query", [(1, 1), (-2, 0.5), (0, -1.5), (0.7, -0.2)])
def test_an_arrow_ends_in_its_point_and_looks_away_from_the_origin(show, query):
    page = show(lab("plane", query=query))
    plane = page.get_by_role("group", name="Query and keys")
    low, high = (
        float(handle(page, "Query").get_attribute(f"aria-value{end}")) for end in ("min", "max")
    )
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


@pytest.mark.parametrize("query", [(1, 1), (-2, 0.5), (0, -1.5)])
def test_feet_times_the_length_of_the_query_are_the_scores(show, query):
    page = show(lab("plane", query=query))
    low, high = (
        float(handle(page, "Query").get_attribute(f"aria-value{end}")) for end in ("min", "max")
    )
    path = page.locator(".attn-foot").get_attribute("d")
    dots = [list(map(float, found)) for found in re.findall(r"M([^,]+),([^m]+)m", path)]
    feet = (np.array(dots) - in_plane((0, 0), low, high)) * [1, -1] * (high - low) / SIZE
    scores = np.array(widgets.QueryPlane().K) @ query
    np.testing.assert_allclose(feet @ query, scores, atol=1e-3)
    np.testing.assert_allclose(feet @ [query[1], -query[0]], 0, atol=1e-3)


def test_bars_discs_and_output_show_weights_and_mean(show):
    given = {"query": [0.6, 0.2], "V": [[9, 1], [2, 7], [4, 4]]}
    page = show(lab("plane", **given))
    model = widgets.QueryPlane(**given)
    Q, K, V = (np.array(x, dtype=float) for x in ([model.query], model.K, model.V))
    (output,), (weights,) = attend(Q, K, V, score=dot)
    bars = page.locator(".attn-track").evaluate_all(
        "all => all.map((e) => parseFloat(getComputedStyle(e).backgroundSize))"
    )
    assert bars == pytest.approx(100 * weights, abs=0.02)
    plane = page.get_by_role("group", name="Values and output")
    radii = np.array([float(r.get_attribute("r")) for r in plane.locator(".attn-disc").all()])
    assert radii**2 / (radii**2).sum() == pytest.approx(weights, abs=2e-3)
    low, high = model.value_range
    path = plane.locator(".attn-output").get_attribute("d")
    x, top = map(float, re.match(r"M(\S+) ([^l\s]+)l", path).groups())
    assert [x, top + 9] == pytest.approx(in_plane(output, low, high), abs=0.01)


def heights(path):
    """Height of each bar, in the picture's units, of one path ``M x base V top h width V base``."""
    bars = re.findall(r"M\S+ ([\d.]+)V([\d.]+)h", path)
    return np.array([float(base) - float(top) for base, top in bars])


@pytest.mark.parametrize("state", [{"dimension": 4}, {"dimension": 256, "scale": "sqrt"}], ids=str)
def test_the_charts_of_the_lab_show_what_attnlib_says(show, state):
    page = show(lab("scaling", **state))
    model = widgets.ScalingLab(**state)

    def picture(name):
        return page.get_by_role("img", name=name, exact=False)

    spread = heights(picture("Histogram").locator(".attn-stem").get_attribute("d"))
    edges = [-np.inf, *range(-39, 40), np.inf]
    counts = np.minimum(np.histogram(model.scores, edges)[0] / model.scores.size, 0.55)
    assert spread / 114 * 0.55 == pytest.approx(counts, abs=1e-3)

    ranked = -np.sort(-model.weights, axis=1)
    drawn = heights(picture("Mean weights").locator(".attn-stem").get_attribute("d"))
    assert drawn / 114 == pytest.approx(ranked.mean(axis=0), abs=1e-3)

    sizes, curves = model.gradient_curves()
    gradient = picture("Gradient")
    for line, name in zip(gradient.locator(".attn-curve").all(), ("none", "sqrt", "linear")):
        points = np.array([p.split(",") for p in line.get_attribute("points").split()], float)
        assert (124 - points[:, 1]) / 114 * 0.5 == pytest.approx(curves[name], abs=1e-3)
        assert (line.get_attribute("data-chosen") is not None) == (name == model.scale)
    here = gradient.locator(".attn-here")
    chosen = curves[model.scale][sizes.index(model.dimension)]
    assert (124 - float(here.get_attribute("cy"))) / 114 * 0.5 == pytest.approx(chosen, abs=1e-6)


@pytest.mark.parametrize("correlation", [0, 0.5, 1])
@pytest.mark.parametrize("distribution", ["normal", "sign"])
def test_the_names_of_the_curves_never_lie_over_each_other(show, correlation, distribution):
    page = show(lab("scaling", correlation=correlation, distribution=distribution))
    places = page.locator(".attn-curve-name").evaluate_all(BOXES)
    rows = sorted((y, y + height) for _, y, _, height in places)
    assert len(rows) == 3
    assert all(above[1] <= below[0] + 3 for above, below in pairwise(rows))


@pytest.mark.parametrize("query", [(1, 1), (-1, -1), (2, 2)])
def test_names_of_arrows_on_one_line_do_not_lie_over_each_other(show, query):
    page = show(lab("plane", query=query))
    plane = page.get_by_role("group", name="Query and keys")
    boxes = plane.locator(".attn-label").evaluate_all(BOXES)
    for i, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[:i]:
            wide = min(x + width, other_x + other_width) - max(x, other_x)
            high = min(y + height, other_y + other_height) - max(y, other_y)
            assert wide <= 2 or high <= 4


@pytest.mark.parametrize("mode", ["fixed", "adaptive"])
def test_the_signals_weights_and_output_are_drawn(show, mode):
    state = {"moment": 20, "mode": mode, "reach": 4, "bandwidth": 0.5}
    page = show(lab("signal", **state))
    model = widgets.SignalWeights(**state)
    stems = page.locator(".attn-stem")
    drawn = np.array([float(s.get_attribute("height")) for s in stems.all()])
    assert drawn / drawn.sum() == pytest.approx(model.weights, abs=2e-4)
    radii = np.array([float(d.get_attribute("r")) for d in page.locator(".attn-disc").all()])
    assert radii**2 / (radii**2).sum() == pytest.approx(model.weights, abs=2e-4)
    path = page.locator(".attn-output").get_attribute("d")
    x, top = map(float, re.match(r"M(\S+) ([^l\s]+)l", path).groups())
    line = page.locator(".attn-filtered").get_attribute("points").split()
    outputs = np.array([p.split(",") for p in line], float)
    assert [x, top + 8] == pytest.approx(outputs[20], abs=0.01)
    off = model.filtered() - np.array(model.clean)
    stretches = [slice(0, 20), slice(20, 28), slice(28, None)]
    sizes = [np.sqrt((off[stretch] ** 2).mean()) for stretch in stretches]
    assert numbers(page.locator(".attn-worked").inner_text())[-3:] == pytest.approx(sizes, abs=6e-4)
    # The scale of the picture, from the truth, whose values are known.
    line = page.locator(".attn-truth").get_attribute("points").split()
    truth = np.array([p.split(",") for p in line], float)
    slope, offset = np.polyfit(model.clean, truth[:, 1], 1)
    assert offset + slope * model.output == pytest.approx(outputs[20, 1], abs=0.05)
