"""Heads in a library: what is refused, what one and two can do, the same in the page."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib.widgets import HeadExplorer
from attnlib.widgets.head_explorer import head_explorer as parts
from tests.helpers.widget_pages import frame, refused, state

browser = pytest.mark.browser


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("author", "author", 7),
        ("topic", "topic", 0),
        ("heads", "heads", 4),
        ("off", "off", -1),
        ("aims must lie between 0 and 1", "aims", [0, 1.1, 0]),
        ("shape (3,)", "aims", [0, 1]),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(HeadExplorer, words, **{trait: value})


@pytest.mark.parametrize("aim", [0, 0.1, 0.25, 0.5, 0.8, 1])
def test_one_head_leaves_half_however_it_is_aimed(aim):
    """The closed form of the chapter, up to the little weight on other books."""
    error = HeadExplorer(heads=1, aims=[aim, 0, 0]).error
    s = aim**2 + (1 - aim) ** 2
    assert_allclose(error, [aim**2 / s, (1 - aim) ** 2 / s], atol=0.01)
    assert error.mean() >= 0.5


def test_two_heads_leave_nothing_unless_they_are_alike():
    assert HeadExplorer(heads=2).error.max() < 1e-4
    assert HeadExplorer(heads=2, aims=[0.2, 0.7, 0]).error.max() < 0.01
    assert HeadExplorer(heads=2, aims=[0.4, 0.4, 0]).error.mean() == pytest.approx(0.5, abs=0.01)
    assert HeadExplorer(heads=2, off=2).error == pytest.approx([0, 1], abs=0.01)


def test_a_third_head_makes_each_less_important():
    three = HeadExplorer(heads=3)
    assert three.error.max() < 1e-4
    for off in (1, 2, 3):
        three.off = off
        assert 0.05 < three.error.mean() < 0.5


@pytest.mark.parametrize("sample", HeadExplorer.samples, ids=str)
def test_it_is_multi_head_attention(sample):
    """The layer of attnlib, called on the query and on all of them with many prices."""
    explorer = HeadExplorer(**sample)
    query = parts._items([explorer.author], [explorer.topic])
    output, weights = explorer.attention(query, explorer.library)
    assert_allclose(weights[:, 0], explorer.weights, atol=1e-14)
    assert_allclose(output[0], explorer.outputs @ explorer.W_O, atol=1e-12)
    shapes = dict(itertools.chain(*explorer.shapes))
    queries = parts._items(*parts.all_queries().T)
    Q, K, V = explorer.attention.project(queries, explorer.library)
    output, weights = explorer.attention(queries, explorer.library)
    assert shapes["X_Q"] == queries.shape and shapes["X_KV"] == explorer.library.shape
    assert [line[-1][1] for line in explorer.shapes[:3]] == [x.shape for x in (Q, K, V)]
    assert shapes["weights"] == weights.shape and shapes["times W_O"] == output.shape
    assert shapes["times V"] == (weights @ V).shape


@pytest.mark.parametrize("sample", HeadExplorer.samples, ids=str)
def test_no_other_readout_has_a_smaller_error(sample):
    explorer = HeadExplorer(**sample)
    books = np.arange(1, 7)
    queries = parts.all_queries()
    wanted, squares = parts._matches(queries), 0
    heads, targets = [], []
    for prices in np.eye(6):  # mean squares over independent prices are sums over these
        library = parts._items(books, parts.TOPICS, prices)
        output, weights = explorer.attention(parts._items(*queries.T), library)
        heads.append((weights @ prices).T)
        targets.append((wanted @ prices).T)
        squares += (output - targets[-1]) ** 2
    assert_allclose(squares.mean(axis=0), explorer.error, atol=1e-12)
    heads, targets = np.concatenate(heads), np.concatenate(targets)
    best = np.linalg.lstsq(heads, targets, rcond=None)[0]
    explorer.off = 0
    fitted = ((heads @ explorer.W_O - targets) ** 2).sum(axis=0) / len(queries)
    least = ((heads @ best - targets) ** 2).sum(axis=0) / len(queries)
    assert_allclose(fitted, least, atol=1e-9)


@browser
@pytest.mark.parametrize("sample", HeadExplorer.samples, ids=str)
def test_readout_and_error_agree_with_the_page(javascript, sample):
    explorer = HeadExplorer(**sample)
    aims, on = explorer.aims[: explorer.heads], explorer.on.tolist()
    call = javascript("head_explorer/readout.js")
    weights, result = call(
        ("weightsOf", [explorer.author, explorer.topic], aims), ("readout", aims, on)
    )
    assert_allclose(weights, explorer.weights, rtol=1e-9, atol=1e-12)
    assert_allclose(result["W"], explorer.W_O, rtol=1e-6, atol=1e-8)
    assert_allclose(result["error"], explorer.error, rtol=1e-6, atol=1e-8)
    assert result["queries"] == len(parts.all_queries())


@browser
def test_table_and_shapes_agree_with_attnlib(show):
    model = HeadExplorer(heads=3, aims=[0.2, 0.9, 0.5], off=1, topic=2)
    page = show(model)
    books = page.get_by_role("table", name="What each head does").locator(".attn-heads-row--book")
    drawn = [
        [float(cell.inner_text()) for cell in row.locator(".attn-heads-share .attn-number").all()]
        for row in books.all()
    ]
    assert_allclose(np.transpose(drawn), model.weights, atol=0.0051)
    flow = page.get_by_role("group", name="Shapes").inner_text().replace("\n", " ")
    for name, shape in itertools.chain(*model.shapes):
        assert f"{name} ({', '.join(map(str, shape))})" in " ".join(flow.split())
    assert page.locator(".attn-bands--apart i:visible").count() == 5 * model.heads


@browser
def test_missing_heads_are_hidden(show):
    page = show(HeadExplorer(heads=2, off=2))
    assert not page.get_by_label("Aim of head 3").is_visible()
    page.get_by_role("radio", name="1", exact=True).press("Space")
    frame(page)
    assert state(page, HeadExplorer)["heads"] == 1
    assert page.get_by_role("radio", name="none").is_checked()
    assert page.get_by_role("columnheader", name="Head 2").count() == 0
