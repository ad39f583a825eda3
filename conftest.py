"""What tests in all folders share: the built site, a server, a watched browser."""

import os
from pathlib import Path

import numpy as np
import pytest
import site_tools
from filelock import FileLock
from playwright.sync_api import sync_playwright

from attnlib.widgets import WIDGETS
from attnlib.widgets.shared import modules
from tests.helpers.watching import Watch
from tests.helpers.widget_pages import HOST, frame, widget_page_text

ROOT = Path(__file__).resolve().parent
#: Folders whose tests are mathematics; in `attnlib` it is all but the rest.
MATHEMATICS, REST = {"mathematics", "cost", "benchmarks"}, {"widgets", "exercises", "figures"}
BROWSER_REQUIRED = os.environ.get("CI") == "true" or os.environ.get("REQUIRE_BROWSER") == "1"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Each test is in one tier: by its marker (browser, site, lab), or else by its folder."""
    for item in items:
        if not any(map(item.get_closest_marker, ("browser", "site", "lab"))):
            folders = set(item.path.relative_to(ROOT).parts)
            is_mathematics = MATHEMATICS & folders or ("attnlib" in folders and not REST & folders)
            item.add_marker("mathematics" if is_mathematics else "exercises")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site: named by BOOK_SITE, or built once, for all workers."""
    if "BOOK_SITE" in os.environ:
        return Path(os.environ["BOOK_SITE"])
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    done = folder / "site-is-built"
    with FileLock(folder / "site.lock"):
        if not done.exists():
            result = site_tools.build(folder / "site")
            output = f"exit {result.returncode}\n{result.stdout}\n{result.stderr}"
            done.write_text("" if result.returncode == 0 else output)
    if done.read_text():
        pytest.fail("the site cannot be built:\n" + done.read_text()[-6000:])
    return site_tools.html_of(folder / "site")


@pytest.fixture(scope="session")
def server(site):
    """Address of a web server that serves the site."""
    with site_tools.serve(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """Chromium; one for each test file, because Playwright keeps an event loop while it lives."""
    with sync_playwright() as playwright:
        try:
            chromium = site_tools.launch(playwright)
        except site_tools.NoBrowser as error:
            (pytest.fail if BROWSER_REQUIRED else pytest.skip)(str(error))
        yield chromium
        chromium.close()


@pytest.fixture
def watch(browser):
    """Where a test can allow addresses and expected faults; checked when the test is over."""
    watching = Watch(browser)
    yield watching
    watching.close()


@pytest.fixture
def open_page(watch, site, server):
    """`open_page("book/notation.html", protocol="file", width=360)` loads a page of the site."""
    addresses = {"http": server, "file": site.as_uri() + "/"}

    def open_page(path, *, protocol="http", **options):
        watch.allowed.append(addresses[protocol])
        page = watch.page(**options)
        page.goto(addresses[protocol] + path)
        if options.get("java_script_enabled", True):
            page.evaluate("window.MathJax?.startup?.promise.then(() => document.fonts.ready)")
        return page

    return open_page


@pytest.fixture
def show(watch, tmp_path):
    """`show(widget, widget)` opens a page from disk that holds these widgets and nothing else."""

    def show(*widgets, scripts=(), prose="", **options):
        path = tmp_path / "widgets.html"
        path.write_text(widget_page_text(widgets, scripts, prose), encoding="utf-8")
        watch.allowed.append(tmp_path.as_uri())
        page = watch.page(**options)
        page.goto(path.as_uri())
        if options.get("java_script_enabled", True):
            frame(page)  # a picture that is as wide as its place is drawn again when it knows
        return page

    return show


CALL = """
    ([module, calls]) => calls.map(([name, ...args]) => {
      const plain = (x) => ArrayBuffer.isView(x) ? Array.from(x)
        : x instanceof Map ? [...x].map(([key, value]) => [key, plain(value)]) : x;
      return plain(AttentionBook.load(module)[name](...args));
    })
"""


@pytest.fixture(scope="module")
def javascript(browser):
    """`javascript("shared/core.js")(("dot", [1], [2]), ...)` calls what a module exports.

    All files of all widgets are in one page.
    """
    page = browser.new_page()
    page.add_script_tag(content=HOST.read_text(encoding="utf-8") + modules.shared_script())
    for name in WIDGETS:
        page.add_script_tag(content=modules.site_script(name))

    def exports(module):
        return lambda *calls: page.evaluate(CALL, [module, [list(map(plain, c)) for c in calls]])

    yield exports
    page.close()


def plain(x):
    return x.tolist() if isinstance(x, np.ndarray | np.generic) else x
