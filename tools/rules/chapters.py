"""Rules of chapters: the parts that each has, so that readers know their way in all of them."""

import ast
import re

import measure

from rules.prose import SPAN
from rules.registry import chapter_rule, deeper_rule, lesson_rule

DESCRIPTION = 160  # characters; `attention_book.about` cuts longer ones
QUESTION = re.compile(r"^\*\*([^*]+\?)\*\*$", re.MULTILINE)
OBJECTIVES = re.compile(r"After this lesson you can\n\n((?:- .*(?:\n  .*)*\n?)+)")
HEAD = {
    "lesson": r"^\*Lesson \d+ min · questions and exercises \d+ min"
    r"(?: · deeper \d+ min)?\. You need ",
    "deeper": r"^\*Deeper \d+ min\. You need ",
}
SECTIONS = ("What it means when you use it", "Summary", "Questions", "Exercises")
#: What a lesson has at most, before its questions.
LIMITS = {"words": 2000, "minutes": 45, "cells": 22, "lines": 120, "longest": 12}
UNITS = {"cells": "visible code cells", "lines": "lines of visible code",
         "longest": "lines in its longest visible cell"}  # fmt: skip
LESSON_CODE = {"numpy", "attnlib"}


@chapter_rule
def numbered_title(page):
    """The number in the file's name is the one that other chapters refer to."""
    ending = ", deeper" * page.is_deeper
    if page.title is None or not page.title.endswith(ending):
        form = f"# {page.number} Title{ending}"
        yield f"the first heading should be '{form}', as the file is numbered"


@deeper_rule
def under_its_lesson(page):
    """A deeper page alone is a page that nobody comes to."""
    if not page.lesson:
        yield f"its lesson is missing: write {page.chapter}.ipynb, or choose a name without _deeper"


@chapter_rule
def nothing_to_do(page):
    """What `make new-chapter` leaves open is for authors, not for readers."""
    for cell in page.notebook.cells:
        for line in cell.source.splitlines():
            if "TODO" in line:
                yield f"cell {cell.id} still says: {line}"


@chapter_rule
def opening_question(page):
    """A reader who has a question reads for the answer."""
    if not QUESTION.search(page.prose):
        yield "no opening question: under the title put one in bold, on its own line"


@lesson_rule
def three_to_five_objectives(page):
    """Fewer say too little to choose by, more are not remembered."""
    match = OBJECTIVES.search(page.prose)
    count = len(re.findall("^- ", match[1], re.MULTILINE)) if match else 0
    if not 3 <= count <= 5:
        yield (
            f"{count} objectives, 3 to 5 wanted: list under 'After this lesson you can' what a "
            "reader can do then, each testable by an exercise or a question"
        )


@lesson_rule
def short_description(page):
    """Search engines show so much of a page: its question, and what it teaches first."""
    question, objectives = QUESTION.search(page.prose), OBJECTIVES.search(page.prose)
    if question and objectives:
        first = objectives[1].split("\n- ")[0].removeprefix("- ").strip(" ;.\n")
        shown = f"{question[1]} After this lesson you can {' '.join(first.split())}."
        if (over := len(shown) - DESCRIPTION) > 0:
            yield f"the opening question and the first objective are {over} characters too long"


@deeper_rule
def results_first(page):
    """Nobody reads all of a deeper page; its head says what each section finds.

    It says so in words: a head full of formulas jumps when the browser has set them.
    """
    head = page.prose.partition("\n## ")[0]
    for line in re.findall(r"^- \[.*\$.*", head, re.MULTILINE):
        yield f"the head has formulas, which jump while they are set: say it in words: {line}"
    for title in re.findall(r"^## (.+)$", page.prose, re.MULTILINE):
        if title not in SECTIONS and f"- [{title}](#" not in head:
            yield f"the head does not say what comes out: list '- [{title}](#…): one sentence'"


@chapter_rule
def minutes_and_prerequisites(page):
    """Teachers plan by the minutes, readers check that they know enough to begin."""
    if not re.search(HEAD["deeper" if page.is_deeper else "lesson"], page.prose, re.MULTILINE):
        form = "Lesson 0 min · questions and exercises 0 min · deeper 0 min. You need …"
        form = "Deeper 0 min. You need [the lesson](…) …" if page.is_deeper else form
        yield f"no minutes and prerequisites: write '*{form}*' in the head; a tool counts"


