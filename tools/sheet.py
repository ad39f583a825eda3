"""Sheets of practice for a class: make sheet CHAPTERS=02,04 STUDENTS=30 SEED=7

Every student gets the same problems with other numbers, on a page to be printed; the teacher gets
all answers, the working, and what each known mistake would have given.  The same seed makes the
same sheets.  They are written to _build/sheets/, with the fonts that they need beside them.
"""

import json
import re
import shutil
import sys
from html import escape

from check import chapter
from site_tools import ROOT

from attnlib.exercises import all_practice
from attnlib.exercises.engine.practising import short
from attnlib.palette import LIGHT, mathjax_macros

USAGE = "make sheet CHAPTERS=02,04 STUDENTS=30 SEED=7"
MOST = 200
#: Millimetres: what the smaller of A4 and Letter leaves below the name, and what a problem's text
#: takes of it.
PAPER, TEXT = 190, 25
FIT = 6
TARGET = ROOT / "_build" / "sheets"
VENDOR = ROOT / "book" / "_assets" / "vendor"
SIGNS = {"−": "-", "·": r"\cdot ", "²": "^{2}", "√": r"\sqrt", "exp": r"\exp"}
SIGNS |= {chr(0x2080 + digit): f"_{{{digit}}}" for digit in range(10)}
STYLE = """
@font-face { font-family: "Source Serif 4"; font-weight: 200 900;
  src: url("vendor/fonts/source-serif-4/roman.woff2") format("woff2"); }
@page { margin: 18mm; }
body { font: 10.5pt/1.45 "Source Serif 4", Georgia, serif; color: INK; max-width: 42rem;
  margin: 2rem auto; padding: 0 1rem; }
section { break-after: page; }
section:last-child { break-after: auto; }
header { display: flex; justify-content: space-between; border-bottom: 1px solid INK; }
h1 { font-size: 1.3rem; margin: 0 0 0.4rem; }
h2 { font-size: 1em; margin: 0.9rem 0 0; break-after: avoid; }
p { margin: 0.3rem 0; }
li, .problem { break-inside: avoid; }
.blank { display: inline-block; min-width: 5rem; border-bottom: 1px solid INK; }
.blanks span { margin-inline-end: 1.6rem; white-space: nowrap; }
.room { height: ROOM; }
.small { font-size: 0.85em; }
table { border-collapse: collapse; width: 100%; font-size: 0.85em; }
th, td { text-align: start; padding: 0.2rem 0.6rem 0.2rem 0; border-bottom: 1px solid #999; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""
MATHJAX = """
window.MathJax = { loader: { load: ["[tex]/html"] }, options: { enableMenu: false },
  tex: { packages: { "[+]": ["html"] }, macros: MACROS } };
"""


def tex(code):
    r"""A formula as the book sets it, from a formula in plain text.

    >>> tex("exp(−0.5²) = 0.7788"), tex("√4 = 2"), tex("w₁")
    ('\\exp(-0.5^{2}) = 0.7788', '\\sqrt{4} = 2', 'w_{1}')
    """
    code = re.sub(r"√([\d.]+)", r"√{\1}", code)
    code = re.sub(r"\b(?!exp\b)[a-z]{2,}\b", r"\\text{\g<0>}", code)
    return re.sub("|".join(SIGNS), lambda sign: SIGNS[sign[0]], code)


def typeset(text):
    """Plain text with its code as formulas.

    >>> typeset("The weight `w₁` < 1")
    'The weight \\\\(w_{1}\\\\) &lt; 1'
    """
    pieces = text.split("`")
    return escape("".join(rf"\({tex(p)}\)" if i % 2 else p for i, p in enumerate(pieces)))


def label(field):
    """What is asked for, as a formula if it is one."""
    return typeset(f"`{field}`") if re.fullmatch(r"\w[₀-₉]", field) else escape(field)


def page(title, body, problems=0):
    """A whole page of HTML; so many problems share what room the paper leaves them."""
    room = f"{min(max(PAPER / max(problems, 1) - TEXT, 5), 40):.0f}mm"
    macros = {name: list(value) for name, value in mathjax_macros().items()}
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE.replace('INK', LIGHT['ink']).replace('ROOM', room)}</style>"
        f"<script>{MATHJAX.replace('MACROS', json.dumps(macros))}</script>"
        '<script defer src="vendor/mathjax/es5/tex-chtml.js"></script>'
        f"</head><body>{body}</body></html>\n"
    )


def asked(kind, problem, number):
    """A problem with room for its answer."""
    blanks = "".join(f'<span>{label(f)} = <i class="blank"></i></span>' for f in kind.fields)
    return (
        f'<div class="problem"><h2>{number}. {escape(kind.title.capitalize())}</h2>'
        f'<p>{typeset(problem["question"])}</p><div class="room"></div>'
        f'<p class="blanks">{blanks}</p></div>'
    )


def answered(kind, problem, number):
    """A problem's working, and what known mistakes give."""
    steps = "".join(f"<li>{typeset(step)}</li>" for step in problem["working"])
    known = "".join(
        f"<li>{shown(m['value'])}: {typeset(m['reply'])}</li>" for m in problem["mistakes"]
    )
    return (
        f"<h2>{number}. {escape(kind.title.capitalize())}: {shown(problem['answer'])}</h2>"
        f'<ol>{steps}</ol><ul class="small">{known}</ul>'
    )


