"""Hands of clocks against the book's sinusoids, shifts and rotary; the page against Python."""

import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib import rotary, sinusoidal, sinusoidal_shift, wavelengths
from attnlib.palette import LIGHT
from attnlib.widgets import PositionExplorer
from attnlib.widgets.shared.words import fill
from tests.helpers.widget_pages import centre, drag, frame, handle, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", PositionExplorer.samples)
schemes = pytest.mark.parametrize("scheme", ["alone", "added", "rotary"])


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("position", "position", 101),
        ("position", "position", -1),
        ("shift", "shift", 51),
        ("ahead", "ahead", -21),
        ("d", "d", 6),
        ("base", "base", 1000),
        ("scheme", "scheme", "learned"),
        ("pair", "pair", 8),
        ("finite numbers of shape (16,)", "query", [1, 2]),
        ("not finite", "key", [math.inf] * 16),
        ("between -3 and 3", "query", [3.1] + [0] * 15),
        ("between -3 and 3", "key", [1e200] * 16),
        ("not the bool", "position", True),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(PositionExplorer, words, **{trait: value})


def test_a_whole_number_may_come_as_a_float():
    explorer = PositionExplorer(d=4.0, base=10.0)
    assert [type(explorer.d), type(explorer.base)] == [int, int]
    assert explorer.hands().shape == (2, 2, 2)


@pytest.mark.parametrize("d", [2, 4, 8, 16])
@pytest.mark.parametrize("base", [10, 100, 10000])
def test_the_rows_are_the_books(d, base):
    P = sinusoidal(101, d, base)
    explorer = PositionExplorer(d=d, base=base)
    x, z = (np.array(row[:d]) for row in (explorer.query, explorer.key))
    for t, k in [(0, 0), (5, 3), (60, -50), (50, 50)]:
        explorer.set_trait("position", t)
        explorer.shift = k
        expected = {
            "alone": (P[t], P[t + k]),
            "added": (x + P[t], z + P[t + k]),
            "rotary": (rotary([x], [t], base)[0], rotary([z], [t + k], base)[0]),
        }
        for scheme, (q, key) in expected.items():
            explorer.scheme = scheme
            assert_allclose(explorer.rows(), [q, key], atol=1e-12)
            assert explorer.numbers()["similarity"] == pytest.approx(q @ key, abs=1e-12)
            assert explorer.parts.sum() == pytest.approx(q @ key, abs=1e-12)


def test_looking_back_describes_an_earlier_position():
    P = sinusoidal(20, 8, 100)
    explorer = PositionExplorer(position=9, ahead=-3, shift=-3)
    assert_allclose(explorer.rows(), [P[6], P[6]], atol=1e-12)
    assert_allclose(explorer.angles, 0, atol=1e-12)
    assert explorer.best()[0] == -3
    assert explorer.numbers()["similarity"] == pytest.approx(4)


@schemes
def test_what_moves_with_the_position(scheme):
    explorer = PositionExplorer(scheme=scheme, ahead=4)
    before, hands = explorer.similarities, explorer.hands()
    explorer.position = 77
    same = np.allclose(explorer.similarities, before, atol=1e-9)
    assert same == (scheme != "added")
    assert not np.allclose(explorer.hands(), hands)


@schemes
def test_an_angle_and_two_lengths_make_each_part(scheme):
    for shift, ahead in [(3, 0), (-50, 20), (12, -7)]:
        explorer = PositionExplorer(scheme=scheme, d=16, shift=shift, ahead=ahead)
        lengths = np.linalg.norm(explorer.hands(), axis=2).prod(axis=0)
        assert_allclose(explorer.parts, lengths * np.cos(explorer.angles), atol=1e-12)


@schemes
def test_hands_turn_clockwise_by_their_frequency(scheme):
    explorer = PositionExplorer(scheme=scheme, position=0, shift=0)
    omegas = 2 * np.pi / wavelengths(8, 100)
    before, explorer.shift = explorer.hands()[1], 1
    if scheme == "added":
        before = before - np.reshape(explorer.key[:8], (-1, 2))
    right, up = before.T
    turned = np.transpose(
        [
            right * np.cos(omegas) + up * np.sin(omegas),
            up * np.cos(omegas) - right * np.sin(omegas),
        ]
    )
    if scheme == "added":
        turned = turned + np.reshape(explorer.key[:8], (-1, 2))
    assert_allclose(explorer.hands()[1], turned, atol=1e-12)


