"""The book's widgets: alive in Jupyter with a kernel, and in the built page without one.

Each is a folder that is found by being there; its Python file has the folder's name and holds one
class.
"""

from importlib import import_module

from attnlib.widgets.shared.base import STATE_MIME, BookWidget
from attnlib.widgets.shared.declaration import declared
from attnlib.widgets.shared.modules import HERE

#: Name of a widget's folder -> its class.
WIDGETS = {}

for _folder in sorted(path.parent.name for path in HERE.glob("*/__init__.py")):
    if _folder == "shared":
        continue
    _module = import_module(f"{__name__}.{_folder}.{_folder}")
    (WIDGETS[_folder],) = (
        found
        for found in vars(_module).values()
        if isinstance(found, type)
        and found.__module__ == _module.__name__
        and issubclass(found, BookWidget)
    )
    declared(WIDGETS[_folder], _folder)

globals().update({cls.__name__: cls for cls in WIDGETS.values()})

__all__ = ["STATE_MIME", "WIDGETS", "BookWidget"]
__all__ += [cls.__name__ for cls in WIDGETS.values()]