@lesson_rule
def short_lesson(page):
    """Forty minutes and one idea are a lesson; what goes further is on the deeper page."""
    measured = measure.measure(page)
    for name, limit in LIMITS.items():
        value = getattr(measured, name)
        if value > limit:
            unit = UNITS.get(name, name)
            over = f"at most {limit}: {value - limit:.0f} over"
            yield f"{value:.0f} {unit} before the questions, {over}"


@lesson_rule
def plain_code(page):
    """Whoever knows a little NumPy can read all of a lesson's code and run it without PyTorch."""
    for cell in page.code:
        try:
            used = imported(cell.source)
        except SyntaxError:
            yield f"cell {cell.id} is not plain Python: mend it, or move it to the deeper page"
            continue
        foreign = used - LESSON_CODE if cell in page.visible else used & {"torch"}
        if foreign:
            yield (
                f"cell {cell.id} imports {', '.join(sorted(foreign))}: a lesson shows NumPy, plain "
                "loops and calls of attnlib, and needs no PyTorch; move it to the deeper page"
            )


@chapter_rule
def says_pytorch(page):
    """`make lab` does not install it."""
    needs = r"^\s*(?:import|from) (?:torch|attnlib\.experiments)\b"
    if any(re.search(needs, cell.source, re.MULTILINE) for cell in page.code):
        if "`make torch`" not in page.prose.partition("\n## ")[0]:
            yield "its code needs PyTorch: say in the head that `make torch` installs it"


def imported(source):
    """The top names of what some code imports.

    >>> sorted(imported("import numpy as np\\nfrom attnlib.cost import flops"))
    ['attnlib', 'numpy']
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@lesson_rule
def predictions(page):
    """Readers remember a result that they predicted, above all when they were wrong."""
    if measure.PREDICT not in page.prose:
        yield "nothing to predict: put '> **Predict.** …?' before a result that surprises"


@lesson_rule
def closing_sections(page):
    """Readers look for the same things in the same place of every lesson."""
    titles = re.findall("^## (.+)$", page.prose, re.MULTILINE)
    for title in SECTIONS:
        if title not in titles:
            yield f"the section '## {title}' is missing"
    if "Questions" in titles and len(page.main_line) == len(page.notebook.cells):
        yield "'## Questions' does not begin its cell: what is above it belongs in a cell before"
    if (found := [title for title in titles if title in SECTIONS]) != [*SECTIONS]:
        if {*found} == {*SECTIONS}:
            yield f"the last sections come in another order than {', '.join(SECTIONS)}"


@chapter_rule
def further_reading(page):
    """Whoever wants more should know what each source adds."""
    if "{cite" not in page.prose.partition("**Further reading.**")[2]:
        yield "no further reading: end with '**Further reading.**' and say what {cite:t}`…` adds"


@chapter_rule
def printed_numbers(page):
    """A number that no cell prints is a number that nobody checks when the code changes."""
    for number in unshown(page, 3, page):
        yield f"the text says {number}, which no cell of the chapter prints: let one print it"


@lesson_rule
def linked_numbers(page):
    """What a lesson says of an experiment stands on the deeper page, and changes with it."""
    for number in unshown(page, 2, page, page.deeper) if page.deeper else ():
        yield f"the text says {number}, which neither the lesson nor its deeper page shows"


def unshown(page, digits, *pages):
    """The numbers of a page's text, with so many decimals or more, that no cell shows."""
    shown = "\n".join(p.printed + "\n".join(cell.source for cell in p.code) for p in pages)
    prose = SPAN.sub(lambda span: span["text"] if span["set"] else "", page.prose)
    in_use = re.compile(r"(## What it means when you use it\n)(.*?)(?=\n## )", re.DOTALL)
    # The code in that section is run by a test.
    prose = in_use.sub(lambda part: re.sub(r"(?s)```python\n.*?```", "", part[2]), prose)
    numbers = re.findall(rf"(?<![\w.])\d+\.\d{{{digits},}}", prose)
    return [number for number in dict.fromkeys(numbers) if number not in shown]
