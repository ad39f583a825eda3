"""Houses and utilities: what is refused, whom they ask, the same in the page."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib.widgets import GraphNeighbours
from attnlib.widgets.graph_neighbours.graph_neighbours import FORMS, VALUES
from tests.helpers.widget_pages import frame, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", GraphNeighbours.samples, ids=str)


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("form", "form", "sum"),
        ("house", "house", 3),
        ("between −3 and 3", "own", [0, 0, 3.5]),
        ("shape (3,)", "own", [0, 0]),
        ("each house needs an edge", "edges", [[1, 1, 1], [0, 0, 0], [1, 1, 1]]),
        ("must be 0 or 1", "edges", [[1, 1, 1], [1, 0.5, 0], [1, 1, 1]]),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(GraphNeighbours, words, **{trait: value})


def test_the_original_has_one_order_for_all():
    for own in itertools.product([-3, -1, 0, 0.5, 3], repeat=3):
        order = np.argsort(-GraphNeighbours(own=own).weights, axis=1)
        assert (order == [0, 1, 2]).all()


@pytest.mark.parametrize("form", ["dynamic", "dot"])
def test_the_others_ask_the_right_one(form):
    widget = GraphNeighbours(form=form)
    assert widget.favourites == ["water", "gas", "power"]
    assert (np.diag(widget.weights) > 0.9).all() and (abs(widget.heard - VALUES) < 0.6).all()


@pytest.mark.parametrize("form", FORMS)
def test_an_edge_that_is_cut_has_no_weight(form):
    widget = GraphNeighbours(form=form, edges=[[0, 1, 1], [1, 0, 0], [1, 1, 1]])
    assert widget.weights[0, 0] == 0 and widget.weights[1].tolist() == [1, 0, 0]
    assert_allclose(widget.weights.sum(axis=1), 1)


@browser
def test_the_page_computes_the_same(javascript):
    call = javascript("graph_neighbours/asking.js")
    for sample, form in itertools.product(GraphNeighbours.samples, FORMS):
        widget = GraphNeighbours(**sample | {"form": form})
        (result,) = call(("asking", form, widget.own, widget.edges))
        assert_allclose(result["weights"], widget.weights, atol=1e-12)
        assert_allclose(result["heard"], widget.heard, atol=1e-12)


@browser
@each_sample
def test_lines_and_numbers_are_those_of_python(show, sample):
    widget = GraphNeighbours(**sample)
    page = show(widget)
    frame(page)
    widths = page.locator(".attn-graph-edge").evaluate_all(
        "all => all.map((e) => Number(e.getAttribute('stroke-width')))"
    )
    assert_allclose(widths, 1 + 11 * widget.weights.ravel(), atol=0.0051)
    shown = [numbers(x)[0] for x in page.locator(".attn-asks-weight").all_inner_texts()]
    assert_allclose(shown, widget.weights.ravel(), atol=0.0051)


@browser
def test_edges_are_cut_and_joined(show):
    page = show(GraphNeighbours())

    def press(name, role="button"):
        page.get_by_role(role, name=name, exact=True).press(
            "Enter" if role == "button" else "Space"
        )
        frame(page)
        now = state(page, GraphNeighbours)
        message = page.locator(".attn-message").inner_text()
        says = page.locator(".attn-graph-says").inner_text()
        return np.array(now["edges"]).astype(int).tolist()[0], message, says

    assert press("Cut water")[::2] == ([0, 1, 1], "favourites: A gas, B water, C water")
    assert press("Cut gas")[:2] == ([0, 0, 1], "")
    assert press("Cut power")[:2] == ([0, 0, 1], "each house keeps an edge")
    assert press("Join gas")[:2] == ([0, 1, 1], "")
    press("dot product", "radio")
    assert press("Join water")[2] == "each house has its own favourite, the one it wants"
    assert press("mean", "radio")[2] == "no house has a favourite"
    page.get_by_role("button", name="Reset").press("Enter")
    frame(page)
    assert page.locator(".attn-graph-says").inner_text().startswith("all houses have the same")
