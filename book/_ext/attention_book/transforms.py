"""What changes in the text of a page before it is written as HTML."""

import re

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform

_MARKS = re.compile(r"[.,;:!?)\u2019]+")


def keep_with_formula(math):
    r"""Keep an inline formula on one line with the punctuation beside it.

    >>> words = nodes.Text("for ("), nodes.math("", "d"), nodes.Text("), and")
    >>> paragraph = nodes.paragraph("", "", *words)
    >>> keep_with_formula(paragraph[1])
    >>> print(paragraph)
    <paragraph>for <inline classes="keep">(<math>d</math>),</inline> and</paragraph>
    """
    parent, at = math.parent, math.parent.index(math)
    before, after = ([*parent[:at]] or [None])[-1], parent[at + 1 : at + 2]
    marks = after and isinstance(after[0], nodes.Text) and _MARKS.match(after[0])
    if not marks:
        return
    kept = nodes.inline("", "", classes=["keep"])
    parent[at + 1] = nodes.Text(after[0][marks.end() :])
    parent[at] = kept
    if isinstance(before, nodes.Text) and before.endswith("("):
        parent[at - 1] = nodes.Text(before[:-1])
        kept += nodes.Text("(")
    kept += [math, nodes.Text(marks[0])]


class KeepWithFormula(SphinxPostTransform):
    """Keep formulas with their punctuation."""

    default_priority = 900
    formats = ("html",)

    def run(self):
        for math in [*self.document.findall(nodes.math)]:
            keep_with_formula(math)


class NameCodeFolds(SphinxPostTransform):
    """Give code above a folded result its own label.

    A cell has one pair of labels for its folds; that pair is meant for what it prints or draws.
    """

    default_priority = 900  # after MyST-NB has made the folds
    formats = ("html",)

    def run(self):
        for cell in self.document.findall(nodes.container):
            if "tag_hide-output" in cell["classes"] and isinstance(cell[0], HideCodeCellNode):
                cell[0]["prompt_show"] = self.config.nb_code_prompt_show
                cell[0]["prompt_hide"] = self.config.nb_code_prompt_hide
