"""The picture of `make bench`: time over that of the bound, and memory over n."""

import numpy as np
from matplotlib.ticker import FuncFormatter, NullLocator

from attnlib.figures.style import INK, blank, styled, svg_text
from attnlib.palette import LIGHT
from benchmarks.one_core.table import BOUND, MEBIBYTE, memory_slope, peak, ratio
from benchmarks.one_core.ways import EXACT

#: Curves of memory, and the labels at their right ends.
CURVES = {"textbook": "textbook, float64", "float32_kept": "textbook"}
CURVES |= {"in_place": "in place", "row_blocks": "row blocks"}


@styled
def picture(data):
    """Draw the data of a recording, as SVG."""
    figure = blank(9.6, 3.6)
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
    _times(left, data)
    _memory(right, data)
    return svg_text(figure)


def _times(ax, data):
    """One row for each exact implementation, one dot for each size; darker is larger."""
    sizes = data["settings"]["n"]
    names = [name for name in EXACT if name != BOUND]
    shades = np.linspace(0.3, 1, len(sizes))
    for y, name in enumerate(names):
        ratios = [ratio(data, name, n) for n in sizes]
        ax.plot([min(ratios), max(ratios)], [y, y], color=LIGHT["line"], linewidth=3, zorder=1)
        for value, shade in zip(ratios, shades):
            ax.scatter(value, y, s=34, color=INK(shade), linewidth=0, zorder=2 + shade)
    ax.axvline(1, color=LIGHT["muted"], linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    ax.set_yticks(range(len(names)), [EXACT[name][0] for name in names])
    ax.tick_params(axis="y", length=0, labelcolor=LIGHT["ink"])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))
    shade = f"n = {sizes[0]} pale to {sizes[-1]} dark"
    ax.set_xlabel(f"times the two matrix products (dashed); {shade}")
    ax.set_title("How long it takes")


def _memory(ax, data):
    """Peak memory over n, both axes logarithmic, with the exponent at the end of each curve."""
    for name, label in CURVES.items():
        known = [(n, peak(data, name, n)) for n in data["settings"]["n"]]
        n, mebibytes = zip(*[(n, bytes_ / MEBIBYTE) for n, bytes_ in known if bytes_])
        colour = LIGHT["ink" if name == "row_blocks" else "muted"]
        slope = memory_slope(data, name)
        if slope:
            label += f", $n^{{{slope:.2f}}}$"
        ax.plot(n, mebibytes, color=colour, marker="o", markersize=4)
        ax.annotate(
            label, (n[-1], mebibytes[-1]), xytext=(7, 0), textcoords="offset points",
            va="center", color=colour, annotation_clip=False,
        )  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xticks(n, [str(size) for size in n])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlabel("queries and keys, n")
    ax.set_title("How much memory it needs at its peak, MiB")
