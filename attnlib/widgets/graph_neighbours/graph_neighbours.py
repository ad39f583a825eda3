"""Houses and utilities: whom each house asks, by four kinds of weights, and which edges are cut."""

import textwrap

import numpy as np
import traitlets

from attnlib import attend, dot, figures
from attnlib.networks.graphs import DynamicAdditive, StaticAdditive
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, text, whole
from attnlib.widgets.shared.words import fill

HOUSES, UTILITIES = "ABC", ("water", "gas", "power")
VALUES = np.array([2.0, 4.0, 9.0])
#: In the original score, the number of each utility as the one that is asked.
ASKED = np.array([1.0, 0.0, -1.0])
FORMS = ("original", "dynamic", "dot", "mean")
NAMES, MOST = np.eye(3), 3.0
#: Kind of weights -> the score, and the queries and keys that it is given.
SCORES = {
    "dynamic": (DynamicAdditive(NAMES, NAMES, [5.0] * 3), NAMES - 1, NAMES),
    "dot": (dot, 3 * NAMES, NAMES),
    "mean": (dot, 0 * NAMES, NAMES),
}


class GraphNeighbours(BookWidget):
    """Three houses, three utilities and the edges between them; each house wants another value.

    House A wants what water has, B what gas has, C what power has.  `weights`, `heard` and
    `favourites` are computed when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When an edge is neither 0 nor 1, a house has no edge, or a value lies outside its range.

    Examples
    --------
    With the original score all houses prefer the same utility, with dot products each its own:

    >>> graph = GraphNeighbours()
    >>> graph.favourites
    ['water', 'water', 'water']
    >>> graph.form = "dot"
    >>> graph.favourites
    ['water', 'gas', 'power']
    """

    look = "column"
    shows = (
        "Three houses in a row above three utilities. A line from each house to each utility is as "
        "thick as the weight that the house gives it; below are the weights as numbers."
    )
    samples = (
        {"presets": [{"label": "Dot product", "form": "dot"}]},
        {"house": 2, "form": "dynamic", "task": "Which line is the thickest?"},
        {"house": 1, "form": "original", "edges": [[0, 1, 1], [0, 0, 1], [1, 1, 0]]},
        {"form": "mean", "edges": [[1, 1, 1], [1, 1, 1], [0, 1, 1]]},
        {"form": "dot", "house": 1, "own": [-3, 0.5, 3]},
    )

    form = choice("Where weights come from.", FORMS)
    house = whole("The house that is looked at, from 0.", 0, 0, 2)
    own = Numbers("The number of each house in the original score, from −3 to 3.", [2, 0, -2], (3,))
    edges = Numbers("1 where a house, the row, is joined to a utility.", np.ones((3, 3)), (3, 3))
    presets = presets('{"label": "Dot product", "form": "dot"}')
    title = text("The heading over the widget.", "Whom does each house ask?")

    @traitlets.validate("own")
    def _check_own(self, proposal):
        if np.abs(proposal["value"]).max() > MOST:
            raise traitlets.TraitError(
                f"GraphNeighbours.own must lie between −3 and 3, got {proposal['value']}."
            )
        return proposal["value"]

    @traitlets.validate("edges")
    def _check_edges(self, proposal):
        edges = np.array(proposal["value"])
        if not np.isin(edges, (0, 1)).all() or not edges.any(axis=1).all():
            raise traitlets.TraitError(
                "GraphNeighbours.edges must be 0 or 1, and each house needs an edge, got "
                f"{proposal['value']}."
            )
        return proposal["value"]

    def _run(self):
        if self.form == "original":
            score = StaticAdditive(a_q=[1.0], a_k=[1.0])
            Q, K = np.array(self.own)[:, None], ASKED[:, None]
        else:
            score, Q, K = SCORES[self.form]
        return attend(Q, K, VALUES[:, None], score=score, mask=np.array(self.edges) == 1)

    @property
    def weights(self):
        """How much each house, a row, asks each utility, shape (3, 3)."""
        return self._run()[1]

    @property
    def heard(self):
        """What each house gets, shape (3,)."""
        return self._run()[0][:, 0]

    @property
    def favourites(self):
        """The utility with most weight for each house, the first of equal ones."""
        return [UTILITIES[j] for j in self.weights.argmax(axis=1)]

    def moves(self):
        own = [*self.own]
        own[self.house] -= 0.5
        original = {} if self.form == "original" else {"form": "original"}
        yield Move("slider", "Its number p", "ArrowLeft", {"own": own}, before=original)
        for form, label in self.words["forms"].items():
            yield Move("radio", label, "Space", {"form": form})
        for i, name in enumerate(HOUSES):
            yield Move("radio", f"house {name}", "Space", {"house": i})
        for j, name in enumerate(UTILITIES):
            edges = np.array(self.edges)
            edges[self.house, j] = 0
            yield Move("button", f"Cut {name}", "Enter", {"edges": edges.tolist()})

    def numbers(self):
        return {
            "weights": self.weights[self.house],
            "heard": self.heard[self.house],
            "wants": VALUES[self.house],
            "all": self.weights,
        }

    def announcement(self):
        return fill(self.words["announcement"], self.numbers() | {"name": HOUSES[self.house]})

    @still
    def picture(self):
        figure = figures.blank(5.0, 3.5)
        ax, weights, edges = figure.subplots(), self.weights, np.array(self.edges)
        for i in range(3):
            colour = LIGHT["query" if i == self.house else "muted"]
            for j in range(3):
                width = 0.5 + 9 * weights[i, j]
                style = "-" if edges[i, j] else ":"
                shade = 0.9 if i == self.house else 0.35
                ax.plot([i, j], [1, 0], style, lw=width, color=LIGHT["ink"], alpha=shade, zorder=1)
            ax.plot(i, 1, "o", ms=26, mfc=LIGHT["page"], mec=colour, mew=2, zorder=2)
            ax.text(i, 1, HOUSES[i], ha="center", va="center", color=colour, weight="bold")
        for j, name in enumerate(UTILITIES):
            ax.plot(j, 0, "o", ms=26, mfc=LIGHT["page"], mec=LIGHT["key"], mew=2, zorder=2)
            ax.text(j, 0, f"{VALUES[j]:.0f}", ha="center", va="center", color=LIGHT["value"])
            asked = f", r = {ASKED[j]:.0f}".replace("-", "−") if self.form == "original" else ""
            ax.text(j, -0.28, name + asked, ha="center", color=LIGHT["key"])
        ax.set(xlim=(-0.4, 2.4), ylim=(-0.4, 1.25), title=self.words["forms"][self.form])
        ax.axis("off")
        figure.supxlabel(textwrap.fill(self.announcement(), 62), color=LIGHT["muted"], size=10.5)
        return figure
