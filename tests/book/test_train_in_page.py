"""The model that trains in the page: the same losses as in the notebook, and its panel."""

import itertools
import json
import re
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest
from attention_book.in_page import training
from page_metrics import overflow
from playwright.sync_api import expect

from attnlib.examples import four_verses
from attnlib.networks import CharacterModel
from tests.helpers.axe_rules import violations

in_browser = [pytest.mark.browser, pytest.mark.site]
START = re.compile(r"^Start \(\d+ MB\)$")
LAYOUT = Path(training.__file__).parents[1] / "theme" / "layout.html"
PAGE = "book/11_block_deeper.html"
#: Python that answers from here, for what does not depend on the page's own.
STUB = """
    () => void (AttentionPython.call = async (name, given) => {
      const { result, error } = JSON.parse(await answer(name, JSON.stringify(given)));
      if (error) throw new Error(error);
      return result;
    })
"""


@pytest.fixture(autouse=True)
def no_model(monkeypatch):
    """Each test begins without a model, as a page does, and leaves none behind."""
    monkeypatch.setattr(training, "model", None)


def panel_of(page):
    return page.get_by_role("group", name="Train a model")


def button(page, name):
    return panel_of(page).get_by_role("button", name=name)


def step(page):
    """The step and the loss that the panel shows."""
    shown = panel_of(page).get_by_text("ms a step").inner_text()
    number, loss = re.match(r"Step (\d+) · loss ([\d.]+) ", shown).groups()
    return int(number), float(loss)


def said(page, words):
    expect(panel_of(page).locator("p[role=status]")).to_contain_text(words, timeout=60_000)


def test_python_trains_a_little_at_a_time_and_as_the_notebook_does(monkeypatch):
    clock = SimpleNamespace(perf_counter=itertools.count(0, 0.04).__next__)
    monkeypatch.setattr(training, "time", clock)
    started = training.start(four_verses())
    assert started["least"] == CharacterModel(four_verses()).context + 1
    assert started["evenly"] == pytest.approx(3.2581, abs=1e-4)
    assert started["by_frequency"] == pytest.approx(2.7184, abs=1e-4)
    first = training.steps(0, 0.003)
    more = training.steps(100, 0.01)
    assert len(first["losses"]) == 1 and len(more["losses"]) == 3  # at 0, 40 and 80 ms
    notebook = CharacterModel(four_verses())
    assert first["losses"] == [notebook.step(0.003)]
    assert more["losses"] == [notebook.step(0.01) for _ in range(3)]
    assert len(training.sample(20, 0.5)["written"]) == 21
    refused = training.steps(100, 1e39)
    assert refused["losses"] == [] and "the rate is too high" in refused["stopped"]
    least = started["least"]
    assert training.start("a" * (least - 1)) == {"least": least, "error": "the text is too short."}
    assert training.start("a" * least) == {"least": least, "evenly": 0, "by_frequency": 0}
    assert len(training.steps(0, 0.003)["losses"]) == 1


def test_python_says_that_the_model_is_gone():
    assert training.steps(1, 0.1) == {"losses": [], "stopped": training.GONE}
    assert training.sample(1, 1) == {"error": training.GONE}


def test_a_page_that_trains_needs_neither_exercise_nor_widget():
    layout = jinja2.Environment().from_string(LAYOUT.read_text(encoding="utf-8"))
    context = layout.new_context({"pathto": lambda name, _: name, "trains": "a text"})
    scripts = re.findall(r"_static/(\w+)\.js", "".join(layout.blocks["scripts"](context)))
    assert scripts == ["book", "live", "python", "train"]


