"""Small pages that hold widgets in any state, made as the site makes them; ways to read them."""

import re
from pathlib import Path
from urllib.parse import quote

import attention_book
from attention_book import live

from attnlib.widgets import modules

HOST = Path(attention_book.__file__).parents[2] / "_assets" / "live.js"


def bundle(widget):
    """What the widget stores in a notebook; a dict stands for itself."""
    if isinstance(widget, dict):
        return widget
    data, _ = widget._repr_mimebundle_()
    return data


def svg_address(svg):
    """An address that holds the whole picture."""
    return "data:image/svg+xml," + quote(svg)


def widget_page_text(widgets, scripts=()):
    """A page with these widgets, alive as in the site; `scripts` are texts run in their place."""
    bundles = [bundle(widget) for widget in widgets]
    places = [live.place(data, "A picture of the widget.", svg_address) for data in bundles]
    names = sorted({data[live.STATE]["script"] for data in bundles})
    code = [HOST.read_text(encoding="utf-8")]
    code += [modules.site_script(n) for n in names if (modules.HERE / f"{n}.js").exists()]
    scripts_text = "\n".join(f"<script>{text}</script>" for text in [*code, *scripts])
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Widgets</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<style>{attention_book.colours()}{modules.stylesheet()}"
        "body { margin: 1rem; max-width: 40rem; background: var(--page) }</style></head>"
        f"<body><main><h1>Widgets</h1>{''.join(places)}</main>{scripts_text}</body></html>"
    )


def numbers(text):
    """All numbers in a text as a reader sees it, with true minus signs.

    >>> numbers("[−0.50, 2]")
    [-0.5, 2.0]
    """
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


def handle(scope, name):
    """A movable point, by its label."""
    return scope.get_by_role("slider", name=name, exact=True)


def point(scope, name):
    """Where a movable point is, as it is said to the reader."""
    return numbers(handle(scope, name).get_attribute("aria-valuetext"))


def pixel(scope, plane, name, where):
    """Where in the window a point of a square picture is, from the picture's own range."""
    box = scope.get_by_role("group", name=plane, exact=True).bounding_box()
    low, high = (
        float(handle(scope, name).get_attribute(f"aria-value{end}")) for end in ("min", "max")
    )
    x, y = where
    return (
        box["x"] + (x - low) / (high - low) * box["width"],
        box["y"] + (high - y) / (high - low) * box["height"],
    )


def worked_rows(scope):
    """The cells' texts of the worked table, one list for each key, without header and sum."""
    rows = scope.locator("[role=table] [role=row]").all()[1:-1]
    return [row.locator("[role=cell]").all_inner_texts() for row in rows]


def weights(scope):
    """The weights that the worked table shows: score, exponential, weight, value, product."""
    return [numbers(row[3])[-1] for row in worked_rows(scope)]


def frame(page):
    """Let the page draw what the last gesture changed."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
