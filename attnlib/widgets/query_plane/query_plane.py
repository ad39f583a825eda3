"""The query plane: one query, a few keys and values in the plane, all of them movable."""

import itertools

import numpy as np
import traitlets

from attnlib import attention, figures, normalizers, scores
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, real, text, within

NORMALIZERS = {
    name: getattr(normalizers, name)
    for name in ("softmax", "sparsemax", "sigmoid_normalize", "hardmax")
}


class QueryPlane(BookWidget):
    """Attention of one query to up to six keys, with everything in the plane movable.

    Scores are plain dot products; the normaliser divides them by the temperature.  Every
    parameter is also an attribute that can be set.  `scores`, `weights` and `output` follow;
    observe them, or `query`, `K` and `V`, to plug in a function.

    Raises
    ------
    traitlets.TraitError
        When a value has the wrong shape, is not finite or lies outside its range.

    Examples
    --------
    The first two keys tie.  Turned round, the query prefers the third.

    >>> plane = QueryPlane()
    >>> plane.weights.round(3)
    array([0.488, 0.488, 0.024])
    >>> plane.query = [-1, -1]
    >>> plane.weights.round(3)
    array([0.045, 0.045, 0.909])
    """

    look = "wide"
    shows = (
        "Two planes. On the left arrows for the query and the keys, each key with its foot on the "
        "query's line; on the right the values with as much ink as weight, and the output among "
        "them. Below, the scores, weights and products in numbers."
    )
    samples = (
        {
            "K": [[2, 0], [-2, 0], [0, -2]],
            "V": [[10, 0], [0, 10], [10, 10]],
            "query": [0, 1.5],
            "presets": [{"label": "turned", "query": [-1, -1], "normalizer": "hardmax"}],
        },
        {"task": "Which `key` wins?"},
        {
            "query": [-1.5, 0.25],
            "K": [[1, 0], [0.5, 0.5], [-1, -1], [-2, 1]],
            "V": [[10, 1], [2, 10], [0, 0], [5, 5]],
            "normalizer": "sparsemax",
            "temperature": 3,
        },
    )

    query = Numbers("Where the query points.", [1, 1], (2,))
    K = Numbers("One to six keys, one in each row.", [[1, 0], [0.5, 0.5], [-1, -1]], (None, 2))
    V = Numbers("As many values, one in each row.", [[10, 0], [0, 10], [5, 5]], (None, 2))
    key_range = Numbers(
        "What the picture shows of `query` and `K`, their bounds.", [-2.5, 2.5], (2,)
    )
    value_range = Numbers("What the picture shows of `V`, its bounds.", [-2, 12], (2,))
    normalizer = choice("The function that turns scores into weights.", NORMALIZERS)
    temperature = real("What scores are divided by before that.", 1.0, 0.1, 10.0)
    presets = presets('{"label": "q′", "query": [-1, -1]}')
    title = text("The heading over the widget.", "Turn the query, watch the weights")

    scores = traitlets.Any(read_only=True)
    weights = traitlets.Any(read_only=True)
    output = traitlets.Any(read_only=True)

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if len(self.K) != len(self.V) or len(self.K) > 6:
            raise traitlets.TraitError(
                "QueryPlane needs one to six keys and as many values, "
                f"got {len(self.K)} keys and {len(self.V)} values."
            )
        self._rows = len(self.K)
        self._compute()
        self.observe(self._compute, ["query", "K", "V", "normalizer", "temperature"])

    @traitlets.validate("query", "K", "V")
    def _check(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        rows = getattr(self, "_rows", None)
        if name != "query" and rows not in (None, len(value)):
            raise traitlets.TraitError(
                f"this QueryPlane has {rows} {name}, got {len(value)}: make a new one to have more."
            )
        return within(self, name, value, "value_range" if name == "V" else "key_range")

    def _compute(self, _change=None):
        query, keys, values = (np.array(x) for x in ([self.query], self.K, self.V))

        def normalize(rows):
            return NORMALIZERS[self.normalizer](rows, temperature=self.temperature)

        output, weights = attention.attend(
            query, keys, values, score=scores.dot, normalize=normalize
        )
        self.set_trait("scores", scores.dot(query, keys)[0])
        self.set_trait("weights", weights[0])
        self.set_trait("output", output[0])

    def moves(self):
        yield from self._moved("Query", "query", self.query, 0.1, lambda point: point)
        for i, name in itertools.product(range(len(self.K)), ("Key", "Value")):
            trait = name[0]
            rows = getattr(self, trait)
            step = 0.1 if trait == "K" else 0.5
            yield from self._moved(
                f"{name} {i + 1}", trait, rows[i], step,
                lambda point, rows=rows, i=i: [*rows[:i], point, *rows[i + 1 :]],
            )  # fmt: skip
        for name in NORMALIZERS:
            yield Move("radio", name.split("_")[0], "Space", {"normalizer": name})
        yield Move("slider", "Temperature", "End", {"temperature": 10})

    def _moved(self, name, trait, point, step, among):
        """A point is moved by its handle and by a field for each coordinate."""
        x, y = point
        yield Move("slider", name, "ArrowUp", {trait: among([x, y + step])})
        yield Move("textbox", f"{name}, x", "1/4", {trait: among([0.25, y])})
        yield Move("textbox", f"{name}, y", "−1,5", {trait: among([x, -1.5])})

    def numbers(self):
        return {"weights": self.weights, "output": self.output}

    @still
    def picture(self):
        figure = figures.blank(5.0, 4.3)
        parts = figure.subplot_mosaic(
            [["left", "right"], ["table", "table"]], height_ratios=[2.5, 1.5]
        )
        figures.query_and_keys(
            self.query, self.K, limits=self.key_range, title=self.words["left"], ax=parts["left"]
        )
        figures.values_and_output(
            self.V, self.weights, self.output,
            limits=self.value_range, title=self.words["right"], ax=parts["right"],
        )  # fmt: skip
        figures.weighted_sum(
            self.K, self.scores, self.weights, self.V, self.output, ax=parts["table"]
        )
        return figure
