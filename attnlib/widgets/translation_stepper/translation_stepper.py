"""A number in English words, its translation word by word, and where the decoder looked."""

import textwrap
from functools import cache

import numpy as np

from attnlib import figures, normalizers
from attnlib.data import english_words, french_words
from attnlib.data.numbers import END, FRENCH, LONGEST
from attnlib.networks import Translator
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import choice, presets, text, whole
from attnlib.widgets.shared.words import fill

KINDS = ("additive", "location", "none")

trained = cache(Translator.trained)


class TranslationStepper(BookWidget):
    """A number, its translation into French by a trained network, and one step of it in full.

    The networks are those of `attnlib.networks.Translator.trained`, and the page computes
    what it shows from their numbers: nothing is looked up.  Some translations are wrong.

    Every parameter is also an attribute that can be set.  `steps`, `weights` and `wrong` are
    computed when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range.

    Examples
    --------
    >>> stepper = TranslationStepper(number=97)
    >>> stepper.translation
    ['quatre', 'vingt', 'dix', 'sept', '·']
    >>> stepper.weights[0].round(1), stepper.wrong
    (array([1., 0.]), 0)
    """

    look = "wide"
    shows = (
        "A table with a row for each French word that was written and a column for each English "
        "word; the darker a square, the more weight the decoder gave to the English word."
    )
    samples = (
        {"number": 421, "step": 2, "presets": [{"label": "97", "number": 97}]},
        {"number": 70421, "kind": "none", "task": "Which word is the first wrong one?"},
        {"number": 999999, "kind": "location", "step": 15},
        {"number": 0, "kind": "location", "step": 1},
    )

    number = whole("The number to translate.", 421, 0, 999_999)
    kind = choice("How the decoder finds its weights over the English words.", KINDS)
    step = whole(
        "The French word whose row is marked, counted from 1; the last if it is too large.",
        1,
        1,
        LONGEST,
    )
    presets = presets('{"label": "Ninety", "number": 97}')
    title = text("The heading over the widget.", "Translate a number, word by word")

    @property
    def steps(self):
        """Word, weights and the chances of all words, for each step that was taken."""
        network = trained(self.kind)
        words = english_words(self.number)
        H = network.encode(words)
        word, s, taken = END, H[-1], []
        for said in self.translation:
            logits, weights, s = network.step(word, s, H)
            word = said
            taken.append((word, weights, normalizers.softmax(logits)))
        return taken

    @property
    def translation(self):
        """The French words that are written, with the sign that ends them."""
        return trained(self.kind)(english_words(self.number))[0]

    @property
    def weights(self):
        """A row for each French word, a column for each English one; none without attention."""
        return trained(self.kind)(english_words(self.number))[1]

    @property
    def wrong(self):
        """The first word that is not as it should be, counted from 1; 0 if there is none."""
        wanted, written = [*french_words(self.number), END], self.translation
        unlike = [i for i, word in enumerate(wanted, start=1) if written[i - 1 : i] != [word]]
        return unlike[0] if unlike else 0

    def moves(self):
        yield Move("textbox", "Number", "97", {"number": 97})
        for kind, label in self.words["kinds"].items():
            yield Move("radio", label, "Space", {"kind": kind})
        yield Move("slider", "Word", "End", {"step": LONGEST})

    def numbers(self):
        steps = self.steps
        _, weights, chances = steps[min(self.step, len(steps)) - 1]
        best = np.sort(chances)[::-1]
        return {
            "step": min(self.step, len(steps)),
            "wrong": self.wrong,
            "weight": weights.max() if len(weights) else np.nan,
            "weights": weights,
            **dict(zip(("p_first", "p_second", "p_third"), best)),
        }

    def _said(self):
        """The numbers, and the words that stand beside them."""
        steps, source, numbers = self.steps, english_words(self.number), self.numbers()
        step = numbers["step"]
        word, weights, chances = steps[step - 1]
        order = np.argsort(-chances, kind="stable")

        def named(one):
            return self.words["end"] if one == END else f"“{one}”"

        return numbers | {
            "before": named(steps[step - 2][0]) if step > 1 else self.words["start"],
            "at": f"“{source[int(weights.argmax())]}”" if len(weights) else "",
            "word": named(word),
            "wanted": f"{' '.join(french_words(self.number))}.",
            **dict(zip(("first", "second", "third"), (FRENCH[i] for i in order))),
        }

    def announcement(self):
        words, said = self.words, self._said()
        sentences = {
            "english": " ".join(english_words(self.number)),
            "french": " ".join(self.translation),
            "verdict": fill(words["wrong" if self.wrong else "right"], said),
            "now": fill(words["blind" if self.kind == "none" else "looked"], said),
            "likely": fill(words["likely"], said),
        }
        return fill(words["announcement"], sentences)

    @still
    def picture(self):
        source, translation = english_words(self.number), self.translation
        weights = self.weights if self.kind != "none" else np.zeros((len(translation), len(source)))
        figure = figures.blank(5.0, 2.0 + 0.27 * len(translation))
        ax = figures.heatmap(
            weights,
            queries=[*translation[:-1], "end" if translation[-1] == END else translation[-1]],
            keys=source,
            title=f"{self.number}, {self.words['kinds'][self.kind]}",
            ax=figure.subplots(),
        )
        ax.tick_params(axis="x", rotation=90)
        ax.set_aspect("auto")
        ax.set_xlabel(textwrap.fill(self.announcement(), 62))
        return figure
