"""Figures in the dark theme.

A notebook's figure is drawn once, in the light palette.  Here its SVG text gets the dark palette's
colours, role by role, and the page shows the one that goes with its theme: a `picture` element with
both, whose `source` the browser chooses by the system's theme and `book.js` by the reader's.
"""

import base64
import io
import re
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image
from sphinx.errors import ExtensionError

from attnlib.palette import DARK, LIGHT

#: The ramps of `attnlib.figures.style`: from page to ink, and to the colours of signed numbers.
RAMPS = ("ink", "key", "query")
SIDES = ("width", "height")
MEDIA = "screen and (prefers-color-scheme: dark)"
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_BITMAP = re.compile(r"(?<=data:image/png;base64,)[^\"]+")


def rgb(colour):
    """The three numbers of a colour, shape ``(3,)``.

    >>> rgb("#0b62a8")
    array([ 11.,  98., 168.])
    """
    return np.array(list(bytes.fromhex(colour[1:])), dtype=float)


@cache
def darkened(red, green, blue):
    """The dark theme's colour, as three integers, for a colour of the light theme.

    That is a role of the palette, or lies on a ramp between the page and another role.

    Raises
    ------
    ValueError
        When it is neither.

    >>> darkened(29, 33, 38) == tuple(int(x) for x in rgb(DARK["ink"]))
    True
    """
    light = np.array([red, green, blue], dtype=float)
    for role, colour in LIGHT.items():
        if (light == rgb(colour)).all():
            return tuple(int(x) for x in rgb(DARK[role]))
    page = rgb(LIGHT["page"])
    for role in RAMPS:
        along = rgb(LIGHT[role]) - page
        part = (light - page) @ along / (along @ along)
        if 0 <= part <= 1 and np.abs(page + part * along - light).max() <= 1.5:
            dark = (1 - part) * rgb(DARK["page"]) + part * rgb(DARK[role])
            return tuple(int(x) for x in dark.round())
    raise ValueError(f"#{red:02x}{green:02x}{blue:02x} is no colour of attnlib.palette")


def dark_name(colour):
    """The dark theme's colour for one of the light theme, both as a figure writes them.

    >>> dark_name("#fdfcfa") == DARK["page"]
    True
    """
    return "#" + bytes(darkened(*bytes.fromhex(colour[1:]))).hex()


def dark_bitmap(encoded):
    """A bitmap inside an SVG, such as the cells of a large heat map, with the dark colours."""
    pixels = np.array(Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGBA"))
    seen = pixels[..., 3] > 0
    colours, which = np.unique(pixels[seen][:, :3], axis=0, return_inverse=True)
    new = np.array([darkened(*(int(x) for x in colour)) for colour in colours], dtype=np.uint8)
    pixels[seen, :3] = new[which.ravel()]
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def dark_svg(text, name):
    """The SVG text of a figure with the dark palette's colours.

    Raises
    ------
    ExtensionError
        When the figure has a colour that is not the palette's; `name` says which figure.
    """
    try:
        text = _BITMAP.sub(lambda match: dark_bitmap(match.group()), text)
        return _COLOUR.sub(lambda match: dark_name(match.group()), text)
    except ValueError as error:
        raise ExtensionError(f"{name}: {error}; a figure has no other colours.") from error


def size(svg):
    """Width and height of an SVG in pixels, so that the page keeps room for it.

    >>> size('<svg width="475.2pt" height="187.2pt">')
    {'width': 634, 'height': 250}
    """
    points = {side: re.search(rf'<svg[^>]* {side}="([0-9.]+)pt"', svg) for side in SIDES}
    return {side: round(float(match[1]) * 4 / 3) for side, match in points.items()}


def picture(image, address):
    """The HTML of a figure in both themes: of an image, and of its dark twin beside its address.

    >>> picture('<img alt="" src="_images/a.svg">', "_images/a.svg").count("_images/a.dark.svg")
    1
    """
    twin = f"{address.removesuffix('.svg')}.dark.svg"
    return f'<picture><source media="{MEDIA}" srcset="{twin}">{image}</picture>'


def write_dark_figures(app, exception):
    """Write a dark twin beside every figure of the site."""
    if exception or app.builder.format != "html":
        return
    for light in sorted(Path(app.outdir, "_images").glob("*.svg")):
        if not light.stem.endswith(".dark"):
            text = dark_svg(light.read_text(encoding="utf-8"), light.name)
            light.with_suffix(".dark.svg").write_text(text, encoding="utf-8")
