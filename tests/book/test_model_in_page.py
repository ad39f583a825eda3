"""The real model in the page: its file is chosen, read, asked, stopped and given back.

The page holds the widget, and its Python is the site's own; no chapter is needed.
"""

import json
import re
import shutil

import attention_book
import pytest
import site_tools
from attention_book import live, machine
from attention_book.in_page import model as in_page
from playwright.sync_api import expect

from attnlib.data.published import SMOLLM, ModelError
from attnlib.networks import reading, smollm
from attnlib.widgets import HeadViewer
from attnlib.widgets.head_viewer.looks import TEXTS
from attnlib.widgets.shared import modules
from tests.helpers.axe_rules import violations
from tests.helpers.widget_pages import HOST, bundle, whole

browser = pytest.mark.browser

FRANCE, OWN = "The capital of France is", "The capital of Japan is"
SLOW = 120_000  # milliseconds; a busy machine reads for long
FILE = next(iter(SMOLLM.files))
CELL = (
    "from attnlib.networks import smollm\nmodel, tokens = smollm.load()\n"
    f"logits, _ = model(tokens.encode({FRANCE!r}))\nprint(tokens.decode([logits[-1].argmax()]))"
)
RUN = "(source) => AttentionPython.call('cells.run', [[], source, 20], { patience: 120 })"
ENDLESS = """
    () => AttentionPython.call("cells.run", [[], "while True: pass", 90], { patience: 1 })
      .catch(() => 0)
"""
ASK = "([name, ...given]) => AttentionPython.call(`model.${name}`, given, { patience: 200 })"