class TestInBrowser:
    pytestmark = in_browser

    @pytest.mark.parametrize("protocol", ["http", "file"])
    def test_it_trains_pauses_follows_the_rate_and_writes(self, open_page, protocol):
        page = open_page(PAGE, protocol=protocol)
        assert page.locator("script[src*='_static/python/']").count() == 0
        for name in ("Start over", "Write a sample"):
            expect(button(page, name)).to_be_disabled()
        button(page, START).press("Enter")
        said(page, re.compile(r"Step 1\d\d: loss"))
        texts = panel_of(page).locator("svg text").all_text_contents()
        (known,) = [float(x.split()[-1]) for x in texts if x.startswith("by frequency")]
        number, loss = step(page)
        assert number >= 100 and loss < known == 2.72
        button(page, "Pause").press("Enter")
        said(page, "Paused at step")
        paused = step(page)
        page.wait_for_timeout(300)
        assert step(page) == paused
        button(page, "Write a sample").click()
        sample = panel_of(page).get_by_role("region", name="Sample")
        expect(sample).to_have_text(re.compile(r"^t[\s\S]{120}$"))
        assert set(sample.text_content()) <= set(four_verses())

        button(page, "Go on").click()
        panel_of(page).get_by_label("Learning rate").press("End")
        said(page, "That is worse than guessing: the rate is too high.")
        assert step(page)[0] > paused[0] and step(page)[1] > 3.26
        points = panel_of(page).locator(".curve").get_attribute("d").split("L")
        assert 100 < len(points) <= 300
        panel_of(page).get_by_label("Learning rate").press("Home")
        button(page, "Start over").click()
        said(page, "Training.")
        page.wait_for_function("/Step .?. ·/.test(document.querySelector('.train-here').innerText)")

    def test_the_page_has_the_losses_of_the_notebook(self, open_page):
        page = open_page(PAGE)
        losses = page.evaluate(
            "(text) => AttentionPython.call('training.start', [text])"
            ".then(() => AttentionPython.call('training.steps', [3000, 0.003]))"
            ".then(({ losses }) => losses)",
            four_verses(),
        )
        notebook = CharacterModel(four_verses())
        assert len(losses) > 3
        first = losses[:20]  # then the two ways to round part
        assert first == pytest.approx([notebook.step(0.003) for _ in first], rel=1e-5)

    def test_a_browser_without_webassembly_is_shown_the_way(self, watch, site):
        page = watch.page()
        watch.allowed.append(site.as_uri())
        page.add_init_script("delete window.WebAssembly")
        page.goto((site / PAGE).as_uri())
        shown = page.locator(".train-here")
        expect(shown).to_contain_text("In the notebook the cell above trains the model.")
        assert shown.get_by_role("button").count() == 0

    @pytest.fixture
    def stubbed(self, open_page):
        """The page, with Python that answers from the test; a function may replace an answer."""
        changed = {}

        def answer(name, given):
            try:
                asked = changed.get(name, getattr(training, name.split(".")[1]))
                return json.dumps({"result": asked(*json.loads(given))})
            except Exception as error:
                return json.dumps({"error": f"{type(error).__name__}: {error}"})

        page = open_page(PAGE, width=360)
        page.expose_function("answer", answer)
        page.evaluate(STUB)
        return page, changed

    def test_typed_text_is_text(self, stubbed):
        page, _ = stubbed
        field = panel_of(page).get_by_label("Text to learn")
        field.fill("")
        expect(button(page, START)).to_be_disabled()
        field.fill("too short 😀")
        panel = panel_of(page)
        button(page, START).click()
        said(page, "This did not start: the text is too short.")
        expect(panel).to_contain_text("11 characters, 7 different. The model needs 33 at least.")
        expect(button(page, START)).to_be_disabled()
        field.fill("<b>bold</b><img src=x onerror=alert(1)>😀" * 3)
        button(page, START).click()
        expect(panel).to_contain_text("ms a step")
        panel.get_by_label("Temperature").press("End")
        button(page, "Write a sample").click()
        sample = panel.get_by_role("region", name="Sample")
        expect(sample).to_contain_text("<")
        assert panel.locator("b, img").count() == 0 == sample.locator("*").count()
        field.press("x")
        expect(panel).to_contain_text("Start over to learn this text.")
        button(page, "Pause").click()
        said(page, "Paused")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [] and overflow(page) <= 0

    def test_what_goes_wrong_is_said_and_can_be_started_over(self, stubbed):
        page, changed = stubbed
        button(page, START).click()
        said(page, "Training.")
        too_high = "at step 9 the rate is too high."
        changed["training.steps"] = lambda *given: {"losses": [], "stopped": too_high}
        said(page, f"Training stopped: {too_high} Start over.")
        expect(button(page, "Pause")).to_be_disabled()
        del changed["training.steps"]
        button(page, "Start over").click()
        said(page, "Training.")
        training.model = None
        said(page, f"Training stopped: {training.GONE} Start over.")
        button(page, "Write a sample").click()
        said(page, f"Nothing was written: {training.GONE}")
        changed["training.start"] = None
        button(page, "Start over").click()
        said(page, "This did not start: TypeError")
        del changed["training.start"]
        button(page, START).click()
        said(page, "Training.")
