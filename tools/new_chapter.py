"""Begin a chapter: `make new-chapter N=05 NAME=many_queries`.

Writes the notebooks of the lesson and of the deeper page with their heads and their lines in
`_toc.yml`, brings the cover, the README and *Teach with it* up to date, and lists what is still to
be written.
"""

import keyword
import re
import sys
from pathlib import Path

import contents
import jupytext
from canonical import canonical, write
from pages import DEEPER, NOTEBOOKS, ROOT, Page
from rules import problems

from attnlib.palette import notebook_macros

USAGE = "make new-chapter N=05 NAME=many_queries"
TEMPLATES = {
    "": Path(__file__).with_name("lesson_template.md"),
    DEEPER: Path(__file__).with_name("deeper_template.md"),
}
ENTRY = re.compile(r"^( *)- file: book/(\d\d)_.*\n(?: *sections:\n *- file: .*\n)?", re.MULTILINE)


def checked(number, name):
    """The new chapter's number and name.

    Raises
    ------
    SystemExit
        If they cannot be used; the message says why.

    Examples
    --------
    >>> checked("97", "after_all_others")
    (97, 'after_all_others')
    """
    if not re.fullmatch(r"0?[1-9]|[1-9]\d", number):
        raise SystemExit(f"N is {number!r}, expected a number from 1 to 99: {USAGE}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise SystemExit(f"NAME is {name!r}, expected lower_case_words: {USAGE}")
    if name.endswith(DEEPER):
        raise SystemExit(f"NAME is {name!r}, which names a deeper page: leave out {DEEPER}")
    for page in (Page(path, None) for path in NOTEBOOKS):
        if page.number == int(number) or (page.number and page.name == name):
            raise SystemExit(f"there is book/{page.path.name} already: choose another N and NAME")
    return int(number), name


def with_entry(toc, stem):
    """The table of contents with a chapter's lines, after the chapter with the next lower number.

    >>> print(with_entry("- file: book/01_a  # first\\n- file: book/04_d\\n", "02_b"), end="")
    - file: book/01_a  # first
    - file: book/02_b
      sections:
        - file: book/02_b_deeper
    - file: book/04_d
    """
    entries = sorted(ENTRY.finditer(toc), key=lambda entry: entry[2])
    lower = [entry for entry in entries if entry[2] < stem[:2]]
    place = lower[-1].end() if lower else entries[0].start()
    lines = [f"- file: book/{stem}", "  sections:", f"    - file: book/{stem}{DEEPER}"]
    entry = "".join(f"{entries[0][1]}{line}\n" for line in lines)
    return f"{toc[:place]}{entry}{toc[place:]}"


def main(number="", name=""):
    """Write the files and say what is still to be written; return the exit code."""
    number, name = checked(number, name)
    title = name.replace("_", " ").capitalize()
    stem = f"{number:02}_{name}"
    toc = ROOT / "_toc.yml"
    new_toc = with_entry(toc.read_text(encoding="utf-8"), stem)
    paths = []
    for ending, template in TEMPLATES.items():
        text = template.read_text(encoding="utf-8").replace("{number}", str(number))
        text = text.replace("{title}", title).replace("{stem}", stem)
        notebook = canonical(jupytext.reads(text, "md:myst"), notebook_macros())
        paths.append(ROOT / "book" / f"{stem}{ending}.ipynb")
        paths[-1].write_text(write(notebook), encoding="utf-8", newline="\n")
    toc.write_text(new_toc, encoding="utf-8", newline="\n")
    for written in [*paths, toc, *contents.write()]:
        print(f"wrote {written.relative_to(ROOT)}")
    print(f"\nStill to be written (make check CHAPTER={number:02} says what is left):")
    for path in paths:
        for problem in problems(Page.read(path)):
            print(f"- {path.stem}: {problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
