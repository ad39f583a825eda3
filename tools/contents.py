"""Write into the cover, the README and *Teach with it* what the chapters' heads say of them.

It is put between ``<!-- chapters: KEY -->`` and ``<!-- end -->``; `make notebooks` writes it.
"""

import re
from functools import cache
from pathlib import Path

import nbformat
import yaml
from rules import Page

ROOT = Path(__file__).resolve().parent.parent
PLACES = [ROOT / "README.md", ROOT / "book" / "index.ipynb", ROOT / "book" / "teach.md"]
MARKED = re.compile(r"(<!-- chapters: (\w+) -->)(.*?)(<!-- end -->)", re.DOTALL)


@cache
def parts():
    """The parts of the table of contents that hold chapters: caption -> pages in reading order."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    by_caption = {}
    for part in contents["parts"]:
        paths = [ROOT / f"{entry['file']}.ipynb" for entry in part["chapters"]]
        pages = [Page(p, nbformat.read(p, as_version=4)) for p in paths if p.is_file()]
        by_caption[part["caption"]] = [page for page in pages if page.number]
    return {caption: pages for caption, pages in by_caption.items() if pages}


def numbers(old):
    """The numbers of the existing chapters: ``1 to 4 and 6``."""
    *first, last = runs(sorted(page.number for pages in parts().values() for page in pages))
    return f"{', '.join(first)} and {last}" if first else last


def order(old):
    """The chapters in reading order: ``1 to 4, 6, 5``."""
    return ", ".join(runs([page.number for pages in parts().values() for page in pages]))


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


def minutes(old):
    """The minutes of all chapters together."""
    return str(sum(page.minutes or 0 for pages in parts().values() for page in pages))


def tables(old):
    """A table for each part: number, title, minutes.

    Rows of ``old`` for chapters in preparation stay until the chapter is there.
    """
    planned, caption = {}, None
    for line in old.splitlines():
        if match := re.fullmatch(r"\| (\D.*) \| \|", line):
            caption = match[1]
        elif match := re.fullmatch(r"\| (\d+) .* \| in preparation \|", line):
            planned.setdefault(caption, {})[int(match[1])] = line
    written = []
    for caption, pages in parts().items():
        rows = planned.get(caption, {}) | {
            page.number: f"| {page.number} [{page.title or page.name}]({page.path.name}) "
            f"| {page.minutes or '…'} min |"
            for page in pages
        }
        lines = [f"| {caption} | |", "|---|--:|", *(rows[number] for number in sorted(rows))]
        written.append("\n".join(lines))
    return "\n\n" + "\n\n".join(written) + "\n\n"


KEYS = {"numbers": numbers, "order": order, "minutes": minutes, "tables": tables}


def renewed(text):
    """A text whose marked places are brought up to date."""
    return MARKED.sub(lambda match: match[1] + KEYS[match[2]](match[3]) + match[4], text)


def new_text(path):
    """What a file should hold."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return renewed(text)
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        cell.source = renewed(cell.source)
    return nbformat.writes(notebook) + "\n"


def stale():
    """The files that do not match the chapters' heads."""
    parts.cache_clear()
    return [path for path in PLACES if new_text(path) != path.read_text(encoding="utf-8")]


def write():
    """Bring all files up to date; return those that were not."""
    outdated = stale()
    for path in outdated:
        path.write_text(new_text(path), encoding="utf-8")
    return outdated
