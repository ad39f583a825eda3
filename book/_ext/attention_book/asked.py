"""What the chapters ask: their answers on one page, and their practice for the page of review.

Both are read from the chapters' notebooks, where a question's output holds its widget's state and
a cell names the exercise that it checks.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from attention_book import live
from attnlib.exercises import all_practice, practice
from attnlib.widgets import STATE_MIME, WIDGETS


def chapters(srcdir):
    """Every notebook that asks something of its own: the chapters in order, then an appendix.

    Returns
    -------
    list of dict
        Each with its `path`, its `title`, `asked`: name -> what a notebook stores of the
        question's widget, and `exercises`: the names of those that it sets, in order.
    """
    found = []
    for path in sorted(Path(srcdir, "book").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        outputs = (output.get("data", {}) for c in cells for output in c.get("outputs", []))
        stored = [data[STATE_MIME] for data in outputs if STATE_MIME in data]
        own = re.sub(r"^\d\d_|_deeper$", "", path.stem) + "."
        states = {s["state"].get("name") or "": s for s in stored}
        names = {name: s for name, s in states.items() if name.startswith(own)}
        text = "".join("".join(c["source"]) + "\n" for c in cells if c["cell_type"] == "markdown")
        title = next(line[2:] for line in text.splitlines() if line.startswith("# "))
        if names or exercises(cells):
            found.append(
                {"path": path, "title": title, "asked": names, "exercises": exercises(cells)}
            )
    return found


def exercises(cells):
    """The names of the exercises that a notebook's cells check, solutions left out.

    >>> exercises([{"cell_type": "code", "metadata": {}, "source": ['check("scaling.by", by)']}])
    ['scaling.by']
    """
    code = (
        "".join(c["source"])
        for c in cells
        if c["cell_type"] == "code" and "solution" not in c["metadata"].get("tags", [])
    )
    return re.findall(r'\bcheck\(\s*"([\w.]+)"', "\n".join(code))


def is_practice(stored):
    """Whether a question is of a kind that does not run out."""
    return "problems" in stored["state"]


class Answers(SphinxDirective):
    """The answers to all questions, and one problem of each kind of practice worked out."""

    def run(self):
        sections = []
        for chapter in chapters(self.env.srcdir):
            self.env.note_dependency(str(chapter["path"]))
            if not chapter["asked"]:
                continue
            section = nodes.section(ids=[nodes.make_id(chapter["path"].stem)])
            section += nodes.title(text=chapter["title"])
            for name, stored in chapter["asked"].items():
                widget = WIDGETS[stored["script"]](**stored["state"])
                text = "" if is_practice(stored) else widget.asked()
                place = f'<div class="answer" id="{live.anchor(name)}">'
                answer = f"{place}{text}{widget.answered()}</div>"
                section += nodes.raw("", answer, format="html")
            sections.append(section)
        return sections


class Review(SphinxDirective):
    """The place where `review.js` asks practice of the chapters that a reader has opened."""

    def run(self):
        scripts = set()
        for chapter in chapters(self.env.srcdir):
            self.env.note_dependency(str(chapter["path"]))
            scripts |= {s["script"] for s in chapter["asked"].values() if is_practice(s)}
        live.known(self.env)[self.env.docname] = (scripts, {})
        needs = "The review needs JavaScript. Each chapter has its own practice."
        place = f'<div id="practice-review"><noscript>{needs}</noscript></div>'
        return [nodes.raw("", place, format="html")]


def write(app, exception):
    """Write the list of what is asked, and the problems of each kind of practice."""
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", "practice")
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for chapter in chapters(app.srcdir):
        kinds = {name: s for name, s in chapter["asked"].items() if is_practice(s)}
        for name, stored in kinds.items():
            # Other numbers than those of the chapter.
            anew = stored | {"state": practice(name, seed=1).state()}
            text = f"AttentionReview.add({json.dumps(anew, ensure_ascii=False)});"
            (folder / f"{name}.js").write_text(text, encoding="utf-8")
        listed.append(
            {
                "title": chapter["title"],
                "page": f"{chapter['path'].stem}.html",
                "questions": [name for name in chapter["asked"] if name not in kinds],
                "practice": {name: all_practice()[name].title for name in kinds},
                "exercises": chapter["exercises"],
            }
        )
    text = f"window.AttentionAsked = {json.dumps(listed, ensure_ascii=False)};"
    (folder / "asked.js").write_text(text, encoding="utf-8")
