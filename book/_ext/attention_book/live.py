"""Live widgets without a kernel.

A widget's output in a notebook holds its state as JSON and its picture (`attnlib.widgets`).  When
the notebook is read for the site, the output becomes a place in the page: the picture, the state,
and the name of the script that will draw it.  `live.js` mounts it there.  A picture is a file of
its own, which the browser loads only where it is seen, so that the page's text is short.
"""

import hashlib
import json
import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError

from attnlib.widgets import STATE_MIME as STATE
from attnlib.widgets import WIDGETS

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


def anchor(name):
    """Where on the page of answers a question is answered.

    >>> anchor("query_key_value.shift")
    'answer-query-key-value-shift'
    """
    return nodes.make_id(f"answer-{name}")


def place(data, keep, alternative=None):
    """The HTML of one widget's place in the page.

    Parameters
    ----------
    data : dict
        The widget's output: MIME type -> content.
    keep : callable
        SVG text of the picture -> its address, seen from the page.
    alternative : str, optional
        What the picture shows, in words; by default what the widget's class says.
    """
    state = data[STATE]
    widget = WIDGETS[state["script"]]
    if "text/html" in data:
        picture = joined(data["text/html"])
        if name := state["state"].get("name"):
            picture += f'<p><a href="answers.html#{anchor(name)}">Answer</a></p>'
    else:
        address = keep(joined(data["image/svg+xml"]))
        words = escape(alternative or widget.shows)
        picture = f'<img loading="lazy" alt="{words}" src="{escape(address)}">'
    heights = "; ".join(f"--{name}: {pixels}px" for name, pixels in widget.heights.items())
    return (
        f'<div class="attn-live" data-look="{widget.look}" style="{heights}" '
        f'data-script="{escape(state["script"])}" data-model="{escape(state["model"])}">'
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
    scripts, pictures = set(), {}

    def keep(svg):
        name = f"{hashlib.sha256(svg.encode()).hexdigest()}.svg"
        pictures[name] = svg
        return f"{'../' * docname.count('/')}{app.builder.imagedir}/{name}"

    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if STATE in data:
                script = data[STATE]["script"]
                if script not in WIDGETS:
                    raise ExtensionError(
                        f"{path}, cell {cell.get('id')!r}: there is no widget "
                        f"attnlib/widgets/{script}; run the notebook anew."
                    )
                scripts.add(script)
                image = cell["metadata"].get("mystnb", {}).get("image", {})
                output["data"] = {"text/html": place(data, keep, image.get("alt"))}
            elif VIEW in data:
                raise ExtensionError(
                    f"{path}, cell {cell.get('id')!r}: this widget needs a kernel and cannot live "
                    "in the page; show a widget of attnlib.widgets, or tag the cell live-only."
                )
    if scripts:
        known(app.env)[docname] = (scripts, pictures)
    source[0] = json.dumps(notebook)


def known(env):
    """Widget scripts and pictures of every page, kept with the environment."""
    if not hasattr(env, "attention_widgets"):
        env.attention_widgets = {}
    return env.attention_widgets


def scripts_of(env, *docnames):
    """Names of the widget scripts that these pages need, in their order; all pages by default."""
    pages = known(env)
    used = set().union(*(pages[name][0] for name in docnames or pages if name in pages))
    return sorted(used)


#: A widget's place, as `place` writes it.
_PLACE = re.compile(r'<div class="attn-live".*?data-script="(\w+)".*?</script></div>', re.DOTALL)


def first_alive(body, scripts, to_root):
    """A page whose first widget lives as soon as it is read, and the scripts that can wait.

    The first widget's scripts stand right behind it, so that it does not wait for the rest of the
    page to be read and laid out piece by piece; its place has a name for the layout, which keeps
    the browser from drawing the page before it has come that far.  A page without widgets that
    needs scripts gets them all at its end.

    Parameters
    ----------
    body : str
        HTML.
    scripts : list of str
        Names of the widget scripts that the page needs.
    to_root : str
        The way from the page to the site's root.

    Returns
    -------
    body : str
        HTML with the first widget's scripts.
    rest : list of str
        Addresses of the other scripts, from the site's root, in their order.
    """
    first = _PLACE.search(body)
    names = ["live.js", *(f"widgets/{name}.js" for name in scripts)] if scripts else []
    if not first:
        return body, names
    now = ["live.js", f"widgets/{first[1]}.js"]
    tags = "".join(f'<script src="{to_root}_static/{name}"></script>' for name in now)
    named = first[0].replace("<div ", '<div id="first-widget" ', 1)
    return body[: first.start()] + named + tags + body[first.end() :], [
        name for name in names if name not in now
    ]


def pictures_used(env):
    """The site's widget pictures: file name -> SVG text."""
    return {name: svg for _, pictures in known(env).values() for name, svg in pictures.items()}


def write_pictures(app, exception):
    """Write the widgets' pictures beside the site's other images."""
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, app.builder.imagedir)
    folder.mkdir(exist_ok=True)
    for name, svg in pictures_used(app.env).items():
        (folder / name).write_text(svg, encoding="utf-8")


def forget(app, env, docname):
    known(env).pop(docname, None)


def merge(app, env, docnames, other):
    known(env).update({name: known(other)[name] for name in docnames if name in known(other)})
