"""What the models of the book learn from: digits, canvases, number words, texts, graphs, a pole.

They are imported by name: `import attnlib` does not load them.
"""

from attnlib.data.canvases import (
    Canvas,
    canvas,
    draw_canvas,
    held_out,
    held_out_canvases,
    ink_of,
    wanted_words,
)
from attnlib.data.digits import joined, load_digits, patches, split_digits
from attnlib.data.graphs import Graph, karate_club
from attnlib.data.numbers import english_words, french_places, french_words
from attnlib.data.texts import Texts, python_topics

__all__ = [
    "Canvas",
    "Graph",
    "Texts",
    "canvas",
    "draw_canvas",
    "english_words",
    "french_places",
    "french_words",
    "held_out",
    "held_out_canvases",
    "ink_of",
    "joined",
    "karate_club",
    "load_digits",
    "patches",
    "python_topics",
    "split_digits",
    "wanted_words",
]
