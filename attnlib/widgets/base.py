"""What every widget of the book has in common."""

import itertools
from collections import defaultdict

import anywidget
import traitlets
from ipywidgets.widgets.widget import _instances
from ipywidgets.widgets.widget_link import DirectionalLink

from attnlib.widgets import modules

#: The MIME type of a widget's state in a notebook; the site mounts the live widget from it.
STATE_MIME = "application/vnd.attnlib.widget+json"

_numbers = defaultdict(lambda: itertools.count(1))


class BookWidget(anywidget.AnyWidget):
    """A widget that lives in Jupyter with a kernel and in the built page without one.

    Its synced traits are its whole state.  The JavaScript file named by `script` draws it and
    answers gestures; Python checks what it is given and computes the same numbers with `attnlib`.
    As an output it carries, beside the live view, its state as JSON and a picture: the page
    mounts the widget from the first, and everything else shows the second.
    """

    #: Name of the JavaScript file, without its ending.
    script = None

    title = traitlets.Unicode(help="What to do with it, in words.").tag(sync=True)
    task = traitlets.Unicode(help="One thing to find out; `code` in backticks.").tag(sync=True)

    def __init_subclass__(cls, **kwargs):
        # ipywidgets derives a class for every instance; those are passed by.
        if "script" in vars(cls):
            cls._esm = modules.notebook_module(cls.script)
            cls._css = modules.notebook_stylesheet()
        super().__init_subclass__(**kwargs)

    def __init__(self, **kwargs):
        unknown = sorted(name for name in kwargs if not self.has_trait(name))
        if unknown:
            known = sorted(self.state_names())
            raise TypeError(
                f"{type(self).__name__} has no trait {unknown[0]!r}; it has {', '.join(known)}."
            )
        self.model_name = f"{type(self).__name__}-{next(_numbers[type(self).__name__])}"
        super().__init__(**kwargs)

    @classmethod
    def state_names(cls):
        """Names of the traits that make up the state, without Jupyter's own."""
        names = cls.class_traits(sync=True)
        own = set(anywidget.AnyWidget.class_traits(sync=True))
        return [name for name in names if name not in own and not name.startswith("_")]

    def state(self):
        """The state as plain JSON values."""
        return {name: getattr(self, name) for name in sorted(self.state_names())}

    def links(self):
        """Links made with `ipywidgets.jslink` between this widget and others of the book."""
        found = []
        for link in list(_instances.values()):
            if not isinstance(link, DirectionalLink) and type(link).__name__ != "Link":
                continue
            ends = [link.source, link.target]
            if self in (ends[0][0], ends[1][0]) and all(
                isinstance(widget, BookWidget) for widget, _ in ends
            ):
                source, target = ([widget.model_name, name] for widget, name in ends)
                both = not isinstance(link, DirectionalLink)
                found.append({"source": source, "target": target, "both": both})
        return found

    def picture(self):
        """What is shown where the widget cannot live: ``{mime type: content}``."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__}({self.title!r})"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data[STATE_MIME] = {
            "widget": type(self).__name__,
            "script": self.script,
            "model": self.model_name,
            "state": self.state(),
            "links": self.links(),
        }
        data.update(self.picture())
        return data, metadata


def svg_picture(figure):
    """A matplotlib figure as ``{"image/svg+xml": text}``, the same text every time."""
    from attnlib.figures import svg_text

    return {"image/svg+xml": svg_text(figure)}
