"""Which cells of a chapter can be changed and run in its page: their tags for `cells.js`."""

import json
import re
from pathlib import Path

from attention_book import asked
from attention_book.in_page import slicing
from attnlib.exercises import find


def tagged(cells, all_run):
    """Tag cells as `exercise`, and perhaps all others as `runs-here` or `notebook-only`.

    Parameters
    ----------
    cells : list of dict
        Of a notebook; their tags are changed.
    all_run : bool
        Whether others than exercises can be run in this page.
    """
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    runs = slicing.runs_here(["".join(cell["source"]) for cell in code])
    for cell, whole in zip(code, runs):
        tags = cell["metadata"].setdefault("tags", [])
        if names := asked.exercises([cell]):
            needs = any(find(name).needs for name in names)
            tags.append("notebook-only" if needs else "exercise")
            tags += [f"before-{earlier}" for name in names for earlier in find(name).before]
        elif all_run and not {"solution", "remove-input", "remove-cell", "notebook-only"} & {*tags}:
            tags.append("runs-here" if whole else "notebook-only")


#: Replies to what stands in an exercise's cell at first: nothing yet, or a program to be mended.
UNASKED = ("attn-reply--not-attempted", "attn-reply--wrong")


#: What `use` says where a reader has solved nothing.
BOOKS = re.compile(r"^\w+: the book's, .*\n", re.MULTILINE)


def without_replies_to_stubs(outputs):
    """The outputs of a cell but those that nobody has asked for yet."""
    html = ("".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    pairs = zip(outputs, html)
    kept = [output for output, text in pairs if not any(reply in text for reply in UNASKED)]
    for output in kept:
        if output["output_type"] == "stream":
            output["text"] = BOOKS.sub("", "".join(output["text"]))
    return [output for output in kept if output.get("text") != ""]


def mark(app, docname, source):
    """Tag the cells of a notebook that is read for the site."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".ipynb":
        notebook = json.loads(source[0])
        # A lesson, or what is built without PyTorch; elsewhere most cells would not run.
        runs = re.match(r"\d\d_(?!.*_deeper$)|build_numpy$|in_a_library$", path.stem)
        tagged(notebook["cells"], bool(runs))
        for cell in notebook["cells"]:
            if "outputs" in cell:
                cell["outputs"] = without_replies_to_stubs(cell["outputs"])
        source[0] = json.dumps(notebook)
