"""Positions as hands of clocks, and how alike two of them are at every shift."""

import numpy as np
import traitlets

from attnlib import figures
from attnlib.palette import LIGHT
from attnlib.positions import rotary, sinusoidal, sinusoidal_shift, wavelengths
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, text, whole, within
from attnlib.widgets.shared.words import fill

#: The last position, the longest shift, how far a query can look, components at most.
LAST, FAR, LOOK, MOST = 100, 50, 20, 16
SCHEMES = ("alone", "added", "rotary")
#: Made: two items, short enough that hands can be seen beside them.
QUERY = (0.5, 0.2, -0.3, 0.4, 0.6, 0.1, -0.2, -0.4, 0.3, 0.3, -0.5, 0.2, 0.1, -0.4, 0.4, 0.2)
KEY = (0.1, 0.5, 0.4, 0.3, 0.3, -0.5, -0.4, 0.1, 0.5, -0.1, 0.2, 0.4, -0.3, -0.3, 0.2, 0.5)


class PositionExplorer(BookWidget):
    """A query and a key at two positions, each a hand on one clock for each frequency.

    From position to position a hand turns by its frequency, so a shift turns it by the same angle
    wherever it starts.  A pair of components is one hand.  The similarity is the dot product of
    all hands of the query with those of the key.

    Every parameter is also an attribute that can be set.  `rows`, `parts` and `similarities` are
    computed from them with `attnlib` when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range.

    Examples
    --------
    With one hand, of 1 radian a position, 44 positions are nearly 7 whole turns:

    >>> explorer = PositionExplorer(d=2, shift=44)
    >>> round(float(explorer.numbers()["similarity"]), 4)
    0.9998
    >>> explorer.position = 60
    >>> round(float(explorer.numbers()["similarity"]), 4)
    0.9998
    """

    look = "wide"
    shows = (
        "A clock for each frequency, with a hand for the query and one for the key, and below "
        "them the dot product of the two at every shift from −50 to 50."
    )
    samples = (
        {
            "presets": [
                {"label": "44 is nearly 0", "d": 2, "shift": 44, "ahead": 0},
                {"label": "Three back", "d": 8, "shift": -3, "ahead": -3},
            ]
        },
        {"task": "Which shift after `0` is best?", "d": 2, "shift": 44, "position": 100},
        {"d": 16, "base": 10000, "ahead": -20, "shift": -50, "pair": 7},
        {"scheme": "added", "d": 4, "pair": 1, "position": 17, "shift": -9, "ahead": 6},
        {"scheme": "rotary", "pair": 2, "shift": 12, "ahead": 2},
        {"scheme": "rotary", "query": [0] * 16, "d": 16, "base": 10, "pair": 3},
    )

    #: Between which bounds the numbers of `query` and `key` may lie.
    item_range = (-3, 3)

    position = whole("Where the query stands.", 5, 0, LAST)
    shift = whole("Where the key stands, counted from the query.", 3, -FAR, FAR)
    ahead = whole(
        "How many positions ahead the query's hands are turned: where it looks.", 0, -LOOK, LOOK
    )
    d = choice("Components: two for each clock.", (8, 2, 4, 16))
    base = choice("What the slowest frequency is set by.", (100, 10, 10000))
    scheme = choice(
        "What the hands are: descriptions of positions, items to which these are added, or items "
        "that are turned.",
        SCHEMES,
    )
    pair = whole("The clock that is looked at, from 0; the last if there are fewer.", 0, 0, 7)
    query = Numbers(
        "The query's item, of which the first d numbers are used, from −3 to 3.", QUERY, (MOST,)
    )
    key = Numbers("The key's item, also from −3 to 3.", KEY, (MOST,))
    presets = presets('{"label": "Two hands", "d": 4}')
    title = text("The heading over the widget.", "Turn the hands, watch the similarity")

    @traitlets.validate("query", "key")
    def _short_enough(self, proposal):
        return within(self, proposal["trait"].name, proposal["value"], "item_range")

    def rows(self, shift=None):
        """The query and the key that many positions on, ``(d,)`` each."""
        t, s = self.position, self.position + (self.shift if shift is None else shift)
        x, z = np.array(self.query[: self.d]), np.array(self.key[: self.d])
        if self.scheme == "rotary":
            return rotary([x, z], [t + self.ahead, s], self.base)
        q, k = (
            sinusoidal(1, self.d, self.base)[0] @ sinusoidal_shift(place, self.d, self.base)
            for place in (t, s)
        )
        if self.scheme == "added":
            q, k = x + q, z + k
        return np.array([q @ sinusoidal_shift(self.ahead, self.d, self.base), k])

    def hands(self):
        """Where the hands of query and key point, right and up, ``(2, d / 2, 2)``."""
        pairs = self.rows().reshape(2, -1, 2)
        return pairs[:, :, ::-1] if self.scheme == "rotary" else pairs

    @property
    def parts(self):
        """What each pair of components adds to the similarity, ``(d / 2,)``."""
        q, k = self.hands()
        return (q * k).sum(axis=1)

    @property
    def angles(self):
        """From the query's hand clockwise to the key's, in radians, ``(d / 2,)``.

        Whole turns are counted, except where positions are added to items.
        """
        turned = np.zeros(self.d // 2)
        q, k = self.hands()
        if self.scheme != "added":
            turned = (self.shift - self.ahead) * self.omegas
            items = (row[: self.d] for row in (self.query, self.key))
            q, k = (np.reshape(row, (-1, 2))[:, ::-1] for row in items)
        if self.scheme == "alone":
            return turned
        return turned + np.arctan2(k[:, 0] * q[:, 1] - k[:, 1] * q[:, 0], (q * k).sum(axis=1))

    @property
    def omegas(self):
        """The frequency of each pair, in radians a position, ``(d / 2,)``."""
        return 2 * np.pi / wavelengths(self.d, self.base)

    @property
    def similarities(self):
        """The dot product of query and key at each shift from −50 to 50, ``(101,)``."""
        pairs = (self.rows(shift) for shift in range(-FAR, FAR + 1))
        return np.array([q @ k for q, k in pairs])

    def best(self):
        """The shifts from −50 to 50, the most similar first; of equal ones the shorter first."""
        rounded = self.similarities.round(9)
        return sorted(range(-FAR, FAR + 1), key=lambda k: (-rounded[k + FAR], abs(k), -k))

    def moves(self):
        yield Move("slider", "Position", "ArrowRight", {"position": self.position + 1})
        yield Move("slider", "Shift", "ArrowRight", {"shift": self.shift + 1})
        yield Move("slider", "Shift on the curve", "ArrowLeft", {"shift": self.shift - 1})
        yield Move("slider", "Query turned by", "ArrowLeft", {"ahead": self.ahead - 1})
        for d in (2, 4, 8, 16):
            yield Move("radio", str(d), "Space", {"d": d})
        for base in (10, 100, 10000):
            yield Move("radio", str(base), "Space", {"base": base})
        for scheme in SCHEMES:
            yield Move("radio", self.words["schemes"][scheme], "Space", {"scheme": scheme})
        for i in range(self.d // 2):
            yield Move("radio", f"pair {i}", "Space", {"pair": i})

    def numbers(self):
        similarities = self.similarities
        peak, second = self.best()[:2]
        chosen = min(self.pair, self.d // 2 - 1)
        return {
            "position": self.position,
            "other": self.position + self.shift,
            "shift": self.shift,
            "ahead": self.ahead,
            "similarity": similarities[self.shift + FAR],
            "part": self.parts,
            "angle": self.angles,
            "wavelength": wavelengths(self.d, self.base),
            "pair": chosen,
            "omega": self.omegas[chosen],
            "peak": peak,
            "best_shift": second,
            "best": similarities[second + FAR],
        }

    def announcement(self):
        return fill(self.words["announcement"], self.numbers())

    @still
    def picture(self):
        n = self.d // 2
        rows = 2 if n > 4 else 1
        figure = figures.blank(5.0, 2.9 + 1.5 * rows)
        clocks, below = figure.subfigures(2, 1, height_ratios=[1.5 * rows, 2.9])
        hands, reach = self.hands(), self.reach
        for i, ax in enumerate(np.ravel(clocks.subplots(rows, n // rows))):
            around = np.linspace(0, 2 * np.pi, 60)
            ax.plot(np.sin(around) / reach, np.cos(around) / reach, color=LIGHT["line"])
            for role, hand, width in zip(("query", "key"), hands[:, i] / reach, (4, 2)):
                ax.plot(*np.transpose([[0, 0], hand]), color=LIGHT[role], linewidth=width)
            ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", xticks=[], yticks=[])
            for side in ax.spines.values():
                side.set_visible(False)
            ax.set_xlabel(f"λ {wavelengths(self.d, self.base)[i]:.1f}", fontsize=10.5)
        ax, shifts = below.subplots(), np.arange(-FAR, FAR + 1)
        ax.plot(shifts, self.similarities, ".-", color=LIGHT["ink"], linewidth=0.8, markersize=3)
        ax.axvline(self.ahead, color=LIGHT["query"], linewidth=1)
        ax.plot(self.shift, self.similarities[self.shift + FAR], "o", color=LIGHT["key"])
        ax.set_title(fill(self.words["curve"], self.numbers()))
        ax.set(xlabel=self.words["axis"], xlim=(-FAR - 1, FAR + 1), ylim=(-self.top, self.top))
        return figure

    def _lengths(self):
        """How long hands of query and key can be, at most."""
        items = np.reshape([row[: self.d] for row in (self.query, self.key)], (2, -1, 2))
        longest = {"alone": (0, 1), "added": (1, 1), "rotary": (1, 0)}[self.scheme]
        return longest[0] * np.linalg.norm(items, axis=2) + longest[1]

    @property
    def reach(self):
        """The length of the longest hand that there can be, at least 1."""
        return max(1.0, self._lengths().max())

    @property
    def top(self):
        """No dot product is larger."""
        return max(0.5, self._lengths().prod(axis=0).sum())
