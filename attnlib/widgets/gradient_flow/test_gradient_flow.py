"""Derivatives of one number by every other: the book's, the page's, and what a nudge finds."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from traitlets import TraitError

from attnlib import scaled_dot_product_attention, softmax
from attnlib.gradients import attention_vjp, finite_difference
from attnlib.widgets import GradientFlow
from tests.helpers.widget_pages import frame, handle, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", GradientFlow.samples)


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("finite numbers of shape (n, 2)", "Q", [1, 2]),
        ("not finite", "K", [[1, math.nan], [0, 0]]),
        ("at most 3 rows, got 4", "V", [[0, 0]] * 4),
        ("between -6.0 and 6.0", "target", [[0, 7], [0, 0]]),
        ("goal must be one of y11, y12, y21, y22, loss, got 'y31'", "goal", "y31"),
        ("'y13'", "goal", "y13"),
        ("'loss'", "entry", "loss"),
        ("got 's33'", "entry", "s33"),
        ("nudge", "nudge", 2.5),
        ("mask", "mask", "padding"),
        ("without", "without", "softmax"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(GradientFlow, words, **{trait: value})


def test_rows_of_unequal_size_are_refused():
    for traits in (
        {"K": [[1, 0]], "V": [[1, 0]]},
        {"V": [[1, 0], [2, 0]]},
        {"target": [[0, 0]]},
        {"Q": [[1, 0]] * 3, "K": [[1, 0]] * 2, "V": [[1, 0]] * 2},
    ):
        with pytest.raises(TraitError, match="a value for each key, a target for each query"):
            GradientFlow(**traits)
    flow = GradientFlow()
    before = flow.state()
    for trait, rows in (("Q", 3), ("K", 2), ("V", 2), ("target", 1)):
        with pytest.raises(TraitError, match=rf"{trait} has \d rows, got {rows}: make a new one"):
            setattr(flow, trait, [[1, 0]] * rows)
    assert flow.state() == before


def test_each_query_has_a_default_target():
    for queries in (1, 2, 3):
        flow = GradientFlow(Q=[[1, 0]] * queries)
        assert flow.target == [[3, 3], [4, 4], [5, 5]][:queries]
        assert flow.numbers()["value"] == GradientFlow().numbers()["value"]


@each_sample
def test_derivatives_agree_with_small_nudges(sample):
    flow = GradientFlow(**sample | {"without": "nothing"})
    for name in flow.names("qkvsw"):
        flow.entry = name
        slope = (flow.nudged(1e-6) - flow.nudged(-1e-6)) / 2e-6
        assert flow.numbers()["slope"] == pytest.approx(slope, abs=1e-8), name


@each_sample
def test_they_are_the_books(sample):
    flow = GradientFlow(**sample | {"without": "nothing"})
    Q, K, V = (np.array(rows) for rows in (flow.Q, flow.K, flow.V))
    output, _ = scaled_dot_product_attention(Q, K, V, mask=flow.pairs)
    assert_allclose(flow.output, output)
    d_output = finite_difference(lambda Y: flow._goal(Y)[0], output)
    expected = attention_vjp(d_output, Q, K, V, mask=flow.pairs)
    for letter, d in zip("qkv", expected):
        assert_allclose(flow.gradients[letter], d, atol=1e-9)


def test_a_forgotten_part_makes_the_tangent_wrong():
    flow = GradientFlow(entry="k31", V=[[1, 2], [5, 4], [5, 6]])
    right = flow.numbers()["slope"]
    flow.without = "scale"
    assert flow.numbers()["slope"] == pytest.approx(right * math.sqrt(2))
    weights, d_weights = flow.weights[0], np.array(flow.V)[:, 0]
    for without, d_score in [
        ("mean", weights * d_weights),
        ("diagonal", weights * (1 - weights) * d_weights),
    ]:
        flow.without = without
        assert_allclose(flow.gradients["s"][0], d_score)
        assert abs(flow.numbers()["slope"] - right) > 0.1


def test_the_worked_example():
    flow = GradientFlow()
    assert_allclose(flow.gradients["s"][0], [-0.802224, 0, 0.802224], atol=5e-7)
    assert flow.numbers()["slope"] == pytest.approx(0.567258, abs=5e-7)
    flow.Q = [[6, 6], [0, 1]]
    assert abs(flow.gradients["q"]).max() < 0.05 and flow.gradients["v"].max() > 0.9


def test_steps_downhill_lower_the_loss_within_bounds():
    flow = GradientFlow(goal="loss", target=[[1, 5], [4, 4]])
    before = flow.numbers()["value"]
    for _ in range(20):
        flow.step()
    assert flow.numbers()["value"] < 0.1 * before
    flow = GradientFlow(goal="y11", V=[[-6, 0], [-5.9, 0], [0, 0]])
    flow.step()
    assert np.array(flow.V).min() == -6


def test_the_picture_says_what_is_differentiated():
    for goal, name, heading in (("y12", "y₁₂", "y₁₂"), ("loss", "the loss", "The loss")):
        picture = GradientFlow(goal=goal).picture()["image/svg+xml"]
        assert f"Derivatives of {name}" in picture and f"<!-- {heading} -->" in picture


@browser
@each_sample
@pytest.mark.parametrize("without", ["nothing", "scale", "mean", "diagonal"])
def test_the_page_computes_the_same(javascript, sample, without):
    flow = GradientFlow(**sample | {"without": without})
    call = javascript("gradient_flow/flow.js")
    (pairs,) = call(("allowed", len(flow.Q), len(flow.K), flow.mask))
    seen = np.ones(np.shape(flow.weights), bool) if flow.pairs is None else flow.pairs
    assert pairs == seen.tolist()
    (matrices,) = call(("forwards", {"q": flow.Q, "k": flow.K, "v": flow.V}, pairs))
    for letter, stage in (("s", "scores"), ("w", "weights"), ("y", "output")):
        assert_allclose(matrices[letter], getattr(flow, stage), rtol=1e-9, atol=1e-12)
    (aim,) = call(("goalOf", flow.goal, matrices["y"], flow.target))
    value, d_output = flow._goal(flow.output)
    assert aim["value"] == pytest.approx(value) and np.allclose(aim["d"], d_output)
    (slopes,) = call(("backwards", matrices, aim["d"], without))
    for letter, d in flow.gradients.items():
        assert_allclose(slopes[letter], d, rtol=1e-9, atol=1e-12)
    names = flow.names("qkvsw")
    moved = call(*(("nudged", matrices, pairs, flow.goal, flow.target, n, 0.7) for n in names))
    for name, there in zip(names, moved):
        flow.entry = name
        assert there == pytest.approx(flow.nudged(0.7), rel=1e-9, abs=1e-12), name


@browser
@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("goal", ["y11", "y12", "y22", "loss"])
def test_derivatives_that_are_always_0_are_hatched(javascript, goal, mask):
    rng, largest = np.random.default_rng(0), {}
    for _ in range(20):
        Q, K, V = (rng.uniform(-2, 2, (n, 2)) for n in (2, 2, 2))
        flow = GradientFlow(Q=Q, K=K, V=V, goal=goal, mask=mask)
        for letter, d in flow.gradients.items():
            largest[letter] = np.maximum(largest.get(letter, 0), abs(d))
    call = javascript("gradient_flow/flow.js")
    (pairs,) = call(("allowed", 2, 2, mask))
    (live,) = call(("reached", goal, pairs, 2))
    for letter, d in largest.items():
        assert (np.array(live[letter]) == (d > 0)).all(), letter


def pulls(page, letter):
    """The derivatives that are written in a matrix of the page, row by row."""
    cells = page.locator(f".attn-slope-matrix--{letter} .attn-slope-pick")
    return [numbers(text.replace("+", ""))[0] for text in cells.all_inner_texts()]


@browser
@each_sample
def test_every_cell_shows_its_derivative(show, sample):
    model = GradientFlow(**sample)
    page = show(model)
    for letter, d in model.gradients.items():
        assert_allclose(pulls(page, letter), d.ravel(), atol=6e-4)
        bars = page.locator(f".attn-slope-matrix--{letter} .attn-slope-bar")
        signs = bars.evaluate_all("all => all.map((e) => e.dataset.sign)")
        shares = bars.evaluate_all(
            "all => all.map((e) => parseFloat(e.style.getPropertyValue('--share')))"
        )
        for x, sign, share in zip(d.ravel(), signs, shares):
            assert sign == ("down" if x < 0 else "up") and (share > 0) == (abs(x) > 1e-4)
            assert share <= 50


@browser
def test_pressing_a_derivative_explains_it(show):
    page = show(GradientFlow())
    worked = page.locator(".attn-slope-worked")
    assert "dq₁₂ = (ds₁₁ k₁₂ + ds₁₂ k₂₂ + ds₁₃ k₃₂) / √2" in worked.inner_text()
    assert worked.inner_text().endswith("= 0.567")
    page.locator(".attn-slope-matrix--s .attn-slope-pick").nth(2).click()
    frame(page)
    assert state(page, GradientFlow)["entry"] == "s13"
    assert "ds₁₃ = w₁₃ (dw₁₃ − D₁)" in worked.inner_text()
    assert "= 0.401 · (5 − 3) = 0.802" in worked.inner_text()
    assert page.locator(".attn-slope-pick[data-used]").count() == 3  # the row's, for its mean
    for without, formula in [
        ("the mean D", "ds₁₃ = w₁₃ dw₁₃"),
        ("all but the diagonal", "ds₁₃ = w₁₃ (dw₁₃ − w₁₃ dw₁₃)"),
    ]:
        page.get_by_role("radio", name=without).check()
        frame(page)
        assert formula in worked.inner_text()
    page.get_by_role("radio", name="v₂₁").check()
    frame(page)
    assert "dv₂₁ = dy₁₁ w₁₂ + dy₂₁ w₂₂" in worked.inner_text()
    assert worked.inner_text().endswith("= 1 · 0.198 + 0 · 0.401 = 0.198")


@browser
@each_sample
def test_worked_numbers_lead_to_the_derivative(show, sample):
    """What is written in the second line, with its three digits, computed anew."""
    model = GradientFlow(**sample)
    page = show(model)
    for name in model.names("qkvsw"):
        model.entry = name
        page.evaluate("(name) => [...AttentionBook.models.values()][0].set('entry', name)", name)
        frame(page)
        line = page.locator(".attn-slope-worked span").nth(1).inner_text()
        _, terms, result = line.replace("−", "-").replace("·", "*").split("=")
        assert eval(terms.replace("√2", "2 ** 0.5")) == pytest.approx(float(result), abs=0.02), line
        assert float(result) == pytest.approx(model.numbers()["slope"], abs=6e-4)


@browser
def test_the_handle_runs_along_the_curve(show):
    model = GradientFlow(entry="v31")
    page = show(model)
    knob = page.locator(".attn-knob")
    handle(page, "Nudge").press("Home")
    frame(page)
    assert state(page, GradientFlow)["nudge"] == -2
    model.nudge = -2
    text = page.locator(".attn-slope-promise").inner_text()
    assert_allclose(numbers(text), [model.numbers()[n] for n in ("predicted", "actual")], atol=6e-4)
    assert float(knob.get_attribute("cx")) == pytest.approx(44)
    line, curve = (
        page.locator(f".attn-slope-{kind}").get_attribute("d") for kind in ("tangent", "curve")
    )
    assert_allclose(numbers(line)[:2], numbers(curve)[:2], atol=0.011)  # by a value it is straight


@browser
def test_softmax_of_large_scores_agrees_with_attnlib(javascript):
    call = javascript("gradient_flow/flow.js")
    Q, K = [[6, 6]], [[6, 6], [5.9, 6], [-6, -6]]
    (matrices,) = call(("forwards", {"q": Q, "k": K, "v": K}, [[True] * 3]))
    assert_allclose(matrices["w"], softmax(np.array(Q) @ np.transpose(K) / math.sqrt(2)), rtol=1e-9)


def alive(model):
    """Which derivatives are not 0 for good: those that some numbers bring to life."""
    rng, totals = np.random.default_rng(0), {letter: 0 for letter in "qkvsw"}
    shapes = [np.shape(rows) for rows in (model.Q, model.K, model.V)]
    for _ in range(20):
        Q, K, V = (rng.uniform(-2, 2, shape) for shape in shapes)
        other = GradientFlow(Q=Q, K=K, V=V, target=model.target, goal=model.goal, mask=model.mask)
        totals = {letter: totals[letter] + abs(d) for letter, d in other.gradients.items()}
    return {letter: (total > 0).ravel().tolist() for letter, total in totals.items()}


@browser
@each_sample
def test_the_page_marks_goal_entry_and_dead_derivatives(show, sample):
    model = GradientFlow(**sample)
    page = show(model)
    for letter, live in alive(model).items():
        dead = page.locator(f".attn-slope-matrix--{letter} .attn-slope-pick").evaluate_all(
            "all => all.map((e) => 'dead' in e.dataset)"
        )
        assert dead == [not x for x in live], letter
    wanted = numbers(page.get_by_role("group", name="Goal", exact=True).inner_text())
    assert_allclose(wanted, np.ravel(model.target), atol=0.006)
    heading = page.locator(".attn-slope-panel .attn-panel-title").inner_text()
    assert heading == model._told("curve")
    label = page.locator(".attn-slopes").get_attribute("aria-label")
    assert label == model._told("derivatives")


@browser
@each_sample
def test_curve_handle_and_gap_match_the_axis(show, sample):
    model = GradientFlow(**sample)
    page = show(model)
    labels = page.locator(".attn-slope-plot text:not([visibility=hidden])").evaluate_all(
        "all => all.map((e) => "
        "[e.getAttribute('text-anchor'), +e.getAttribute('y'), e.textContent])"
    )
    ticks = [(y - 4, numbers(text)[0]) for anchor, y, text in labels if anchor == "end"]
    (low, below), (high, above) = ticks[0], ticks[-1]

    def height(y):
        return low + (y - below) / (above - below) * (high - low)

    rules = page.locator(".attn-slope-plot .attn-grid:not([visibility=hidden])")
    assert_allclose(
        rules.evaluate_all("all => all.map((e) => +e.getAttribute('y1'))"), [y for y, _ in ticks]
    )
    told = model.numbers()
    comes = told["value"] + told["actual"]
    for part, y in (("slope-here", told["value"]), ("knob", comes)):
        at = page.locator(f".attn-{part}").get_attribute("cy")
        assert float(at) == pytest.approx(height(y), abs=0.05), part
    gap = numbers(page.locator(".attn-slope-gap").get_attribute("d"))
    ends = [height(told["value"] + told["predicted"]), height(comes)]
    assert_allclose(gap[1::2], ends, atol=0.05)


@browser
def test_numbers_in_the_formula_are_underlined(show):
    used = {
        "q12": ("k12 k22 k32", "s11 s12 s13"),
        "k31": ("q11 q21", "s13 s23"),
        "v21": ("w12 w22", "y11 y21"),
        "w13": ("v31 v32", "y11 y12"),
        "s13": ("w11 w12 w13", "w11 w12 w13"),
    }
    page = show(GradientFlow())
    for entry, (values, slopes) in used.items():
        page.evaluate("(name) => [...AttentionBook.models.values()][0].set('entry', name)", entry)
        frame(page)
        for selector, names in (
            (".attn-slope-value[data-used], .attn-field[data-used]", values),
            (".attn-slope-pick[data-used]", slopes),
        ):
            cells = page.locator(".attn-slope-cell").filter(has=page.locator(selector))
            marked = cells.locator("input[type=radio]").evaluate_all(
                "all => all.map((e) => e.value)"
            )
            assert sorted(marked) == names.split(), (entry, selector)


@browser
def test_the_page_refuses_numbers_out_of_bounds(show):
    page = show(GradientFlow())
    field = page.get_by_role("textbox", name="q₁₁")
    field.fill("6.1")
    field.press("Enter")
    frame(page)
    assert state(page, GradientFlow)["Q"] == [[1, 0], [0, 1]]
    assert "6" in page.locator(".attn-message").inner_text()


def test_the_picture_shows_slope_and_derivatives(monkeypatch):
    from attnlib import figures

    tables, lines = [], []
    drawn, blank = figures.heatmap, figures.blank
    monkeypatch.setattr(figures, "heatmap", lambda d, **more: (tables.append(d), drawn(d, **more)))
    monkeypatch.setattr(figures, "blank", lambda *size: lines.append(blank(*size)) or lines[-1])
    flow = GradientFlow(entry="q12")
    flow.picture()
    for table, letter in zip(tables, "qkvsw", strict=True):
        assert_allclose(table, flow.gradients[letter].round(2))
    curve = next(ax for ax in lines[0].axes if len(ax.lines) == 3)
    x, y = curve.lines[1].get_data()
    assert (y[-1] - y[0]) / (x[-1] - x[0]) == pytest.approx(flow.numbers()["slope"])
