"""The matrix of weights: many queries at once, each with a row, and the answer of each row."""

import textwrap

import numpy as np
import traitlets

from attnlib import figures, normalizers, scores
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, text, whole, within

AXES = {"keys": -1, "queries": -2}
MOST, SUBSCRIPTS = 4, "₁₂₃₄"


class WeightMatrix(BookWidget):
    """Up to four queries on up to four keys: scores, weights and answers, a row for each query.

    Scores are scaled dot products.  Softmax runs along the keys, or by mistake along the queries.
    Every parameter is also an attribute that can be set.  `scores`, `weights` and `output` follow,
    whole matrices, and can be observed.

    Raises
    ------
    traitlets.TraitError
        When a value has the wrong shape, is not finite or lies outside its range.

    Examples
    --------
    A query that is moved changes its own row.

    >>> matrix = WeightMatrix()
    >>> matrix.weights.round(3)
    array([[0.401, 0.198, 0.401],
           [0.198, 0.401, 0.401]])
    >>> matrix.Q = [[1, 0], [-1, 0]]
    >>> matrix.weights.round(3)
    array([[0.401, 0.198, 0.401],
           [0.248, 0.503, 0.248]])
    """

    look = "wide"
    shows = (
        "Two planes, arrows for the queries and the keys on the left, the values and an answer to "
        "each query on the right. Below, the queries, scores, weights and answers as matrices with "
        "a row for each query, one row marked."
    )
    samples = (
        {
            "Q": [[2, -1], [-1, 2], [-2, -1.5]],
            "presets": [{"label": "wrong", "row": 1, "axis": "queries"}],
        },
        {"task": "Which `row` moves?", "row": 1},
        {
            "Q": [[0.5, 0.5], [1.5, -2], [-2, 0], [0, 2]],
            "K": [[1, 0], [-1, -1]],
            "V": [[8, 2], [2, 6]],
            "row": 3,
            "axis": "queries",
        },
    )

    Q = Numbers("One to four queries, one in each row.", [[1, 0], [0, 1]], (None, 2))
    K = Numbers("One to four keys, one in each row.", [[1, 0], [0, 1], [1, 1]], (None, 2))
    V = Numbers("As many values, one in each row.", [[1, 1], [2, 7], [7, 3]], (None, 2))
    row = whole("The query whose row is followed, counted from 0.", 0, 0)
    axis = choice("What softmax runs along: the keys, or by mistake the queries.", AXES)
    key_range = Numbers("What the picture shows of `Q` and `K`, their bounds.", [-3, 3], (2,))
    value_range = Numbers("What the picture shows of `V`, its bounds.", [-1, 12], (2,))
    presets = presets('{"label": "Row 2", "row": 1}')
    title = text("The heading over the widget.", "Follow a row, move its query")

    scores = traitlets.Any(read_only=True)
    weights = traitlets.Any(read_only=True)
    output = traitlets.Any(read_only=True)

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if len(self.K) != len(self.V):
            raise traitlets.TraitError(
                f"WeightMatrix needs as many values as keys, got {len(self.V)} values and "
                f"{len(self.K)} keys."
            )
        if self.row >= len(self.Q):
            raise traitlets.TraitError(
                f"WeightMatrix.row must be below {len(self.Q)}, the number of queries, "
                f"got {self.row}."
            )
        self._rows = {"Q": len(self.Q), "K": len(self.K), "V": len(self.V)}
        self._compute()
        self.observe(self._compute, ["Q", "K", "V", "axis"])

    @traitlets.validate("Q", "K", "V")
    def _check(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if len(value) > MOST:
            raise traitlets.TraitError(
                f"WeightMatrix.{name} has at most {MOST} rows, got {len(value)}."
            )
        rows = getattr(self, "_rows", {name: len(value)})[name]
        if rows != len(value):
            raise traitlets.TraitError(
                f"this WeightMatrix.{name} has {rows} rows, got {len(value)}: make a new one."
            )
        return within(self, name, value, "value_range" if name == "V" else "key_range")

    @traitlets.validate("row")
    def _check_row(self, proposal):
        rows = getattr(self, "_rows", {"Q": MOST})["Q"]
        if proposal["value"] >= rows:
            raise traitlets.TraitError(
                f"WeightMatrix.row must be below {rows}, the number of queries, "
                f"got {proposal['value']}."
            )
        return proposal["value"]

    def _compute(self, _change=None):
        S = scores.scaled_dot(self.Q, self.K)
        weights = normalizers.softmax(S, axis=AXES[self.axis])
        self.set_trait("scores", S)
        self.set_trait("weights", weights)
        self.set_trait("output", weights @ np.array(self.V))

    def moves(self):
        for i, (x, y) in enumerate(self.Q):

            def moved(point, i=i):
                return {"Q": [*self.Q[:i], point, *self.Q[i + 1 :]], "row": i}

            yield Move("slider", f"Query {i + 1}", "ArrowUp", moved([x, y + 0.1]))
            yield Move("textbox", f"Query {i + 1}, x", "1/4", moved([0.25, y]))
            yield Move("textbox", f"Query {i + 1}, y", "−1,25", moved([x, -1.25]))
            yield Move("radio", f"q{SUBSCRIPTS[i]}", "Space", {"row": i})
        for axis in AXES:
            yield Move("radio", f"the {axis}", "Space", {"axis": axis})

    def numbers(self):
        i = self.row
        numbers = {"query": i + 1, "scores": self.scores[i], "weights": self.weights[i]}
        return numbers | {"sum": self.weights[i].sum(), "output": self.output[i]}

    @still
    def picture(self):
        figure = figures.blank(5.0, 5.2)
        parts = figure.subplot_mosaic(
            [["left", "right"], ["weights", "weights"]], height_ratios=[1.2, 1]
        )
        queries, keys = (
            [f"{letter}{SUBSCRIPTS[i]}" for i in range(len(rows))]
            for letter, rows in (("q", self.Q), ("k", self.K))
        )
        left = figures.query_and_keys(
            self.Q[self.row], self.K, limits=self.key_range, title="The chosen query",
            ax=parts["left"],
        )  # fmt: skip
        for x, y in np.delete(self.Q, self.row, axis=0):
            left.plot([0, x], [0, y], color=LIGHT["query"], alpha=0.4, linewidth=3)
        right = figures.values_and_output(
            self.V, self.weights[self.row], self.output[self.row],
            limits=self.value_range, title="All answers", ax=parts["right"],
        )  # fmt: skip
        right.scatter(
            *np.delete(self.output, self.row, axis=0).T, marker="D", s=28,
            color=LIGHT["value"], alpha=0.5, zorder=4,
        )  # fmt: skip
        weights = figures.heatmap(
            self.weights, queries=queries, keys=keys, digits=3, ax=parts["weights"],
            title=f"Weights, softmax along the {self.axis}",
        )  # fmt: skip
        weights.axhspan(self.row - 0.5, self.row + 0.5, fill=False, ec=LIGHT["query"], lw=2)
        weights.set_xlabel(textwrap.fill(self.announcement(), 60))
        return figure
