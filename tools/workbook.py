"""A workbook for the class: copies of the chapters' pages, to be written in (`make workbook`).

A copy gives nothing away: solutions are folded, and their results and those that are to be
predicted are left out.  No file is ever overwritten.  A copy records the edition of its chapter;
where the chapter has changed since, a new copy is put beside it.
"""

import copy
import hashlib
import itertools
import json
import os
import re
import runpy
import sys
from collections import Counter
from pathlib import Path

from canonical import FOLDED, NotebookFault, is_macros, prepared, read, write
from contents import HEAD
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_markdown_cell
from outputs import tags
from pages import DEEPER
from pybtex.database import parse_file

from attnlib.palette import notebook_macros

ROOT = Path(__file__).resolve().parent.parent
#: JupyterLab shows the first line of folded code; a solution's own first line may say it all.
SOLUTION = "# A solution\n"
#: Code or a formula, which stay; a role; a link to another page, perhaps alone in brackets.
MARKED = re.compile(
    r"`[^`]*`|\$+[^$]+\$+"
    r"|\{(?P<role>[a-z:]+)\}`(?:(?P<words>[^`<]*?) *<)?(?P<target>[^`<>]+)>?`"
    r"|(?P<open> ?\()?(?<!!)\[(?P<text>(?:[^][]|\[[^][]*\])*)\]"
    r"\((?P<page>[^\s():#]+)(?:#[^\s()]*)?\)(?P<close>\))?"
)


def chapters(book):
    """The notebooks of a folder but its cover, brought into the book's form: path -> notebook."""
    notebooks = {}
    for path in sorted({*book.glob("*.ipynb")} - {book / "index.ipynb"}):
        try:
            notebooks[path] = prepared(read(path.read_text(encoding="utf-8")), notebook_macros())
        except NotebookFault as fault:
            raise SystemExit(f"{path}: {fault}") from fault
    return notebooks


def edition(notebook):
    """A hash of what makes an edition of a chapter: its text, captions, code and tags.

    The cell of macros does not count: it holds the palette, and a colour changes no text. Nor do
    the minutes in the head, which another page may change.
    """
    cells = [
        (cell.cell_type, HEAD.sub("", cell.source), sorted(tags(cell)), figure_of(cell))
        for cell in notebook.cells
        if not is_macros(cell)
    ]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def edition_of(path):
    """The edition that a file is a copy of; None for anything else, and for a damaged file."""
    try:
        return json.loads(path.read_bytes())["metadata"]["attention_book"]["edition"]
    except (OSError, ValueError, LookupError, TypeError):
        return None


def figure_of(cell):
    """A cell's figure: its name and caption; None if it has none."""
    return cell.metadata.get("mystnb", {}).get("figure")


class Words:
    """Plain words for what JupyterLab does not know.

    Parameters
    ----------
    book : Path
        Its folder, with `references.bib`.
    notebooks : dict
        Its chapters: path -> notebook.
    copies : dict
        The name of each chapter's copy, by the name of its file.
    """

    def __init__(self, book, notebooks, copies):
        style = runpy.run_path(str(ROOT / "book/_ext/attention_book/bibliography_style.py"))
        entries = parse_file(str(book / "references.bib")).entries
        self.sources = {key: style["label"](entry) for key, entry in entries.items()}
        self.copies = copies
        self.figures, counts = {}, Counter()
        for path, notebook in notebooks.items():  # a deeper page counts on from its lesson
            chapter = path.stem.partition("_")[0].lstrip("0")
            for figure in filter(None, map(figure_of, notebook.cells)):
                counts[chapter] += 1
                self.figures[figure.get("name")] = f"Figure {chapter}.{counts[chapter]}"
        self.roles = {
            "cite:t": self.names,
            "cite:p": self.source,
            "numref": self.figures.__getitem__,
        }

    def names(self, keys):
        """Who wrote something, as the subject of a sentence: One (2001) and Two (2002)."""
        labels = [self.sources[key].rpartition(", ") for key in keys.split(",")]
        return " and ".join(f"{names} ({year})" for names, _, year in labels)

    def source(self, keys):
        """The same in brackets: (One, 2001; Two, 2002)."""
        return f"({'; '.join(self.sources[key] for key in keys.split(','))})"

    def replacement(self, match):
        """What a copy has instead of a marked piece of the chapter's text."""
        if match["role"]:
            return match["words"] or self.roles[match["role"]](match["target"])
        if not match["page"]:
            return match[0]
        if copied := self.copies.get(match["page"]):  # a student's own copy may have the old name
            return match[0].replace(f"]({match['page']}", f"]({copied}")
        if match["open"] and match["close"]:
            return ""
        return f"{match['open'] or ''}*{match['text']}*{match['close'] or ''}"

    def plain(self, text):
        """A text with its roles, and its links to pages that are no chapters, in words.

        Raises
        ------
        NotebookFault
            If a role, a source or a figure is unknown.
        """
        try:
            return MARKED.sub(self.replacement, text)
        except KeyError as unknown:
            raise NotebookFault(f"nothing is known of {unknown} in “{text.strip()}”") from unknown


