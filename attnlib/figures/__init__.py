"""The book's figures: arrays in, matplotlib Axes out; one style, one colour per role.

Nothing here computes attention, shows a window or saves a file.
"""

from attnlib._extras import needs

needs("widgets", "matplotlib")

from attnlib.figures.canvases import canvas
from attnlib.figures.charts import histogram, lines, stems
from attnlib.figures.heatmaps import heatmap
from attnlib.figures.plane import query_and_keys, values_and_output, weighted_sum
from attnlib.figures.signals import filtered_signal
from attnlib.figures.style import axes, blank, svg_text, use_book_style

__all__ = [
    "axes",
    "blank",
    "canvas",
    "filtered_signal",
    "heatmap",
    "histogram",
    "lines",
    "query_and_keys",
    "stems",
    "svg_text",
    "use_book_style",
    "values_and_output",
    "weighted_sum",
]
