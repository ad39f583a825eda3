"""The class that every widget is derived from."""

import itertools
from collections import defaultdict
from functools import wraps

import anywidget
from ipywidgets.widgets.widget import _instances
from ipywidgets.widgets.widget_link import DirectionalLink
from traitlets import TraitError

from attnlib import figures
from attnlib.figures.style import styled
from attnlib.widgets.shared.traits import text
from attnlib.widgets.shared.words import fill, written

#: The MIME type of a widget's state in a notebook; the site mounts the live widget from it.
STATE_MIME = "application/vnd.attnlib.widget+json"

_numbers = defaultdict(lambda: itertools.count(1))


def still(draw):
    """Make a `picture` of a method that returns a matplotlib Figure, in the book's look."""

    @wraps(draw)
    def picture(self):
        import matplotlib.pyplot as plt

        figure = styled(draw)(self)
        plt.close(figure)  # or a notebook would show it beside the widget
        return {"image/svg+xml": figures.svg_text(figure)}

    return picture


class BookWidget(anywidget.AnyWidget):
    """A widget that lives in Jupyter with a kernel and in the built page without one.

    Its synced traits are its whole state, each with a sentence of help.  Python checks it and
    computes the same numbers with `attnlib`; the JavaScript in the widget's folder draws them and
    answers gestures.  As an output it carries, beside the live view, its state as JSON
    and a picture: the page mounts the widget from the first, and everything else shows the second.

    What the class declares, the rest of the book reads: its tests, its style sheet, its pages.
    `attnlib.widgets.shared.declaration` says what each part is, and asks for those left out.
    """

    samples = shows = look = None
    #: From the widget's folder: its name, what its `words.json` holds, and the heights measured.
    script, words, heights = None, {}, {}

    title = text("The heading over the widget.")
    task = text("One thing to find out, shown with the widget; code in backticks.")

    def moves(self):
        """What a reader can move, choose or type: a `Move` for each."""
        raise NotImplementedError

    def numbers(self):
        """The numbers that it says, by their names in `words.json`."""
        raise NotImplementedError

    def announcement(self):
        """What is read aloud once the numbers have come to rest."""
        return fill(self.words["announcement"], self.numbers())

    def shown(self):
        """The numbers as the text of a chapter shows them: name -> a str for each."""
        return written(self.words, self.numbers())

    def picture(self):
        """What is shown where the widget cannot live: ``{mime type: content}``."""
        raise NotImplementedError

    def __init__(self, **kwargs):
        name = type(self).__name__
        unknown = sorted(name for name in kwargs if not self.has_trait(name))
        if unknown:
            known = ", ".join(sorted(self.state_names()))
            raise TypeError(f"{name} has no trait {unknown[0]!r}; it has {known}.")
        for needed in self.class_traits(required=True):
            if needed not in kwargs:
                raise TraitError(f"{name} needs {needed}.")
        self.model_name = f"{name}-{next(_numbers[name])}"
        super().__init__(**kwargs)

    @classmethod
    def state_names(cls):
        """Names of the traits that make up the state, the widget's own first."""
        synced = set(cls.class_traits(sync=True)) - set(anywidget.AnyWidget.class_traits())
        names = dict.fromkeys(name for base in cls.__mro__ for name in vars(base))
        return [name for name in names if name in synced and not name.startswith("_")]

    def state(self):
        """The state as plain JSON values; what is sealed stays so."""
        traits = ((name, self.trait_metadata(name, "to_json")) for name in self.state_names())
        return {
            name: to_json(getattr(self, name), self) if to_json else getattr(self, name)
            for name, to_json in sorted(traits)
        }

    def links(self):
        """Links made with `ipywidgets.jslink` between this widget and others of the book."""
        links = []
        for link in list(_instances.values()):
            if not isinstance(link, DirectionalLink) and type(link).__name__ != "Link":
                continue
            ends = [link.source, link.target]
            if self in (ends[0][0], ends[1][0]) and all(
                isinstance(widget, BookWidget) for widget, _ in ends
            ):
                source, target = ([widget.model_name, name] for widget, name in ends)
                both = not isinstance(link, DirectionalLink)
                links.append({"source": source, "target": target, "both": both})
        return links

    def __repr__(self):
        return f"{type(self).__name__}({self.title!r})"

    def stored(self):
        """What a notebook keeps of the widget, and the page mounts it from."""
        return {
            "widget": type(self).__name__,
            "script": self.script,
            "model": self.model_name,
            "state": self.state(),
            "links": self.links(),
        }

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return data | {STATE_MIME: self.stored()} | self.picture(), metadata
