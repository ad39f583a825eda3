"""A canvas with digits, the words that describe it, and where each word looked."""

import numpy as np

from attnlib import figures
from attnlib.data.canvases import END, LEFT, LONGEST, RIGHT, WORDS, canvas
from attnlib.networks import Describer
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.digits import images
from attnlib.widgets.shared.traits import choice, presets, text, whole
from attnlib.widgets.shared.words import fill

SOURCES = ("own", "values", "keys")
FIRST = {"describe": END, "left": LEFT, "right": RIGHT}
NONE = -1


def made(left, right, left_column, right_column):
    """A canvas with a digit on the left, on the right, both or none."""
    right_column = max(right_column, left_column + 8) if left != NONE else right_column
    pairs = [(left, left_column), (right, right_column)]
    there = [(digit, column) for digit, column in pairs if digit != NONE]
    digits = [digit for digit, _ in there]
    return canvas([images()[d] for d in digits], digits, [(1, column) for _, column in there])


class CanvasDescriber(BookWidget):
    """A canvas, the words that a trained network writes about it, and one step of it in full.

    The network is `attnlib.networks.Describer.trained`, and the page computes what it
    shows: nothing is looked up.  Keys or values can be those of another canvas.  A digit of −1 is
    none.

    Every parameter is also an attribute that can be set.  `said` and `weights` are computed when
    they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range.

    Examples
    --------
    >>> describer = CanvasDescriber(left=7, right=2)
    >>> describer.said
    ['seven', 'and', 'two', '·']
    >>> describer.weights.shape
    (4, 8)
    """

    look = "wide"
    shows = (
        "A canvas with handwritten digits, cut into two rows of four patches, beside another "
        "canvas; in each patch that is searched, a bar as long as its weight."
    )
    samples = (
        {"left": 7, "right": 2, "step": 1, "presets": [{"label": "Two, seven", "left": 2}]},
        {"left": 4, "right": -1, "source": "values", "task": "Whose digits are named?"},
        {"left": -1, "right": 3, "source": "keys", "step": 4, "first": "right"},
        {"left": -1, "right": -1, "first": "left"},
    )

    left = whole("The digit on the left; −1 for none.", 7, NONE, 9)
    right = whole("The digit on the right; −1 for none.", 2, NONE, 9)
    left_column = whole("Where the left digit begins.", 1, 0, 4)
    right_column = whole("Where the right digit begins, at least 8 after the left.", 11, 8, 12)
    other_left = whole("The digit on the left of the other canvas; −1 for none.", 4, NONE, 9)
    other_right = whole("The digit on the right of the other canvas; −1 for none.", 9, NONE, 9)
    source = choice("What is taken from the other canvas: nothing, values or keys.", SOURCES)
    first = choice("What the decoder reads first.", tuple(FIRST))
    step = whole("The word that is looked at, from 1; the last if it is too large.", 1, 1, LONGEST)
    presets = presets('{"label": "Two, seven", "left": 2}')
    title = text("The heading over the widget.", "Describe a canvas, word by word")

    @property
    def canvases(self):
        """This canvas and the other one."""
        return (
            made(self.left, self.right, self.left_column, self.right_column),
            made(self.other_left, self.other_right, 1, 11),
        )

    def _written(self):
        own, other = (c.pixels for c in self.canvases)
        keys = other if self.source == "keys" else own
        values = other if self.source == "values" else own
        return Describer.trained()(keys, values, question=FIRST[self.first])

    @property
    def said(self):
        """The words that are written."""
        return self._written()[0]

    @property
    def weights(self):
        """What each word gave to each patch."""
        return self._written()[1]

    def moves(self):
        yield Move("slider", self.words["left"], "End", {"left": 9})
        yield Move("slider", self.words["right"], "Home", {"right": NONE})
        yield Move("slider", self.words["left_column"], "End", {"left_column": 4})
        yield Move("slider", self.words["right_column"], "Home", {"right_column": 8})
        yield Move("slider", self.words["other_left"], "Home", {"other_left": NONE})
        yield Move("slider", self.words["other_right"], "Home", {"other_right": NONE})
        for source, label in self.words["sources"].items():
            yield Move("radio", label, "Space", {"source": source})
        for first, label in self.words["firsts"].items():
            yield Move("radio", label, "Space", {"first": first})
        yield Move("slider", self.words["step"], "End", {"step": LONGEST})

    def _step(self):
        """Number, weights and chances of the chosen word."""
        own, other = (Describer.trained().see(c.pixels) for c in self.canvases)
        model, said = Describer.trained(), self.said
        step = min(self.step, len(said))
        keys = model.keys(other if self.source == "keys" else own)
        values = model.values(other if self.source == "values" else own)
        chances, weights = model.step([FIRST[self.first], *said[: step - 1]], keys, values)
        return step, weights, chances

    def numbers(self):
        step, weights, chances = self._step()
        best = np.sort(chances)[::-1]
        return {
            "step": step,
            "weight": weights.max(),
            "weights": weights,
            "p_first": best[0],
            "p_second": best[1],
        }

    def announcement(self):
        step, weights, chances = self._step()
        said, words = self.said, self.words
        order = np.argsort(-chances, kind="stable")
        named = [words["end"] if WORDS[i] == END else WORDS[i] for i in order]
        values = self.numbers() | {
            "place": words["places"][int(weights.argmax())],
            "word": words["end"] if said[step - 1] == END else said[step - 1],
            "first": named[0],
            "second": named[1],
        }
        sentences = {
            "said": " ".join(said),
            "now": fill(words["looked"], values),
            "likely": fill(words["likely"], values),
        }
        return fill(words["announcement"], sentences)

    @still
    def picture(self):
        _, weights, _ = self._step()
        own, other = (c.pixels for c in self.canvases)
        figure = figures.blank(5.0, 1.8)
        axes = figure.subplots(1, 2)
        on_other = self.source == "keys"
        for ax, pixels, searched, name in (
            (axes[0], own, not on_other, "own"),
            (axes[1], other, on_other, "other"),
        ):
            title = self.words["roles"][self.source][name].split(": ")[1]
            figures.canvas(pixels, weights if searched else None, title=title, ax=ax)
        figure.supxlabel(" ".join(self.said), fontsize=11)
        return figure
