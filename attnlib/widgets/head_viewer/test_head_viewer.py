"""The heads of a real model: records, what is refused, the same in the page, what is drawn."""

import numpy as np
import pytest
from attention_book import live
from numpy.testing import assert_allclose
from playwright.sync_api import expect

from attnlib.networks import reading
from attnlib.widgets import HeadViewer
from attnlib.widgets.head_viewer import head_viewer as module
from attnlib.widgets.head_viewer import looks
from attnlib.widgets.shared.modules import later_scripts, site_script
from tests.helpers.widget_pages import bundle, frame, refused, state

browser = pytest.mark.browser
each_text = pytest.mark.parametrize("text", looks.TEXTS)


@pytest.fixture
def no_file(monkeypatch):
    monkeypatch.setattr(module, "is_here", lambda: False)


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("HeadViewer.text is not one of the recorded ones", "text", "Another text"),
        ("HeadViewer.cut needs heads from 0.0 to 29.8, one at most", "cut", ["1.2", "1.3"]),
        ("HeadViewer.cut needs heads", "cut", ["30.0"]),
        ("block", "block", 30),
        ("head", "head", 9),
        ("place", "place", -1),
    ],
)
def test_what_is_wrong_is_refused(no_file, words, trait, value):
    refused(HeadViewer, words, **{trait: value})


@each_text
def test_records_are_whole(text):
    widget = HeadViewer(text=text)
    n = len(widget.tokens)
    assert "".join(widget.tokens) == text and 5 <= n <= 20
    assert_allclose(widget.weights.sum(axis=-1), 1, atol=0.11)  # rounded, each to 1/126
    assert not widget.weights[..., ~np.tri(n, dtype=bool)].any()
    chances = [chance for _, chance, _ in widget.following]
    assert chances == sorted(chances, reverse=True) and chances == [
        p for _, _, p in widget.following
    ]


def test_the_first_text_travels_with_the_widget_and_the_others_come_later():
    (later,) = later_scripts("head_viewer").values()
    own = site_script("head_viewer")
    assert looks.recorded()[looks.TEXTS[0]]["weights"] in own
    for text in looks.TEXTS[1:]:
        weights = looks.recorded()[text]["weights"]
        assert weights in later and weights not in own


@pytest.mark.parametrize("text", looks.TEXTS[:2])
def test_records_are_what_the_model_says(text):
    widget = HeadViewer(text=text)
    read, tokens = reading.of_text(text)
    assert widget.tokens == [tokens.decode([i]) for i in read.ids]
    assert_allclose(widget.weights, read.weights, atol=0.009)
    for cut in ([], ["23.4"], ["1.5"]):
        widget.cut = cut
        heads = [tuple(map(int, name.split("."))) for name in cut]
        for (name, now, whole), wanted in zip(widget.following, reading.following(text, heads)):
            assert name == wanted[0] or wanted[1] < 0.01
            assert (now, whole) == pytest.approx(wanted[1:], abs=0.002)


def test_one_head_carries_the_country():
    widget = HeadViewer(text="The capital of France is", block=23, head=4)
    assert widget.weights[23, 4, 4, 3] > 0.8 and widget.following[0][0] == " Paris"
    before = widget.following[0][1]
    widget.cut = ["23.4"]
    now = {name: chance for name, chance, _ in widget.following}
    assert before > 0.7 and now[" Paris"] < 0.2 and now[" London"] > 0.05


def test_any_text_and_any_heads_where_the_file_is():
    widget = HeadViewer(text="Two and two are", cut=["17.4", "17.5"])
    assert widget.tokens == ["Two", " and", " two", " are"]
    assert widget.following == reading.following(widget.text, [(17, 4), (17, 5)])
    widget._asked = {"id": 3, "kind": "following", "given": [widget.text, [[17, 4], [17, 5]]]}
    assert widget._answer == {"id": 3, "next": widget.following}
    widget._asked = {"id": 4, "kind": "look", "given": ["a " * 60]}
    assert widget._answer["id"] == 4 and "61 tokens" in widget._answer["error"]


DECODED = """
    (known) => {
      const { row, following } = AttentionBook.load("head_viewer/looks.js").decoded(known);
      const heads = [...Array(270).keys()];
      const rows = known.tokens.map((_, i) => i);
      const weights = heads.map((k) => rows.map((i) => [...row(k, i)]));
      return [weights.flat(2), [undefined, ...heads].map((k) => following(k))];
    }
"""


