"""The heads of a real model: records, what is refused, the same in the page, what is drawn."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from playwright.sync_api import expect

from attnlib.data.published import SMOLLM
from attnlib.networks import reading
from attnlib.widgets import HeadViewer
from attnlib.widgets.head_viewer import head_viewer as module
from attnlib.widgets.head_viewer import looks
from attnlib.widgets.shared.modules import later_scripts, site_script
from tests.helpers.widget_pages import frame, refused, state

browser = pytest.mark.browser
each_text = pytest.mark.parametrize("text", looks.TEXTS)


@pytest.fixture
def no_file(monkeypatch):
    monkeypatch.setattr(module, "lack", lambda: "It is not here.")


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


def test_any_text_and_any_heads_where_the_file_is(monkeypatch):
    widget = HeadViewer(text="Two and two are", cut=["17.4", "17.5"])
    assert widget.tokens == ["Two", " and", " two", " are"]
    assert widget.following == reading.following(widget.text, [(17, 4), (17, 5)])
    sent = []
    monkeypatch.setattr(widget, "send", sent.append)

    def ask(**asked):
        widget._handle_custom_msg(asked, [])
        return sent[-1]

    cut = [[17, 4], [17, 5]]
    answer = ask(id="a.3", kind="following", given=[widget.text, cut])
    assert answer == {"id": "a.3", "next": widget.following}
    answer = ask(id="b.3", kind="look", given=["a " * 60])
    assert answer["id"] == "b.3" and "61 tokens" in answer["error"]
    answer = ask(id="b.4", kind="following", given=[widget.text, [[30, 0]]])
    assert "30 blocks of 9 heads" in answer["error"]
    ask(id="c", kind="anywidget-command")
    assert len(sent) == 3
    for text, count in (("", 0), ("a " * 60, 61)):
        refused(HeadViewer, f"The text has {count} tokens; 1 to 48", text=text)


def test_a_file_that_is_wrong_is_named_and_one_that_comes_is_found(monkeypatch, tmp_path):
    module.found.cache_clear()
    wrong = tmp_path / "wrong.gguf"
    monkeypatch.setenv(SMOLLM.variable, str(wrong))
    refused(HeadViewer, f"There is no file {wrong}", text="Another text")
    wrong.write_bytes(b"GGUF")
    refused(HeadViewer, "has 4 bytes", text="Another text")
    refused(HeadViewer, "has 4 bytes", cut=["1.2", "1.3"])
    assert not HeadViewer()._live
    monkeypatch.setattr(type(SMOLLM), "find", lambda self: wrong)
    assert HeadViewer()._live
    module.found.cache_clear()


@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        ("looks.js", "HEADS", module.HEADS),
        ("looks.js", "SHOWN", reading.SHOWN),
        ("looks.js", "DIGITS", reading.DIGITS),
        ("canvases.js", "BLOCKS", module.BLOCKS),
        ("head_viewer.js", "LAST", module.LAST),
    ],
)
def test_both_sides_know_the_same_numbers(file, name, value):
    text = (looks.HERE / file).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^(?:export )?const {name} = (.+?);", text, re.MULTILINE)
    assert json.loads(found) == value


def test_words_know_the_file():
    ((path, (size, _)),) = SMOLLM.files.items()
    words = HeadViewer.words
    assert (words["file"], words["size"]) == (Path(path).name, size)
    assert f"{size / 1e6:.0f} MB" in words["offer"]
    assert f"{size:,}" not in json.dumps(words)


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


NOTEBOOK = """
    (stored) => {
      const [values, listeners] = [{ ...stored, _live: true }, []];
      const of = (event) => listeners.filter(([one]) => one === event);
      const tell = (event, ...rest) => of(event).forEach(([, hear]) => hear(...rest));
      const model = {
        get: (name) => values[name],
        set(name, value) {
          const isNew = JSON.stringify(values[name]) !== JSON.stringify(value);
          values[name] = value;
          if (isNew) tell(`change:${name}`);
        },
        save_changes() {},
        send: async (asked) => tell("msg:custom", await reply(asked)),
        on: (event, hear) => listeners.push([event, hear]),
        off: (event, hear) =>
          listeners.splice(listeners.indexOf(of(event).find(([, one]) => one === hear)), 1),
      };
      const main = document.querySelector("main");
      main.replaceChildren();
      window.notebook = { model, listeners, leave: [] };
      for (const id of ["one", "two"]) {
        const el = Object.assign(document.createElement("div"), { id });
        main.append(el);
        notebook.leave.push(AttentionBook.load("head_viewer/head_viewer.js").render({ model, el }));
      }
    }
