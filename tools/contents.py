"""Write what is counted into heads, cover, README and *Teach with it*; `make notebooks` does it.

A chapter's minutes come into its head, as `measure` counts them. The others hold what is put
between ``<!-- chapters: KEY -->`` and ``<!-- end -->``.
"""

import re
from functools import cache

import nbformat
import yaml
from measure import minutes
from pages import NOTEBOOKS, PROJECT, ROOT, Page

PLACES = [ROOT / "README.md", ROOT / "book" / "index.ipynb", ROOT / "book" / "teach.md"]
LESSON = r"\*Lesson \d+ min · questions and exercises \d+ min(?: · deeper \d+ min)?\."
HEAD = re.compile(rf"{PROJECT.pattern[1:]}|{LESSON}|\*Deeper \d+ min\.")
MARKED = re.compile(r"(<!-- chapters: (\w+) -->)(.*?)(<!-- end -->)", re.DOTALL)


@cache
def parts():
    """The parts of the table of contents that hold chapters: caption -> pages in reading order."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    by_caption = {}
    for part in contents["parts"]:
        paths = [ROOT / f"{entry['file']}.ipynb" for entry in part["chapters"]]
        pages = [Page.read(path) for path in paths if path.is_file()]
        by_caption[part["caption"]] = [page for page in pages if page.number or page.is_project]
    return {caption: pages for caption, pages in by_caption.items() if pages}


def chapters():
    """The pages of chapters in reading order."""
    return [page for pages in parts().values() for page in pages if page.number]


def numbers(old):
    """The numbers of the existing chapters: ``1 to 4 and 6``."""
    *first, last = runs(sorted(page.number for page in chapters()))
    return f"{', '.join(first)} and {last}" if first else last


def order(old):
    """The chapters in reading order: ``1 to 4, 6, 5``."""
    return ", ".join(runs([page.number for page in chapters()]))


def runs(sequence):
    """The numbers of a sequence as texts, three or more consecutive ones as one.

    >>> runs([1, 2, 3, 5, 6])
    ['1 to 3', '5', '6']
    """
    joined = []
    for n in sequence:
        if joined and n == joined[-1][-1] + 1:
            joined[-1].append(n)
        else:
            joined.append([n])
    return [
        text
        for run in joined
        for text in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))
    ]


def total(old):
    """The hours of the tables below, for the lessons alone, with exercises, with everything."""
    counted = [minutes(page) for page in chapters()]
    hours = [round(sum(sum(each[:n]) for each in counted) / 60) for n in (1, 2, 3)]
    return (
        f"{hours[0]} hours for the lessons alone, {hours[1]} with their questions and exercises, "
        f"{hours[2]} with everything"
    )


def tables(old):
    """A table for each part: number and title, minutes of lesson, exercises and deeper page.

    Rows of ``old`` for chapters in preparation stay until the chapter is there.
    """
    planned, caption = {}, None
    for line in old.splitlines():
        if match := re.fullmatch(r"\| (\D.*) \| lesson \|.*", line):
            caption = match[1]
        elif match := re.fullmatch(r"\| (\d+) .* \| in preparation \|.*", line):
            planned.setdefault(caption, {})[int(match[1])] = line
    written = []
    for caption, pages in parts().items():
        numbered = {page.number or 100 + i: row(page) for i, page in enumerate(pages)}
        rows = planned.get(caption, {}) | numbered
        what = "lesson" if pages[0].number else "read"
        lines = [
            f"| {caption} | {what} | exercises | deeper |",
            "|---|--:|--:|--:|",
            *(rows[number] for number in sorted(rows)),
        ]
        written.append("\n".join(lines))
    return "\n\n" + "\n\n".join(written) + "\n\n"


def row(page):
    """A chapter's row of the table."""
    lesson, exercises, deeper = minutes(page)
    link = f"[{deeper}\N{NO-BREAK SPACE}min]({page.deeper.path.name})" if page.deeper else ""
    title = f"{page.number or ''} [{page.title or page.name}]({page.path.name})".strip()
    return (
        f"| {title} | {lesson}\N{NO-BREAK SPACE}min | {exercises}\N{NO-BREAK SPACE}min | {link} |"
    )


KEYS = {"numbers": numbers, "order": order, "hours": total, "tables": tables}


def renewed(text):
    """A text whose marked places are brought up to date."""
    return MARKED.sub(lambda match: match[1] + KEYS[match[2]](match[3]) + match[4], text)


def head(page):
    """What the head of a chapter's page says of its minutes."""
    lesson, exercises, deeper = minutes(page.lesson or page)
    if page.is_project:
        return f"*Project: {lesson} min to read · {exercises} min of exercises."
    if page.is_deeper:
        return f"*Deeper {deeper} min."
    said = f"*Lesson {lesson} min · questions and exercises {exercises} min"
    return said + (f" · deeper {deeper} min." if page.deeper else ".")


def new_text(path):
    """What a file should hold."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        page = Page.read(path)
        if page.number or page.is_project:
            return HEAD.sub(head(page), text, count=1)
        for cell in page.notebook.cells:
            cell.source = renewed(cell.source)
        return nbformat.writes(page.notebook) + "\n"
    return renewed(text)


def stale():
    """The files that do not match the chapters."""
    parts.cache_clear()
    heads = [path for path in NOTEBOOKS if HEAD.search(path.read_text(encoding="utf-8"))]
    return [p for p in [*PLACES, *heads] if new_text(p) != p.read_text(encoding="utf-8")]


def write():
    """Bring all files up to date; return those that were not."""
    outdated = stale()
    for path in outdated:
        path.write_text(new_text(path), encoding="utf-8", newline="\n")
    return outdated
