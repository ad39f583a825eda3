"""What the book asks of every notebook, one function a rule; each yields its complaints."""

import re
import statistics

from outputs import WIDGET, tags, texts

LONGEST = 20
WIDEST = 77
MEDIAN = 6
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell", "solution"}
PICTURES = {"image/svg+xml", "image/png", "image/jpeg"}
REMOTE_IMAGE = re.compile(
    r"!\[[^\]]*\]\(\s*<?https?://|<img[^>]*\ssrc\s*=\s*[\"']?https?://|\{(?:image|figure)\}\s*https?://",
    re.IGNORECASE,
)


def code_cells(notebook):
    """The code cells of a notebook.

    Parameters
    ----------
    notebook : NotebookNode

    Returns
    -------
    list of NotebookNode
    """
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def is_visible(cell):
    """Whether a reader of the page sees the cell's source without opening anything."""
    return not tags(cell) & HIDDEN


def line_count(cell):
    """The number of lines of a cell that are not blank."""
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def long_cells(notebook):
    """No visible code cell is longer than 20 lines."""
    for cell in filter(is_visible, code_cells(notebook)):
        if line_count(cell) > LONGEST:
            yield f"cell {cell.id} has {line_count(cell)} visible lines, at most {LONGEST}"


def wide_lines(notebook):
    """No line of a visible code cell is wider than the text column."""
    for cell in filter(is_visible, code_cells(notebook)):
        for line in cell.source.splitlines():
            if len(line) > WIDEST:
                width = f"{len(line)} characters, at most {WIDEST}"
                yield f"cell {cell.id} has a line of {width}: {line}"


def long_median(notebook):
    """The median visible code cell has at most 6 lines."""
    counts = [line_count(cell) for cell in filter(is_visible, code_cells(notebook))]
    if counts and statistics.median(counts) > MEDIAN:
        yield (
            f"the median visible code cell has {statistics.median(counts):g} lines, "
            f"at most {MEDIAN}"
        )


def undescribed_figures(notebook):
    """Every picture has an alternative text, and a figure a caption and a name besides."""
    for cell in code_cells(notebook):
        data = [set(output.get("data", {})) for output in cell.outputs]
        if not any(mimes & PICTURES and WIDGET not in mimes for mimes in data):
            continue
        mystnb = cell.metadata.get("mystnb", {})
        if not str(mystnb.get("image", {}).get("alt") or "").strip():
            yield f"cell {cell.id} shows a figure without alt text (mystnb: image: alt)"
        figure = mystnb.get("figure")
        for part in ("caption", "name") if figure is not None else ():
            if not str(figure.get(part) or "").strip():
                yield f"cell {cell.id} shows a figure without a {part} (mystnb: figure: {part})"


def bare_widgets(notebook):
    """Every widget brings a picture for who runs no script."""
    for cell in code_cells(notebook):
        for output in cell.outputs:
            mimes = set(output.get("data", {}))
            if WIDGET in mimes and not mimes & {*PICTURES, "text/html"}:
                yield f"cell {cell.id} shows a widget without its picture"


def remote_images(notebook):
    """No image comes from another server."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and REMOTE_IMAGE.search(cell.source):
            yield f"cell {cell.id} takes an image from the network: keep it in the book"


def tracebacks(notebook):
    """No output is a traceback, unless the cell says that it raises."""
    for cell in code_cells(notebook):
        failed = any(o.output_type == "error" or "Traceback" in texts(o) for o in cell.outputs)
        if failed and "raises-exception" not in tags(cell):
            yield f"cell {cell.id} shows a traceback and is not tagged raises-exception"


def code_without_prose(notebook):
    """Prose stands before each visible code cell."""
    prose = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            prose = prose or bool(cell.source.strip() and "remove-cell" not in tags(cell))
        elif cell.cell_type == "code" and is_visible(cell):
            if not prose:
                yield f"cell {cell.id} follows no prose: say first what it is for"
            prose = False


RULES = (
    long_cells,
    wide_lines,
    long_median,
    undescribed_figures,
    bare_widgets,
    remote_images,
    tracebacks,
    code_without_prose,
)


def problems(notebook):
    """What the rules of the book find in a notebook.

    Parameters
    ----------
    notebook : NotebookNode
        In canonical form.

    Returns
    -------
    list of str
        One sentence for each fault, naming the cell.
    """
    return [complaint for rule in RULES for complaint in rule(notebook)]
