"""The widgets' JavaScript, as the notebook and as the site need it.

Each file is an ES module that imports names from its neighbours.  Jupyter wants one
self-contained module per widget; the site wants plain scripts, because a page opened from disk may
not load modules.  Both are made here from the same files.
"""

import re
from functools import cache
from pathlib import Path

from attnlib import palette

HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:function|const|class) )", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)


def _read(name):
    return (HERE / f"{name}.js").read_text(encoding="utf-8")


def files(name):
    """Names of the files a widget needs, dependencies first and the widget itself last.

    Examples
    --------
    >>> files("query_plane")
    ['parts', 'controls', 'core', 'frame', 'movable', 'plane', 'worked_table', 'query_plane']
    """
    ordered = []

    def visit(current):
        for needed in _IMPORT.findall(_read(current)):
            visit(needed)
        if current not in ordered:
            ordered.append(current)

    visit(name)
    return ordered


@cache
def notebook_module(name):
    """One ES module that holds a widget and all it imports.

    Examples
    --------
    >>> source = notebook_module("query_plane")
    >>> "import {" in source, source.count("export default")
    (False, 1)
    """
    return "\n".join(_IMPORT.sub("", _read(part)) for part in files(name))


@cache
def site_script(name):
    """The same as a plain script, which hands the widget to the page's host.

    Examples
    --------
    >>> site_script("query_plane").startswith('AttentionBook.define("query_plane"')
    True
    """
    body = "\n".join(_EXPORT.sub("", _IMPORT.sub("", _read(part))) for part in files(name))
    body = _DEFAULT.sub("return ", body)
    return f'AttentionBook.define("{name}", function () {{\n"use strict";\n{body}}});\n'


@cache
def stylesheet():
    """The widgets' style sheet, without the colours (`attnlib.palette` has them)."""
    return (HERE / "widgets.css").read_text(encoding="utf-8")


@cache
def notebook_stylesheet():
    """The style sheet with the colours, following JupyterLab's light or dark theme."""
    light, dark = palette.css_variables(palette.LIGHT), palette.css_variables(palette.DARK)
    return f'.attn {{ {light} }}\n[data-jp-theme-light="false"] .attn {{ {dark} }}\n{stylesheet()}'
