"""Rules of text that moves a widget or shows its numbers (CONTRIBUTING says how it is written)."""

import json
import re

from outputs import WIDGET
from traitlets import TraitError

from attnlib.widgets import WIDGETS
from rules.registry import rule

#: One form, so that JupyterLab and GitHub show plain words, and a look at the source finds all.
SPAN = re.compile(
    r"""<span data-widget="(?P<figure>[^"]*)" (?:data-set='(?P<set>[^']*)'"""
    r"""|data-show="(?P<name>[^".]*)(?:\.(?P<index>\d+))?")>(?P<text>[^<]*)</span>"""
)
FORM = (
    """<span data-widget="fig-…" data-set='{"trait": value}'>words</span> or """
    """<span data-widget="fig-…" data-show="name.0">number</span>"""
)


def figures(page):
    """The widgets that a notebook shows in a figure: name of the figure -> stored widget."""
    stored = {}
    for cell in page.code:
        name = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        for output in cell.outputs:
            if name and WIDGET in output.get("data", {}):
                stored[name] = output["data"][WIDGET]
    return stored


def fault(span, stored):
    """What is wrong with a span that names this widget; None if nothing is."""
    cls, state = WIDGETS[stored["script"]], stored["state"]
    if span["set"] is None:
        shown = cls(**state).shown()
        if span["name"] not in shown:
            return f"{cls.__name__} says no {span['name']!r}: write one of {', '.join(shown)}"
        values = dict(enumerate(shown[span["name"]]))
        if (value := values.get(int(span["index"] or 0))) is None:
            return f"{span['name']} has {len(values)} numbers, counted from 0: write one of these"
        if value != span["text"]:
            return f"the widget begins with {value}: write this, or give the widget another state"
        return None
    if "presets" not in state:
        return f"{cls.__name__} has no state to be put into: name a widget that has presets"
    try:
        changes, widget = dict(json.loads(span["set"])), cls(**state)
        if not changes or (changes.keys() - state.keys()):
            return f"its data-set needs traits of {cls.__name__}, some of {', '.join(state)}"
        for trait, value in changes.items():
            setattr(widget, trait, value)
    except (ValueError, TypeError, TraitError) as error:
        return f"the widget refuses its data-set ({error}): write a JSON object of its traits"
    return None


@rule
def words_that_move(page):
    """Words that promise to move a picture and do not, or show a number that is not its own."""
    widgets = figures(page)
    for cell in page.notebook.cells:
        if cell.cell_type != "markdown":
            continue
        if "data-widget" in SPAN.sub("", cell.source):
            yield f"cell {cell.id} names a widget in another form than {FORM}: write it so"
        for span in SPAN.finditer(cell.source):
            words = f"cell {cell.id}, “{span['text']}”"
            if span["figure"] not in widgets:
                known = ", ".join(widgets) or "none"
                yield (
                    f"{words}: no figure named {span['figure']!r} shows a widget here: write "
                    f"one of {known}"
                )
            elif wrong := fault(span, widgets[span["figure"]]):
                yield f"{words}: {wrong}"