def test_the_numbers_of_the_chapter():
    explorer = PositionExplorer(d=2, position=0, shift=44)
    told = explorer.numbers()
    assert told["best_shift"] == 44 and told["best"] == pytest.approx(math.cos(44))
    assert explorer.shown()["best"] == ["0.9998"]
    explorer.d = 4
    assert explorer.numbers()["similarity"] == pytest.approx(math.cos(44) + math.cos(4.4))
    assert explorer.numbers()["best_shift"] != 44


def test_no_dot_product_leaves_the_picture():
    for sample in PositionExplorer.samples:
        explorer = PositionExplorer(**sample)
        for position in (0, 13, 88):
            explorer.position = position
            assert abs(explorer.similarities).max() <= explorer.top + 1e-9
            assert np.linalg.norm(explorer.hands(), axis=2).max() <= explorer.reach + 1e-9


@browser
@each_sample
@schemes
def test_the_page_computes_the_same(javascript, sample, scheme):
    explorer = PositionExplorer(**sample | {"scheme": scheme})
    traits = {name: value for name, value in explorer.state().items() if name != "presets"}
    call = javascript("position_explorer/hands.js")
    (omegas,) = javascript("shared/seldom/transformer.js")(
        ("frequencies", explorer.d, explorer.base)
    )
    assert_allclose(omegas, explorer.omegas)
    t, s = explorer.position, explorer.position + explorer.shift
    from_, to = call(
        ("handsAt", traits, explorer.query, t, explorer.ahead), ("handsAt", traits, explorer.key, s)
    )
    assert_allclose([[hand["tip"] for hand in hands] for hands in (from_, to)], explorer.hands())
    parts, angles = call(("partsAt", traits, explorer.shift), ("anglesAt", traits))
    assert_allclose(parts, explorer.parts, atol=1e-12)
    assert_allclose(angles, explorer.angles, atol=1e-12)
    every = call(*(("partsAt", traits, shift) for shift in range(-50, 51)))
    assert_allclose(np.sum(every, axis=1), explorer.similarities, atol=1e-11)
    (order,) = call(("ranked", explorer.similarities))
    assert order == explorer.best()
    (lengths,) = call(("lengths", traits))
    assert max(1, *np.ravel(lengths)) == pytest.approx(explorer.reach)
    assert max(0.5, np.prod(lengths, axis=0).sum()) == pytest.approx(explorer.top)


@browser
@each_sample
def test_added_positions_give_four_terms(javascript, sample):
    explorer = PositionExplorer(**sample | {"scheme": "added"})
    call = javascript("position_explorer/hands.js")
    for i, part in enumerate(explorer.parts):
        (terms,) = call(("termsOf", explorer.state(), i))
        assert sum(terms) == pytest.approx(part, abs=1e-12)
        item = np.array(explorer.query[2 * i : 2 * i + 2]), explorer.key[2 * i : 2 * i + 2]
        if explorer.ahead == 0:
            assert terms[0] == pytest.approx(item[0] @ item[1], abs=1e-12)
        angle = (explorer.shift - explorer.ahead) * explorer.omegas[i]
        assert terms[3] == pytest.approx(math.cos(angle), abs=1e-12)


SHIFTS = np.arange(-50, 51)


def arms(model):
    """Where items end to which positions are added, right and up, ``(2, d / 2, 2)``; or 0."""
    items = [row[: model.d] for row in (model.query, model.key)]
    turn = sinusoidal_shift(model.ahead, model.d, model.base)
    both = np.array([items[0] @ turn, items[1]]) * (model.scheme == "added")
    return both.reshape(2, -1, 2)


def place(element, *names):
    return [float(element.get_attribute(name)) for name in names]


