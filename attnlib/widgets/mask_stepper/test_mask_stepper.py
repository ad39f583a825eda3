"""The mask stepper: what is refused, what attnlib says of every mask, and painting."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from traitlets import TraitError

from attnlib import attend, examples
from attnlib.heads import KeyValueCache, MultiHeadAttention
from attnlib.masks import causal, padding
from attnlib.widgets import MaskStepper
from tests.helpers.widget_pages import COARSE, centre, drag, frame, numbers, refused, state, swipe

browser = pytest.mark.browser

#: Masks of three items, every one of the 512.
MASKS = [np.reshape(bits, (3, 3)) for bits in itertools.product((0, 1), repeat=9)]


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("2 to 6 items, got 1", "items", ["a"]),
        ("2 to 6 items, got 7", "items", list("abcdefg")),
        ("must hold 0 and 1, got 0.5", "mask", [[0.5] * 5] * 5),
        ("finite numbers of shape (n, n)", "mask", [1, 1]),
        ("not finite", "scores", [[np.inf] * 5] * 5),
        ("step", "step", 0),
        ("way", "way", "both"),
        ("stage", "stage", "output"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(MaskStepper, words, **{trait: value})


@pytest.mark.parametrize(
    "sample",
    [
        {"items": ["a", "b"], "mask": causal(3)},
        {"items": ["a", "b", "c"], "values": [1, 2]},
        {"scores": np.zeros((3, 2))},
        {"items": ["a", "b", "c"], "step": 4},
    ],
    ids=str,
)
def test_sizes_that_do_not_fit_are_refused(sample):
    with pytest.raises(TraitError, match=r"items"):
        MaskStepper(**sample)


def test_the_number_of_items_is_fixed():
    stepper = MaskStepper(items=["a", "b", "c"])
    before = stepper.state()
    for name, value in {"items": ["a", "b"], "mask": causal(4), "values": [1], "step": 4}.items():
        with pytest.raises(TraitError, match="items"):
            setattr(stepper, name, value)
    with pytest.raises(TraitError, match=r"values needs shape \(3,\), got \(2,\)"):
        stepper.values = [1, 2]
    assert stepper.state() == before


@pytest.mark.parametrize("n", [2, 3, 6])
def test_missing_arrays_get_the_size_of_the_others(n):
    for traits in ({"items": ["x"] * n}, {"mask": causal(n)}, {"values": [1] * n}):
        stepper = MaskStepper(**traits)
        assert len(stepper.items) == n and np.shape(stepper.scores) == (n, n)
        np.testing.assert_array_equal(stepper.mask, causal(n))


def test_the_first_three_rows_are_the_worked_example():
    expected = attend(*[np.eye(3)] * 3, score=lambda Q, K: examples.causal_scores(), mask=causal(3))
    assert_allclose(MaskStepper(step=3).weights, expected[1])
    assert_allclose(MaskStepper(step=3).weights[1:].round(6)[:, 1], [0.645656, 0.426013])


def answered(stepper, i, keys):
    """The weights of query i on the keys that were there, by attnlib; None if it may see none."""
    mask = np.array(stepper.mask, dtype=bool)[i : i + 1, :keys]
    if not mask.any():
        return None
    scores = np.array(stepper.scores)[i : i + 1, :keys]
    Q, K = np.zeros((1, 1)), np.zeros((keys, 1))
    V = np.array(stepper.values)[:keys, None]
    return attend(Q, K, V, score=lambda Q, K: scores, mask=mask)


@pytest.mark.parametrize("way", ["cache", "anew"])
def test_every_mask_agrees_with_attnlib(way):
    stepper = MaskStepper(items=["a", "b", "c"], step=3, way=way)
    for mask in MASKS:
        stepper.mask = mask
        weights, output = stepper.weights, stepper.output
        for i in range(3):
            keys = i + 1 if way == "cache" else 3
            result = answered(stepper, i, keys)
            assert (result is None) == (i + 1 in stepper.lost)
            if result is None:
                assert np.isnan(weights[i]).all() and np.isnan(output[i])
            else:
                assert_allclose(weights[i], [*result[1][0], *[0] * (3 - keys)])
                assert_allclose(output[i], result[0][0, 0])


def test_rows_differ_only_where_later_keys_are_allowed():
    ways = [MaskStepper(items=["a", "b", "c"], step=3, way=way) for way in ("cache", "anew")]
    for mask in MASKS:
        for stepper in ways:
            stepper.mask = mask
        kept, anew = (np.nan_to_num(stepper.weights, nan=-1) for stepper in ways)
        unlike = (abs(kept - anew) > 1e-9).any(axis=1)
        assert ways[0].differ == ways[1].differ == [i + 1 for i in np.flatnonzero(unlike)]


def test_counts_agree_with_the_cache():
    rng = np.random.default_rng(0)
    layer = MultiHeadAttention.random(rng, d_model=4, n_heads=1)
    cache, X, scores = KeyValueCache(layer), rng.normal(size=(5, 4)), []
    for step in range(1, 6):
        _, weights = cache.step(X[step - 1 : step])
        scores.append(weights.size)
        anew = [layer(X[:t], mask=causal(t))[1].size for t in range(1, step + 1)]
        told = MaskStepper(step=step).numbers()
        assert told["kept"] == [len(cache.K[0]) + len(cache.V[0]), 0]
        assert told["scores"] == [scores[-1], anew[-1]]
        assert told["total"] == [sum(scores), sum(anew)]
        assert told["masked"] == [0, step * (step - 1) / 2]


def test_left_padding_leaves_early_queries_without_keys():
    in_front = causal(5) & padding(3, 5)[:, ::-1]
    assert MaskStepper(mask=in_front, step=5).lost == [1, 2]
    assert MaskStepper(mask=causal(5) & padding(3, 5), step=5).lost == []


@browser
@pytest.mark.parametrize("way", ["cache", "anew"])
def test_the_javascript_computes_the_same(javascript, way):
    rows = javascript("mask_stepper/rows.js")
    rng = np.random.default_rng(2)
    for n, step in [(2, 1), (3, 3), (6, 4), (6, 6)]:
        for _ in range(12):
            traits = {
                "mask": rng.integers(0, 2, (n, n)).tolist(),
                "scores": rng.normal(0, 3, (n, n)).tolist(),
                "values": rng.normal(size=n).tolist(),
                "step": step,
                "way": way,
            }
            (result,) = rows(("rows", traits))
            expected = MaskStepper(**traits)
            for name in ("lost", "differ", "queries", "scores", "masked", "total", "kept"):
                assert list(result[name]) == list(expected.numbers()[name]), name
            nan = float("nan")
            for name in ("weights", "output"):
                told = [[nan if x is None else x for x in np.ravel(result[name])]]
                assert_allclose(np.ravel(told), np.ravel(getattr(expected, name)), 1e-9, 1e-12)


def box(page, i, j):
    """The cell of a query and a key, counted from 1."""
    return page.get_by_role("checkbox", name=f"Query {i}, key {j}", exact=True)


def painted(page):
    frame(page)
    return np.array(state(page, MaskStepper)["mask"]).astype(int).tolist()


def words_of(page):
    """What the cells say, a list for each query."""
    rows = page.get_by_role("grid").get_by_role("row").all()[1:-1]
    return [[cell.inner_text() for cell in row.get_by_role("gridcell").all()] for row in rows]


@browser
@pytest.mark.parametrize("way", ["cache", "anew"])
def test_the_table_shows_what_attnlib_says(show, way):
    model = MaskStepper(
        items=["a", "b", "c", "d"],
        mask=[[0, 1, 0, 0], [1, 1, 0, 1], [1, 0, 1, 0], [1] * 4],
        way=way,
    )
    page = show(model)
    for i, row in enumerate(words_of(page)):
        if i >= 3:
            assert row == [""] * 5
            continue
        for j, text in enumerate(row[:3]):
            if way == "cache" and j > i:
                assert text == ("late" if model.mask[i][j] else "")
            elif i + 1 in model.lost:
                assert text == "–"
            else:
                assert numbers(text) == pytest.approx([model.weights[i, j]], abs=0.0051)
        assert ("≠" in row[-1]) == (i + 1 in model.differ)
        if i + 1 in model.lost:
            assert row[-1].startswith("no key")
        else:
            assert numbers(row[-1]) == pytest.approx([model.output[i]], abs=0.0051)
    bars = page.locator(".attn-stepper-cell").evaluate_all(
        "all => all.map((e) => parseFloat(getComputedStyle(e).backgroundSize))"
    )
    shown = np.reshape(bars, (4, 4))[:3, :3]
    assert_allclose(shown, 100 * np.nan_to_num(model.weights), atol=0.02)
    counts = page.get_by_role("table").get_by_role("row").all()[1:]
    for row, (name, _) in zip(counts, [("queries", 0), ("scores", 0), ("masked", 0)]):
        told = [numbers(cell.inner_text())[0] for cell in row.get_by_role("cell").all()]
        assert told == list(model.numbers()[name])


@browser
def test_masked_scores_are_minus_infinity(show):
    page = show(MaskStepper(step=2, way="anew", stage="scores"))
    assert words_of(page)[0][:3] == ["0.5", "−∞", ""]


@browser
def test_a_mouse_stroke_paints_one_value(show):
    model = MaskStepper(items=["a", "b", "c"])
    page = show(model)
    drag(page, centre(box(page, 1, 2)), centre(box(page, 3, 3)), steps=12)
    first = painted(page)
    assert first[0][1] == first[2][2] == 1 and first[0][2] == 0  # aslant, from allowed to allowed
    drag(page, centre(box(page, 1, 1)), centre(box(page, 1, 3)), steps=12)
    assert painted(page)[0] == [0, 0, 0]
    assert page.locator("[data-lost]").count() == 1
    assert "Queries that have lost all keys: 1." in page.locator(".attn").inner_text()
    page.mouse.move(*centre(box(page, 3, 1)))
    assert painted(page)[2] == first[2]  # nothing is held any more


@browser
def test_the_right_button_paints_nothing(show):
    page = show(MaskStepper())
    box(page, 1, 1).click(button="right")
    assert painted(page) == causal(5).astype(int).tolist()


@browser
def test_a_finger_paints_rows_and_scrolls_the_page(show):
    page = show(MaskStepper(), **COARSE)
    page.evaluate("document.body.style.paddingBlockEnd = '2000px'")
    swipe(page, centre(box(page, 2, 1)), centre(box(page, 2, 4)))
    frame(page)
    assert painted(page)[1] == [0, 0, 0, 0, 0] and page.evaluate("scrollY") == 0
    page.get_by_role("button", name="Reset").tap()
    box(page, 4, 5).tap()
    assert painted(page)[3] == [1] * 5
    x, y = centre(box(page, 3, 1))
    swipe(page, (x, y), (x, y - 160), steps=16)
    page.wait_for_function("scrollY > 0")
    assert painted(page)[2] == [1, 1, 1, 0, 0] and painted(page)[3] == [1] * 5


@browser
def test_keys_walk_and_flip_cells(show):
    page = show(MaskStepper(items=["a", "b", "c"]))
    box(page, 1, 1).press("ArrowRight")
    for key in ("ArrowDown", "Space", "End", "Enter", "ArrowRight", "ArrowDown", "Home", " "):
        page.keyboard.press(key)
    assert painted(page) == [[1, 0, 0], [1, 0, 1], [0, 1, 1]]
    assert page.locator("[role=checkbox][tabindex='0']").count() == 1
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert painted(page)[2] == [1, 1, 1]


@browser
def test_one_press_flips_a_cell_once(show):
    page = show(MaskStepper())
    box(page, 1, 2).evaluate("e => e.click()")
    assert painted(page)[0] == [1, 1, 0, 0, 0]
    box(page, 1, 3).click()
    assert painted(page)[0] == [1, 1, 1, 0, 0]


@browser
@pytest.mark.parametrize("screen", [{}, COARSE | {"width": 360}], ids=["mouse", "finger"])
def test_cells_are_large_enough_to_be_hit(show, screen):
    page = show(MaskStepper(), **screen)
    for cell in page.get_by_role("checkbox").all():
        size = cell.bounding_box()
        assert min(size["width"], size["height"]) >= (38 if screen else 24)
