"""One item's path: the book's block, the page's block, what moves and what cannot."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose

from attnlib import scaled_dot_product_attention
from attnlib.blocks import layer_norm
from attnlib.masks import causal
from attnlib.palette import LIGHT
from attnlib.widgets import BlockPath
from attnlib.widgets.block_path.block_path import AFTER, BLOCK, STATIONS
from attnlib.widgets.shared.words import fill
from tests.helpers.widget_pages import frame, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", BlockPath.samples)
SETTINGS = ("norm", "mask", "attention", "network", "residual")
EVERY = [
    {"norm": norm, "mask": mask, "attention": a, "network": f, "residual": r}
    for norm in ("none", "before", "after")
    for mask in ("none", "causal")
    for a in (True, False)
    for f in (True, False)
    for r in (True, False)
]


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("finite numbers of shape (3, 4)", "X", [[1, 2]]),
        ("not finite", "X", [[1, 2, 3, math.inf]] * 3),
        ("X must lie between -6 and 6", "X", [[0, 0, 0, 6.1]] * 3),
        ("first must lie between -6 and 6", "first", [[0, 0, -6.1, 0]] * 3),
        ("item", "item", 0),
        ("changed", "changed", 4),
        ("norm", "norm", "between"),
        ("mask", "mask", "padding"),
        ("attention", "attention", "off"),
        ("station", "station", "y"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(BlockPath, words, **{trait: value})


@pytest.mark.parametrize("norm", ["before", "after"])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_all_parts_together_are_the_encoder_block(norm, mask):
    X = np.random.default_rng(0).uniform(-3, 3, (3, 4))
    widget = BlockPath(X=X, norm=norm, mask=mask)
    output, weights = widget.block(X, mask=causal(3) if mask == "causal" else None)
    assert_allclose(widget.output, output, rtol=1e-12)
    assert_allclose(widget.weights, weights[0], rtol=1e-12)
    last = "norm2" if norm == "after" else "sum2"
    for item in (1, 2, 3):
        widget.item = item
        assert_allclose(widget.path[last], output[item - 1], rtol=1e-12)
        assert_allclose(widget.numbers()["y"], output[item - 1], rtol=1e-12)


def by_hand(X, norm, mask, attention, network, residual):
    """The block with its parts on or off, in plain matrices."""
    W = {name: np.array(rows) for name, rows in BLOCK.items() if np.ndim(rows)}
    pairs = causal(3) if mask == "causal" else None

    def attend(Z):
        mixed, _ = scaled_dot_product_attention(
            Z @ W["W_Q"], Z @ W["W_K"], Z @ W["W_V"], mask=pairs
        )
        return mixed @ W["W_O"]

    def feed(Z):
        return np.maximum(Z @ W["W_1"] + W["b_1"], 0) @ W["W_2"] + W["b_2"]

    for part, on in ((attend, attention), (feed, network)):
        brought = part(layer_norm(X) if norm == "before" else X) * on
        X = X * residual + brought
        X = layer_norm(X) if norm == "after" else X
    return X


@pytest.mark.parametrize("sample", EVERY, ids=range(len(EVERY)))
def test_switched_off_parts_add_nothing(sample):
    X = np.random.default_rng(1).uniform(-3, 3, (3, 4))
    widget = BlockPath(X=X, **sample)
    assert_allclose(widget.output, by_hand(X, **sample), rtol=1e-9, atol=1e-12)
    path = widget.path
    assert path["adds1"].any() == sample["attention"] and path["adds2"].any() <= sample["network"]


def test_the_worked_example():
    widget = BlockPath()
    assert_allclose(widget.weights[0], [0.401112, 0.197776, 0.401112], atol=5e-7)
    assert_allclose(widget.path["sum1"], [1, 0, 0.802224, 0.598888], atol=5e-7)
    assert_allclose(widget.output[0], [1.197776, 0, 0.802224, 0.598888], atol=5e-7)


@pytest.mark.parametrize("sample", EVERY, ids=range(len(EVERY)))
def test_reach_names_the_items_that_matter(sample):
    rng = np.random.default_rng(2)
    for i in range(3):
        widget = BlockPath(item=i + 1, **sample)
        reach = {name: set() for name in STATIONS}
        for j, _ in np.ndindex(3, 12):
            X = rng.uniform(-3, 3, (3, 4))
            before = widget._run(X.copy())
            X[j] = rng.uniform(-3, 3, 4)
            after = widget._run(X)
            for name, items in reach.items():
                if abs(after[name][i] - before[name][i]).max() > 1e-9:
                    items.add(j + 1)
        assert {name: sorted(items) for name, items in reach.items()} == widget.reach


def test_moved_numbers_are_compared_with_the_first_items():
    widget = BlockPath()
    assert not any(moved.any() for moved in widget.moved.values())
    widget.norm = "before"  # another block, the same items
    assert not any(moved.any() for moved in widget.moved.values())
    widget.norm = "none"
    widget.X = [[1, 0, 0, 0], [0, 3, 0, 0], [1, 1, 0, 0]]
    moved = [name for name in STATIONS if widget.moved[name].any()]
    assert moved == [
        "adds1",
        "sum1",
        "norm2",
        "sum2",
    ]  # its query and that key stay at right angles
    assert widget.moved["sum1"].tolist() == [False, False, False, True]
    widget.X = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
    assert next(name for name in STATIONS if widget.moved[name].any()) == "weights"
    widget.attention = False
    assert not any(moved.any() for moved in widget.moved.values())
    own = BlockPath(X=widget.X)
    assert own.first == widget.X and not any(moved.any() for moved in own.moved.values())


def settings(widget):
    return {name: getattr(widget, name) for name in SETTINGS}


@browser
def test_the_page_computes_the_same(javascript):
    rng = np.random.default_rng(3)
    call = javascript("block_path/path.js")
    widgets = [
        BlockPath(X=rng.uniform(-6, 6, (3, 4)), item=1 + n % 3, **sample)
        for n, sample in enumerate(EVERY)
    ]
    widgets += [BlockPath(**sample) for sample in BlockPath.samples]
    runs = call(*(("run", widget.X, settings(widget)) for widget in widgets))
    reached = call(*(("reachOf", widget.item - 1, settings(widget), 3) for widget in widgets))
    for widget, run, reach in zip(widgets, runs, reached):
        for name, rows in widget.stations.items():
            assert_allclose(run["stations"][name], rows, rtol=1e-9, atol=1e-12)
        assert reach == widget.reach
    orders = call(*(("orderOf", norm) for norm in ("none", "before", "after")))
    assert [tuple(order) for order in orders] == [STATIONS, STATIONS, AFTER]


def panel(page, name):
    """A station's panel, by what it is called."""
    called = BlockPath.words["stations"][name]
    return page.locator(".attn-path-panel", has=page.get_by_role("radio", name=called, exact=True))