"""


@browser
def test_in_a_notebook_python_answers_each_of_two_views(show):
    page, asked = show(HeadViewer()), []

    def reply(request):
        asked.append(request["id"])
        return HeadViewer._reply(**request)

    page.expose_function("reply", reply)
    page.evaluate(NOTEBOOK, HeadViewer().state())
    for text in (looks.TEXTS[1], "Two and two are"):
        page.evaluate("(text) => notebook.model.set('text', text)", text)
        tokens = [module.seen(token) for token in HeadViewer(text=text).tokens]
        likeliest = module.seen(HeadViewer(text=text).following[0][0])
        for view in (page.locator("#one"), page.locator("#two")):
            expect(view.locator(".attn-heads-token")).to_have_text(tokens)
            expect(view.locator(".attn-follow-row").first).to_contain_text(likeliest)
            expect(view.locator(".attn-message")).to_have_text("")
    # Two views ask different things at the same time: each gets its own answer.
    views = [page.locator(f"#{name}").get_by_role("textbox") for name in ("one", "two")]
    for view, text in zip(views, ("Three and three are", "One and one are")):
        view.fill(text)
        view.press("Enter")
    for name in ("one", "two"):
        expect(page.locator(f"#{name} .attn-heads-token").first).to_have_text("One")
        expect(page.locator(f"#{name} .attn-message")).to_have_text("")
    assert len(asked) == len(set(asked)) > 6
    page.evaluate("notebook.leave.forEach((leave) => leave())")
    assert page.evaluate("notebook.listeners.length") == 0


@browser
def test_what_failed_is_asked_again_when_the_text_is_chosen_again(show):
    page = show(HeadViewer())
    page.evaluate(
        """() => {
          const { later } = AttentionBook;
          AttentionBook.later = () => {
            AttentionBook.later = later;
            return Promise.reject(new Error("It cannot be read."));
          };
        }"""
    )
    said = page.locator(".attn-message")
    france, fox = (page.get_by_role("radio", name=name) for name in ("France", "Fox and owl"))
    france.check()
    expect(said).to_have_text("It cannot be read.")
    page.get_by_role("slider", name="Block").press("End")  # what was said stays
    frame(page)
    expect(said).to_have_text("It cannot be read.")
    fox.check()
    expect(said).to_have_text("")
    france.check()
    expect(page.locator(".attn-heads-token")).to_have_text(
        ["The", "␣capital", "␣of", "␣France", "␣is"]
    )
    expect(said).to_have_text("")


PAINTED = """
    () => {
      const painted = { map: 0, large: 0 };
      const { strokeRect } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.strokeRect = function (...box) {
        painted[this.canvas.className.replace("attn-heads-", "")] += 1;
        strokeRect.apply(this, box);
      };
      window.painted = painted;
    }
"""


@browser
def test_a_pointer_that_moves_paints_what_changes_and_nothing_else(show):
    page = show(HeadViewer(), width=1280)
    page.evaluate(PAINTED)
    box = page.locator(".attn-heads-large").bounding_box()
    side = (box["width"] - 32) / 14
    page.locator(".attn-heads-large").scroll_into_view_if_needed()
    box = page.locator(".attn-heads-large").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 32 + 5.2 * side)
    page.mouse.move(box["x"] + 200, box["y"] + 32 + 5.8 * side, steps=20)
    frame(page)
    assert page.evaluate("painted") == {"map": 0, "large": 1}
    page.evaluate("document.documentElement.dataset.other = 'x'")
    page.get_by_role("slider", name="Block").press("End")
    frame(page)
    assert page.evaluate("painted.map") == 1
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    frame(page)
    assert page.evaluate("painted.map") == 2


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
