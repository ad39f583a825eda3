"""Everything that concerns one chapter: `make check CHAPTER=02`.

The form of its lesson and its deeper page and the rules for authors; both pages, built anew where
something changed and opened in a browser; both notebooks, run and compared with what is stored; the
tests of its exercises and of the widgets in it that not every chapter has; and what a chapter can
break in the rest of the book: lists, the glossary, the one sheet of paper, the index of functions.
"""

import sys

from outputs import WIDGET
from pages import NOTEBOOKS, Page
from site_tools import build_command, html_of
from stages import NBVAL, PYTEST, PYTHON, ROOT, close, run

from attnlib.widgets import WIDGETS
from attnlib.widgets.shared.question import Question

BUILT = ROOT / "_build" / "check"
TESTS = ["tests/book", "tests/widgets", "attnlib/widgets", "tests/exercises"]
TESTS += ["tests/tools/test_workbook.py"]
WHOLE = [
    "tests/book/test_book.py",
    "tests/book/test_glossary.py",
    "tests/mathematics/test_imports.py",
]
CHAPTERS = [page for path in NOTEBOOKS if (page := Page(path, None)).is_lesson or page.is_appendix]


def chapter(named):
    """The lesson of the chapter of that number: ``2``, ``02``, or with its name.

    >>> chapter("2").path.name
    '02_query_key_value.ipynb'

    Raises
    ------
    SystemExit
        If there is none; the message lists those that there are.
    """
    for page in CHAPTERS:
        if named in (str(page.number), page.path.stem[:2], page.path.stem, page.name):
            return Page.read(page.path)
    standing = ", ".join(page.path.stem for page in CHAPTERS)
    raise SystemExit(f"there is no chapter {named!r}: make check CHAPTER=… takes one of {standing}")


def stages(page):
    """Heading -> command, for one chapter."""
    pages = [page, page.deeper] if page.deeper else [page]
    paths = [str(p.path) for p in pages]
    widgets = {data[WIDGET]["script"] for p in pages for data in p.widgets}
    own = {name for name in widgets if not issubclass(WIDGETS[name], Question)}
    names = " or ".join([page.name, *sorted(own)])
    # Sphinx repeats its warnings only for a page that it reads again.
    for p in pages:
        (BUILT / f"_build/.doctrees/book/{p.path.stem}.doctree").unlink(missing_ok=True)
    return {
        "style": [*PYTHON, "ruff", "check", "book/exercises"],
        "form and rules": [sys.executable, "tools/notebooks.py", "--check", *paths],
        "page built": build_command(BUILT),
        f"notebooks, pages, exercises and widgets ({names})": [
            *PYTEST, *NBVAL, *paths, *TESTS, "-k", names, "-m", "not lab",
            "--deselect=tests/book/test_notebooks.py",
        ],
        "the whole book": [*PYTEST, *WHOLE],
    }  # fmt: skip


def main(arguments):
    if len(arguments) != 1:
        raise SystemExit("say which chapter: make check CHAPTER=02")
    commands = stages(chapter(arguments[0]))
    site = str(html_of(BUILT))
    return close([run(name, command, BOOK_SITE=site) for name, command in commands.items()])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
