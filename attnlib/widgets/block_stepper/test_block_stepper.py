"""The online softmax step by step: what is refused, the book's arithmetic, what is drawn."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from traitlets import TraitError

from attnlib.efficient import online_softmax
from attnlib.widgets import BlockStepper
from attnlib.widgets.block_stepper.block_stepper import ORDERS, SCORES
from tests.helpers.widget_pages import COARSE, centre, drag, frame, handle, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", BlockStepper.samples)


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("2 to 8 entries, got 1", "scores", [1]),
        ("2 to 8 entries, got 9", "scores", [0] * 9),
        ("must lie between -6 and 6", "scores", [0, 0, 6.1, 0, 0]),
        ("must lie between -20 and 20", "values", [0, 0, 0, 0, -20.5]),
        ("not finite", "scores", [0, 0, math.inf, 0, 0]),
        ("must hold 0 and 1, got", "masked", [0, 0.5, 0, 0, 0]),
        ("block", "block", 0),
        ("step", "step", 9),
        ("order", "order", "shuffled"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(BlockStepper, words, **{trait: value})


def test_the_number_of_keys_is_fixed():
    stepper = BlockStepper()
    for trait in ("scores", "values", "masked"):
        with pytest.raises(TraitError, match=f"{trait} needs 5 entries, got 3. The number of keys"):
            setattr(stepper, trait, [1, 1, 1])
    assert stepper.scores == SCORES
    with pytest.raises(TraitError, match="needs 3 entries, got 2"):
        BlockStepper(scores=[1, 2, 3], values=[1, 2])


@pytest.mark.parametrize("n", [2, 3, 8])
def test_missing_arrays_get_the_size_of_the_others(n):
    for traits in ({"scores": [0] * n}, {"values": [1] * n}, {"masked": [0] * n}):
        stepper = BlockStepper(**traits)
        assert len(stepper.scores) == len(stepper.values) == len(stepper.masked) == n


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("block", [1, 2, 3, 8])
def test_the_result_agrees_with_attnlib_in_any_order(order, block):
    rng = np.random.default_rng(block)
    for n in (2, 6, 8):
        s, v, masked = rng.uniform(-6, 6, size=n), rng.normal(size=n), np.arange(n) % 3 == 1
        traits = {"scores": s, "values": v, "masked": masked, "block": block, "order": order}
        stepper = BlockStepper(step=8, **traits)
        keys = s[~masked, None]
        expected = online_softmax([[1]], keys, v[~masked, None], block_k=block).item()
        told = stepper.numbers()
        assert told["maximum"] == keys.max()
        for name in ("so_far", "right", "answer"):
            assert told[name] == pytest.approx(expected, rel=1e-12)
        assert sorted(j for keys in stepper.blocks for j in keys) == [*range(n)]


@pytest.mark.parametrize("step", range(1, 6))
def test_partial_results_cover_the_keys_so_far(step):
    stepper = BlockStepper(block=1, order="smallest", step=step)
    keys = [j for (j,) in stepper.blocks[:step]]
    K, V = np.array(SCORES)[keys, None], np.array(stepper.values)[keys, None]
    expected = online_softmax([[1]], K, V).item()
    assert stepper.numbers()["so_far"] == pytest.approx(expected)


@pytest.mark.parametrize("corrected", [True, False])
def test_bars_add_up_to_sum_and_output(corrected):
    for step, order in itertools.product(range(6), ORDERS):
        traits = {"masked": [0, 1, 0, 0, 0], "block": 1, "order": order, "step": step}
        stepper = BlockStepper(corrected=corrected, **traits)
        told, powers = stepper.numbers(), np.nan_to_num(stepper.powers)
        assert powers.sum() == pytest.approx(told["total"])
        assert powers @ stepper.values == pytest.approx(told["weighted"])


def test_without_correction_early_keys_count_too_much():
    rising = BlockStepper(block=1, order="smallest", corrected=False, step=5)
    assert rising.numbers()["so_far"] == pytest.approx(28 / 5)  # each key counts 1
    falling = BlockStepper(block=1, order="largest", corrected=False, step=5)
    assert falling.numbers()["so_far"] == pytest.approx(5)


def test_a_masked_block_adds_nothing():
    first = BlockStepper(masked=[1, 1, 0, 0, 0], step=3)
    assert first.steps[1] == (-math.inf, 0, 0, 0) and first.steps[2][1] == 0
    assert first.numbers()["so_far"] == pytest.approx((8 * 6 + 4 * 2 + 8) / 13)
    later = BlockStepper(masked=[0, 0, 1, 1, 0], step=2)
    assert_allclose(later.steps[2], [math.log(2), 1, 1.5, 8])
    nothing = BlockStepper(masked=[1] * 5, step=3).numbers()
    assert nothing["total"] == nothing["weighted"] == 0 and math.isnan(nothing["answer"])


@browser
def test_the_javascript_computes_the_same(javascript):
    script = javascript("block_stepper/steps.js")
    rng = np.random.default_rng(0)
    choices = itertools.product((2, 5, 8), (0, 0.5, 1), (1, 3), ORDERS, (False, True))
    steppers = [
        BlockStepper(
            scores=rng.uniform(-6, 6, size=n).round(int(rng.integers(0, 3))),  # some are equal
            values=rng.normal(size=n),
            masked=(rng.random(n) < share).astype(int),
            block=block,
            order=order,
            step=int(rng.integers(0, 9)),
            corrected=corrected,
        )
        for n, share, block, order, corrected in choices
    ]

    def plain(result):  # the page answers with null where Python has NaN
        return [math.nan if x is None else x for x in result]

    for stepper, result in zip(steppers, script(*[("stepped", s.state()) for s in steppers])):
        told = stepper.numbers()
        names = ("correction", "total", "weighted", "so_far", "right", "answer")
        there, here = plain(result[name] for name in names), [told[name] for name in names]
        assert_allclose(there, here, rtol=1e-12, atol=1e-12)
        assert (result["came"], result["blocks"]) == (stepper.came, len(stepper.blocks))
        assert_allclose(plain(result["powers"]), stepper.powers, rtol=1e-12)
        where = {j: k for k, keys in enumerate(stepper.blocks) for j in keys}
        assert result["blockOf"] == [where[j] for j in range(len(where))]
        if stepper.came:
            earlier = BlockStepper(**stepper.state() | {"step": stepper.came - 1})
            assert_allclose(plain(result["earlier"]), earlier.powers, rtol=1e-12)


@browser
@each_sample
def test_the_rows_show_what_python_says(show, sample):
    model = BlockStepper(**sample)
    page = show(model)
    rows = page.locator(".attn-online-row").all()[1:]
    where = {j: k for k, keys in enumerate(model.blocks) for j in keys}
    for j, row in enumerate(rows[:-1]):
        there, power = where[j] < model.came, model.powers[j]
        cells = row.get_by_role("cell").all()
        texts = [text for cell in cells if (text := cell.inner_text()) not in ("", "−∞")]
        wanted = [power, power * model.values[j]] if there else []
        lost = row.get_by_text("−∞").get_attribute("visibility") is None
        assert texts[0] == f"k{chr(0x2081 + j)}" and lost == bool(model.masked[j])
        assert [numbers(text)[0] for text in texts[1:]] == pytest.approx(wanted, abs=5e-4)
        assert row.get_by_role("rowheader").inner_text() == f"{where[j] + 1}"
        age = "later" if not there else "new" if where[j] == model.came - 1 else "past"
        assert row.get_attribute("data-age") == age
        assert (row.get_attribute("data-masked") is not None) == bool(model.masked[j])
        assert (row.get_attribute("data-first") is not None) == (where[j] != where.get(j - 1))
        assert row.get_by_role("checkbox").is_checked() == bool(model.masked[j])
        fields = [numbers(box.input_value())[0] for box in row.get_by_role("textbox").all()]
        assert fields == pytest.approx([model.scores[j], model.values[j]], abs=5e-4)
        track, ink = (
            row.locator(f".attn-online-{kind}").bounding_box() for kind in ("track", "ink")
        )
        assert ink["width"] / track["width"] == pytest.approx(power if there else 0, abs=5e-3)
    told = model.numbers()
    sums = [numbers(text)[-1] for text in rows[-1].get_by_role("cell").all_inner_texts() if text]
    assert sums == pytest.approx([told["total"], told["weighted"]], abs=5e-4)
    assert "NaN" not in page.locator(".attn").inner_text()


@browser
@each_sample
def test_bars_and_gaps_end_at_their_scores(show, sample):
    model = BlockStepper(**sample)
    page = show(model)

    def ends(kind):
        """Where the lines of a kind begin and end, as scores; NaN where none is seen."""
        lines = page.locator(f".attn-online-{kind}").evaluate_all(
            """all => all.map((e) => e.getAttribute("visibility") ? [null, null]
                : [Number(e.getAttribute("x1")), Number(e.getAttribute("x2"))])"""
        )
        return np.array(lines, dtype=float)

    knobs = page.locator(".attn-knob").evaluate_all("all => all.map((e) => e.cx.baseVal.value)")
    zero = ends("zero")[0, 0]
    j = int(np.argmax(np.abs(model.scores)))
    unit = (knobs[j] - zero) / model.scores[j]

    def scores(kind):
        return (ends(kind) - zero) / unit

    n, seen, near = len(model.scores), model.seen, {"atol": 0.02}
    hidden = np.where(np.isfinite(seen), 0, np.nan)
    assert_allclose(scores("stem"), np.transpose([hidden - 6, seen + hidden]), **near)
    assert_allclose((np.array(knobs) - zero) / unit, model.scores, **near)
    now, before = model.steps[-1].maximum, model.steps[-2].maximum if model.came else -math.inf
    line = now if math.isfinite(now) else math.nan
    old = before if math.isfinite(before) and before != now else math.nan
    assert_allclose(scores("maximum"), np.full((n, 2), line), **near)
    assert_allclose(scores("old"), np.full((n, 2), old), **near)
    # What a bar of powers says is the exponential of its gap.
    start, end = scores("gap").T
    came = np.isfinite(model.powers) & np.isfinite(seen)
    assert_allclose(np.exp(start - end)[came], model.powers[came], rtol=0.03)
    assert np.isnan(start[~came]).all()
    shrunk = page.locator(".attn-online-ghost[data-shrunk]").count()
    earlier = BlockStepper(**model.state() | {"step": max(model.came - 1, 0)}).powers
    assert shrunk == (np.nan_to_num(earlier) > np.nan_to_num(model.powers) + 5e-4).sum()


@browser
def test_fields_follow_drags_and_refuse_large_numbers(show):
    page = show(BlockStepper())
    score, value = (
        page.get_by_role("textbox", name=f"Key 2, {name}") for name in ("score", "value")
    )
    handle(page, "Score of key 2").press("ArrowUp")
    frame(page)
    assert numbers(score.input_value()) == pytest.approx([SCORES[1] + 0.1], abs=5e-3)
    for field, most, more in ((score, "6", "6.5"), (value, "20", "20.5")):
        for text, kept in ((most, most), (more, most)):
            field.fill(text)
            field.press("Enter")
            frame(page)
            numbers_kept = state(page, BlockStepper)["scores" if field is score else "values"]
            assert numbers_kept[1] == float(kept)
    reset = page.get_by_role("button", name="Reset")
    for refused_text in ("", "20.5"):
        if refused_text:
            value.fill(refused_text)
            value.press("Enter")
        reset.click()
        frame(page)
        texts = f"{score.input_value()} {value.input_value()}"
        assert numbers(texts) == pytest.approx([SCORES[1], 4], abs=5e-4)
    assert state(page, BlockStepper)["scores"] == pytest.approx(SCORES)


@browser
@pytest.mark.parametrize(
    ("sample", "lines"),
    [
        (
            {},
            [
                "m = 2.079, before 0.693",
                "c = e^(0.693 − 2.079) = 0.250",
                "l = 0.250 · 1.500 + 1.000 + 0.500 = 1.875",
                "o = 0.250 · 8.000 + 1.000 · 6 + 0.500 · 2 = 9.000",
            ],
        ),
        (
            {"corrected": False},
            [
                "m = 2.079, before 0.693",
                "c = e^(0.693 − 2.079) = 0.250, not used",
                "l = 1.500 + 1.000 + 0.500 = 3.000",
                "o = 8.000 + 1.000 · 6 + 0.500 · 2 = 15.000",
            ],
        ),
        (
            {"scores": [-2, -3, 1, 1, 1], "values": [1, -2, 0, 0, 0], "step": 1},
            [
                "m = −2.000, before −∞",
                "c = e^(−∞ − (−2.000)) = 0.000",
                "l = 0.000 · 0.000 + 1.000 + 0.368 = 1.368",
                "o = 0.000 · 0.000 + 1.000 · 1 + 0.368 · (−2) = 0.264",
            ],
        ),
        ({"step": 0}, ["m = −∞", "l = 0", "o = 0"]),
        (
            {"masked": [1, 1, 0, 0, 0], "step": 1},
            [
                "m = −∞, before −∞",
                "c = e^(−∞ − 0) = 0.000",
                "l = 0.000 · 0.000 + 0.000 + 0.000 = 0.000",
                "o = 0.000 · 0.000 + 0.000 · 8 + 0.000 · 4 = 0.000",
            ],
        ),
        (
            {"values": [-8, -4, 6, 2, -8]},
            [
                "m = 2.079, before 0.693",
                "c = e^(0.693 − 2.079) = 0.250",
                "l = 0.250 · 1.500 + 1.000 + 0.500 = 1.875",
                "o = 0.250 · (−8.000) + 1.000 · 6 + 0.500 · 2 = 5.000",
            ],
        ),
    ],
)
def test_the_last_step_is_written_out(show, sample, lines):
    page = show(BlockStepper(**sample))
    shown = [text for text in page.locator(".attn-online-worked span").all_inner_texts() if text]
    assert shown == lines


@browser
def test_a_first_block_without_keys_is_explained(show):
    page = show(BlockStepper(masked=[1, 1, 0, 0, 0], step=1))
    widget = page.locator(".attn")
    assert "Nothing was added." in widget.inner_text()
    handle(page, "Blocks so far").press("ArrowRight")
    frame(page)
    assert "c = e^(−∞ − 2.079) = 0.000" in widget.inner_text()
    assert "nothing to correct" in widget.inner_text()
    for key in (3, 4, 5):
        page.get_by_role("checkbox", name=f"Mask key {key}").press("Space")
    frame(page)
    assert "every key is masked, and there is no answer" in widget.inner_text()
    assert state(page, BlockStepper)["masked"] == [1] * 5
    assert "NaN" not in widget.inner_text()


@browser
def test_mouse_and_finger_mask_a_key(show):
    for screen in ({}, COARSE):
        page = show(BlockStepper(), **screen)
        chip = page.get_by_role("checkbox", name="Mask key 2")
        chip.tap() if screen else chip.click()
        frame(page)
        assert state(page, BlockStepper)["masked"] == [0, 1, 0, 0, 0]


@browser
def test_a_large_last_score_outweighs_earlier_keys(show):
    page = show(BlockStepper(step=3))
    knob = handle(page, "Score of key 5").locator("circle").last
    x, y = centre(knob)
    drag(page, (x, y), (x + 400, y))
    frame(page)
    kept = state(page, BlockStepper)
    assert kept["scores"][4] == 6
    assert BlockStepper(**kept).numbers()["correction"] == pytest.approx(8 / math.e**6)


@browser
def test_there_are_as_many_steps_as_blocks(show):
    page = show(BlockStepper(step=8))
    slider = handle(page, "Blocks so far")
    assert (slider.get_attribute("max"), slider.input_value()) == ("3", "3")
    handle(page, "Keys in a block").press("Home")
    frame(page)
    assert (slider.get_attribute("max"), slider.input_value()) == ("5", "5")
    assert page.locator(".attn-slider output").first.inner_text() == "5 of 5"
