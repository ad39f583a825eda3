"""A state of fixed size beside attention: what each still knows of the same pairs."""

import json
import textwrap
from pathlib import Path

import numpy as np

from attnlib import attend, dot, figures
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import choice, presets, real, text, whole

_stored = json.loads(Path(__file__).with_name("pairs.json").read_text(encoding="utf-8"))
#: Components and values are 1 or −1: `KEYS` has the shape (48, 32), `VALUES` (48,).
KEYS = np.array([[2.0 * int(bit) - 1 for bit in key] for key in _stored["keys"]])
VALUES = np.array([2.0 * int(bit) - 1 for bit in _stored["values"]])
MOST, SIZES, SHARPNESS, BYTES = len(KEYS), (16, 8, 32), 4.0, 4


class MemoryRace(BookWidget):
    """Pairs of key and value, put into a state of fixed size, and kept one by one for attention.

    Each key has as many components as the state has numbers, all 1 or −1, and each value is 1 or
    −1.  The state is ``kept`` times itself, plus the value times the key, at every pair.  Then
    every key asks.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range.

    Examples
    --------
    >>> race = MemoryRace(pairs=2)
    >>> race.from_cache.round(6)
    array([-1.,  1.])
    >>> race.numbers()["state_bytes"], race.numbers()["cache_bytes"]
    (64, 136)
    """

    look = "wide"
    shows = (
        "Two rows of bars, one for each stored pair: what a state of fixed size gives back, and "
        "what attention gives back, beside the stored values 1 and −1; below each, small squares "
        "for the numbers that it keeps."
    )
    samples = (
        {"pairs": 12, "presets": [{"label": "Few pairs", "pairs": 4, "size": 16, "kept": 1}]},
        {"pairs": 48, "size": 8, "kept": 1.0, "task": "How many are right?"},
        {"pairs": 30, "size": 32, "kept": 0.8},
        {"pairs": 1, "size": 16, "kept": 0.7},
    )

    pairs = whole("The number of pairs that are stored.", 12, 1, MOST)
    size = choice("The number of numbers in the state.", SIZES)
    kept = real("The share of itself that the state keeps at each pair.", 1.0, 0.7, 1)
    presets = presets('{"label": "Forgetful", "kept": 0.8}')
    title = text("The heading over the widget.", "Two memories, the same pairs")

    @property
    def _pairs(self):
        return KEYS[: self.pairs, : self.size], VALUES[: self.pairs]

    @property
    def from_state(self):
        """What the state gives back for each key, shape ``(pairs,)``."""
        (K, v), state = self._pairs, np.zeros(self.size)
        for key, value in zip(K, v):
            state = self.kept * state + value * key
        return K @ state / self.size

    @property
    def from_cache(self):
        """What attention gives back for each key, shape ``(pairs,)``."""
        K, v = self._pairs
        return attend(SHARPNESS * K, K, v[:, None], score=dot)[0][:, 0]

    def moves(self):
        yield Move("slider", self.words["pairs"], "ArrowRight", {"pairs": 13})
        for size in sorted(SIZES):
            yield Move("radio", str(size), "Space", {"size": size})
        yield Move("slider", self.words["kept"], "ArrowLeft", {"kept": 0.99})

    def numbers(self):
        v, by_state, by_cache = self._pairs[1], self.from_state, self.from_cache
        cache = self.pairs * (self.size + 1)
        return {
            "pairs": self.pairs,
            "size": self.size,
            "state_right": int((by_state * v > 0).sum()),
            "cache_right": int((by_cache * v > 0).sum()),
            "state_bytes": BYTES * self.size,
            "cache_numbers": cache,
            "cache_bytes": BYTES * cache,
        }

    @still
    def picture(self):
        figure = figures.blank(5.0, 4.2)
        v, places = self._pairs[1], np.arange(self.pairs)
        answers = {"state": self.from_state, "cache": self.from_cache}
        for ax, (name, given) in zip(figure.subplots(2, 1, sharex=True), answers.items()):
            right = given * v > 0
            ax.axhline(0, color=LIGHT["line"], linewidth=0.8)
            ax.bar(places, given, 0.6, color=[LIGHT["ink"] if r else LIGHT["page"] for r in right],
                   edgecolor=LIGHT["ink"])  # fmt: skip
            ax.scatter(places, v, s=16, color=LIGHT["value"], zorder=3)
            ax.set(ylim=(-2.5, 2.5), yticks=[-1, 1], xticks=[], title=self.words[name])
        ax.set_xlabel(textwrap.fill(self.announcement(), 62))
        return figure
