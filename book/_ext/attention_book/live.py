"""Live widgets without a kernel.

A widget's output in a notebook holds its state as JSON and its picture (`attnlib.widgets`).  When
the notebook is read for the site, the output becomes a place in the page: the picture, the state,
and the name of the script that will draw it.  `live.js` mounts it there.  A picture is a file of
its own, which the browser loads only where it is seen, so that the page's text is short.
"""

import hashlib
import json
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError

from attention_book import dark
from attnlib.widgets import STATE_MIME as STATE
from attnlib.widgets import WIDGETS

VIEW = "application/vnd.jupyter.widget-view+json"


def script_json(value):
    """JSON that is safe inside a script element: no closing tag or comment can break out of it.

    >>> script_json({"text": "</script><!--"})
    '{"text": "\\\\u003c/script>\\\\u003c!--"}'
    """
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def joined(text):
    """Notebook text, which may be a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def anchor(name):
    """The identifier of a question's answer on the page of answers.

    >>> anchor("query_key_value.shift")
    'answer-query-key-value-shift'
    """
    return nodes.make_id(f"answer-{name}")


def place(data, show, alternative=None, root=None):
    """The HTML of one widget's place in the page.

    Parameters
    ----------
    data : dict
        The widget's output: MIME type -> content.
    show : callable
        SVG text of the picture, and what it shows in words as HTML -> the picture's HTML.
    alternative : str, optional
        What the picture shows, in words; by default what the widget's class says.
    root : str, optional
        For a page's first widget, the path from the page to the site's root.  Its scripts then come
        right after its place, so that it is alive before the rest of the page is parsed and laid
        out; and the place has an id that the layout can wait for.
    """
    state = data[STATE]
    widget = WIDGETS[state["script"]]
    if "text/html" in data:
        picture = joined(data["text/html"])
        if name := state["state"].get("name"):
            picture += f'<p><a href="answers.html#{anchor(name)}">Answer</a></p>'
    else:
        picture = show(joined(data["image/svg+xml"]), escape(alternative or widget.shows))
    heights = "; ".join(f"--{name}: {pixels}px" for name, pixels in widget.heights.items())
    first = "" if root is None else 'id="first-widget" '
    scripts = [] if root is None else scripts_of([state["script"]])
    tags = (f'<script src="{root}_static/{script}"></script>' for script in scripts)
    return (
        f'<div {first}class="attn-live" data-look="{widget.look}" style="{heights}" '
        f'data-script="{escape(state["script"])}" data-model="{escape(state["model"])}">'
        f'<div class="attn-fallback">{picture}</div>'
        f'<script type="application/json">{script_json(state)}</script></div>' + "".join(tags)
    )


def scripts_of(widgets):
    """Addresses of the scripts that these widgets need, from the site's `_static`, in their order.

    >>> scripts_of({"quiz", "practice"})
    ['live.js', 'widgets/practice.js', 'widgets/quiz.js']
    """
    return ["live.js", *(f"widgets/{name}.js" for name in sorted(widgets))] if widgets else []


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
    widgets, pictures = [], {}
    root = "../" * docname.count("/")

    def show(svg, words):
        name = f"{hashlib.sha256(svg.encode()).hexdigest()}.svg"
        pictures[name] = svg
        address = f"{root}{app.builder.imagedir}/{name}"
        size = " ".join(f'{side}="{pixels}"' for side, pixels in dark.size(svg).items())
        return dark.picture(f'<img loading="lazy" {size} alt="{words}" src="{address}">', address)

    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if STATE in data:
                script = data[STATE]["script"]
                if script not in WIDGETS:
                    raise ExtensionError(
                        f"{path}, cell {cell.get('id')!r}: there is no widget "
                        f"attnlib/widgets/{script}; run the notebook again."
                    )
                image = cell["metadata"].get("mystnb", {}).get("image", {})
                words, first_root = image.get("alt"), None if widgets else root
                output["data"] = {"text/html": place(data, show, words, first_root)}
                widgets.append(script)
            elif VIEW in data:
                raise ExtensionError(
                    f"{path}, cell {cell.get('id')!r}: this widget needs a kernel and cannot live "
                    "in the page; show a widget of attnlib.widgets, or tag the cell live-only."
                )
    if widgets:
        known(app.env)[docname] = (widgets, pictures)
    source[0] = json.dumps(notebook)


def known(env):
    """For every page its widgets in order and its pictures, kept with the environment."""
    if not hasattr(env, "attention_widgets"):
        env.attention_widgets = {}
    return env.attention_widgets


def widgets_used(env):
    """The widgets of the whole site."""
    return set().union(*(widgets for widgets, _ in known(env).values()))


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
