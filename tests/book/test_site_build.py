"""The build: what it refuses and what it writes, checked without a browser."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import site_tools
from site_tools import ROOT

from tests.helpers.html_pages import pages

pytestmark = pytest.mark.site

OURS = ["*.js", "widgets/*.js", "python/book.js", "attention.css", "book.css", "code.css"]
SPHINX = {"doctools.js", "documentation_options.js", "language_data.js", "searchtools.js"}
SPHINX |= {"sphinx_highlight.js"}
#: A name of XML; and one that by its standard leads nowhere, which Pyodide takes for its own place.
NAMES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "https://page.invalid/"}


# What the build refuses


@pytest.fixture
def tiny_book(tmp_path):
    """`tiny_book(cover, notebook)` builds a cover and one notebook with our settings."""

    def tiny_book(cover="# Cover\n", outputs=()):
        book = tmp_path / "tiny"
        (book / "book").mkdir(parents=True)
        for name in ("_config.yml", "book/references.bib"):
            shutil.copy(ROOT / name, book / name)
        for name in ("book/_ext", "book/_assets"):
            (book / name).symlink_to(ROOT / name)
        toc = "format: jb-book\nroot: book/index\nchapters:\n  - file: book/01_page\n"
        (book / "_toc.yml").write_text(toc)
        (book / "book/index.md").write_text(cover)
        cell = {"cell_type": "code", "id": "the-slider", "metadata": {}, "source": "slider"}
        cell |= {"execution_count": 1, "outputs": list(outputs)}
        title = {"cell_type": "markdown", "id": "t", "metadata": {}, "source": "# Page"}
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        parts = {"cells": [title, cell], "metadata": {"kernelspec": kernel}}
        parts |= {"nbformat": 4, "nbformat_minor": 5}
        (book / "book/01_page.ipynb").write_text(json.dumps(parts))
        done = site_tools.build(tmp_path / "out", source=book)
        return done.returncode, done.stdout + done.stderr

    return tiny_book


SPAN = """<span data-widget="fig-x" data-set='{"q": [-1, 0], "kind": "it"}'>turn</span>"""


def test_good_book_builds_and_keeps_widget_spans(tiny_book, tmp_path):
    code, output = tiny_book(f"# Cover\n\n{SPAN} it, $q$ {SPAN}\n\n- a {SPAN}.\n\n|{SPAN}|\n|-|\n")
    assert code == 0, output
    built = (site_tools.html_of(tmp_path / "out") / "book/index.html").read_text(encoding="utf-8")
    assert built.count(SPAN) == 4


def test_broken_reference_fails_the_build(tiny_book):
    code, output = tiny_book("# Cover\n\n{ref}`no-such-place` [there](no_such_page.md)\n")
    assert code != 0
    assert "no-such-place" in output and "no_such_page" in output


def test_core_widget_fails_the_build_by_name(tiny_book):
    data = {"application/vnd.jupyter.widget-view+json": {"model_id": "8f"}, "text/plain": "Slider"}
    code, log = tiny_book(outputs=[{"output_type": "display_data", "data": data, "metadata": {}}])
    assert code != 0
    assert "01_page.ipynb" in log and "the-slider" in log


# What is built


def test_every_page_of_the_contents_is_built(site):
    assert [page for page in site_tools.pages() if not (site / page).exists()] == []


def test_no_page_loads_anything_from_elsewhere(site):
    for page in pages(site):
        outside = [a for a in page.loaded() if urlsplit(a).scheme not in ("", "data")]
        assert not outside and not [a for a in page.loaded() if a.startswith("//")], page.path


@pytest.mark.parametrize("pattern", OURS)
def test_our_scripts_and_styles_name_no_address(site, pattern):
    files = [path for path in (site / "_static").glob(pattern) if path.name not in SPHINX]
    assert files, pattern
    for path in files:
        addresses = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", path.read_text())
        assert set(addresses) <= NAMES, path


def test_no_style_imports_or_fetches_from_elsewhere(site):
    for path in (site / "_static").rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", text), path


def local_target(site, page, address):
    """The file and the place in it that an address in a page leads to; None for another site."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    return path / "index.html" if path.is_dir() else path, unquote(parts.fragment)


def test_files_that_pages_load_exist(site):
    for page in pages(site):
        for address in page.loaded():
            target = local_target(site, page, address)
            assert target is None or target[0].is_file(), f"{page.path}: {address}"