@browser
def test_the_page_reads_the_same(show):
    page = show(HeadViewer())
    for text, known in looks.recorded().items():
        weights, following = page.evaluate(DECODED, known)
        lower = np.tri(len(known["tokens"]), dtype=bool)
        assert_allclose(weights, HeadViewer(text=text).weights[..., lower].ravel(), atol=1e-12)
        for k, rows in enumerate(following):
            wanted = looks.following(known, [divmod(k - 1, 9)] if k else [])
            assert [tuple(row) for row in rows] == wanted


def rows(page):
    return page.locator(".attn-follow-row").evaluate_all(
        "all => all.map((e) => e.innerText.split(/\\s+/))"
    )


@browser
def test_a_cut_head_changes_what_follows(show):
    page = show(HeadViewer(text="The capital of France is", block=23, head=4))
    for cut in (["23.4"], []):
        page.locator(".attn-heads-cut").click()
        frame(page)
        assert state(page, HeadViewer)["cut"] == cut
        wanted = HeadViewer(text="The capital of France is", cut=cut).following
        shown = [(name, float(value)) for name, value in rows(page)]
        assert [name for name, _ in shown] == [module.seen(name) for name, *_ in wanted]
        assert_allclose([p for _, p in shown], [p for _, p, _ in wanted], atol=5.1e-4)


@browser
def test_in_a_notebook_python_answers(show):
    data = bundle(HeadViewer())
    data[live.STATE]["state"] |= {"_live": True, "_asked": {}, "_answer": {}}
    page = show(data)
    page.expose_function("answer", lambda kind, given: HeadViewer._answered(kind, *given))
    page.evaluate(
        """() => {
          const [model] = AttentionBook.models.values();
          model.on("change:_asked", async () => {
            const { id, kind, given } = model.get("_asked");
            model.set("_answer", { id, ...(await answer(kind, given)) });
          });
        }"""
    )
    for text in (looks.TEXTS[1], "Two and two are"):
        if text in looks.TEXTS:
            page.get_by_role("radio", name="France").check()
        else:
            page.get_by_role("textbox").fill(text)
            page.get_by_role("textbox").press("Enter")
        tokens = [module.seen(token) for token in HeadViewer(text=text).tokens]
        expect(page.locator(".attn-heads-token")).to_have_text(tokens)
        first = page.locator(".attn-follow-row").first
        expect(first).to_contain_text(module.seen(HeadViewer(text=text).following[0][0]))


@browser
def test_pressing_the_map_chooses_a_head_and_two_presses_cut_it(show):
    page = show(HeadViewer(), width=1280)
    box = page.locator(".attn-heads-map").bounding_box()
    step = box["width"] / 30
    at = {"x": step * 23.5, "y": 17 + step * 4.5}
    page.locator(".attn-heads-map").dblclick(position=at)
    frame(page)
    now = state(page, HeadViewer)
    assert (now["block"], now["head"], now["cut"]) == (23, 4, ["23.4"])


@browser
def test_a_token_that_is_pointed_at_asks_until_the_pointer_leaves(show):
    widget = HeadViewer(block=16, head=0)
    page = show(widget)
    shares = "all => all.map((e) => parseFloat(e.style.getPropertyValue('--share')))"
    for k in (5, None):
        if k is None:
            page.mouse.move(2, 2)
        else:
            page.locator(".attn-heads-token").nth(k).hover()
        frame(page)
        row = widget.weights[16, 0, 13 if k is None else k]
        inks = page.locator(".attn-heads-token").evaluate_all(shares)
        assert_allclose(inks, 100 * row, atol=0.01)
        assert state(page, HeadViewer)["place"] == widget.place


@browser
@pytest.mark.parametrize("width", [360, 1280])
def test_the_map_holds_the_ink_of_the_weights(show, width):
    widget = HeadViewer()
    page = show(widget, width=width)
    ink = page.evaluate(
        """() => {
          const canvas = document.querySelector(".attn-heads-large");
          const { width, height } = canvas;
          const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
          return [...Array(14).keys()].map((j) => {
            const edge = 32 * devicePixelRatio, side = (width - edge) / 14;
            const [x, y] = [edge + (j + 0.5) * side, edge + 11.5 * side].map(Math.round);
            return data[4 * (y * width + x)];
          });
        }"""
    )
    row = widget.weights[17, 5, 11]
    shade = (max(ink) - np.array(ink)) / (max(ink) - 0x1D)
    assert_allclose(shade, np.where(row > 0.02, row, 0), atol=0.03)
