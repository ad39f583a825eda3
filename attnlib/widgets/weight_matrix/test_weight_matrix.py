"""The matrix of weights: what is refused, what follows, and what moves where a query moves."""

import math
import re

import numpy as np
import pytest
from traitlets import TraitError

from attnlib import scaled_dot_product_attention, softmax
from attnlib.widgets import WeightMatrix
from tests.helpers.widget_pages import drag, frame, handle, numbers, refused, state

browser = pytest.mark.browser


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("finite numbers of shape (n, 2)", "Q", [1, 2]),
        ("finite numbers of shape (n, 2)", "Q", []),
        ("not finite", "Q", [[1, math.nan], [0, 0]]),
        ("between -3.0 and 3.0 (key_range)", "Q", [[1, 3.1], [0, 0]]),
        ("at most 4 rows, got 5", "K", [[0, 0]] * 5),
        ("between -1.0 and 12.0 (value_range)", "V", [[0, 0], [0, 0], [0, 13]]),
        ("row", "row", -1),
        ("row must be below 2, the number of queries, got 2", "row", 2),
        ("axis", "axis", "rows"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(WeightMatrix, words, **{trait: value})


def test_numbers_of_keys_and_values_are_fixed():
    with pytest.raises(TraitError, match="as many values as keys, got 3 values and 2 keys"):
        WeightMatrix(K=[[1, 0], [0, 1]])
    matrix = WeightMatrix()
    before = matrix.state()
    for trait, rows in (("Q", 3), ("K", 2), ("V", 2)):
        with pytest.raises(TraitError, match=rf"{trait} has \d rows, got {rows}: make a new one"):
            setattr(matrix, trait, [[1, 0]] * rows)
    with pytest.raises(TraitError):
        matrix.weights = [[1, 0, 0]]
    assert matrix.state() == before


def test_it_follows_and_can_be_observed():
    matrix, seen = WeightMatrix(), []
    matrix.observe(lambda change: seen.append(change.new), "output")
    matrix.Q = [[1, 0], [2, -1]]
    output, weights = scaled_dot_product_attention(matrix.Q, matrix.K, matrix.V)
    np.testing.assert_allclose(seen[-1], output)
    np.testing.assert_allclose(matrix.weights, weights)
    matrix.axis = "queries"
    np.testing.assert_allclose(matrix.weights, softmax(matrix.scores, axis=0))
    np.testing.assert_allclose(seen[-1], matrix.weights @ np.array(matrix.V))


@pytest.mark.parametrize(("axis", "alone"), [("keys", True), ("queries", False)])
def test_along_the_keys_a_query_is_answered_alone(axis, alone):
    matrix = WeightMatrix(Q=[[1, 0], [0, 1], [-2, 1]], axis=axis)
    before = matrix.output
    matrix.Q = [[1, 0], [0, 1], [2, 2]]
    assert np.array_equal(before[:2], matrix.output[:2]) == alone
    assert np.allclose(matrix.weights.sum(axis=1), 1) == alone


@pytest.mark.parametrize("axis", ["keys", "queries"])
def test_the_picture_says_what_the_widget_says(axis):
    matrix = WeightMatrix(row=1, axis=axis)
    written = re.findall(r"<!-- (.*?) -->", matrix.picture()["image/svg+xml"])
    assert matrix.announcement() in " ".join(written)
    wanted = [f"{w:.3f}" for w in matrix.weights.ravel()]
    assert [text for text in written if re.fullmatch(r"0\.\d{3}|1\.000", text)] == wanted


@browser
@pytest.mark.parametrize("axis", ["keys", "queries"])
def test_the_javascript_computes_the_same(javascript, axis):
    answering = javascript("weight_matrix/answering.js")
    rng = np.random.default_rng(5)
    for n_q, n_k in [(1, 1), (1, 4), (4, 1), (3, 2), (4, 4)]:
        Q, K = (rng.uniform(-3, 3, (n, 2)) for n in (n_q, n_k))
        V = rng.uniform(0, 12, (n_k, 2))
        (result,) = answering(("answers", Q, K, V, axis))
        expected = WeightMatrix(Q=Q, K=K, V=V, axis=axis)
        for stage in ("scores", "weights", "output"):
            np.testing.assert_allclose(result[stage], getattr(expected, stage), 1e-9, 1e-12)


def table(page, name):
    """The numbers in a matrix of the widget, a list for each row."""
    rows = page.get_by_role("table", name=name).get_by_role("row").all()[1:]
    return [
        [n for cell in row.get_by_role("cell").all() for n in numbers(cell.inner_text())]
        for row in rows
    ]


def diamonds(page):
    """Where the answers are drawn, one for each query, in the units of the values."""
    low, high = WeightMatrix().value_range
    places = []
    for mark in page.locator(".attn-output").all():
        x, y, r = map(float, re.match(r"M(\S+) ([^l\s]+)l(\S+)", mark.get_attribute("d")).groups())
        unit = (high - low) / 320
        places.append([low + x * unit, high - (y + r) * unit])
    return places


@browser
@pytest.mark.parametrize("axis", ["keys", "queries"])
def test_matrices_and_answers_show_what_attnlib_says(show, axis):
    model = WeightMatrix(Q=[[1, 0], [0, 1], [-2, 1]], row=2, axis=axis)
    page = show(model)
    sums = model.weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(table(page, "Scores"), model.scores, atol=0.0051)
    np.testing.assert_allclose(table(page, "Weights"), np.hstack([model.weights, sums]), atol=6e-4)
    np.testing.assert_allclose(table(page, "Output"), model.output, atol=0.0051)
    np.testing.assert_allclose(diamonds(page), model.output, atol=0.01)
    radii = np.array([float(r.get_attribute("r")) for r in page.locator(".attn-disc").all()])
    assert (radii / 13) ** 2 == pytest.approx(model.weights[2], abs=2e-3)
    bars = page.locator(".attn-matrix--weights [role=cell]").evaluate_all(
        "all => all.map((e) => parseFloat(getComputedStyle(e).backgroundSize))"
    )
    shown = np.array(bars).reshape(3, 4)[:, :3]
    np.testing.assert_allclose(shown, 100 * model.weights, atol=0.02)


@browser
def test_a_dragged_query_moves_its_own_answer_only(show):
    model = WeightMatrix(Q=[[1, 0], [0, 1], [-2, -1]])
    page = show(model)
    before, others = diamonds(page), table(page, "Weights")[:2]
    box = handle(page, "Query 3").locator("circle").last.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(page, (x, y), (x + 60, y - 120))
    frame(page)
    after = diamonds(page)
    assert after[:2] == before[:2] and after[2] != before[2]
    assert table(page, "Weights")[:2] == others
    assert state(page, WeightMatrix)["row"] == 2


@browser
def test_pressing_a_row_in_any_matrix_chooses_it(show):
    page = show(WeightMatrix(Q=[[1, 0], [0, 1], [-2, -1]]))
    for name, row in [("Weights", 1), ("Scores", 2), ("Output", 0), ("Queries", 1)]:
        rows = page.get_by_role("table", name=name).get_by_role("row")
        rows.nth(row + 1).click(position={"x": 3, "y": 12})
        frame(page)
        assert state(page, WeightMatrix)["row"] == row
        marked = page.locator(".attn-matrix-row[data-chosen]")
        assert marked.count() == 4
        assert page.get_by_role("radio", name=f"q{'₁₂₃'[row]}").is_checked()


@browser
def test_a_complaint_lasts_until_its_field_is_mended(show):
    page = show(WeightMatrix())
    for name in ("Query 1, x", "Query 2, y"):
        page.get_by_role("textbox", name=name).fill("much")
        page.keyboard.press("Enter")
    message = page.get_by_role("alert")
    assert "Query 2, y" in message.inner_text()
    page.get_by_role("textbox", name="Query 2, y").press("Escape")
    assert "Query 1, x" in message.inner_text()
    page.get_by_role("button", name="Reset").click()
    frame(page)
    assert message.inner_text() == ""