def workbook_copy(notebook, words):
    """A chapter as a student gets it; `notebook` itself is left as it is."""
    notebook = copy.deepcopy(notebook)
    notebook.metadata["attention_book"] = {"edition": edition(notebook)}
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if cell.cell_type == "markdown":
            cell.source = words.plain(cell.source)
        elif tags(cell) & FOLDED["outputs_hidden"]:
            cell.outputs, cell.execution_count = [], None
            del cell.metadata.jupyter["outputs_hidden"]  # nothing is there to unfold
        elif figure := figure_of(cell):
            number = words.figures[figure.get("name")]
            caption = words.plain(figure.get("caption", ""))
            cells.append(new_markdown_cell(f"*{number}.* {caption}"))
        if "solution" in tags(cell):
            cell.source = SOLUTION + cell.source
    notebook.cells = cells
    return notebook


def found(path, folder):
    """The copies of a chapter in the workbook: name -> edition."""
    is_other = () if path.stem.endswith(DEEPER) else (path.stem + DEEPER,)
    copies = sorted(folder.glob(f"{path.stem}*.ipynb"))
    return {c.name: edition_of(c) for c in copies if not c.stem.startswith(is_other)}


def copy_name(path, notebook, folder):
    """The name of the copy of this edition of a chapter, or of the one that is to be made."""
    names = itertools.chain([path.stem], (f"{path.stem}_{number}" for number in itertools.count(2)))
    free = next(f"{n}.ipynb" for n in names if not os.path.lexists(folder / f"{n}.ipynb"))
    now = edition(notebook)
    return next((name for name, of in found(path, folder).items() if of == now), free)


def renew(path, notebook, folder, words):
    """Copy a chapter into the workbook unless it has a copy of this edition; say what was done."""
    name, editions = words.copies[path.name], found(path, folder)
    if name in editions:
        return f"{name}: kept"
    made = workbook_copy(notebook, words)
    with open(folder / name, "x", encoding="utf-8", newline="\n") as file:
        file.write(write(made))
    NotebookNotary().sign(made)  # or JupyterLab shows no stored picture
    beside = [
        f"{name} ({'of an older chapter' if of else 'damaged, or no copy of a chapter'})"
        for name, of in editions.items()
    ]
    return f"{name}: made" + f", beside {' and '.join(beside)}, left as it is" * bool(beside)


def main(book=ROOT / "book", folder=ROOT / "workbook"):
    """Copy the chapters that are new or have changed; one line for each says what was done."""
    notebooks = chapters(book)
    try:
        folder.mkdir(exist_ok=True)
        copies = {path.name: copy_name(path, nb, folder) for path, nb in notebooks.items()}
        words = Words(book, notebooks, copies)
        for path, notebook in notebooks.items():
            print(f"{folder.name}/{renew(path, notebook, folder, words)}")
    except NotebookFault as fault:
        raise SystemExit(f"{path}: {fault}") from fault
    except OSError as error:
        raise SystemExit(f"the workbook cannot be written: {error}") from error
    return 0


if __name__ == "__main__":
    sys.exit(main())