@pytest.fixture(scope="module")
def file():
    return SMOLLM.fetch()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a page as the site has it."""
    folder = tmp_path_factory.mktemp("page")
    static, assets = folder / "_static", HOST.parent
    (static / "widgets").mkdir(parents=True)
    machine.write(static / "python")
    shutil.copy(assets / "python.js", static)
    host = HOST.read_text(encoding="utf-8") + modules.shared_script()
    scripts = {"live.js": host, "widgets/head_viewer.js": modules.site_script("head_viewer")}
    scripts |= {f"widgets/{n}": text for n, text in modules.later_scripts("head_viewer").items()}
    for name, text in scripts.items():
        (static / name).write_text(text, encoding="utf-8")
    names = ("live", "widgets/head_viewer", "python")
    tags = "".join(f'<script defer src="_static/{name}.js"></script>' for name in names)
    (folder / "page.html").write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Heads</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><style>{attention_book.colours()}'
        f"{modules.shared_stylesheet()}body {{ background: var(--page) }}</style>{tags}</head>"
        "<body><main><h1>Heads</h1>"
        f"<figure>{live.place(bundle(HeadViewer()), whole)}</figure></main></body></html>",
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def show_page(watch, folder):
    with site_tools.serve(folder) as server:

        def show_page(protocol="http", **options):
            address = server if protocol == "http" else folder.as_uri() + "/"
            watch.allowed.append(address)
            page = watch.page(**options)
            page.goto(address + "page.html")
            page.get_by_text("A text of yours").click()
            return page

        yield show_page


def choose(page, file):
    page.locator("input[type=file]").set_input_files(file)


def says(page, words, timeout=SLOW):
    expect(page.locator(".attn-heads-status")).to_contain_text(words, timeout=timeout)


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def following(page):
    """The tokens that the bars show, and their chances."""
    rows = page.locator(".attn-follow-row").all_inner_texts()
    return {name.strip("␣"): float(p) for name, p in (row.split("\n") for row in rows)}


@browser
def test_without_the_file_it_offers_to_choose_one_and_loads_nothing(show_page):
    page, asked = show_page(width=360), []
    page.on("request", lambda request: asked.append(request.url))
    for words in (FILE, "98 MB", "700 MB", "stays on your computer", "make model"):
        expect(page.locator(".attn-heads-live")).to_contain_text(words)
    for name in ("Stop", "Give the memory back", "Read it"):
        expect(button(page, name)).to_be_hidden()
    assert not asked and page.locator("script[src*='_static/python/']").count() == 0
    page.get_by_role("radio", name="France").check()
    expect(page.locator(".attn-follow-row").first).to_contain_text("Paris")
    assert [url.rsplit("/", 1)[1] for url in asked] == ["head_viewer-later.json.js"]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@browser
def test_texts_that_did_not_come_are_asked_for_again(show_page, watch):
    watch.expected.append("net::ERR_FAILED")
    page, asked = show_page(), []

    def once(route):
        asked.append(route.request.url)
        route.abort() if len(asked) == 1 else route.continue_()

    page.route("**/head_viewer-later.json.js", once)
    for name, said in (
        ("Keys", "head_viewer/later.json cannot be read."),
        ("Fox and owl", ""),
        ("Keys", ""),
    ):
        page.get_by_role("radio", name=name).check()
        expect(page.locator(".attn-message")).to_have_text(said)
    expect(page.get_by_role("radio", name="token 1, ␣keys")).to_be_visible()
    assert len(asked) == 2


@browser
@pytest.mark.parametrize("protocol", ["http", "file"])
def test_any_text_is_read_and_any_heads_are_cut(show_page, file, protocol):
    page = show_page(protocol)
    choose(page, file)
    says(page, re.compile(r"Reading the model: [1-9]\d? %"))
    says(page, "The model is here.")
    page.get_by_role("textbox", name="A text of yours").fill(OWN)
    button(page, "Read it").click()
    expect(page.locator(".attn-follow-row").first).to_contain_text("Tokyo", timeout=SLOW)
    expect(page.get_by_role("radio", name="token 3, ␣Japan")).to_be_visible()
    for cut in ([(17, 5)], [(17, 5), (23, 4)]):
        block, head = cut[-1]
        page.get_by_role("slider", name="Block").fill(str(block))
        page.get_by_role("slider", name="Head").fill(str(head))
        button(page, "Cut this head").click()
        expect(page.locator(".attn-message")).to_have_text("", timeout=SLOW)
        wanted = reading.following(OWN, cut)
        shown = following(page)
        assert shown == pytest.approx({t.strip(): p for t, p, _ in wanted}, abs=1e-3)
        answer = page.evaluate(ASK, ["following", OWN, cut])
        for (name, now, before), known in zip(answer["next"], wanted, strict=True):
            assert name == known[0] and (now, before) == pytest.approx(known[1:], abs=1e-3)
    read = page.evaluate(ASK, ["look", OWN])
    native = reading.look(*reading.of_text(OWN))
    assert read["tokens"] == native["tokens"]
    pairs = zip(read["weights"], native["weights"], strict=True)
    levels = [abs(reading.DIGITS.index(a) - reading.DIGITS.index(b)) for a, b in pairs]
    assert max(levels) <= 1
    # A cell of the page has the same model, and what does not end leaves it to be read again.
    assert page.evaluate(RUN, CELL)["printed"] == " Paris\n"
    page.evaluate(ENDLESS)
    says(page, re.compile("Starting Python|Checking|Reading"))
    says(page, "The model is here.")
    assert page.evaluate(RUN, CELL)["printed"] == " Paris\n"
    button(page, "Give the memory back").click()
    says(page, "its memory is given back")
    page.wait_for_function("AttentionPython.ready()")
    assert page.evaluate(RUN, CELL.split("\n", 2)[0] + "\nsmollm.load()")["value"] == "(None, None)"
    expect(page.get_by_role("radio", name="Fox and owl")).to_be_checked()
    expect(page.locator(".attn-follow-row").first).to_contain_text("owl")


@browser
def test_what_is_no_such_file_is_refused_with_a_word(show_page, file, tmp_path):
    page = show_page("file")
    other, damaged = tmp_path / "other.gguf", tmp_path / "damaged.gguf"
    with file.open("rb") as whole_file:
        other.write_bytes(whole_file.read(50_000_000))
    choose(page, other)
    says(page, f"This is another file: {FILE} has 98,362,432 bytes, and this one 50,000,000.")
    assert page.locator("script[src*='_static/python/']").count() == 0  # nothing was begun
    content = bytearray(file.read_bytes())
    content[50_000_000] ^= 1
    damaged.write_bytes(content)
    choose(page, damaged)
    says(
        page, "The chosen file is another file than SmolLM2-135M-Instruct.Q4_1.gguf, or is damaged"
    )
    expect(page.get_by_label("Choose the file").last).to_be_visible()
    assert page.evaluate(RUN, "print(6 * 7)")["printed"] == "42\n"


@browser
def test_it_is_stopped_half_way_and_begun_again(show_page, file):
    page = show_page()
    for words in ("Checking the file", re.compile(r"Reading the model: [2-9]\d %")):
        choose(page, file)
        says(page, words)
        button(page, "Stop").click()
        says(page, "It was stopped", timeout=2000)
        assert page.evaluate(RUN, "print(6 * 7)")["printed"] == "42\n"
        expect(button(page, "Read it")).to_be_hidden()
    choose(page, file)
    says(page, "The model is here.")


@browser
def test_too_little_memory_is_said(show_page, file):
    page = show_page()
    page.evaluate(
        """() => {
          const { call } = AttentionPython;
          AttentionPython.call = (name, ...rest) => name === "model.read"
            ? Promise.reject(new Error("Python ended: Out of memory.")) : call(name, ...rest);
        }"""
    )
    choose(page, file)
    says(page, "There is not enough memory here for the model, which needs 700 MB.")
    assert page.evaluate(RUN, "print(6 * 7)")["printed"] == "42\n"


def test_python_says_what_goes_wrong(monkeypatch):
    def fails(error):
        def read_on():
            raise error

        return read_on

    for error, words in (
        (MemoryError(), "not enough memory"),
        (ModelError(f"{in_page.GIVEN} is another file."), "The chosen file is another file."),
        (ValueError("no whole file"), "no whole file"),
    ):
        monkeypatch.setattr(smollm, "read_on", fails(error))
        assert words in in_page.read(10)["error"]
    monkeypatch.setattr(smollm, "read_on", lambda: 1.0)
    monkeypatch.setattr(smollm, "load", lambda: (None, None))
    assert in_page.read(10) == {"error": "No file was chosen."}
    reading.of_text.cache_clear()
    assert "not here" in in_page.look(TEXTS[0])["error"]
    assert "not here" in in_page.following(TEXTS[0], [])["error"]


def test_an_answer_of_the_page_is_json():
    answer = in_page.following(FRANCE, [[23, 4]])
    assert json.loads(json.dumps(answer))["next"][0][0] == " Paris"
