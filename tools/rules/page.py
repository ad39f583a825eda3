"""A notebook as the rules look at it."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode
from outputs import WIDGET, tags, texts

HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell", "solution"}


@dataclass(frozen=True)
class Page:
    """A notebook and what follows from it.

    Parameters
    ----------
    path : Path
        A chapter's file is called ``NN_name.ipynb``.
    notebook : NotebookNode
    """

    path: Path
    notebook: NotebookNode

    @property
    def number(self):
        """The chapter's number from its file name; None for another page."""
        match = re.match(r"(\d\d)_", self.path.name)
        return int(match[1]) if match else None

    @property
    def name(self):
        """The chapter's name, and that of its exercises' folder: the file without its number."""
        return self.path.stem[3:]

    @cached_property
    def prose(self):
        """The text of all Markdown cells that the site shows."""
        cells = [c for c in self.notebook.cells if c.cell_type == "markdown"]
        return "\n\n".join(c.source for c in cells if "remove-cell" not in tags(c))

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
        match = re.search(r"^# (\d+) (\S.*)$", self.prose, re.MULTILINE)
        return match[2] if match and int(match[1]) == self.number else None

    @property
    def minutes(self):
        """The minutes that the chapter says it takes; None if it does not."""
        match = re.search(r"About (\d+) minutes", self.prose)
        return int(match[1]) if match else None
