"""The book's widgets: alive in Jupyter with a kernel, and in the built page without one.

Each is a folder, which nothing else has to name; the Python file of its name holds its class.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from attnlib._extras import needs

needs("widgets", "anywidget", "ipywidgets", "matplotlib")

from attnlib.widgets.shared.base import STATE_MIME, BookWidget
from attnlib.widgets.shared.declaration import declared
from attnlib.widgets.shared.modules import HERE

#: Name of a widget's folder -> its class.
WIDGETS = {}

for _path in sorted(HERE.glob("*/*.py")):
    if _path.stem == (_name := _path.parent.name):
        _module = import_module(f"{__name__}.{_name}.{_name}")
        _found = [thing for thing in vars(_module).values() if isinstance(thing, type)]
        (WIDGETS[_name],) = (
            cls
            for cls in _found
            if issubclass(cls, BookWidget) and cls.__module__ == _module.__name__
        )
        declared(WIDGETS[_name], _name)

globals().update({cls.__name__: cls for cls in WIDGETS.values()})

__all__ = ["STATE_MIME", "WIDGETS", "BookWidget", *(cls.__name__ for cls in WIDGETS.values())]


def __dir__():
    return __all__


if TYPE_CHECKING:  # the classes have names that only a run finds

    def __getattr__(name: str) -> type[BookWidget]: ...
