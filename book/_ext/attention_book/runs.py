"""Which cells of a chapter can be changed and run in its page: their tags for `cells.js`.

And what a checker said in a cell, as its page shows it.
"""

import json
import re
from pathlib import Path

from attention_book import asked
from attention_book.in_page import slicing


def tagged(cells, is_lesson):
    """Tag cells as `exercise`; in a lesson all others as `runs-here` or `notebook-only`.

    Parameters
    ----------
    cells : list of dict
        Of a notebook; their tags are changed.
    is_lesson : bool
    """
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    runs = slicing.runs_here(["".join(cell["source"]) for cell in code])
    for cell, whole in zip(code, runs):
        tags = cell["metadata"].setdefault("tags", [])
        if asked.exercises([cell]):
            tags.append("exercise")
        elif is_lesson and not {"solution", "remove-input", "remove-cell"} & {*tags}:
            tags.append("runs-here" if whole else "notebook-only")


REPLY, NOTHING_DONE = 'class="attn-reply ', "attn-reply--not-attempted"


def with_code(html):
    """The replies in an output's HTML, with `code` where a checker's words have backticks.

    >>> with_code('<div class="attn-reply x"><p>Write `a &lt; b`.</p><pre>`</pre></div>')
    '<div class="attn-reply x"><p>Write <code>a &lt; b</code>.</p><pre>`</pre></div>'
    """
    words = r"<p>.*?</p>" if REPLY in html else "(?!)"
    return re.sub(
        words, lambda p: re.sub(r"`([^`<\n]+)`", r"<code>\1</code>", p[0]), html, flags=re.DOTALL
    )


def show_replies(cells):
    """Leave out the replies to stubs, which nobody has asked for yet; show all others' code."""
    for cell in cells:
        kept = []
        for output in cell.get("outputs", []):
            html = "".join(output.get("data", {}).get("text/html", ""))
            if REPLY in html:
                output["data"]["text/html"] = with_code(html)
            if NOTHING_DONE not in html:
                kept.append(output)
        if "outputs" in cell:
            cell["outputs"] = kept


def mark(app, docname, source):
    """Tag the cells of a chapter that is read for the site."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".ipynb" and re.match(r"\d", path.name):
        notebook = json.loads(source[0])
        tagged(notebook["cells"], not path.stem.endswith("_deeper"))
        show_replies(notebook["cells"])
        source[0] = json.dumps(notebook)