def shown(numbers):
    """An answer in a line."""
    return ", ".join(map(short, numbers))


def sheets(kinds, heading, students, seed):
    """The pages of all students, and the teacher's key."""
    drawn = [kind.problems(students, seed) for kind in kinds]
    pages, keys, rows = [], [], []
    for student in range(students):
        own = [(kind, problems[student]) for kind, problems in zip(kinds, drawn)]
        told = f"Sheet {student + 1} of {students}, seed {seed}"
        problems = "".join(asked(*pair, i) for i, pair in enumerate(own, start=1))
        pages.append(
            f"<section><header><h1>{heading}</h1><span>{told}</span></header>"
            '<p>Name: <i class="blank" style="min-width: 14rem"></i></p>'
            '<p class="small">Two decimals are enough. Keep four digits on the way.</p>'
            f"{problems}</section>"
        )
        working = "".join(answered(*pair, i) for i, pair in enumerate(own, start=1))
        keys.append(f"<section><h1>{told}</h1>{working}</section>")
        cells = "".join(f"<td>{shown(problem['answer'])}</td>" for _, problem in own)
        rows.append(f"<tr><th>{student + 1}</th>{cells}</tr>")
    heads = "".join(f'<th scope="col">{i}. {escape(k.title)}</th>' for i, k in enumerate(kinds, 1))
    table = f'<table><tr><th scope="col">Sheet</th>{heads}</tr>{"".join(rows)}</table>'
    first = f"<section><h1>Key. {heading}, seed {seed}</h1>{table}</section>"
    return page(heading, "".join(pages), len(kinds)), page(f"Key. {heading}", first + "".join(keys))


def whole(name, text, low, high):
    """A whole number from the command line."""
    if not text.isdecimal() or not low <= int(text) <= high:
        raise SystemExit(f"{name} is {text!r}, expected a number from {low} to {high}: {USAGE}")
    return int(text)


def main(chapters="", students="", seed=""):
    """Write the sheets and their key; return the exit code."""
    if not chapters:
        raise SystemExit(f"say which chapters: {USAGE}")
    pages = [chapter(named.strip()) for named in chapters.split(",")]
    students, seed = whole("STUDENTS", students, 1, MOST), whole("SEED", seed, 0, 10**6)
    names = [page.name for page in pages]
    kinds = [kind for name, kind in all_practice().items() if name.split(".")[0] in names]
    for page in pages:
        if not any(name.startswith(page.name + ".") for name in all_practice()):
            raise SystemExit(f"{page.path.stem} has no practice")
    *most, last = (str(page.number) for page in pages)
    numbers = f"{', '.join(most)} and {last}" if most else last
    heading = f"Practice for chapter{'s' if len(pages) > 1 else ''} {numbers}"
    if len(kinds) > FIT:
        print(f"{len(kinds)} problems take more than one page a student; {FIT} fit on one")
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    shutil.copytree(VENDOR, TARGET / "vendor")
    for name, text in zip(("sheets", "key"), sheets(kinds, heading, students, seed)):
        (TARGET / f"{name}.html").write_text(text, encoding="utf-8")
        print(f"wrote {(TARGET / name).relative_to(ROOT)}.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
