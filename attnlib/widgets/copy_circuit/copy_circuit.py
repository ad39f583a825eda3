"""An induction circuit at work: a text that can be changed, what both heads look at, the copy."""

import textwrap

import traitlets

from attnlib import figures
from attnlib.networks.induction import InductionCircuit
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import choice, presets, text, texts, whole
from attnlib.widgets.shared.words import fill

LETTERS, MOST, START = "abcd", 8, "·"
OFF = ("none", "previous", "induction")
CIRCUIT = InductionCircuit(LETTERS, MOST)


class CopyCircuit(BookWidget):
    """Two attention layers that copy what followed the same letter before.

    A start token stands in front of the text.  The first head writes beside each letter the one
    before it; the second looks for the letter of the chosen place among these notes, and copies
    what stands there.  `notes`, `weights` and `copied` are computed when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When the text is empty, too long, or has other letters, or a value lies outside its range.

    Examples
    --------
    >>> circuit = CopyCircuit(tokens=["c", "a", "b", "c", "a"])
    >>> circuit.copied
    array([0., 0., 1., 0., 0.])
    >>> circuit.off = "previous"
    >>> circuit.copied
    array([1., 0., 0., 0., 0.])
    """

    look = "column"
    shows = (
        "Letters in a row. Under each the note of the first head and a bar for the weight of each "
        "head at the chosen place, and below bars for what is copied."
    )
    samples = (
        {"place": 5, "presets": [{"label": "Two followers", "tokens": [*"abacab"], "place": 5}]},
        {"tokens": [*"abacadab"], "place": 7, "task": "Which place has the note `a`?"},
        {"tokens": [*"aa"], "place": 0, "off": "previous"},
        {"tokens": [*"dcbadcba"], "place": 4, "off": "induction"},
    )

    tokens = texts("The text, one to eight of the letters a to d.", [*"abcab"])
    place = whole("The place that asks: 0 is the start; past the end, the last.", MOST, 0, MOST)
    off = choice("A head that is switched off.", OFF)
    presets = presets('{"label": "Twice", "tokens": ["a", "b", "a"], "place": 3}')
    title = text("The heading over the widget.", "Two heads that copy")

    @traitlets.validate("tokens")
    def _check_tokens(self, proposal):
        tokens = proposal["value"]
        if not 1 <= len(tokens) <= MOST or set(tokens) - set(LETTERS):
            raise traitlets.TraitError(
                f"CopyCircuit.tokens needs 1 to {MOST} of the letters {LETTERS}, got {tokens!r}."
            )
        return tokens

    @property
    def asks(self):
        """The place that asks, where there is such a place."""
        return min(self.place, len(self.tokens))

    def _run(self):
        return CIRCUIT("".join(self.tokens), off=None if self.off == "none" else self.off)

    @property
    def weights(self):
        """How much each head looks at each place from the one that asks, ``(2, n + 1)``."""
        return self._run()[1][:, self.asks]

    @property
    def copied(self):
        """The share of each token in the copy, the start first, ``(5,)``; zeros without a copy."""
        return self._run()[0][self.asks]

    @property
    def notes(self):
        """What the first head writes at each place, a letter, the start, or nothing."""
        if self.off == "previous":
            return [""] * (len(self.tokens) + 1)
        return [START, START, *self.tokens[:-1]]

    def moves(self):
        for place in range(len(self.tokens) + 1):
            yield Move("radio", f"place {place}, {self._name(place)}", "Space", {"place": place})
        for letter in LETTERS:
            changed = [*self.tokens[: self.asks - 1], letter, *self.tokens[self.asks :]]
            yield Move("radio", letter, "Space", {"tokens": changed})
            more = [*self.tokens, letter]
            yield Move("button", f"Add {letter}", "Enter", {"tokens": more, "place": len(more)})
        less = self.tokens[:-1]
        yield Move("button", "Remove", "Enter", {"tokens": less, "place": len(less)})
        for off, label in self.words["off"].items():
            yield Move("radio", label, "Space", {"off": off})

    def numbers(self):
        first, second = self.weights
        return {
            "place": self.asks,
            "first": first,
            "second": second,
            "copied": self.copied,
        }

    def announcement(self):
        return fill(self.words["announcement"], self.numbers() | {"name": self._name(self.asks)})

    def _name(self, place):
        return "start" if place == 0 else self.tokens[place - 1]

    @still
    def picture(self):
        n, (first, second) = len(self.tokens) + 1, self.weights
        figure = figures.blank(5.0, 4.2)
        rows, bars = figure.subplots(2, 1, height_ratios=[1.6, 1])
        rows.set(xlim=(-2.6, n - 0.4), ylim=(4.4, -0.6))
        rows.axis("off")
        for y, name in enumerate(self.words["rows"].values()):
            rows.text(-2.6, y, name, va="center", color=LIGHT["muted"])
        for k, letter in enumerate([START, *self.tokens]):
            asks = k == self.asks
            colour = LIGHT["query" if asks else "ink"]
            rows.text(k, 0, letter, ha="center", weight="bold" if asks else "normal", color=colour)
            rows.text(k, 1, self.notes[k], ha="center", va="center", color=LIGHT["key"])
            for y, weight in ((2.4, first[k]), (3.7, second[k])):
                rows.bar(k, -0.8 * weight, 0.6, bottom=y, color=LIGHT["ink"])
        figures.stems(self.copied, names=[START, *LETTERS], y_label="copied", ax=bars)
        bars.set_xlabel(textwrap.fill(self.announcement(), 58))
        return figure
