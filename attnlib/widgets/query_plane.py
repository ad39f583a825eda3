"""The query plane: one query, a few keys and values in the plane, all of them movable."""

import numpy as np
import traitlets

from attnlib import attention, normalizers, scores
from attnlib.widgets.base import BookWidget, svg_picture
from attnlib.widgets.traits import Numbers, within

NORMALIZERS = {
    name: getattr(normalizers, name)
    for name in ("softmax", "sparsemax", "sigmoid_normalize", "hardmax")
}


class QueryPlane(BookWidget):
    """Attention of one query to up to six keys, with everything in the plane movable.

    Scores are plain dot products; the normaliser divides them by the temperature.  Every
    parameter is also an attribute that can be set.  `scores`, `weights` and `output` follow;
    observe them, or `query`, `K` and `V`, to plug in a function.

    Parameters
    ----------
    query : array_like, shape (2,)
        Where the query points.
    K, V : array_like, shape (n, 2)
        The keys and the values, one in each row.
        As many values as keys, one to six of each.
    key_range, value_range : pair of float
        What the two pictures show, and the bounds of what may be set.
    normalizer : {"softmax", "sparsemax", "sigmoid_normalize", "hardmax"}
        The function that turns scores into weights.
    temperature : float
        From 0.1 to 10.
    presets : list of dict
        Named states for buttons, such as ``{"label": "q′", "query": [-1, -1]}``.
    title : str
        The heading over the widget.
    task : str
        One thing to find out, shown with the widget; code in backticks.

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

    script = "query_plane"

    key_range = Numbers([-2.5, 2.5], (2,)).tag(sync=True)
    value_range = Numbers([-2, 12], (2,)).tag(sync=True)
    query = Numbers([1, 1], (2,)).tag(sync=True)
    K = Numbers([[1, 0], [0.5, 0.5], [-1, -1]], (None, 2)).tag(sync=True)
    V = Numbers([[10, 0], [0, 10], [5, 5]], (None, 2)).tag(sync=True)
    normalizer = traitlets.Enum(list(NORMALIZERS), default_value="softmax").tag(sync=True)
    temperature = traitlets.Float(1.0, min=0.1, max=10.0).tag(sync=True)
    presets = traitlets.List(traitlets.Dict()).tag(sync=True)

    scores = traitlets.Any(read_only=True)
    weights = traitlets.Any(read_only=True)
    output = traitlets.Any(read_only=True)

    def __init__(self, **kwargs):
        kwargs.setdefault("title", "Turn the query, watch the weights")
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

    def picture(self):
        from attnlib import figures

        return svg_picture(figures.query_plane(self))