@browser
@each_sample
def test_the_clocks_that_are_drawn_are_pythons(show, sample):
    model = PositionExplorer(**sample)
    page = show(model)
    told, hands, chosen = model.numbers(), model.hands(), model.numbers()["pair"]
    clocks = page.locator(".attn-clock:not([hidden])")
    assert clocks.count() == model.d // 2
    # Up is less in the picture; 44 is how long a hand that reaches the edge is drawn.
    unit = np.array([44, -44]) / model.reach
    for i, (wave, part) in enumerate(zip(wavelengths(model.d, model.base), model.parts)):
        one, words = clocks.nth(i), model.words
        texts = one.locator(".attn-clock-texts span").all_inner_texts()
        share = fill(words["parts"][model.scheme], {"part": part})
        assert texts == [f"pair {i}", fill(words["clock"], {"wavelength": wave}), share]
        assert one.get_by_role("radio").is_checked() == (i == chosen)
        assert (one.get_attribute("data-chosen") is not None) == (i == chosen)
        for role, kind in enumerate((".attn-query", ".attn-key")):
            drawn = numbers(one.locator(f"path{kind}").get_attribute("d"))
            ends = [arms(model)[role, i], hands[role, i]][0 if arms(model)[role, i].any() else 1 :]
            assert_allclose(np.reshape(drawn, (-1, 2)), [[0, 0], *(ends * unit)], atol=0.006)
        tip = one.locator("circle.attn-key")
        assert_allclose(place(tip, "cx", "cy"), hands[1, i] * unit, atol=0.006)
        (size,) = place(one.locator(".attn-clock-dial"), "r")
        assert size == pytest.approx(unit[0], abs=0.006)
        # The coil leads from the query's hand to the key's, and by the angle in the text.
        lengths = np.linalg.norm(hands[:, i], axis=1)
        if min(lengths) > 1e-9:
            coil = np.reshape(numbers(one.locator(".attn-clock-coil").get_attribute("d")), (-1, 2))
            towards = [1, -1] * coil / np.linalg.norm(coil, axis=1)[:, None]
            assert_allclose(towards[[0, -1]], (hands[:, i].T / lengths).T, atol=0.002)
            turned = np.unwrap(np.arctan2(*towards.T))
            assert turned[-1] - turned[0] == pytest.approx(told["angle"][i], abs=0.01)


@browser
@each_sample
def test_the_curve_that_is_drawn_is_pythons(show, sample):
    model = PositionExplorer(**sample)
    page = show(model)
    chart, chosen = page.locator(".attn-likeness"), model.numbers()["pair"]
    width, height = numbers(chart.get_attribute("viewBox"))[2:]
    left, right, top, floor = 38, width - 14, 10, height - 40

    def at(shift, y):
        across = left + (shift + 50) * (right - left) / 100
        return np.transpose([across, (top + floor) / 2 - y / model.top * (floor - top) / 2])

    def points(kind):
        path = chart.locator(f".attn-likeness-{kind}").get_attribute("d")
        return np.reshape(numbers(path.replace("h0", "")), (-1, 2))

    pairs = np.array([np.prod(model.rows(k).reshape(2, -1, 2), axis=0).sum(-1) for k in SHIFTS])
    for kind, values in (("line", model.similarities), ("wave", pairs[:, chosen])):
        drawn = points(kind)
        assert len(drawn) == 401
        assert_allclose(drawn[::4], at(SHIFTS, values), atol=0.011)
    assert_allclose(points("dots"), at(SHIFTS, model.similarities), atol=0.011)
    x, y = at(model.shift, model.similarities[model.shift + 50])
    for kind in (".attn-knob", ".attn-hit"):
        assert_allclose(place(chart.locator(kind), "cx", "cy"), [x, y], atol=0.011)
    stem = place(chart.locator(".attn-likeness-stem"), "x1", "y1", "x2", "y2")
    assert_allclose(stem, [x, (top + floor) / 2, x, y], atol=0.011)
    ahead = at(model.ahead, 0.0)[0]
    looks = place(chart.locator(".attn-likeness-look"), "x1", "y1", "x2", "y2")
    assert_allclose(looks, [ahead, top, ahead, floor], atol=0.011)
    (letter,) = place(chart.locator("text.attn-query"), "x")
    assert ahead < letter < ahead + 8
    ticks = [(text.text_content(), *place(text, "x", "y")) for text in chart.locator("text").all()]
    levels = [(y, numbers(text)[0]) for text, x, y in ticks if x < left]
    assert levels == [
        (pytest.approx(y, abs=6), pytest.approx(level, abs=0.051))
        for y, level in ((top, model.top), ((top + floor) / 2, 0), (floor, -model.top))
    ]
    shifts = [(numbers(text)[0], x) for text, x, y in ticks if floor + 10 < y < floor + 20]
    assert shifts == [(k, pytest.approx(at(k, 0.0)[0])) for k in range(-50, 51, 10)]


@browser
@each_sample
def test_the_page_shows_the_words_with_pythons_numbers(show, sample):
    model = PositionExplorer(**sample)
    page, words = show(model), model.words
    for place, text in {
        ".attn-clocks-where .attn-query": words["query"],
        ".attn-clocks-where .attn-key": words["key"],
        ".attn-panel-title": words["curve"],
        ".attn-likeness-peaks": f"{words['peaks']} {words['dashed']}",
    }.items():
        assert page.locator(place).inner_text() == fill(text, model.numbers()), place


