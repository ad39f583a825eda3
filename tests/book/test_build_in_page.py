"""A language model is built in the page, step by step, trained there, saved and read again."""

import base64
import math
import re
import time

import pytest
from attention_book.in_page import building, slicing
from page_metrics import overflow
from pages import ROOT, Page, asked
from playwright.sync_api import expect

from attnlib.examples import four_verses
from attnlib.exercises import find
from tests.helpers.axe_rules import violations

PAGE = "book/build_numpy.html"
NOTEBOOK = Page.read(ROOT / "book" / "build_numpy.ipynb")
EXERCISES = [name for name in asked(NOTEBOOK) if not find(name).judge]
SLOW = 60_000
STARTS = re.compile(r"^Start(?! over)")
in_browser = [pytest.mark.browser, pytest.mark.site]


def solution(name):
    """The book's answer to a step, under the reader's name for it."""
    (cell,) = [c for c in NOTEBOOK.code if f'check("{name}"' in c.source and "book_" in c.source]
    return re.sub(r"\bbook_(?=\w)", "", cell.source)


@pytest.fixture(scope="module")
def cells():
    """The code of the page as a reader finds it, without the solutions."""
    return [c.source for c in NOTEBOOK.code if "solution" not in c.metadata.get("tags", [])]


@pytest.fixture(autouse=True)
def no_model(monkeypatch):
    monkeypatch.setattr(building, "model", None)


def test_training_begins_without_running_what_only_shows(cells):
    code = "\n".join(map(slicing.ast.unparse, slicing.needed(cells, "Model, rate_at")))
    assert not re.search(r"\b(print|plt|learn\(\w+, )", re.sub(r"(?m)^ .*\n", "", code))


def test_the_books_parts_take_the_place_of_what_is_not_solved(cells):
    started = building.start(cells, four_verses())
    names = [name.split(".")[1] for name in EXERCISES]
    replaced = re.findall(r"(\w+): the book's", started["printed"])
    assert {*replaced} <= {*names} and len(replaced) > 8
    assert started["evenly"] == pytest.approx(math.log(26))
    assert 25_000 < started["numbers"] < 35_000
    losses = building.steps(500, 0.01)["losses"]
    assert losses[0] == pytest.approx(started["evenly"], abs=0.2)


def test_a_readers_own_part_is_the_one_that_is_used(cells):
    name = "build_numpy.loss"
    mine = [solution(name) if f'check("{name}", loss)' in cell else cell for cell in cells]
    assert mine != cells
    assert "loss: the book's" not in building.start(mine, four_verses())["printed"]
    broken = [
        cell.replace("def step(self, rate):", "def step(self, rate):\n        1 / 0")
        for cell in cells
    ]
    building.start(broken, four_verses())
    assert "ZeroDivisionError" in building.steps(100, 0.01)["stopped"]


def test_a_saved_model_goes_on_as_if_it_had_never_stopped(cells):
    building.start(cells, four_verses())
    for _ in range(3):
        building.steps(0, 0.01)
    file = building.save()["data"]
    on = [building.steps(0, 0.01)["losses"] for _ in range(3)]
    restored = building.restore(cells, four_verses(), file)
    assert len(restored["losses"]) == 3
    assert [building.steps(0, 0.01)["losses"] for _ in range(3)] == on


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"no", lambda b: b"",
                                    lambda b: b[:5000] + b"\xff" + b[5001:]])  # fmt: skip
def test_a_damaged_file_is_named_and_the_model_stays(cells, damage):
    building.start(cells, four_verses())
    building.steps(0, 0.01)
    data = base64.b64decode(building.save()["data"])
    later = [*cells, "def adam_step(*given):\n    1 / 0"]
    answer = building.restore(later, four_verses(), base64.b64encode(damage(data)).decode())
    assert answer["error"] == "it is not a complete model file, as this page saves it."
    assert len(building.steps(0, 0.01)["losses"]) == 1 and len(building.model.losses) == 2


def test_what_goes_wrong_is_said(cells):
    assert building.steps(1, 0.1)["gone"]
    assert building.sample(5, 1, 5)["error"] == building.save()["error"] == building.GONE
    assert "characters" in building.start(cells, "short")["error"]
    assert building.start(["x = 1"], "text")["error"].startswith("the cells above do not define")
    torn = [*cells, "def embed(x, E, P):\n    return E[x] + P[:3]"]
    building.start(torn, four_verses())
    said = building.steps(0, 0.1)["stopped"]
    assert "broadcast" in said and said.endswith("In a cell above: `return E[x] + P[:3]`.")
    unlearned = ["CONTEXT = 1", *cells, "class Model(Model):\n    def step(self, rate):\n"
                 "        self.losses.append(math.nan)\n        return math.nan"]  # fmt: skip
    building.start(unlearned, four_verses())
    assert "rate" in building.steps(2000, 0.1)["stopped"]


def panel_of(page):
    return page.get_by_role("group", name="Train a model")


def button(page, name):
    return panel_of(page).get_by_role("button", name=name)


