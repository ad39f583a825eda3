"""The notebooks of the book, and what tools ask of one."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from outputs import WIDGET, tags, texts

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell", "solution"}
PICTURES = {"image/svg+xml", "image/png", "image/jpeg"}
DEEPER = "_deeper"
PROJECT = re.compile(r"^\*Project: \d+ min to read · \d+ min of exercises\.", re.MULTILINE)
QUESTIONS = re.compile("## Questions$", re.MULTILINE).match


@dataclass(frozen=True)
class Page:
    """A notebook and what follows from it.

    Parameters
    ----------
    path : Path
        A chapter is two files, the lesson ``NN_name.ipynb`` and ``NN_name_deeper.ipynb``.
    notebook : NotebookNode
    """

    path: Path
    notebook: NotebookNode

    @classmethod
    def read(cls, path):
        """The page of a file."""
        return cls(path, nbformat.read(path, as_version=4))

    @property
    def number(self):
        """The chapter's number from its file name; None for another page."""
        match = re.match(r"(\d\d)_", self.path.name)
        return int(match[1]) if match else None

    @property
    def is_deeper(self):
        """Whether this is the second page of a chapter."""
        return bool(self.number) and self.path.stem.endswith(DEEPER)

    @property
    def is_lesson(self):
        """Whether this is the first page of a chapter."""
        return bool(self.number) and not self.is_deeper

    @property
    def is_project(self):
        """Whether this is a page of *Build it*, which says in its head how long it takes."""
        return not self.number and bool(PROJECT.search(self.prose))

    @property
    def is_appendix(self):
        """Whether this is no chapter, and yet has a folder of exercises of its own."""
        return not self.number and (ROOT / "book" / "exercises" / self.path.stem).is_dir()

    @property
    def chapter(self):
        """The chapter's number and name: the lesson's file, and its folder of exercises."""
        return self.path.stem.removesuffix(DEEPER)

    @property
    def name(self):
        """The chapter's name without its number."""
        return self.chapter[3:] if self.number else self.chapter

    @cached_property
    def deeper(self):
        """The deeper page of a lesson; None where there is none."""
        path = self.path.with_name(f"{self.chapter}{DEEPER}.ipynb")
        return Page.read(path) if self.is_lesson and path.is_file() else None

    @cached_property
    def lesson(self):
        """The lesson of a deeper page; None where there is none."""
        path = self.path.with_name(f"{self.chapter}.ipynb")
        return Page.read(path) if self.is_deeper and path.is_file() else None

    @cached_property
    def prose(self):
        """The text of all Markdown cells that the site shows."""
        return text_of(self.notebook.cells)

    @cached_property
    def main_line(self):
        """The cells before the questions: what is read."""
        cells = self.notebook.cells
        ends = (i for i, c in enumerate(cells) if c.cell_type == "markdown" and QUESTIONS(c.source))
        return cells[: next(ends, None)]

    @cached_property
    def code(self):
        """The code cells."""
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    @cached_property
    def visible(self):
        """The code cells whose source a reader of the page sees without opening anything."""
        return [cell for cell in self.code if not tags(cell) & HIDDEN]

    @cached_property
    def printed(self):
        """Everything that the cells print or show, as one text."""
        return "\n".join(texts(output) for cell in self.code for output in cell.outputs)

    @cached_property
    def widgets(self):
        """For each widget that is shown, its output's data: MIME type -> content."""
        data = [output.get("data", {}) for cell in self.code for output in cell.outputs]
        return [bundle for bundle in data if WIDGET in bundle]

    @property
    def title(self):
        """The chapter's title without its number; None if it has none."""
        if self.is_project:
            return re.search(r"^# (.+)$", self.prose, re.MULTILINE)[1]
        match = re.search(r"^# (\d+) (\S.*)$", self.prose, re.MULTILINE)
        return match[2] if match and int(match[1]) == self.number else None


def text_of(cells):
    """The text of those cells that are Markdown and shown on the site."""
    shown = (c for c in cells if c.cell_type == "markdown" and "remove-cell" not in tags(c))
    return "\n\n".join(cell.source for cell in shown)


def line_count(cell):
    """The number of lines of a cell that are not blank."""
    return sum(bool(line.strip()) for line in cell.source.splitlines())


@dataclass
class Asked:
    """How one exercise stands in the notebook: what its cells reply, and its number of hints."""

    stub: str | None = None
    solution: str | None = None
    hints: int = 0


def asked(page):
    """The exercises that a notebook checks: name -> Asked."""
    found, last = {}, Asked()
    for cell in page.notebook.cells:
        if cell.cell_type == "markdown":
            last.hints += cell.source.count("<details><summary>Hint ")
            continue
        for name in re.findall(r'\bcheck\(\s*"([\w.]+)"', cell.source):
            last = found.setdefault(name, Asked())
            kind = "solution" if "solution" in tags(cell) else "stub"
            setattr(last, kind, "".join(map(texts, cell.outputs)))
    return found


def named(page, function):
    """The names that a notebook's cells give to `ask` or `practice`."""
    sources = "\n".join(cell.source for cell in page.code)
    return re.findall(rf'\b{function}\(\s*"([\w.]+)"', sources)