@browser
@each_sample
def test_every_station_shows_its_numbers_and_items(show, sample):
    model = BlockPath(**sample)
    page = show(model)
    hidden = ("norm1", "norm2") if model.norm == "none" else ()
    for name, row in model.path.items():
        if name not in STATIONS:
            continue
        here = panel(page, name)
        if name in hidden:
            assert not here.locator(".attn-path-rows").is_visible()
            continue
        shown = [numbers(text)[0] for text in here.locator(".attn-number").all_inner_texts()]
        assert_allclose(shown, row, atol=6e-4)
        lit = here.locator(".attn-path-reach i[data-lit]").all_inner_texts()
        assert [int(item) for item in lit] == model.reach[name]


@browser
def test_stations_come_in_the_order_of_the_block(show):
    for norm, order in (("before", STATIONS), ("after", AFTER)):
        for width in (1280, 360):
            page = show(BlockPath(norm=norm), width=width, height=900)
            boxes = {name: panel(page, name).bounding_box() for name in STATIONS}
            assert sorted(boxes, key=lambda n: (round(boxes[n]["y"]), boxes[n]["x"])) == list(order)


@browser
def test_dots_mark_what_another_item_has_moved(show):
    page = show(BlockPath())
    dots = page.locator(".attn-path-row [data-moved]")
    assert dots.count() == 0
    page.get_by_role("slider", name="number 1").press("ArrowRight")
    frame(page)
    assert state(page, BlockPath)["X"][1] == [0.1, 1, 0, 0]
    assert panel(page, "x").locator("[data-moved]").count() == 0
    assert panel(page, "weights").locator("[data-moved]").count() == 3
    assert panel(page, "sum1").locator("[data-moved]").count() == 2
    page.get_by_role("checkbox", name="Attention").uncheck()
    frame(page)
    assert dots.count() == 0
    page.get_by_role("button", name="Reset").click()
    frame(page)
    assert dots.count() == 0 and page.get_by_role("checkbox", name="Attention").is_checked()