def said(page, words):
    expect(panel_of(page).locator("p[role=status]")).to_contain_text(words, timeout=SLOW)


def cell_of(page, name):
    return page.locator(".tag_exercise").nth([*asked(NOTEBOOK)].index(name))


class TestInBrowser:
    pytestmark = in_browser

    def test_a_reader_builds_the_model_and_it_writes(self, open_page):
        page = open_page(PAGE, protocol="file")
        for name in EXERCISES:
            cell = cell_of(page, name)
            cell.get_by_role("textbox").fill(solution(name))
            cell.get_by_role("button", name="Check", exact=True).click()
            expect(cell.locator(".code-solved")).to_have_text("Solved", timeout=SLOW)
        page.reload()  # what was written is there, and used
        begun = time.monotonic()
        button(page, STARTS).click()
        said(page, "All its parts are yours. Training.")
        sample = panel_of(page).get_by_role("region", name="Sample")
        known = {*four_verses().split()}
        words = []
        while sum(word in known for word in words[1:-1]) < 0.8 * max(10, len(words) - 2):
            assert time.monotonic() - begun < 300, words
            page.wait_for_timeout(250)
            words = sample.inner_text().split()
        print(f"{time.monotonic() - begun:.0f} s from click to", *words)

    def test_losses_of_the_page_are_those_of_the_notebook(self, open_page, cells):
        page = open_page(PAGE)
        losses = page.evaluate(
            """async ([cells, text]) => {
              await AttentionPython.call("building.start", [cells, text]);
              return (await AttentionPython.call("building.steps", [4000, 0.01])).losses;
            }""",
            [cells, four_verses()],
        )
        building.start(cells, four_verses())
        notebook = [building.steps(0, 0.01)["losses"][0] for _ in losses[:20]]
        assert len(notebook) > 5
        assert losses[: len(notebook)] == pytest.approx(notebook, abs=1e-6)

    def test_it_is_stopped_saved_read_and_goes_on(self, open_page, tmp_path):
        page = open_page(PAGE, width=360, accept_downloads=True)
        button(page, STARTS).click()
        said(page, "Step 1")
        button(page, "Pause").click()
        said(page, "Paused at step")
        with page.expect_download() as saved:
            button(page, "Save the model").click()
        saved.value.save_as(tmp_path / "model.npz")
        (tmp_path / "broken.npz").write_bytes((tmp_path / "model.npz").read_bytes()[:999])
        chooser = panel_of(page).get_by_label("Read a model")
        chooser.set_input_files(tmp_path / "broken.npz")
        said(page, "The file was not read: it is not a complete model file")
        button(page, "Go on").click()
        said(page, "Training")
        page.evaluate("AttentionPython.give(null)")  # Python begins anew
        said(page, "Python was started anew. The model goes on from step")
        button(page, "Pause").click()
        page.reload()
        chooser.set_input_files(tmp_path / "model.npz")
        said(page, "Read, at step 1")
        button(page, "Write a sample").click()
        expect(panel_of(page).get_by_role("region", name="Sample")).to_have_text(
            re.compile(".{50}")
        )
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [] and overflow(page) <= 0

    def test_a_text_of_ones_own_comes_from_a_file_and_stays_text(self, open_page, tmp_path):
        page = open_page(PAGE)
        (tmp_path / "own.txt").write_text("<b>rain</b> and snow, " * 30, encoding="utf-8")
        (tmp_path / "no.txt").write_bytes(b"\xff\xfe\x00\x81")
        chooser = panel_of(page).get_by_label("Choose a text file")
        chooser.set_input_files(tmp_path / "no.txt")
        said(page, "no.txt was not read")
        chooser.set_input_files(tmp_path / "own.txt")
        said(page, "own.txt is in the field. It stays in this page.")
        button(page, STARTS).click()
        said(page, "Step 1")
        button(page, "Pause").click()
        button(page, "Write a sample").click()
        sample = panel_of(page).get_by_role("region", name="Sample")
        expect(sample).to_contain_text("rain")
        assert sample.locator("*").count() == 0
        page.reload()
        expect(panel_of(page).get_by_label("Text to learn")).to_have_value(re.compile("^<b>rain"))

    def test_what_was_solved_in_a_lesson_is_offered(self, open_page):
        page = open_page(PAGE)
        cell = cell_of(page, "build_numpy.causal_heads")
        offer = cell.get_by_role("button", name="Use my causal_mask")
        assert offer.count() == 0
        page.evaluate(
            """() => {
              AttentionProgress.write("masks.causal_mask", "def causal_mask(n_q, n_k):\\n"
                + "    return np.tri(n_q, n_k, dtype=bool)\\n\\n\\ncheck('masks.causal_mask', 1)");
              AttentionProgress.solve("masks.causal_mask");
            }"""
        )
        page.reload()
        offer.click()
        text = cell.get_by_role("textbox").input_value()
        assert text.startswith("def causal_mask(n_q, n_k):\n    return np.tri")
        assert "def causal_heads(" in text and text.count("check(") == 1
