"""The look that all figures share, and how they become SVG text."""

import io
import re
from functools import cache, wraps
from pathlib import Path

import matplotlib
from matplotlib import font_manager
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from attnlib.palette import LIGHT

#: Width of figures in inches, 480 pixels: on a screen of 360 the letters are two thirds as large.
WIDTH = 5.0

#: Weights: from page to ink.  Signed numbers: key colour, page, query colour.
INK = LinearSegmentedColormap.from_list("ink", [LIGHT["page"], LIGHT["ink"]])
SIGNED = LinearSegmentedColormap.from_list("signed", [LIGHT["key"], LIGHT["page"], LIGHT["query"]])


@cache
def _fonts():
    for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf")):
        font_manager.fontManager.addfont(path)


def style():
    """The book's matplotlib settings, as a dictionary for `matplotlib.rc_context`."""
    _fonts()
    return {
        "figure.facecolor": LIGHT["page"],
        "axes.facecolor": LIGHT["page"],
        "savefig.facecolor": LIGHT["page"],
        "figure.dpi": 96,
        "figure.constrained_layout.use": True,
        "font.family": ["Inter", "DejaVu Sans"],
        "font.size": 10.5,
        "axes.labelsize": 10.5,
        "axes.titlesize": 10.5,
        "xtick.labelsize": 10.5,
        "ytick.labelsize": 10.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 8,
        "axes.labelcolor": LIGHT["muted"],
        "axes.edgecolor": LIGHT["line"],
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.unicode_minus": True,
        "xtick.color": LIGHT["line"],
        "ytick.color": LIGHT["line"],
        "xtick.labelcolor": LIGHT["muted"],
        "ytick.labelcolor": LIGHT["muted"],
        "text.color": LIGHT["ink"],
        "lines.linewidth": 2,
        "lines.solid_capstyle": "round",
        "mathtext.fontset": "custom",
        **{f"mathtext.{face}": "Inter" for face in ("rm", "it", "bf", "bfit", "cal", "sf", "tt")},
        "svg.hashsalt": "attention",
        "svg.fonttype": "path",
    }


def use_book_style():
    """Give every figure of a notebook the book's look, as SVG.

    Call it once, at the top of a notebook.
    """
    matplotlib.rcParams.update(style())
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:  # outside Jupyter the look alone is set
        return
    set_matplotlib_formats("svg", bbox_inches=None, metadata={"Date": None})


def axes(n=1, height=2.6, width=WIDTH, **kwargs):
    """New axes in the book's look, side by side.

    Parameters
    ----------
    n : int
        How many, in one row.
    height, width : float
        Of the whole figure, in inches.
    **kwargs
        Passed to `matplotlib.figure.Figure.subplots`, such as ``sharey=True``.

    Returns
    -------
    matplotlib.axes.Axes or numpy.ndarray of Axes
        One, or an array of `n`.  In a notebook the figure shows itself when its cell ends.
    """
    import matplotlib.pyplot as plt

    with matplotlib.rc_context(style()):
        return plt.subplots(1, n, figsize=(width, height), **kwargs)[1]


def blank(width, height):
    """A figure that no window and no notebook shows, for a widget's picture."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def styled(draw):
    """Let a function draw in the book's look, whatever the reader's settings are."""

    @wraps(draw)
    def wrapper(*args, **kwargs):
        with matplotlib.rc_context(style()):
            return draw(*args, **kwargs)

    return wrapper


def svg_text(figure):
    """A figure as SVG text: no date, the same text every time.

    Examples
    --------
    >>> figure = blank(1, 1)
    >>> svg_text(figure) == svg_text(figure)
    True
    """
    buffer = io.StringIO()
    with matplotlib.rc_context(style()):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    return re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
