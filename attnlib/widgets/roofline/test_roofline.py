"""The roof and the points on it: the book's counts and the page's, dragged and drawn."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib.cost import Ceilings, attention_cost, roofline_terms, roofline_time
from attnlib.widgets import Roofline
from attnlib.widgets.roofline.roofline import MACHINES, MOST, WAYS
from attnlib.widgets.shared.amounts import amount
from benchmarks.gpu.ceilings import NOMINAL
from tests.helpers.widget_pages import frame, handle, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", Roofline.samples)
BOOK = Path(__file__).resolve().parents[3] / "book"


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("n", "n", 0),
        ("n", "n", MOST + 1),
        ("d", "d", 4),
        ("n_heads", "n_heads", 65),
        ("itemsize", "itemsize", 3),
        ("passes", "passes", 2),
        ("flops_per_s", "flops_per_s", 0),
        ("bytes_per_s", "bytes_per_s", math.inf),
        ("causal", "causal", "yes"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(Roofline, words, **{trait: value})


def test_the_worked_example():
    roofline = Roofline()
    numbers = roofline.numbers()
    assert numbers["naive_intensity"] == 30.1 and numbers["fused_intensity"] == 500
    assert numbers["ridge"] == 100
    assert [round(1e6 * s, 2) for s in roofline.seconds.values()] == [8.51, 2.56]
    assert roofline.limits == {"naive": "memory", "fused": "arithmetic"}


def test_the_points_stand_on_the_roof():
    for n, d, causal in itertools.product((1, 100, 5000, MOST), (8, 256), (False, True)):
        roofline = Roofline(n=n, d=d, causal=causal, exponentials=True)
        for way in WAYS:
            cost = roofline.cost[way]
            reached = cost.flops / roofline.seconds[way]
            roof = min(
                roofline.flops_per_s,
                cost.intensity * roofline.bytes_per_s,
                4 * d * roofline.exponentials_per_s,
            )
            assert reached == pytest.approx(roof, rel=1e-12)


def test_only_the_fused_point_passes_the_ridge():
    before, at = Roofline(n=199), Roofline(n=201)
    assert before.limits["fused"] == "memory" and at.limits["fused"] == "arithmetic"
    assert {Roofline(n=2**k).limits["naive"] for k in range(18)} == {"memory"}
    assert Roofline(n=MOST).numbers()["naive_intensity"] == 32
    assert Roofline(n=MOST, d=256).limits["naive"] == "arithmetic"


def test_a_mask_halves_fused_work_and_adds_passes():
    n, d = 512, 64
    plain, masked = Roofline(n=n, d=d), Roofline(n=n, d=d, causal=True)
    assert masked.cost["fused"].flops * 2 * n == plain.cost["fused"].flops * (n + 1)
    assert masked.cost["naive"].flops == plain.cost["naive"].flops
    assert masked.cost["naive"].bytes - plain.cost["naive"].bytes == 2 * 2 * n * n


def test_heads_move_no_point():
    one, many = Roofline(), Roofline(n_heads=8)
    for name in ("naive_intensity", "fused_intensity", "gain"):
        assert one.numbers()[name] == many.numbers()[name]
    assert many.seconds["fused"] == 8 * one.seconds["fused"]


def test_free_exponentials_take_no_time():
    assert Roofline(d=8).terms["fused"]["exponentials"] == 0
    counted = Roofline(d=8, exponentials=True)
    assert counted.terms["fused"]["exponentials"] == 1e6 / 5e11
    assert counted.limits["fused"] == "exponentials"


def test_the_core_is_near_to_the_recorded_one():
    recorded = json.loads((BOOK / "data" / "one_core.json").read_text())["ceilings"]
    for rate, value in MACHINES["core"].items():
        measured = [recorded[when][rate] for when in ("start", "end")]
        measured = [rates["float32"] if isinstance(rates, dict) else rates for rates in measured]
        assert 0.8 * min(measured) < value < 1.25 * max(measured), rate


def test_what_is_nominal_stands_in_the_benchmarks():
    nominal = NOMINAL["NVIDIA H200"]
    h200 = MACHINES["h200"]
    assert h200["flops_per_s"] == nominal["flops_per_s"]["bfloat16"]
    assert h200["bytes_per_s"] == nominal["bytes_per_s"]
    # 132 processors, 16 exponentials in a clock, at 1.85 GHz.
    assert h200["exponentials_per_s"] == pytest.approx(132 * 16 * 1.85e9, rel=0.01)


@browser
def test_the_page_counts_the_same(javascript):
    call = javascript("roofline/work.js")
    sizes = itertools.product((1, 3, 1000, MOST), (8, 512), (1, 64), (2, 8), (4, 8))
    for n, d, heads, size, passes in sizes:
        for causal, counted in itertools.product((False, True), (False, True)):
            roofline = Roofline(
                n=n, d=d, n_heads=heads, itemsize=size, passes=passes, causal=causal,
                exponentials=counted,
            )  # fmt: skip
            (ways,) = call(("placed", n, roofline.state()))
            cost = attention_cost(
                n, n, d, d, n_heads=heads, itemsize=size, causal=causal,
                passes=passes + 2 * causal,
            )  # fmt: skip
            machine = Ceilings(1e14, 1e12, 5e11 if counted else None)
            for way in WAYS:
                there, here = ways[way], getattr(cost, way)
                for count in ("flops", "bytes", "exponentials", "intensity"):
                    assert there[count] == getattr(here, count), (way, count)
                terms = roofline_terms(
                    here.flops, here.bytes, machine, exponentials=here.exponentials
                )
                assert list(there["terms"].values()) == list(terms.values())
                assert there["seconds"] == roofline_time(
                    here.flops, here.bytes, machine, exponentials=here.exponentials
                )
                assert there["limit"] == roofline.limits[way]


@browser
@each_sample
def test_the_page_inverts_and_bounds_the_same(javascript, sample):
    call = javascript("roofline/work.js")
    roofline = Roofline(**sample)
    state_now = roofline.state()
    intensity = roofline.cost["fused"].intensity
    n, most = call(("itemsOf", intensity, state_now), ("mostIntensity", state_now))
    assert n == pytest.approx(roofline.n)
    # The naive intensity comes near to its bound from below: many items, and many more.
    rest = 1 - roofline._cost(2**30)["naive"].intensity / most
    assert 0 < rest < 1e-5
    (third,) = call(("thirdRoof", state_now | {"exponentials": True}))
    assert third == 4 * roofline.d * roofline.exponentials_per_s


@browser
@each_sample
def test_the_bars_show_what_counts(show, sample):
    roofline = Roofline(**sample)
    page = show(roofline)
    blocks = page.locator(".attn-roofline-way")
    longest = max(roofline.seconds.values())
    for k, way in enumerate(WAYS):
        block, cost = blocks.nth(k), roofline.cost[way]
        assert block.locator(".attn-roofline-least").inner_text() == amount(
            roofline.seconds[way], "s"
        )
        limit = roofline.words["limits"][roofline.limits[way]]
        assert block.locator(".attn-roofline-limit").inner_text() == limit
        told = block.locator(".attn-roofline-sum").inner_text()
        assert told.startswith(f"{amount(cost.flops)} FLOPs / {amount(cost.bytes, 'B')} = ")
        assert float(told.split("= ")[1].replace("k", "e3").replace(" ", "")) == pytest.approx(
            cost.intensity, rel=0.02
        )
        rows = block.locator(".attn-roofline-term")
        for j, (term, seconds) in enumerate(roofline.terms[way].items()):
            row = rows.nth(j)
            wanted = amount(seconds, "s")
            if term == "exponentials" and not roofline.exponentials:
                wanted = "free"
            assert row.locator(".attn-number").inner_text() == wanted
            track = row.locator(".attn-roofline-track")
            share = track.evaluate("(e) => parseFloat(e.style.getPropertyValue('--share'))")
            assert share == pytest.approx(100 * seconds / longest, abs=0.01)
            is_longest = track.get_attribute("data-longest") is not None
            assert is_longest == (term == roofline.limits[way])


def at(circle):
    return [float(circle.get_attribute(name)) for name in ("cx", "cy")]


@browser
def test_the_handle_follows_the_roof(show):
    page = show(Roofline(n=1000))
    items = handle(page, "Items n")
    knob, ring = page.locator(".attn-knob"), page.locator(".attn-roofline-ring")
    flat = at(knob)
    for wanted, key in ((500, "ArrowDown"), (250, "ArrowLeft"), (125, "ArrowDown")):
        items.press(key)
        frame(page)
        assert state(page, Roofline)["n"] == wanted
    slope = at(knob)
    assert slope[0] < flat[0] and slope[1] > flat[1]  # 62.5 FLOPs a byte: below the ridge
    items.press("End")
    frame(page)
    assert state(page, Roofline)["n"] == MOST
    assert at(knob)[1] == flat[1]
    far = at(ring)
    items.press("ArrowDown")
    frame(page)
    assert at(ring) == pytest.approx(far, abs=0.1)  # the naive point has come to rest
    items.press("Home")
    frame(page)
    assert state(page, Roofline)["n"] == 1
    assert at(ring)[0] == pytest.approx(at(knob)[0], abs=1)


@browser
@pytest.mark.parametrize("n", [1, 30, 150, 1000, MOST])
@pytest.mark.parametrize("d", [64, 256])
def test_points_lie_on_the_roof_and_its_band(show, n, d):
    page = show(Roofline(n=n, d=d))
    corners = {
        kind: np.reshape(
            numbers(page.locator(f".attn-roofline-{kind}").get_attribute("d")), (-1, 2)
        )
        for kind in ("roof", "band")
    }
    for point, kinds in (("knob", ["roof"]), ("roofline-ring", ["roof", "band"])):
        x, y = at(page.locator(f".attn-{point}"))
        for kind in kinds:
            across, down = corners[kind].T
            assert across[0] - 0.02 <= x <= across[-1] + 0.02
            assert np.interp(x, across, down) == pytest.approx(y, abs=0.05)


def place(intensity):
    """Where an intensity is on the page: 6.45 powers of ten on 306 of 360 units."""
    return 42 + 306 * (np.clip(np.log10(intensity), -1.3, 5.15) + 1.3) / 6.45


def height(rate):
    """Where a rate is on the page: 6.9 powers of ten on 222 of 268 units."""
    return 232 - 222 * (np.clip(np.log10(rate), 9, 15.9) - 9) / 6.9


def corners(page, kind):
    path = page.locator(f".attn-roofline-{kind}").get_attribute("d")
    return np.reshape(numbers(path), (-1, 2)).T


@browser
@each_sample
def test_lines_and_names_stand_where_they_say(show, sample):
    roofline = Roofline(**sample)
    page = show(roofline)
    passes = roofline.passes + 2 * roofline.causal
    most = 4 * roofline.d / (roofline.itemsize * passes)
    lines = page.locator(".attn-drop")
    labels = page.locator(".attn-drop + text").all()
    wanted = [f"ridge {roofline.machine.ridge:.1f}", f"naive below {most:.4g}"]
    assert [numbers(label.inner_html())[-1] for label in labels] == [
        pytest.approx(numbers(text)[-1], rel=0.01) for text in wanted
    ]
    assert [label.inner_html().split()[0] for label in labels] == ["ridge", "naive"]
    third = 4 * roofline.d * roofline.exponentials_per_s if roofline.exponentials else np.inf
    flat = min(roofline.flops_per_s, third)
    feet = [float(lines.nth(k).get_attribute("x1")) for k in (0, 1)]
    assert feet == pytest.approx([place(roofline.machine.ridge), place(most)], abs=0.02)
    picture = page.locator(".attn-roofline-roof").locator("..").bounding_box()
    for label, foot in zip(labels, feet):
        box = label.bounding_box()
        assert (
            picture["x"] <= box["x"] <= box["x"] + box["width"] <= picture["x"] + picture["width"]
        )
        beside = float(label.get_attribute("x")) - foot
        assert beside == (-5 if label.get_attribute("text-anchor") == "end" else 5)
    # The band holds all naive points, from a single item on, and bends where the rates do.
    first = roofline._cost(1)["naive"].intensity
    across, down = corners(page, "band")
    assert [across[0], across[-1]] == pytest.approx([place(first), place(most)], abs=0.02)
    for n in (1, 30, 1000, MOST):
        intensity = roofline._cost(n)["naive"].intensity
        rate = min(flat, roofline.bytes_per_s * intensity)
        assert np.interp(place(intensity), across, down) == pytest.approx(height(rate), abs=0.05)
    across, down = corners(page, "roof")
    for intensity in 10.0 ** np.arange(-1, 6):
        rate = min(roofline.flops_per_s, roofline.bytes_per_s * intensity)
        if rate > 1e9:
            assert np.interp(place(intensity), across, down) == pytest.approx(
                height(rate), abs=0.05
            )
    for way, kind in (("naive", "roofline-ring"), ("fused", "knob")):
        rate = roofline.cost[way].flops / roofline.seconds[way]
        wanted = [place(roofline.cost[way].intensity), height(rate)]
        assert at(page.locator(f".attn-{kind}")) == pytest.approx(wanted, abs=0.02)
    assert handle(page, "Items n").get_attribute("aria-valuetext") == f"{roofline.n} items"
    (name,) = page.locator(".attn-name-tag", has_text="fused").all()
    assert name.inner_html() == f"fused, n = {roofline.n}"
    box = name.bounding_box()
    assert picture["x"] <= box["x"] and box["x"] + box["width"] <= picture["x"] + picture["width"]


@browser
def test_lines_follow_what_is_set(show):
    page = show(Roofline())
    for name, key, label, wanted in (
        ("Width d", "ArrowRight", "naive", 64),
        ("Memory", "End", "ridge", 10),
    ):
        handle(page, name).press(key)
        frame(page)
        told = page.locator(".attn-drop + text", has_text=label)
        assert numbers(told.inner_html()) == [wanted]


@pytest.mark.parametrize("sample", [{}, {"d": 32, "exponentials": True, "n": 4096}])
def test_the_picture_has_the_roof_and_both_points(sample):
    roofline = Roofline(**sample)
    (ax,) = Roofline.picture.__wrapped__(roofline).axes
    roof, *rest = ax.lines
    x, y = roof.get_data()
    assert_allclose(y, np.minimum(roofline.flops_per_s, x * roofline.bytes_per_s))
    if roofline.exponentials:
        third = rest.pop(0)
        assert_allclose(third.get_ydata(), 4 * roofline.d * roofline.exponentials_per_s)
    names = {text.get_text().split(",")[0]: text.xy for text in ax.texts}
    assert f"fused, n = {roofline.n}" in [text.get_text() for text in ax.texts]
    for way, point in zip(WAYS, rest, strict=True):
        cost = roofline.cost[way]
        wanted = cost.intensity, cost.flops / roofline.seconds[way]
        assert_allclose(np.ravel(point.get_data()), wanted)
        assert_allclose(names[way], wanted)


@browser
def test_a_third_roof_is_drawn_where_exponentials_count(show):
    page = show(Roofline(d=32, n=4096))
    third = page.locator(".attn-roofline-third")
    assert third.get_attribute("visibility") == "hidden"
    page.get_by_role("radio", name="counted").check()
    frame(page)
    assert third.get_attribute("visibility") is None
    height = float(third.get_attribute("d").split("L")[1].split()[1])
    assert at(page.locator(".attn-knob"))[1] == pytest.approx(height, abs=0.01)
