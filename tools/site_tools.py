"""The built site, a server for it and a browser: shared by the tests and by the measurements."""

import os
import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml
from playwright.sync_api import Error

ROOT = Path(__file__).resolve().parent.parent

#: As `make book` has it: any warning fails the build.
BUILD_FLAGS = ["-W", "-n", "--keep-going", "-q"]

BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NO_BROWSER = (
    "no Chromium found: run `.venv/bin/playwright install --with-deps chromium`, or install "
    "chromium with the system's packages, or name its path in the variable CHROMIUM"
)


class NoBrowser(RuntimeError):
    """There is no Chromium on this machine."""


#: Reading needs no PyTorch: the site is built as if there were none.
BUILD = """
import sys

class NoTorch:
    def find_spec(name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("PyTorch is imported where the site is built", name=name)

sys.meta_path.insert(0, NoTorch)
from jupyter_book.cli.main import main
main()
"""


def build_command(target, source=ROOT):
    """The command that builds the book into a folder; unchanged pages there are kept."""
    where = ["build", str(source), "--path-output", str(target)]
    return [sys.executable, "-c", BUILD, *where, *BUILD_FLAGS]


def build(target, source=ROOT):
    """Build the book as `make book` does and return the finished process; see `html_of`."""
    command = build_command(target, source)
    return subprocess.run(command, cwd=source, capture_output=True, text=True)


def html_of(target):
    """The folder of the built pages."""
    return Path(target, "_build", "html")


def pages():
    """Addresses of all pages inside the site: those of the table of contents, and Sphinx's own."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names = [contents["root"]]
    names += [name for part in contents["parts"] for name in files(part["chapters"])]
    return [f"{name}.html" for name in [*names, "search", "genindex"]]


def files(entries):
    """The files of entries of the contents, and of those under them.

    >>> list(files([{"file": "a", "sections": [{"file": "b"}]}, {"file": "c"}]))
    ['a', 'b', 'c']
    """
    for entry in entries:
        yield entry["file"]
        yield from files(entry.get("sections", ()))


def chapters():
    """Addresses of the chapters' pages, whose file names start with a number."""
    return [page for page in pages() if re.search(r"/\d+_", page)]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a browser may hang up when a page is left


class serve:
    """A web server for a folder, as a context: ``with serve(folder) as address: ...``."""

    def __init__(self, folder):
        self.server = _Server(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))

    def __enter__(self):
        self.thread.start()
        return f"http://127.0.0.1:{self.server.server_port}/"

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def launch(playwright):
    """Start Chromium: the one named by CHROMIUM, else Playwright's own, else one on the path.

    Raises
    ------
    NoBrowser
        When there is none; the message says how to get one.
    """
    named = os.environ.get("CHROMIUM")
    if named:
        return playwright.chromium.launch(executable_path=named, args=BROWSER_FLAGS)
    try:
        return playwright.chromium.launch(args=BROWSER_FLAGS)
    except Error as error:
        if "Executable doesn't exist" not in str(error):
            raise
    # The headless shell, as Playwright's own is, opens a page in half the time.
    names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        raise NoBrowser(NO_BROWSER)
    return playwright.chromium.launch(executable_path=path, args=BROWSER_FLAGS)
