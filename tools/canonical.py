"""The one form in which a notebook of the book is committed."""

import copy

import nbformat
from cell_ids import stable_ids
from outputs import faults, stable_outputs, tags

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "pygments_lexer": "ipython3",
}
NOTEBOOK_METADATA = (
    "attention_book", "mystnb", "myst", "html_meta", "orphan", "tocdepth", "title",
)  # fmt: skip
CELL_METADATA = ("mystnb", "tags")
#: What JupyterLab opens folded, for cells with one of these tags: their code, their results.
FOLDED = {
    "source_hidden": {"hide-cell", "hide-input", "remove-input", "solution"},
    "outputs_hidden": {"hide-output", "solution"},
}
MACROS_ID = "macros"


class NotebookFault(ValueError):
    """A notebook cannot be run or committed; one line for each fault."""


def read(text):
    """A notebook from the text of its file, as it is: nothing added, nothing checked.

    Raises
    ------
    NotebookFault
        If the text is not a notebook, as after a merge conflict.
    """
    try:
        return nbformat.v4.reads(text)
    except (ValueError, AttributeError) as error:
        raise NotebookFault(f"is not a notebook: {error}") from error


def write(notebook):
    """The text of a notebook's file: sorted keys, indent 1, a newline at the end."""
    return nbformat.v4.writes(notebook) + "\n"


def macros_cell(source):
    """The first cell of a notebook: formula macros for JupyterLab, dropped from the site."""
    metadata = {"tags": ["remove-cell"]}
    return nbformat.v4.new_markdown_cell(source, id=MACROS_ID, metadata=metadata)


def is_macros(cell):
    """Whether a cell is the macros cell of an earlier run; text formats do not keep its id."""
    if cell["cell_type"] != "markdown" or "remove-cell" not in tags(cell):
        return False
    return cell.get("id") == MACROS_ID or cell["source"].startswith("$$\n\\definecolor")


def kept(metadata, names):
    """The named entries of some metadata that are not empty."""
    return {name: metadata[name] for name in names if metadata.get(name)}


def cell_metadata(cell):
    """A cell's metadata as the book keeps it; JupyterLab learns from the tags what to fold."""
    metadata = kept(cell.get("metadata", {}), CELL_METADATA)
    folded = {name: True for name, which in FOLDED.items() if which & tags(cell)}
    return metadata | ({"jupyter": folded} if folded and cell["cell_type"] == "code" else {})


def prepared(notebook, macros):
    """A notebook ready to be executed: stable ids, macros cell, metadata of the book only.

    Parameters
    ----------
    notebook : NotebookNode
        Left as it is.
    macros : str
        Source of the macros cell.

    Returns
    -------
    NotebookNode
        A new notebook; outputs as they were.
    """
    notebook = copy.deepcopy(notebook)
    cells = [macros_cell(macros), *(cell for cell in notebook.cells if not is_macros(cell))]
    for cell, cell_id in zip(cells, stable_ids(cells), strict=True):
        cell["id"] = cell_id
        cell["metadata"] = cell_metadata(cell)
    metadata = kept(notebook.metadata, NOTEBOOK_METADATA)
    metadata |= {"kernelspec": KERNEL, "language_info": LANGUAGE}
    parts = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return nbformat.from_dict(parts)


def canonical(notebook, macros):
    """A notebook in the form in which it is committed.

    Code cells are numbered 1, 2, 3, … as in one run from top to bottom, whatever ran: nbval takes
    a cell without a number for one that never ran, and then compares nothing.

    Parameters
    ----------
    notebook : NotebookNode
        Left as it is.
    macros : str
        Source of the macros cell.

    Returns
    -------
    NotebookNode
        A new notebook; ``canonical`` of it is itself.

    Raises
    ------
    NotebookFault
        If an output cannot be committed (core widget, memory address, stderr), naming the cells;
        if the format does not allow what is there.
    """
    notebook = prepared(notebook, macros)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    refused = [f"cell {cell.id} {fault}" for cell in code for fault in faults(cell)]
    if refused:
        raise NotebookFault("\n".join(refused))
    for number, cell in enumerate(code, 1):
        cell["execution_count"] = number
        cell["outputs"] = stable_outputs(cell, number)
    notebook = nbformat.from_dict(notebook)
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise NotebookFault(f"is not valid: {error}") from error
    return notebook


def difference(notebook, wanted):
    """Where a notebook first differs from its canonical form, in a few words."""
    for mine, theirs in zip(notebook.cells, wanted.cells, strict=False):
        parts = [key for key in sorted({*mine, *theirs}) if mine.get(key) != theirs.get(key)]
        if parts:
            return f"cell {theirs.id} differs in {', '.join(parts)}"
    if len(notebook.cells) != len(wanted.cells):
        return f"{len(notebook.cells)} cells instead of {len(wanted.cells)}"
    return "the notebook's metadata or the layout of the file differs"
