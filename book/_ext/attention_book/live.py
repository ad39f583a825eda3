"""Live widgets without a kernel.

A widget's output in a notebook holds its state as JSON and its picture (`attnlib.widgets`).  When
the notebook is read for the site, the output becomes a place in the page: the picture, the state,
and the name of the script that will draw it.  `live.js` mounts it there.
"""

import json
from html import escape
from pathlib import Path

from sphinx.errors import ExtensionError

from attention_book.dark import inline_picture

STATE = "application/vnd.attnlib.widget+json"
VIEW = "application/vnd.jupyter.widget-view+json"


def script_json(value):
    """JSON that may stand inside a script element: no closing tag, no comment, can get out.

    >>> script_json({"text": "</script><!--"})
    '{"text": "\\\\u003c/script>\\\\u003c!--"}'
    """
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def joined(text):
    """Notebook text, which may be a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def place(data, alternative):
    """The HTML of one widget's place in the page."""
    state = data[STATE]
    if "text/html" in data:
        picture = joined(data["text/html"])
    else:
        picture = inline_picture(joined(data["image/svg+xml"]), alternative, state["model"])
    return (
        f'<div class="attn-live" data-script="{escape(state["script"])}" '
        f'data-model="{escape(state["model"])}">'
        f'<div class="attn-fallback">{picture}</div>'
        f'<script type="application/json">{script_json(state)}</script></div>'
    )


def replace_widgets(app, docname, source):
    """Turn every widget output of a notebook into its place in the page.

    Raises
    ------
    ExtensionError
        When an output can only be shown with a kernel; the notebook and the cell are named.
    """
    path = app.env.doc2path(docname)
    if Path(path).suffix != ".ipynb":
        return
    notebook = json.loads(source[0])
    scripts = set()
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if STATE in data:
                scripts.add(data[STATE]["script"])
                metadata = cell["metadata"].get("mystnb", {})
                alternative = metadata.get("image", {}).get("alt") or data[STATE]["state"]["title"]
                output["data"] = {"text/html": place(data, alternative)}
            elif VIEW in data:
                raise ExtensionError(
                    f"{path}, cell {cell.get('id')!r}: this widget needs a kernel and cannot live "
                    "in the page; show a widget of attnlib.widgets, or tag the cell live-only."
                )
    if scripts:
        known(app.env)[docname] = scripts
    source[0] = json.dumps(notebook)


def known(env):
    """Widget scripts of every page, kept with the environment."""
    if not hasattr(env, "attention_scripts"):
        env.attention_scripts = {}
    return env.attention_scripts


def scripts_of(env, docname):
    """Names of the widget scripts that one page needs."""
    return known(env).get(docname, set())


def scripts_used(env):
    """Names of the widget scripts that the site needs."""
    return sorted(set().union(*known(env).values()))


def forget(app, env, docname):
    known(env).pop(docname, None)


def merge(app, env, docnames, other):
    known(env).update({name: known(other)[name] for name in docnames if name in known(other)})
