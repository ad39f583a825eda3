"""Every cell of a lesson that can be run in its page prints there what the notebook printed."""

import re

import pytest
import site_tools

pytestmark = [pytest.mark.browser, pytest.mark.site]

LESSONS = [page for page in site_tools.chapters() if "_deeper" not in page]
PROJECTS = ["book/build_numpy.html", "book/in_a_library.html"]
#: Runs all cells in turn, each after those above it; what came, beside what the page shows.
RUN = """
    async () => {
      const text = (e) => e?.textContent.replace(/\\n$/, "") ?? "";
      const cells = [...document.querySelectorAll(".cell:has(.cell_input):not(.tag_solution)")];
      const sources = cells.map((cell) => {
        const field = cell.querySelector(".cell_input textarea"); // of a cell that is open at once
        return field?.value ?? text(cell.querySelector(".cell_input pre"));
      });
      const ran = [];
      for (const [i, cell] of cells.entries()) {
        if (!cell.matches(".tag_runs-here:not(.tag_nbval-ignore-output)")) continue;
        const recorded = [...cell.querySelectorAll(".cell_output pre")].map(text).join("\\n");
        const given = [sources.slice(0, i), sources[i], 200];  // a busy machine is slow
        const result = await AttentionPython.call("cells.run", given, { patience: 200 });
        ran.push([sources[i], recorded, result]);
      }
      return ran;
    }
"""
NUMBER = re.compile(r"[-+\u2212]?\d+\.?\d*(?:e[-+]?\d+)?")
#: What the page says where a cell asks a model whose file no reader has chosen.
NO_MODEL = "The model's file is not here"
#: What `use` says, which a page does not show before it was asked.
BOOKS = re.compile(r"\w+: the book's,")


def same(here, there):
    """Whether two texts have the same words and nearly the same numbers."""
    if NUMBER.sub("#", here).split() != NUMBER.sub("#", there).split():
        return False
    pairs = zip(NUMBER.findall(here), NUMBER.findall(there))
    numbers = ((float(a.replace("\u2212", "-")), float(b.replace("\u2212", "-"))) for a, b in pairs)
    return all(abs(a - b) <= 1e-9 + 1e-3 * abs(b) for a, b in numbers)


@pytest.mark.parametrize("lesson", LESSONS + PROJECTS)
def test_cells_print_what_the_notebook_printed(open_page, lesson):
    page = open_page(lesson)
    page.set_default_timeout(120_000)
    ran = page.evaluate(RUN)
    assert len(ran) > 4
    asking = page.locator(".tag_exercise")
    assert asking.filter(has=page.get_by_role("textbox")).count() == asking.count()
    for source, recorded, result in ran:
        assert "reply" not in result, (source, result)
        lines = [
            x for x in result["printed"].splitlines()
            if not x.startswith(NO_MODEL) and not BOOKS.match(x)
        ]  # fmt: skip
        here = "\n".join(filter(None, ["\n".join(lines), result.get("value", "")]))
        assert same(here, recorded), f"{source}\n--- here\n{here}\n--- in the notebook\n{recorded}"