@browser
@pytest.mark.parametrize("norm", ["none", "before", "after"])
def test_worked_lines_lead_to_the_stations_numbers(show, norm):
    model = BlockPath(norm=norm, X=[[1, 0, 0.5, 0], [0, 1, 0, -1], [1, 1, 0, 2]], item=2)
    page = show(model)
    worked = page.locator(".attn-path-worked")
    for name in STATIONS:
        page.get_by_role("radio", name=model.words["stations"][name], exact=True).press("Space")
        frame(page)
        text = worked.inner_text()
        if norm == "none" and name.startswith("norm"):
            assert text.strip() == model.words["noNorm"]
            continue
        ending = text.strip().split("[")[-1]
        assert_allclose(numbers(ending), model.path[name], atol=6e-4)
    page.get_by_role("radio", name="norm 1").press("Space")
    frame(page)
    if norm == "before":
        assert "mean = (0 + 1 + 0 + (−1)) / 4 = 0" in worked.inner_text()
        assert "variance = ((0)² + (1)² + (0)² + (−1)²) / 4 = 0.5" in worked.inner_text()


@browser
def test_a_part_that_is_off_says_so(show):
    for part, station in (("attention", "what attention brings"), ("network", "hidden layer")):
        page = show(BlockPath(**{part: False}))
        page.get_by_role("radio", name=station).press("Space")
        frame(page)
        assert "is switched off: it brings 0." in page.locator(".attn-path-worked").inner_text()
        assert page.locator(".attn-path-panel[data-off]:not([data-empty])").count() == 2
    page = show(BlockPath(residual=False))
    assert page.locator(".attn-path-rail[data-cut]").all_inner_texts() == [
        "x does not pass by",
        "a does not pass by",
    ]


#: The ends that bars can have; those of weights are 0 and 1.
SCALES = (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32)
DRAWN = """panels => panels.map((panel) => {
  const long = (e, name) => parseFloat(e.style.getPropertyValue(name));
  const of = (e) => {
    const [box, track] = [e, e.parentElement].map((part) => part.getBoundingClientRect());
    const seen = [(box.left - track.left) / track.width, box.width / track.width];
    return { styled: [long(e, "--from"), long(e, "--long")], seen: seen.map((x) => 100 * x) };
  };
  const all = (name) => [...panel.querySelectorAll(name)];
  return {
    name: panel.querySelector("input").value,
    title: panel.querySelector(".attn-path-title").textContent,
    shape: panel.querySelector(".attn-path-shape").textContent,
    bars: all(".attn-path-bar").map(of),
    came: all(".attn-path-came").map(of),
    signs: all(".attn-path-bar").map((bar) => bar.dataset.sign),
    moved: all(".attn-number").map((text) => "moved" in text.dataset),
    marks: ["stream", "off", "empty", "chosen"].filter((mark) => mark in panel.dataset),
  };
})"""


def extents(model):
    """For each station what its bars reach from and to, and in sums what the grey ones do."""
    path, ends = model.path, {}
    for name in STATIONS:
        start, end = np.zeros(len(path[name])), path[name]
        if name in ("sum1", "sum2"):
            start = end - path["adds" + name[-1]]
        ends[name] = (start, end)
    return ends


def scale_of(model):
    signed = [row for name, row in model.path.items() if name in STATIONS and name != "weights"]
    return next(scale for scale in SCALES if scale >= max(abs(row).max() for row in signed))


def percent(start, end, scale):
    """A bar's left end and its length, in percent of a track whose middle is 0."""
    low, high = np.minimum(start, end), np.maximum(start, end)
    return np.stack([50 + 50 * low / scale, 50 * (high - low) / scale], axis=-1)


def trimmed(x):
    return f"{x:z.2f}".rstrip("0").rstrip(".").replace("-", "−")


