"""Tokens in a row: what is refused, what a changed row changes, the same in the page."""

import itertools
import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from traitlets import TraitError

from attnlib import MultiHeadAttention
from attnlib.examples import three_rows
from attnlib.widgets import TokenAttention
from attnlib.widgets.token_attention.token_attention import riffled
from tests.helpers.widget_pages import frame, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", TokenAttention.samples, ids=str)
TWICE = ["the", "cat", "sat"] * 2


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("vocabulary needs 1 to 4 texts", "vocabulary", []),
        ("vocabulary needs different texts of 1 to 8 letters", "vocabulary", ["a", "b", "a"]),
        ("features needs different texts of 1 to 8 letters", "features", ["a", "b", "c", ""]),
        ("features needs 1 to 4 texts", "features", list("abcde")),
        ("tokens needs 1 to 6 texts", "tokens", ["cat"] * 7),
        ("tokens needs words of ['the', 'cat', 'sat'], got 'dog'", "tokens", ["the", "dog"]),
        ("X needs the shape (3, 4), words and features", "X", [[1, 0, 0, 0]]),
        ("between -3.0 and 3.0 (x_range)", "X", [[3.5, 0, 0, 0]] * 3),
        ("W_K needs the shape (4, 2), features and 2", "W_K", [[1, 0], [0, 1]]),
        ("not finite", "W_V", [[math.nan, 0]] * 4),
        ("row", "row", -1),
        ("column", "column", 6),
        ("keys_by", "keys_by", "W_V"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(TokenAttention, words, **{trait: value})


def test_another_vocabulary_stands_there_once():
    row = TokenAttention(vocabulary=["a", "b", "c"])
    assert row.tokens == ["a", "b", "c"] and row.weights.shape == (3, 3)
    row = TokenAttention(tokens=["cat", "the"])
    row.vocabulary = ["sat", "dog", "cat"]
    assert row.tokens == row.standing == ["cat"] and row.places == (0, 0)
    assert TokenAttention(**row.state()).state() == row.state()


def test_the_last_token_stays():
    row = TokenAttention(tokens=["cat"])
    with pytest.raises(TraitError, match="1 to 6"):
        row.remove()
    assert row.tokens == ["cat"]


@each_sample
def test_it_is_self_attention_with_one_head(sample):
    row = TokenAttention(**sample)
    W_K = row.W_Q if row.keys_by == "W_Q" else row.W_K
    layer = MultiHeadAttention(row.W_Q, W_K, row.W_V, np.eye(2), n_heads=1)
    X = [row.X[row.vocabulary.index(word)] for word in row.standing]
    output, weights = layer(X)
    assert_allclose(row.output, output)
    assert_allclose(row.weights, weights[0])


def test_the_three_rows_of_the_book():
    row = TokenAttention(**TokenAttention.samples[1])
    X, _, _ = three_rows()
    assert_allclose(row.scores, X @ X.T / math.sqrt(2))
    assert_allclose(row.weights[2], [0.248255, 0.248255, 0.503490], atol=5e-7)
    assert_allclose(row.output[0], [0.802224, 0.598888], atol=5e-7)


@pytest.mark.parametrize("n", range(1, 7))
def test_a_riffle_moves_every_card_and_returns(n):
    order, cards, rounds = riffled(n), list(range(n)), 0
    assert n == 1 or all(i != place for place, i in enumerate(order))
    while rounds == 0 or cards != list(range(n)):
        cards, rounds = [cards[i] for i in order], rounds + 1
    assert rounds == {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 3}[n]


def test_a_shuffle_moves_rows_columns_and_marks():
    row = TokenAttention(tokens=["the", "cat", "sat", "cat"], row=2, column=0)
    weights, output, order = row.weights, row.output, riffled(4)
    row.shuffle()
    assert row.tokens == ["sat", "the", "cat", "cat"] and (row.row, row.column) == (0, 1)
    assert_allclose(row.weights, weights[np.ix_(order, order)])
    assert_allclose(row.output, output[order])


def test_copies_share_the_weight_equally():
    row = TokenAttention(row=1, column=2)
    before = row.weights[0]
    row.repeat()
    assert row.tokens == ["the", "cat", "cat", "sat"] and (row.row, row.column) == (1, 3)
    shares = before[[0, 1, 1, 2]]
    assert_allclose(row.weights[0], shares / shares.sum())
    assert_allclose(row.output[1], row.output[2])
    once = TokenAttention().output
    assert_allclose(TokenAttention(tokens=TWICE).output, [*once, *once])


def test_a_removed_token_leaves_its_share():
    row = TokenAttention(row=0, column=2)
    kept = row.weights[1:, 1:]
    row.remove()
    assert row.tokens == ["cat", "sat"] and (row.row, row.column) == (0, 1)
    assert_allclose(row.weights, kept / kept.sum(axis=1, keepdims=True))
    row.row = 5  # past the end: the last
    row.remove()
    assert row.tokens == ["cat"] and row.places == (0, 0) and row.output.shape == (1, 2)


def test_shared_query_and_key_matrices_make_scores_symmetric():
    row = TokenAttention(tokens=TWICE, keys_by="W_Q")
    assert_allclose(row.scores, row.scores.T)
    assert not np.allclose(row.weights, row.weights.T)


@browser
@each_sample
def test_the_page_computes_the_same(javascript, sample):
    row = TokenAttention(**sample)
    W_K = row.W_Q if row.keys_by == "W_Q" else row.W_K
    X = [row.X[row.vocabulary.index(word)] for word in row.standing]
    (result,) = javascript("token_attention/tokens.js")(("attendTokens", X, row.W_Q, W_K, row.W_V))
    for stage in ("scores", "weights", "output"):
        assert_allclose(result[stage], getattr(row, stage), rtol=1e-9, atol=1e-12)


@browser
def test_the_page_changes_rows_as_python_does(javascript):
    call = javascript("token_attention/tokens.js")
    for n in range(1, 6):
        for i, j in itertools.product(range(n), repeat=2):
            marked = {"tokens": ["the", "cat", "sat", "cat", "the"][:n], "row": i, "column": j}
            names = ["shuffled", "repeated", "removed"][: 3 if n > 1 else 2]
            for result, name in zip(call(*((name, marked) for name in names)), names):
                assert result == getattr(TokenAttention(**marked), f"_{name}")()


def cells(page):
    """The cells of the matrix that can be seen, a list for each row."""
    rows = page.locator(".attn-pairs-row:visible").all()[1:]
    return [row.locator(".attn-pairs-cell:visible").all() for row in rows]


@browser
@each_sample
def test_arcs_and_squares_are_drawn_by_weight(show, sample):
    model = TokenAttention(**sample)
    page, (i, _), n = show(model), model.places, len(model.standing)
    frame(page)
    result = [[numbers(cell.inner_text())[0] for cell in row] for row in cells(page)]
    assert_allclose(result, model.weights, atol=0.0051 if n > 4 else 6e-4)
    sides = [
        [float(cell.locator(".attn-blot").evaluate("e => parseFloat(e.style.backgroundSize)"))
         for cell in row] for row in cells(page)
    ]  # fmt: skip
    assert_allclose((np.array(sides) / 100) ** 2, model.weights, atol=2e-4)
    arcs = page.locator("svg.attn-arcs").all()
    for svg, weights in zip(arcs, (model.weights[i], model.weights[:, i])):
        widths = svg.locator(".attn-arc:not([class*='--'])").evaluate_all(
            "all => all.map((e) => e.getAttribute('stroke-width')).filter(Boolean).map(Number)"
        )
        assert_allclose((np.array(widths) - 0.75) / 15, weights, atol=5e-4)
    sums = page.locator(".attn-panel-title").nth(1).inner_text()
    assert numbers(sums)[-1] == pytest.approx(model.weights[:, i].sum(), abs=6e-4)


@browser
def test_cells_arcs_and_tokens_are_linked_both_ways(show):
    page = show(TokenAttention())
    near = page.locator(".attn-pairs-cell[data-near]")
    halo = page.locator("svg.attn-arcs").first.locator(".attn-arc--near")
    cells(page)[0][2].hover()
    assert near.count() == 1 and halo.get_attribute("d")
    page.mouse.move(0, 0)
    assert near.count() == 0 and halo.get_attribute("d") is None
    hit = page.locator("svg.attn-arcs").first.locator(".attn-arc--hit").first
    hit.dispatch_event("pointerenter")  # from sat to the
    assert near.count() == 1 and cells(page)[2][0].get_attribute("data-near") == ""
    hit.dispatch_event("click")
    frame(page)
    assert state(page, TokenAttention)["column"] == 0
    assert cells(page)[2][0].get_attribute("data-mark") == "pair"
    assert cells(page)[0][2].get_attribute("data-mark") == "back"
    cells(page)[1][2].click()
    frame(page)
    assert [state(page, TokenAttention)[name] for name in ("row", "column")] == [1, 2]
    assert page.get_by_role("radio", name="query 2, cat").is_checked()
    assert page.get_by_role("radio", name="key 3, sat").is_checked()
    assert page.locator(".attn-pairs-row[data-chosen]").count() == 1


@browser
def test_full_and_single_rows_say_so(show):
    page = show(TokenAttention(tokens=["cat", "sat"] * 3))
    message = page.locator(".attn-row-buttons .attn-message")
    page.get_by_role("button", name="Repeat").click()
    frame(page)
    assert "row is full" in message.inner_text() and len(state(page, TokenAttention)["tokens"]) == 6
    for _ in range(6):
        page.get_by_role("button", name="Remove").click()
        frame(page)
    assert "one stays" in message.inner_text() and len(state(page, TokenAttention)["tokens"]) == 1
    page.get_by_role("button", name="Reset").click()
    frame(page)
    assert message.inner_text() == "" and len(cells(page)) == 6


@browser
def test_a_preset_may_bring_other_words(show):
    three = {**TokenAttention.samples[1], "label": "three rows"}
    del three["task"]
    page = show(TokenAttention(presets=[three], tokens=TWICE, row=5))
    page.get_by_role("button", name="three rows").click()
    frame(page)
    assert page.get_by_role("textbox").count() == 6
    page.get_by_role("textbox", name="x₂, second").fill("much")
    page.keyboard.press("Enter")
    assert "x₂, second: a number from −3.0 to 3.0" in page.get_by_role("alert").inner_text()
    page.get_by_role("textbox", name="x₂, second").press("Escape")
    assert_allclose(
        [[numbers(cell.inner_text())[0] for cell in row] for row in cells(page)],
        TokenAttention(**TokenAttention.samples[1]).weights,
        atol=6e-4,
    )


@browser
def test_words_in_the_text_set_its_state(show):
    wanted = {"tokens": TWICE, "row": 5, "column": 1}
    prose = (
        f"<p><span data-widget='fig-1' data-set='{json.dumps(wanted)}'>all twice</span> "
        "<span data-widget='fig-1' data-show='weight'>0.807</span></p>"
    )
    page = show(TokenAttention(), prose=prose)
    assert page.locator("[data-show]").inner_text() == TokenAttention().shown()["weight"][0]
    page.get_by_role("button", name="all twice").click()
    frame(page)
    model = TokenAttention(**wanted)
    assert state(page, TokenAttention) == model.state()
    assert page.locator("[data-show]").inner_text() == model.shown()["weight"][0] == "0.403"
