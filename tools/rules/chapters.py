"""Rules of chapters: the parts that each has, so that readers know their way in all of them."""

import re

from rules.prose import SPAN
from rules.registry import chapter_rule

OBJECTIVES = re.compile(r"After this chapter you can\n\n((?:- .*(?:\n  .*)*\n?)+)")


@chapter_rule
def numbered_title(page):
    """The number in the file's name is the one that other chapters refer to."""
    if page.title is None:
        yield f"the first heading should be '# {page.number} Title', as the file is numbered"


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
    if not re.search(r"^\*\*[^*]+\?\*\*$", page.prose, re.MULTILINE):
        yield "no opening question: under the title put one in bold, on its own line"


@chapter_rule
def three_to_five_objectives(page):
    """Fewer say too little to choose by, more are not remembered."""
    match = OBJECTIVES.search(page.prose)
    count = len(re.findall("^- ", match[1], re.MULTILINE)) if match else 0
    if not 3 <= count <= 5:
        yield (
            f"{count} objectives, 3 to 5 wanted: list under 'After this chapter you can' what a "
            "reader can do then, each testable by an exercise or a question"
        )


@chapter_rule
def minutes_and_prerequisites(page):
    """Teachers plan by the minutes, readers check that they know enough to begin."""
    if not page.minutes or "minutes. You need " not in page.prose:
        yield "no minutes and prerequisites: write '*About 40 minutes. You need …*' in the head"


@chapter_rule
def predictions(page):
    """Readers remember a result that they predicted, above all when they were wrong."""
    if "> **Predict.**" not in page.prose:
        yield "nothing to predict: put '> **Predict.** …?' before a result that surprises"


@chapter_rule
def closing_sections(page):
    """Readers look for the same things in the same place of every chapter."""
    for heading in ("## Questions", "## Exercises", "## Summary"):
        if not re.search(f"^{heading}$", page.prose, re.MULTILINE):
            yield f"the section '{heading}' is missing"
    reading = page.prose.partition("**Further reading.**")[2]
    if "{cite" not in reading:
        yield "no further reading: end with '**Further reading.**' and say what {cite:t}`…` adds"


@chapter_rule
def printed_numbers(page):
    """A number that no cell prints is a number that nobody checks when the code changes."""
    shown = page.printed + "\n".join(cell.source for cell in page.code)
    prose = SPAN.sub(lambda span: span["text"] if span["set"] else "", page.prose)
    for number in dict.fromkeys(re.findall(r"(?<![\w.])\d+\.\d{3,}", prose)):
        if number not in shown:
            yield f"the text says {number}, which no cell of the chapter prints: let one print it"