@browser
@each_sample
def test_drawing_and_text_agree_with_python(show, sample):
    model, words = BlockPath(**sample), BlockPath.words
    page = show(model, width=1280, height=900)
    scale, after = scale_of(model), model.norm == "after"
    stream = {"x", "norm1", "norm2"} if after else {"x", "sum1", "sum2"}
    empty = {"norm1", "norm2"} if model.norm == "none" else set()
    off = set(empty)
    if not model.attention:
        off |= {"weights", "adds1"}
    if not model.network:
        off |= {"hidden", "adds2"}
    titles, headings = (words[kind] | words[kind][model.norm] for kind in ("titles", "headings"))
    drawn = page.locator(".attn-path-panel").evaluate_all(DRAWN)
    assert sorted(shown["name"] for shown in drawn) == sorted(STATIONS)
    for shown in drawn:
        name = shown["name"]
        start, end = extents(model)[name]
        bars = percent(start, end, scale)
        if name == "weights":
            bars = np.stack([0 * end, 100 * end], axis=-1)
        assert_allclose([bar["styled"] for bar in shown["bars"]], bars, atol=0.011)
        assert_allclose([bar["seen"] for bar in shown["bars"]], bars, atol=4)
        came = percent(0 * start, start, scale) if name.startswith("sum") else np.zeros((0, 2))
        assert_allclose(
            np.reshape([bar["styled"] for bar in shown["came"]], (-1, 2)), came, atol=0.011
        )
        assert_allclose(np.reshape([bar["seen"] for bar in shown["came"]], (-1, 2)), came, atol=4)
        assert shown["signs"] == ["down" if b < a else "up" for a, b in zip(start, end)]
        assert shown["moved"] == model.moved[name].tolist()
        assert shown["title"] == titles[name]
        assert shown["shape"] == f"3 × {len(end)}"
        wanted = {"stream": stream, "off": off, "empty": empty, "chosen": {model.station}}
        assert shown["marks"] == [mark for mark, names in wanted.items() if name in names]
    picture = page.locator(".attn-path")
    assert picture.get_attribute("aria-label") == fill(words["path"], model.numbers())
    heading = page.locator(".attn-path-how .attn-panel-title").inner_text()
    assert heading == fill(headings[model.station], {"item": str(model.item)})
    legend = fill(words["legend"], {"scale": trimmed(scale)})
    assert page.locator(".attn-path-legend").inner_text() == legend
    beside = page.locator(".attn-path-numbers").all_text_contents()
    assert beside == [f"[{', '.join(map(trimmed, row))}]" for row in model.X]
    rails = page.locator(".attn-path-rail")
    passes = words["passes" if model.residual else "cut"]
    assert rails.all_inner_texts() == [fill(passes, {"from": name}) for name in "xa"]
    assert (
        rails.evaluate_all("all => all.map((e) => 'cut' in e.dataset)") == [not model.residual] * 2
    )
    for rail, name in zip(rails.all(), ("sum1", "sum2")):  # what passes by ends over its sum
        ends = [
            box["x"] + box["width"]
            for box in (rail.bounding_box(), panel(page, name).bounding_box())
        ]
        assert abs(ends[0] - ends[1]) < 1


@browser
def test_moved_numbers_agree_in_python_and_later_views(show):
    """Where an item was changed before the widget is shown, and in a second view of it."""
    model = BlockPath(item=3)
    model.X = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0.5]]
    page = show(model, model)
    both = page.locator(".attn-path").evaluate_all(
        "all => all.map((one) => Object.fromEntries([...one.querySelectorAll('.attn-path-panel')]"
        ".map((panel) => [panel.querySelector('input').value,"
        "[...panel.querySelectorAll('.attn-number')].map((text) => 'moved' in text.dataset)])))"
    )
    wanted = {name: moved.tolist() for name, moved in model.moved.items() if name in STATIONS}
    assert both == [wanted, wanted] and any(map(any, wanted.values()))


@each_sample
def test_the_picture_has_the_same_bars_and_dots(sample):
    model = BlockPath(**sample)
    figure = BlockPath.picture.__wrapped__(model)
    titles = model.words["titles"] | model.words["titles"][model.norm]
    for ax, name in zip(figure.axes, AFTER if model.norm == "after" else STATIONS, strict=True):
        assert ax.get_title() == titles[name]
        start, end = extents(model)[name]
        n = len(end)
        ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
        if name.startswith("sum"):
            assert_allclose(ends[:n], np.stack([0 * start, start], axis=-1), atol=1e-12)
            ends = ends[n:]
        assert_allclose(ends, np.stack([start, end], axis=-1), atol=1e-12)
        filled = [bar.get_facecolor()[:3] == to_rgb(LIGHT["ink"]) for bar in ax.patches[-n:]]
        assert filled == [bool(b >= a) for a, b in zip(start, end)]
        dots = [int(line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"]
        assert dots == np.flatnonzero(model.moved[name]).tolist()
        low, high = ax.get_xlim()
        assert low == -high and max(abs(np.ravel(ends))) <= high
    plt.close(figure)