@each_sample
def test_the_picture_shows_hands_and_curve(sample):
    model = PositionExplorer(**sample)
    clocks, below = PositionExplorer.picture.__wrapped__(model).subfigs
    colours = [LIGHT["query"], LIGHT["key"]]
    assert len(clocks.axes) == model.d // 2
    for i, ax in enumerate(clocks.axes):
        assert fill(model.words["clock"], {"wavelength": wavelengths(model.d, model.base)[i]}) == (
            ax.get_xlabel()
        )
        for role, line in enumerate(ax.lines[1:]):
            assert line.get_color() == colours[role]
            assert_allclose(line.get_xydata(), [[0, 0], model.hands()[role, i] / model.reach])
    curve, ahead, chosen = below.axes[0].lines
    assert_allclose(curve.get_xydata(), np.transpose([SHIFTS, model.similarities]))
    assert_allclose(ahead.get_xdata(), model.ahead)
    assert_allclose(chosen.get_xydata(), [[model.shift, model.similarities[model.shift + 50]]])
    assert [ahead.get_color(), chosen.get_color()] == colours
    low, high = below.axes[0].get_ylim()
    assert (low, high) == (-model.top, model.top)


@browser
def test_the_position_turns_hands_but_not_the_curve(show):
    page = show(PositionExplorer())
    curve, hand = page.locator(".attn-likeness-line"), page.locator(".attn-clock-hand--q").first
    before = curve.get_attribute("d"), hand.get_attribute("d")
    handle(page, "Position").press("End")
    frame(page)
    assert state(page, PositionExplorer)["position"] == 100
    assert hand.get_attribute("d") != before[1]
    after = numbers(curve.get_attribute("d"))
    assert_allclose(after, numbers(before[0]), atol=0.011)
    page.get_by_role("radio", name="added to items").check()
    frame(page)
    added = curve.get_attribute("d")
    handle(page, "Position").press("Home")
    frame(page)
    assert curve.get_attribute("d") != added


@browser
def test_the_shift_is_dragged_along_the_curve(show):
    page = show(PositionExplorer())
    knob = page.locator(".attn-knob")
    x, y = centre(knob)
    box = page.locator(".attn-likeness").bounding_box()
    step = (box["width"] - 52) / 100
    drag(page, (x, y), (x + 20 * step, y + 30))
    assert state(page, PositionExplorer)["shift"] == 23
    page.get_by_text("key at 28").wait_for()
    page.mouse.click(x - 3 * step, y)
    frame(page)
    assert state(page, PositionExplorer)["shift"] == 0


@browser
@each_sample
def test_worked_numbers_lead_to_the_part(show, sample):
    """What is written for each clock, with its three digits, computed anew."""
    model = PositionExplorer(**sample)
    page = show(model)
    for i, (part, omega) in enumerate(zip(model.parts, model.omegas)):
        page.get_by_role("radio", name=f"pair {i}", exact=True).check()
        frame(page)
        first, second = page.locator(".attn-clocks-worked span").all_inner_texts()
        plain = first.replace("−", "-")
        for place in re.findall(r"(?:Query|key) (.*?)[,.](?= |$)", plain):
            count, result = place.split(" = ")
            turned = eval(count.split(" ω")[0]) * omega
            assert float(result) == pytest.approx(turned, rel=0.01, abs=1e-5)
        assert numbers(second.rstrip("."))[-1] == pytest.approx(part, abs=6e-4)
        if model.scheme == "added":
            assert sum(numbers(second)[:4]) == pytest.approx(part, abs=2.1e-3)
        else:
            angle = second.replace("−", "-").split("= " if model.scheme == "alone" else "cos ")[1]
            angle = float(angle.split(",")[0].split(" ")[0])
            lengths = np.linalg.norm(model.hands()[:, i], axis=1).prod()
            assert lengths * math.cos(angle) == pytest.approx(part, abs=0.06)


@browser
@pytest.mark.parametrize(
    "sample", [{}, {"position": 98, "shift": -41, "ahead": -17, "base": 10000, "pair": 7}]
)
def test_the_widget_keeps_its_height(show, sample):
    page = show(PositionExplorer(**sample), width=360)
    heights = []
    for d in ("2", "4", "8", "16"):
        page.get_by_role("radio", name=d, exact=True).check()
        for scheme in ("positions alone", "added to items", "items turned (rotary)"):
            page.get_by_role("radio", name=scheme).check()
            frame(page)
            parts = page.locator(".attn-clocks, .attn-likeness, .attn-clocks-worked").all()
            heights.append([part.bounding_box()["height"] for part in parts])
    assert all(height == heights[0] for height in heights), heights
