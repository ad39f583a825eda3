"""Rules of every notebook: what a reader can take in, with and without a browser's help."""

import re
import statistics

from outputs import WIDGET, tags, texts
from pages import HIDDEN, PICTURES, line_count

from rules.registry import rule

LONGEST, WIDEST, MEDIAN = 20, 77, 6
#: The room for a figure on a screen 360 pixels wide, and its smallest letters there, in pixels.
ROOM, LETTER = 328, 9
#: Text in an SVG of matplotlib: a comment that holds it, then its size as a hundredth of a point.
TEXT = re.compile(r"<!-- (.*?) -->\s*<g [^>]*?scale\(([\d.]+) ", re.DOTALL)
REMOTE_IMAGE = re.compile(
    r"!\[[^\]]*\]\(\s*<?https?://|<img[^>]*\ssrc\s*=\s*[\"']?https?://|\{(?:image|figure)\}\s*https?://",
    re.IGNORECASE,
)


@rule
def short_cells(page):
    """A long cell is skipped, not read."""
    for cell in page.visible:
        if line_count(cell) > LONGEST:
            yield (
                f"cell {cell.id} has {line_count(cell)} visible lines, at most {LONGEST}: split "
                "it, or move what is not the point to attnlib or to a cell tagged hide-input"
            )


@rule
def narrow_lines(page):
    """A line wider than the text column has to be scrolled, and on paper it is cut off."""
    for cell in page.visible:
        for line in cell.source.splitlines():
            if len(line) > WIDEST:
                width = f"{len(line)} characters, at most {WIDEST}"
                yield f"cell {cell.id} has a line of {width}: break it: {line.strip()}"


@rule
def short_median(page):
    """Code comes in pieces of one thought each, between sentences."""
    counts = [line_count(cell) for cell in page.visible]
    if counts and statistics.median(counts) > MEDIAN:
        yield (
            f"the median visible code cell has {statistics.median(counts):g} lines, at most "
            f"{MEDIAN}: split cells where the thought changes"
        )


@rule
def described_figures(page):
    """Readers who cannot see a figure hear its alternative text; references need its name."""
    for cell in page.code:
        data = [set(output.get("data", {})) for output in cell.outputs]
        if not any(mimes & PICTURES and WIDGET not in mimes for mimes in data):
            continue
        mystnb = cell.metadata.get("mystnb", {})
        wanted = {"image: alt": mystnb.get("image", {}).get("alt")}
        figure = mystnb.get("figure")
        if figure is not None:
            wanted |= {f"figure: {part}": figure.get(part) for part in ("caption", "name")}
        for part, text in wanted.items():
            if not str(text or "").strip():
                yield f"cell {cell.id} shows a figure without {part}: write it under mystnb"


@rule
def readable_figures(page):
    """Many read on a telephone, where a figure has half its width and half its letters."""
    for cell in page.code:
        for output in cell.outputs:
            svg = output.get("data", {}).get("image/svg+xml", "")
            sizes = {float(size) * 100: text for text, size in TEXT.findall(svg)}
            if not sizes:
                continue
            width = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)[1])
            shown = min(sizes) * min(ROOM / width, 4 / 3)
            if shown < LETTER:
                yield (
                    f"cell {cell.id} shows “{sizes[min(sizes)]}” {shown:.1f} pixels high on a "
                    f"screen 360 pixels wide, at least {LETTER} wanted: draw on figures.axes() in "
                    "its own width, with no smaller letters than its own"
                )


@rule
def pictured_widgets(page):
    """Without JavaScript, on GitHub and on paper a widget is its picture."""
    for cell in page.code:
        for output in cell.outputs:
            mimes = set(output.get("data", {}))
            if WIDGET in mimes and not mimes & {*PICTURES, "text/html"}:
                yield f"cell {cell.id} shows a widget without its picture: run make notebooks"


@rule
def local_images(page):
    """The book is read without a network."""
    for cell in page.notebook.cells:
        if cell.cell_type == "markdown" and REMOTE_IMAGE.search(cell.source):
            yield f"cell {cell.id} takes an image from the network: keep it in the book"


@rule
def no_tracebacks(page):
    """An error in the page is a mistake of the book, unless it is the point."""
    for cell in page.code:
        failed = any(o.output_type == "error" or "Traceback" in texts(o) for o in cell.outputs)
        if failed and "raises-exception" not in tags(cell):
            yield (
                f"cell {cell.id} shows a traceback: mend it, or tag it raises-exception if it is "
                "intended"
            )


@rule
def prose_before_code(page):
    """A reader who knows what a cell is for can read it; without that it is a riddle."""
    prose = False
    for cell in page.notebook.cells:
        if cell.cell_type == "markdown":
            prose = prose or bool(cell.source.strip() and "remove-cell" not in tags(cell))
        elif cell.cell_type == "code" and not tags(cell) & HIDDEN:
            if not prose:
                yield f"cell {cell.id} follows no prose: say first what it is for"
            prose = False
