"""Joining: each file keeps its names to itself, in Jupyter's form and in the site's."""

import re

import pytest

from attnlib.widgets import WIDGETS
from attnlib.widgets.shared import modules

IMPORT = """
    async (text) => {
      const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      return (await import(address)).default.render(3);
    }
"""
FILES = {
    "a.js": (
        "const SIZE = 1;\nexport const made = 'a';\nexport async function size() { return SIZE; }"
    ),
    "b.js": "const SIZE = 2;\nexport class B {\n  size() { return SIZE; }\n}",
    "w/words.json": '{"title": "export const SIZE"}',
    "w/w.js": (
        'import { made, size as ofA } from "../a.js";\nimport { B } from "../b.js";\n'
        'import words from "./words.json";\nconst [define, needs, SIZE] = [3, 4, 5];\n'
        "export async function render(model) {\n"
        "  return [made, await ofA(), new B().size(), SIZE + model, words.title];\n}"
    ),
    "default.js": "export default 3;",
    "star.js": 'import * as a from "./a.js";',
    "bare.js": 'import { a } from "d3";',
    "round.js": 'import { a } from "./about.js";',
    "about.js": 'import { a } from "./round.js";',
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(modules, "HERE", tmp_path)
    monkeypatch.setattr(modules, "_module", modules._module.__wrapped__)
    (tmp_path / "w").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(f"{text}\n" + "// the end\n" * name.endswith("js"))


@pytest.mark.browser
def test_modules_have_their_own_scope(folder, browser):
    page = browser.new_page()
    made = page.evaluate(IMPORT, modules.notebook_module("w"))
    assert made == ["a", 1, 2, 8, "export const SIZE"]
    page.close()


@pytest.mark.parametrize("name", ["default", "star", "bare"])
def test_modules_that_cannot_be_joined_are_refused(folder, name):
    with pytest.raises(ValueError, match=rf"{name}.js: cannot join `(im|ex)port .*; write"):
        modules.needed(f"{name}.js")


def test_modules_that_need_each_other_are_refused(folder):
    with pytest.raises(ValueError, match=r"cycle.*round\.js"):
        modules.needed("round.js")


@pytest.mark.browser
def test_joined_files_run_on_site_and_in_jupyter(browser, javascript):
    loaded = javascript("shared/core.js")
    assert loaded(("dot", [1, 2], [3, 4])) == [11]
    page = browser.contexts[-1].pages[-1]
    names = modules.needed(*(f"{name}/{name}.js" for name in WIDGETS))
    assert page.evaluate("(names) => names.map((name) => typeof AttentionBook.load(name))", names)
    for name in WIDGETS:
        render = "typeof (await import(address)).default.render"
        check = IMPORT.replace("(await import(address)).default.render(3)", render)
        assert page.evaluate(check, modules.notebook_module(name)) == "function"


def test_what_a_file_imports_is_exported_there():
    """A name that is not would be undefined, and only said so when it is used."""
    for path in modules.HERE.glob("*/*.js"):
        for names, to in modules._IMPORT.findall(path.read_text()):
            if names[0] == "{":
                exported = {"default", *modules._EXPORT.findall((path.parent / to).read_text())}
                wanted = {name.split(" as ")[0] for name in re.findall(r"[\w ]*\w", names)}
                assert {name.strip() for name in wanted} <= exported, f"{path}: {to}"


def names(text):
    """Classes and attributes that a style sheet or a script speaks of."""
    return set(re.findall(r"\battn-[\w-]+|\bdata-[\w-]+", text))


def test_no_style_sheet_reaches_into_another_widget():
    """A page has the sheets of all widgets, so a rule of one has to name what only that one has."""
    folders = {name: modules.HERE / name for name in WIDGETS}
    sheets = {name: "".join(f.read_text() for f in folders[name].glob("*.css")) for name in WIDGETS}
    shared = names("".join(f.read_text() for f in modules.HERE.glob("shared/*.js")))
    for name, sheet in filter(all, sheets.items()):
        rules = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
        for other in set(WIDGETS) - {name}:
            scripts = "".join(f.read_text() for f in folders[other].glob("*.js"))
            used = shared | names(sheets[other]) | names(scripts)
            for selector in ",".join(rules).split(","):
                assert not names(selector) <= used, f"{name} styles {other}: {selector.strip()}"
