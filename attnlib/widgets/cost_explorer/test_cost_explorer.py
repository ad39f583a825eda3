"""What attention costs: the book's counts and the page's, written out and drawn."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from traitlets import TraitError

from attnlib.cost import attention_cost, block_cost, roofline_time
from attnlib.widgets import CostExplorer
from attnlib.widgets.cost_explorer.cost_explorer import MACHINES, MEASURES, PAIRS, STEPS
from attnlib.widgets.shared.amounts import amount
from tests.helpers.widget_pages import frame, handle, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", CostExplorer.samples)
BOOK = Path(__file__).resolve().parents[3] / "book"
SIZES = [(1, 2, 1, 2), (3, 6, 3, 8), (128, 64, 4, 4), (10_000, 768, 12, 2), (2**17, 8192, 64, 4)]


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("n", "n", 0),
        ("n", "n", 2**17 + 1),
        ("d_model", "d_model", 1),
        ("n_heads=3 must divide d_model=512", "n_heads", 3),
        ("n_heads=8 must divide d_model=20", "d_model", 20),
        ("itemsize must be 2, 4 or 8 bytes, got 3", "itemsize", 3),
        ("flops_per_s", "flops_per_s", 0),
        ("bytes_per_s", "bytes_per_s", math.inf),
        ("way", "way", "blocked"),
        ("part", "part", "model"),
        ("measure", "measure", "flops"),
        ("step", "step", "softmax"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(CostExplorer, words, **{trait: value})


def test_width_and_heads_may_change_together():
    explorer = CostExplorer(d_model=6, n_heads=3)
    with explorer.hold_trait_notifications():
        explorer.d_model, explorer.n_heads = 20, 5
    assert (explorer.d_model, explorer.n_heads) == (20, 5)
    with pytest.raises(TraitError, match="must divide"):
        CostExplorer(d_model=20)


@each_sample
def test_the_counts_are_the_books(sample):
    explorer = CostExplorer(**sample)
    n, d, heads, size = explorer.n, explorer.d_model, explorer.n_heads, explorer.itemsize
    whole = getattr(block_cost(n, d, heads, 4 * d, itemsize=size), explorer.way)
    alone = getattr(
        attention_cost(n, n, d // heads, d // heads, n_heads=heads, itemsize=size), explorer.way
    )
    steps, cost = explorer.cost.steps, explorer.cost
    if explorer.part == "block":
        for count in ("multiply_adds", "bytes", "exponentials", "other"):
            assert getattr(cost, count) == getattr(whole, count)
    else:
        assert cost.multiply_adds == 4 * n * d * d + 2 * n * n * d
    pairs = [steps[name] for name in explorer.counted if name in (*PAIRS, "pairs")]
    assert sum(step.bytes for step in pairs) == alone.bytes
    assert sum(step.exponentials for step in pairs) == heads * n * n
    for name, step in steps.items():
        assert explorer.seconds[name] == roofline_time(
            step.flops, step.bytes, explorer.machine, exponentials=step.exponentials
        )


@pytest.mark.parametrize("d", [2, 16, 96, 512])
def test_pairs_overtake_at_twice_the_width(d):
    for heads in (1, 2):
        explorer = CostExplorer(d_model=d, n_heads=heads, n=2 * d)
        assert explorer.crossing == 2 * d and explorer.doubling == 3
        assert explorer.numbers()["pairs_share"] == 0.5
        explorer.part = "block"
        assert explorer.crossing == 6 * d
        explorer.way, explorer.measure = "fused", "bytes"
        assert explorer.crossing is None


@each_sample
@pytest.mark.parametrize("measure", MEASURES)
def test_there_is_one_crossing(sample, measure):
    explorer = CostExplorer(**sample | {"measure": measure})
    sizes = [*range(1, 70), *(int(2 ** (k / 4)) for k in range(25, 96))]
    leads = np.array([pairs >= rest for pairs, rest in map(explorer.sums, sizes)])
    crossing = explorer.crossing or math.inf
    assert (leads == (np.array(sizes) >= crossing)).all()


def test_doubling_runs_from_the_items_to_the_pairs():
    explorer = CostExplorer(n=1, d_model=8192)
    assert 2 < explorer.doubling < 2.001
    explorer = CostExplorer(n=2**17, d_model=64)
    assert 3.99 < explorer.doubling < 4


def test_the_core_is_near_to_the_recorded_one():
    recorded = json.loads((BOOK / "data" / "one_core.json").read_text())["ceilings"]
    for rate, value in MACHINES["core"].items():
        measured = [recorded[when][rate] for when in ("start", "end")]
        measured = [rates["float32"] if isinstance(rates, dict) else rates for rates in measured]
        assert 0.8 * min(measured) < value < 1.25 * max(measured), rate


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (0, "B", "0 B"),
        (27, "", "27"),
        (999, "", "999"),
        (1125, "", "1.13 k"),
        (16_384, "", "16.4 k"),
        (999_600, "B", "1.00 MB"),
        (5740.954, "s", "5741 s"),
        (0.0121, "s", "12.1 ms"),
        (3e-7, "s", "300 ns"),
        (1.4e14, "FLOP/s", "140 TFLOP/s"),
    ],
)
def test_three_digits_that_count(value, unit, written):
    assert amount(value, unit) == written


@browser
def test_the_page_counts_the_same(javascript):
    call = javascript("cost_explorer/costs.js")
    for way in ("naive", "fused"):
        for n, d, heads, size in SIZES:
            explorer = CostExplorer(n=n, d_model=d, n_heads=heads, itemsize=size, way=way)
            (page,) = call(("timed", n, explorer.state()))
            steps = explorer.steps_of(n)
            assert set(page) == set(steps) == set(STEPS)
            for name, step in steps.items():
                there = page[name]
                counts = [there[count] for count in ("work", "bytes", "exponentials")]
                assert counts == [step.multiply_adds, step.bytes, step.exponentials], name
                assert there["seconds"] == explorer.least_of(step), name


@browser
@each_sample
@pytest.mark.parametrize("measure", MEASURES)
def test_the_page_sums_crosses_and_writes_the_same(javascript, sample, measure):
    call = javascript("cost_explorer/costs.js")
    explorer = CostExplorer(**sample | {"measure": measure})
    state = explorer.state()
    both, crossing = call(("sums", explorer.n, state), ("crossingOf", state))
    assert_allclose([both["pairs"], both["rest"]], explorer.sums(explorer.n), rtol=1e-12)
    assert crossing == (explorer.crossing or pytest.approx(math.nan, nan_ok=True))
    values = [*np.geomspace(1e-12, 1e17, 59), 1125, 2.5, 9.995, 0.9995, 999.5, 0, 12, 2**50]
    units = ["", "B", "s"]
    write = javascript("shared/amounts.js")
    texts = write(*(("amount", float(v), unit) for v in values for unit in units))
    assert texts == [amount(v, unit) for v in values for unit in units]


@browser
@each_sample
def test_the_table_shows_what_counts(show, sample):
    explorer = CostExplorer(**sample)
    page = show(explorer)
    rows = page.locator(".attn-cost-row:has(.attn-number):visible").all_inner_texts()
    units = dict(zip(MEASURES, ("", "B", "s")))
    wanted = []
    for name, step in explorer.cost.steps.items():
        counts = (step.multiply_adds, step.bytes, explorer.seconds[name])
        texts = [amount(x, unit) for x, unit in zip(counts, units.values())]
        wanted.append([explorer.words["steps"][name], *texts])
    total = explorer.cost
    sums = (total.multiply_adds, total.bytes, sum(explorer.seconds.values()))
    wanted.append(["together", *(amount(x, unit) for x, unit in zip(sums, units.values()))])
    assert [row.split("\n") for row in rows] == wanted
    painted_bars = page.locator(".attn-cost-bar[data-limit]:visible").evaluate_all(
        "all => all.map((e) => [e.dataset.limit, getComputedStyle(e).backgroundImage])"
    )
    for (name, step), (limit, painted) in zip(total.steps.items(), painted_bars, strict=True):
        rate = {"arithmetic": step.flops / explorer.flops_per_s}
        rate["memory"] = step.bytes / explorer.bytes_per_s
        rate["exponentials"] = step.exponentials / explorer.exponentials_per_s
        assert rate[limit] == max(rate.values()), name
        assert painted.count("gradient") == (2 if limit == "memory" else 1), name
        assert ("repeating" in painted) == (limit == "exponentials"), name
    bars = page.locator(".attn-cost-bar:visible").evaluate_all(
        "all => all.map((e) => [parseFloat(e.style.getPropertyValue('--share')),"
        "getComputedStyle(e).backgroundSize])"
    )
    values = np.array(
        [[s.multiply_adds, s.bytes, explorer.least_of(s)] for s in total.steps.values()]
    )
    assert_allclose([s for s, _ in bars], (100 * values / values.max(axis=0)).ravel(), atol=0.006)
    assert all(size.split(", ")[-1].startswith(f"{share:g}%") for share, size in bars)
    chosen = page.locator(".attn-cost-row[data-chosen]").all_inner_texts()
    assert [text.split("\n")[0] for text in chosen] == [explorer.words["steps"][explorer.step]] or (
        explorer.step not in total.steps and not any(chosen)
    )
    scores = explorer.n_heads * explorer.n**2
    held = amount(scores * explorer.itemsize, "B")
    kept = (
        f": an array of {held}." if explorer.way == "naive" else f", {held} that are never written."
    )
    sentence = page.locator(".attn-cost-scores").first.inner_text()
    assert sentence == f"{amount(scores)} scores{kept}"


def read_amount(text):
    """The number that a label says: 1 MB is a million."""
    value, _, unit = text.partition(" ")
    prefix = unit.removesuffix("B").removesuffix("s")
    return float(value) * 1000.0 ** ("pnµm".find(prefix) - 4 if prefix and prefix in "pnµm" else
                                     " kMGTPE".find(prefix or " "))  # fmt: skip


class Drawn:
    """The chart read back: where things are drawn, in items and in what the vertical axis says."""

    def __init__(self, page):
        self.page = page
        ticks = page.locator(".attn-cost-growth .attn-tick").evaluate_all(
            "all => all.filter((e) => getComputedStyle(e).visibility === 'visible').map((e) =>"
            "[e.textContent, e.getAttribute('text-anchor'), +e.getAttribute('x'),"
            "+e.getAttribute('y'), e.classList.contains('attn-name-tag')])"
        )
        plain = [tick[:4] for tick in ticks if not tick[4]]
        across = [(int(text.replace("\u202f", "")), x) for text, anchor, x, _ in plain
                  if anchor == "middle" and text != "items n"]  # fmt: skip
        up = [(read_amount(text), y - 4) for text, anchor, _, y in plain if anchor == "end"]
        assert len(across) == 5 and len(up) >= 2
        self.toN = self._scale(across, np.log2)
        self.toValue = self._scale(up, np.log10)
        self.names = [tick[0] for tick in ticks if tick[4]]

    @staticmethod
    def _scale(ticks, log):
        (first, a), *between, (last, b) = ticks
        base = 2.0 if log is np.log2 else 10.0

        def value(place):
            along = (place - a) / (b - a)
            return base ** (log(first) + along * (log(last) - log(first)))

        for known, place in between:
            assert value(place) == pytest.approx(known, rel=1e-6)
        return value

    def of(self, *place):
        return [self.toN(place[0]), self.toValue(place[1])]

    def line(self, kind):
        places = numbers(self.page.locator(f".attn-cost-{kind}").get_attribute("d"))
        return [self.of(x, y) for x, y in zip(places[::2], places[1::2])]

    def circle(self, kind):
        ring = self.page.locator(f".attn-{kind}")
        return self.of(*(float(ring.get_attribute(name)) for name in ("cx", "cy")))

    def hidden(self, kind):
        return self.page.locator(f".attn-{kind}").get_attribute("visibility") == "hidden"


@browser
@each_sample
@pytest.mark.parametrize("measure", MEASURES)
def test_the_chart_shows_the_sums(show, sample, measure):
    explorer = CostExplorer(**sample | {"measure": measure})
    drawn = Drawn(show(explorer))
    for kind, of in (
        ("pairs", lambda p, r: p),
        ("rest", lambda p, r: r),
        ("total", lambda p, r: p + r),
    ):
        line = drawn.line(kind)
        assert line[-1][0] == pytest.approx(2**17, rel=1e-3)
        whole = [(n, value) for n, value in line[1:] if abs(n - round(n)) < 1e-3 * n]
        for n in (2**11, 2**14, 2**17):
            (value,) = [v for m, v in whole if m == pytest.approx(n, rel=1e-2)]
            assert value == pytest.approx(of(*explorer.sums(n)), rel=0.02), (kind, n)
    crossing = explorer.crossing
    inside = crossing is not None and crossing <= 2**17
    assert [drawn.hidden(kind) for kind in ("drop", "cost-ring")] == [not inside] * 2
    names = ["pairs", explorer.words["rest"][explorer.part]]
    names += [f"n = {crossing:,}".replace(",", "\u202f")] if inside else []
    assert drawn.names == [*names, explorer.words["measures"][measure]]
    if inside:
        wanted = [crossing, explorer.sums(crossing)[1]]
        assert drawn.circle("cost-ring") == pytest.approx(wanted, rel=0.02)
        drop = drawn.page.locator(".attn-drop")
        assert drawn.toN(float(drop.get_attribute("x1"))) == pytest.approx(crossing, rel=1e-6)
    start, end = drawn.line("doubled")
    twice = min(2 * explorer.n, 2**17)
    assert start == pytest.approx([explorer.n, sum(explorer.sums(explorer.n))], rel=0.02)
    assert end == pytest.approx([twice, sum(explorer.sums(twice))], rel=0.02)
    assert drawn.circle("knob") == pytest.approx(start, rel=0.01)


@pytest.mark.parametrize("measure", MEASURES)
@each_sample
def test_the_still_picture_shows_the_sums(sample, measure, monkeypatch):
    monkeypatch.setattr(CostExplorer, "picture", CostExplorer.picture.__wrapped__, raising=False)
    explorer = CostExplorer(**sample | {"measure": measure})
    (ax,) = explorer.picture().axes
    pairs, rest, total, dot = [line.get_xydata() for line in ax.lines[:4]]
    sums = np.array([explorer.sums(2**k) for k in range(18)], dtype=float)
    for line, wanted in ((pairs, sums[:, 0]), (rest, sums[:, 1]), (total, sums.sum(axis=1))):
        assert_allclose(line, np.transpose([2.0 ** np.arange(18), wanted]))
    assert_allclose(dot, [[explorer.n, sum(explorer.sums(explorer.n))]])


@browser
@pytest.mark.parametrize("way", ["naive", "fused"])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_written_out(show, way, step):
    explorer = CostExplorer(n=96, d_model=48, n_heads=6, itemsize=2, way=way, step=step)
    page = show(explorer)
    lines = page.locator(".attn-cost-worked span").all_inner_texts()
    counted = explorer.steps_of(96)[step]
    values = {"n": 96, "d": 48, "h": 6, "s": 2}
    for line, count in zip(lines, (counted.multiply_adds, counted.bytes)):
        if not count:
            assert "none" in line
            continue
        formula, numbers_in, result = line.partition(": ")[2].split(" = ")
        assert int(result.replace("\u202f", "")) == count
        numbers_in = numbers_in.replace("·", "*").replace("²", "**2")
        assert eval(numbers_in) == count, line
        # Side by side means times, in a formula.
        formula = re.sub(r"(?<=[\w²)]) (?=[\w(])", "*", formula).replace("²", "**2")
        assert eval(formula, {}, values) == count, line
    rates = (150, "GFLOP/s"), (20, "GB/s"), (1.8, "G/s")
    amounts = (
        f"2 · {amount(counted.multiply_adds)}",
        amount(counted.bytes, "B"),
        amount(counted.exponentials),
    )
    counts = counted.flops, counted.bytes, counted.exponentials
    names = "arithmetic", "memory", "exponentials"
    times = {}
    for text, count, (rate, unit), name in zip(amounts, counts, rates, names):
        if count:
            seconds = count / (rate * 1e9)
            times[seconds] = f"{text} / {rate} {unit} = {amount(seconds, 's')} ({name})"
    decides = times[max(times)].rpartition("(")[2].rstrip(")") if times else ""
    ending = f"; {decides} decide{'' if decides == 'exponentials' else 's'}" if times else ""
    assert lines[2] == "least time: " + (", ".join(times.values()) or "none") + (
        ending if len(times) > 1 else ""
    )


@browser
def test_the_handle_follows_the_sum(show):
    explorer = CostExplorer(n=1000, d_model=64, n_heads=4)
    page = show(explorer)
    items = handle(page, "Items n")
    knob = page.locator(".attn-cost-growth .attn-knob")
    before = float(knob.get_attribute("cx"))
    for _ in range(3):
        items.press("ArrowRight")
        frame(page)
    assert state(page, CostExplorer)["n"] == 8000
    items.press("ArrowDown")
    frame(page)
    assert state(page, CostExplorer)["n"] == 4000
    octave = (float(knob.get_attribute("cx")) - before) / 2
    items.press("Home")
    frame(page)
    assert state(page, CostExplorer)["n"] == 1
    ring = page.locator(".attn-cost-ring")
    there = float(ring.get_attribute("cx"))
    assert there == pytest.approx(float(knob.get_attribute("cx")) + 7 * octave)  # 2d is 2⁷
    items.press("End")
    frame(page)
    assert state(page, CostExplorer)["n"] == 2**17
    points = numbers(page.locator(".attn-cost-doubled").get_attribute("d"))
    assert points[:2] == pytest.approx(
        [float(knob.get_attribute(name)) for name in ("cx", "cy")], abs=0.01
    )


@browser
def test_heads_share_the_width_evenly(show):
    page = show(CostExplorer(d_model=24, n_heads=6))
    handle(page, "Heads h").press("End")
    frame(page)
    assert state(page, CostExplorer)["n_heads"] == 24
    handle(page, "Width d").press("Home")
    frame(page)
    kept = state(page, CostExplorer)
    assert (kept["d_model"], kept["n_heads"]) == (2, 2)
    CostExplorer(**kept)
    handle(page, "Width d").press("End")
    frame(page)
    kept = state(page, CostExplorer)
    assert (kept["d_model"], kept["n_heads"]) == (8192, 16)


@browser
def test_the_sliders_reach_what_models_have(show):
    page = show(CostExplorer(d_model=768, n_heads=12, n=1000))
    length, heads, items = (handle(page, name) for name in ("Width d", "Heads h", "Items n"))
    steps = ((length, "ArrowRight", 1024, 8), (length, "ArrowLeft", 768, 12))
    steps += ((heads, "ArrowRight", 768, 16), (heads, "ArrowLeft", 768, 12))
    for control, key, d_model, n_heads in steps:
        control.press(key)
        frame(page)
        kept = state(page, CostExplorer)
        assert (kept["d_model"], kept["n_heads"]) == (d_model, n_heads)
        assert length.get_attribute("aria-valuetext") == str(d_model)
    for key, n in (("Shift+ArrowRight", 1001), ("Shift+ArrowDown", 1000), ("ArrowUp", 2000)):
        items.press(key)
        frame(page)
        assert state(page, CostExplorer)["n"] == n


@browser
@pytest.mark.parametrize(("d_model", "n_heads"), [(20, 5), (768, 12), (7, 7), (8192, 64)])
def test_the_thumbs_stand_where_the_traits_are(show, d_model, n_heads):
    page = show(CostExplorer(d_model=d_model, n_heads=n_heads))
    for name, value in (("Width d", d_model), ("Heads h", n_heads)):
        thumb = handle(page, name)
        before = int(thumb.input_value())
        assert thumb.get_attribute("aria-valuetext") == str(value)
        thumb.press("Home")
        for _ in range(before):
            thumb.press("ArrowRight")
        frame(page)
        assert state(page, CostExplorer)[{"W": "d_model", "H": "n_heads"}[name[0]]] == value


@browser
def test_a_column_is_pressed_to_be_drawn(show):
    explorer = CostExplorer()
    page = show(explorer)
    heading = page.locator(".attn-name-tag").last
    for measure, label in explorer.words["measures"].items():
        page.get_by_role("radio", name=label).check()
        frame(page)
        explorer.measure = measure
        assert heading.text_content() == label
        told = numbers(page.locator(".attn-panel-note").inner_text().replace(",", ""))
        asked = ("n", "twice", "doubling", "slope", "pairs_share", "crossing")
        assert_allclose(told, [explorer.numbers()[name] for name in asked], atol=0.006)
