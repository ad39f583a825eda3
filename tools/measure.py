"""How long a page is, and how long it takes: python tools/measure.py prints it for all chapters.

Minutes are counted, not felt. What comes before the questions takes a minute for 60 words, for 30
symbols of formulas, for 25 numbers in the text and for 30 lines of visible code, and three for each
widget. This was fitted to what five strict readers needed for the 21 lessons: it is within five
minutes of them for 18, and eight off at most. A question takes one minute, a kind of practice
three, and an exercise as many as its author writes.
"""

import re
from dataclasses import dataclass

from outputs import WIDGET, tags
from pages import HIDDEN, NOTEBOOKS, PICTURES, Page, asked, line_count, named, text_of

from attnlib.exercises import all_exercises

WORDS, SYMBOLS, NUMBERS, LINES = 60, 30, 25, 30  # that are read in a minute
WIDGET_MINUTES, QUESTION, PRACTICE = 3, 1, 3
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.DOTALL)
PREDICT = "> **Predict.**"
#: What is written and not read: the target of a link or a role, a role's name, a comment, a tag, a
#: block of code, and what only lays a formula out. Other commands of formulas, α, are symbols.
UNREAD = re.compile(
    r"\]\([^)]*\)|\{[a-z:]+\}(?=`)| <[^<>`\n]*>(?=`)|<!--.*?-->|</?[a-z][^<>\n]*>"
    r"|```\w*\n.*?```"
    r"|\\(?:begin|end)\{\w+\}|\\(?:[qkv]|text|math\w+|operatorname|[td]?frac|sqrt|left|right"
    r"|[bB]igg?[lr]?|q?quad|top|c?dots?|ldots|times|[lg]eq?|mid|in|underbrace|overline|hat|bar)\b",
    re.DOTALL,
)


WORD = r"\w+(?:[.,’'_-]\w+)*"


def words(text):
    r"""The number of words in a text; in a formula each symbol and number is one.

    >>> words(r"The *weights* of [chapter 4](04_scaling.ipynb): $\q{q} = 2.1$, $d_k$.")
    8
    >>> words("See:\n\n```python\nx = 1\n```\n\nIt is small.")
    4
    >>> words(r"$\alpha + \beta = \tfrac{1}{2}$, as {doc}`page <x>` <!-- not this --> says")
    7
    """
    return len(re.findall(WORD, UNREAD.sub(" ", text)))


def symbols(text):
    r"""The number of symbols and numbers in the formulas of a text.

    >>> symbols(r"The *weights*: $\q{q} = 2.1$, and $d_k$ is 4.")
    3
    >>> symbols("Type\n\n```console\n$ make lab\n```\n\nand see $x$.")
    1
    """
    return sum(map(words, FORMULA.findall(UNREAD.sub(" ", text))))


def numbers(text):
    r"""The number of numbers in a text, outside its formulas.

    >>> numbers(r"Of 3 items, $w = 2$, the second gets 0.25.")
    2
    """
    tokens = re.findall(WORD, FORMULA.sub(" ", UNREAD.sub(" ", text)))
    return sum(token[0].isdigit() for token in tokens)


@dataclass(frozen=True)
class Measure:
    """What a page's main line holds, before its questions."""

    words: int  # all of them: symbols of formulas and numbers, too
    symbols: int
    numbers: int
    figures: int
    widgets: int
    predictions: int
    cells: int  # of visible code
    lines: int  # of visible code
    longest: int  # lines of the longest visible cell

    @property
    def minutes(self):
        """The minutes that it takes to read."""
        plain = self.words - self.symbols - self.numbers
        text = plain / WORDS + self.symbols / SYMBOLS + self.numbers / NUMBERS
        return text + self.lines / LINES + WIDGET_MINUTES * self.widgets


def measure(page):
    """The `Measure` of a page."""
    code = [cell for cell in page.main_line if cell.cell_type == "code"]
    data = [set(output.get("data", {})) for cell in code for output in cell.outputs]
    visible = [line_count(cell) for cell in code if not tags(cell) & HIDDEN]
    captions = [c.metadata.get("mystnb", {}).get("figure", {}).get("caption", "") for c in code]
    text = "\n\n".join([text_of(page.main_line), *captions])
    return Measure(
        words=words(text),
        symbols=symbols(text),
        numbers=numbers(text),
        figures=sum(bool(mimes & PICTURES) and WIDGET not in mimes for mimes in data),
        widgets=sum(WIDGET in mimes for mimes in data),
        predictions=text.count(PREDICT),
        cells=len(visible),
        lines=sum(visible),
        longest=max(visible, default=0),
    )


def work(page):
    """The minutes that a page's questions, practice and exercises take."""
    exercises = all_exercises()
    return (
        QUESTION * len(named(page, "ask"))
        + PRACTICE * len(named(page, "practice"))
        + sum(exercises[name].minutes for name in asked(page) if name in exercises)
    )


def rounded(minutes):
    """To the nearest five minutes, as heads say it.

    >>> rounded(42.4), rounded(42.6)
    (40, 45)
    """
    return int(minutes / 5 + 0.5) * 5


def minutes(page):
    """Minutes as heads say them: a lesson's, its questions' and exercises', its deeper page's.

    The last are for everything on that page, and 0 where there is none.
    """
    deeper = measure(page.deeper).minutes + work(page.deeper) if page.deeper else 0
    return tuple(map(rounded, (measure(page).minutes, work(page), deeper)))


def main():
    """Print a line for each page of a chapter."""
    heads = "words symbols numbers read work figures widgets predict cells lines longest"
    print(f"{'':32}", *(f"{head:>7}" for head in heads.split()))
    for path in NOTEBOOKS:
        if (page := Page.read(path)).number:
            m = measure(page)
            counts = [m.words, m.symbols, m.numbers, m.minutes, work(page), m.figures, m.widgets]
            counts += [m.predictions, m.cells, m.lines, m.longest]
            print(f"{path.stem:32}", *(f"{count:7.0f}" for count in counts))


if __name__ == "__main__":
    main()