def test_files_that_styles_load_exist(site):
    for path in (site / "_static").rglob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for address in re.findall(r"url\(\s*[\"']?([^\"')]+)", text):
            here = path.parent / address.split("?")[0].split("#")[0]
            assert address.startswith("data:") or here.is_file(), f"{path}: {address}"


def test_code_keeps_only_styled_markup(site):
    chapters = [(site / path).read_text(encoding="utf-8") for path in site_tools.chapters()]
    left = set(re.findall(r'<span class="(\w+)">', "".join(chapters)))
    style = (ROOT / "book/_assets/code.css").read_text(encoding="utf-8")
    styled = set(re.findall(r"\.highlight \.(\w+)", style))
    assert {"k", "c1", "s2", "mi"} <= left & styled
    assert not left & {"n", "nb", "nn", "o", "p", "w"}
    assert not styled & {"n", "nb", "nn", "o", "p", "w"}


def test_code_above_folded_picture_has_own_label(site):
    chapters = [(site / path).read_text(encoding="utf-8") for path in site_tools.chapters()]
    cells = "".join(chapters).split('<div class="cell ')
    cells = [cell for cell in cells if cell.startswith("tag_hide-input tag_hide-output")]
    folds = [re.findall(r'<p class="collapsed[^>]*>([^<]*)', cell) for cell in cells]
    assert folds and all(code == "Show the code" != shown for code, shown, *_ in folds)


def test_internal_links_lead_somewhere(site):
    known = {page.path.resolve(): set(page.identifiers) for page in pages(site)}
    for page in pages(site):
        for address in page.followed():
            target = local_target(site, page, address)
            if target is None:
                continue
            path, place = target
            assert path.is_file(), f"{page.path}: {address}"
            assert not place or place in known[path], f"{page.path}: no {address}"


def test_identifiers_are_unique(site):
    for page in pages(site):
        twice = [name for name, count in Counter(page.identifiers).items() if count > 1]
        assert not twice, f"{page.path}: {twice}"


def test_pictures_have_alternative_text(site):
    for page in pages(site):
        for tag, attributes in page.elements:
            if tag == "img":
                assert (attributes.get("alt") or "").strip(), f"{page.path}: {attributes}"[:400]


def test_every_page_has_a_description(site):
    chapters = [site / path for path in site_tools.chapters()]
    for page in pages(site):
        metadata = {
            a.get("name", a.get("property")): a.get("content")
            for t, a in page.elements
            if t == "meta"
        }
        text = metadata["description"]
        assert text == metadata["og:description"] and metadata["og:title"], page.path
        assert text[-1] in ".?!" and not set(text) & set("<>`*$\\{}\n"), text
        assert len(text) <= 160 or not re.search("[.?!] ", text), text
        assert not [value for value in metadata.values() if "://" in (value or "")]
        if page.path in chapters:
            objective = (
                "" if page.path.stem.endswith("_deeper") else " After this lesson you can [^.]+\\."
            )
            assert re.match(rf"[^.]+\?{objective}$", text), text


def test_every_page_declares_its_language(site):
    for page in pages(site):
        assert ("html", "en") in [(tag, a.get("lang")) for tag, a in page.elements], page.path


def test_every_page_has_one_title(site):
    for page in pages(site):
        assert [tag for tag, _ in page.elements].count("h1") == 1, page.path


def test_search_index_is_built(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert index.startswith("Search.setIndex(") and "queri" in index


def test_print_style_exists(site):
    assert "@media print" in (site / "_static/attention.css").read_text(encoding="utf-8")


def test_notebooks_can_be_downloaded(site):
    for chapter in site_tools.chapters():
        (page,) = [p for p in pages(site) if p.path == site / chapter]
        name = f"{Path(chapter).stem}.ipynb"
        (address,) = [a for a in page.followed() if a.endswith(name)]
        assert json.loads(local_target(site, page, address)[0].read_text())["cells"]


def test_no_page_shows_a_reply_to_a_stub_or_a_backtick_of_a_reply(site):
    """Nobody has asked for the first; the second is a mark of code."""
    replies = []
    for page in site_tools.chapters():
        text = (site / page).read_text(encoding="utf-8")
        replies += re.findall(r'<div class="(attn-reply [^"]*)"[^>]*>(.*?)</div>', text, re.DOTALL)
    assert len(replies) > 50 and {kind for kind, _ in replies} == {"attn-reply attn-reply--passed"}
    for _, words in replies:
        assert "`" not in re.sub(r"<pre.*?</pre>", "", words, flags=re.DOTALL)
