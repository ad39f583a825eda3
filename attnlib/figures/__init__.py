"""The book's figures: arrays in, matplotlib Axes out; one style, one colour per role.

Nothing here computes attention, shows a window or saves a file.
"""

from attnlib.figures.charts import histogram, lines, stems
from attnlib.figures.heatmaps import heatmap
from attnlib.figures.pictures import scaling_lab, signal_weights
from attnlib.figures.plane import query_plane
from attnlib.figures.style import axes, svg_text, use_book_style

__all__ = [
    "axes",
    "heatmap",
    "histogram",
    "lines",
    "query_plane",
    "scaling_lab",
    "signal_weights",
    "stems",
    "svg_text",
    "use_book_style",
]
