"""A mask to be painted, and a sequence that grows under it, item by item."""

import textwrap

import numpy as np
import traitlets
from matplotlib.patches import Rectangle

from attnlib import figures, normalizers
from attnlib.masks import causal
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, text, texts, whole
from attnlib.widgets.shared.words import fill

FEWEST, MOST = 2, 6
ITEMS = ("the", "cat", "sat", "by", "me", "now")
#: Made; the first three rows and columns are those of the worked example.
SCORES = (
    (0.5, 1.2, 0.8, 0.1, 0.6, 0.9),
    (0.3, 0.9, 1.1, 0.2, 0.4, 0.7),
    (0.2, 0.7, 0.4, 1.0, 0.3, 0.6),
    (0.6, 0.1, 0.9, 0.5, 1.3, 0.2),
    (0.4, 1.4, 0.2, 0.8, 0.7, 1.1),
    (0.9, 0.3, 1.2, 0.4, 0.1, 0.8),
)
VALUES = (2, 8, 5, 1, 4, 7)
WAYS = ("cache", "anew")
STAGES = ("weights", "scores")


class MaskStepper(BookWidget):
    """Items that come one after the other, and a mask that says which of them each may see.

    A step computes the row of the new item alone, from keys and values that are kept in a cache,
    and leaves earlier rows as they are: a key that comes later is not in them.  Or it computes all
    rows of all items so far again.  A query that sees no key at all has no weights and no output.

    Every parameter is also an attribute that can be set.  `weights`, `output`, `lost` and `differ`
    are computed when they are asked for.  What is left out is made as large as the rest.

    Raises
    ------
    traitlets.TraitError
        When sizes do not fit, or a value lies outside its range.

    Examples
    --------
    After two of the five items, under the causal mask:

    >>> stepper = MaskStepper(step=2)
    >>> stepper.weights.round(3)
    array([[1.   , 0.   ],
           [0.354, 0.646]])

    The first query may see nothing but the second key, and that was not there in time:

    >>> stepper.mask = [[0, 1, 0, 0, 0], *stepper.mask[1:]]
    >>> stepper.lost
    [1]
    >>> stepper.way = "anew"
    >>> stepper.lost, stepper.weights[0]
    ([], array([0., 1.]))
    """

    look = "wide"
    shows = (
        "A table with a row for each query and a column for each key. Cells that the mask forbids "
        "are hatched, the others hold weights. The keys and values so far stand above and below."
    )
    samples = (
        {
            "items": ["a", "b", "c"],
            "step": 3,
            "presets": [{"label": "Padding", "mask": [[1, 1, 0]] * 3}],
        },
        {"step": 4, "way": "anew", "task": "Paint over row `2`."},
        {"mask": [[0, 1, 0], [0, 0, 0], [1, 0, 0]], "step": 3},
        {"mask": [[1] * 6] * 6, "step": 5, "way": "anew", "stage": "scores"},
        {"mask": [[1] * 4] * 4, "step": 1, "values": [1, -2, 0.5, 3]},
    )

    items = texts("Two to six items, in the order in which they come.", [*ITEMS[:5]])
    scores = Numbers(
        "Scores, a row for each item's query and a column for each item's key.",
        np.array(SCORES)[:5, :5],
        (None, None),
    )
    values = Numbers("The value of each item, a single number.", VALUES[:5], (None,))
    mask = Numbers(
        "1 where a query, a row, may attend to a key, 0 elsewhere; truth values do as well.",
        causal(5),
        (None, None),
    )
    step = whole("How many items have come.", 3, 1, MOST)
    way = choice("What a step computes: the new row, from a cache, or all rows so far.", WAYS)
    stage = choice("What the cells show.", STAGES)
    presets = presets('{"label": "Padding", "mask": [[1, 1, 0], [1, 1, 0], [1, 1, 0]]}')
    title = text("The heading over the widget.", "Paint the mask, add an item")

    def __init__(self, **kwargs):
        sized = [kwargs[name] for name in ("items", "mask", "scores", "values") if name in kwargs]
        try:
            n = len(sized[0]) if sized else 5
        except TypeError:  # no list at all, which its trait will say
            n = 5
        made = {"items": [*ITEMS[:n]], "scores": np.array(SCORES)[:n, :n], "values": VALUES[:n]}
        if FEWEST <= n <= MOST:
            kwargs = made | {"mask": causal(n), "step": min(n, 3)} | kwargs
        super().__init__(**kwargs)
        self._n = n
        for name in ("items", "scores", "values", "mask", "step"):
            self._fits(name, getattr(self, name))

    def _fits(self, name, value):
        """The value, if it has as many rows, columns or numbers as there are items."""
        n = getattr(self, "_n", None)
        if n is None:
            return value
        if name == "step":
            if value > n:
                raise traitlets.TraitError(
                    f"MaskStepper.step must be at most {n}, the number of items, got {value}."
                )
        elif np.shape(value) != (wanted := (n,) * (1 if name in ("items", "values") else 2)):
            raise traitlets.TraitError(
                f"MaskStepper.{name} needs shape {wanted}, got {np.shape(value)}. The number of "
                f"items is fixed: make a new MaskStepper for another."
            )
        return value

    @traitlets.validate("items")
    def _check_items(self, proposal):
        items = proposal["value"]
        if not FEWEST <= len(items) <= MOST:
            raise traitlets.TraitError(
                f"MaskStepper.items needs {FEWEST} to {MOST} items, got {len(items)}."
            )
        return self._fits("items", items)

    @traitlets.validate("scores", "values", "step")
    def _check_size(self, proposal):
        return self._fits(proposal["trait"].name, proposal["value"])

    @traitlets.validate("mask")
    def _check_mask(self, proposal):
        mask = np.array(proposal["value"])
        if not np.isin(mask, (0, 1)).all():
            wrong = mask[~np.isin(mask, (0, 1))][0]
            raise traitlets.TraitError(f"MaskStepper.mask must hold 0 and 1, got {wrong:g}.")
        return self._fits("mask", proposal["value"])

    @property
    def allowed(self):
        """The mask of the items so far, as truth values, shape ``(step, step)``."""
        return np.array(self.mask, dtype=bool)[: self.step, : self.step]

    @property
    def seen(self):
        """Which keys each query has seen, by the mask and in time, shape ``(step, step)``."""
        return self.allowed & causal(self.step) if self.way == "cache" else self.allowed

    @property
    def weights(self):
        """A row for each item so far; of NaN where no key is left.  Shape ``(step, step)``."""
        seen = self.seen
        scores = np.array(self.scores)[: self.step, : self.step]
        weights = np.full(seen.shape, np.nan)
        some = seen.any(axis=1)
        if some.any():
            weights[some] = normalizers.softmax(np.where(seen, scores, -np.inf)[some])
        return weights

    @property
    def output(self):
        """The output of each item so far, NaN where no key is left, shape ``(step,)``."""
        return self.weights @ np.array(self.values)[: self.step]

    @property
    def lost(self):
        """The queries that see no key, counted from 1."""
        return [int(i) + 1 for i in np.flatnonzero(~self.seen.any(axis=1))]

    @property
    def differ(self):
        """The queries, counted from 1, whose row from the cache is not the one computed again."""
        late = self.allowed & ~causal(self.step)
        return [int(i) + 1 for i in np.flatnonzero(late.any(axis=1))]

    def moves(self):
        yield Move("slider", "Items so far", "Home", {"step": 1})
        for way, label in self.words["ways"].items():
            yield Move("radio", label, "Space", {"way": way})
        for stage in STAGES:
            yield Move("radio", stage, "Space", {"stage": stage})
        for i, row in enumerate(self.mask):
            for j, old in enumerate(row):
                mask = [list(row) for row in self.mask]
                mask[i][j] = 1 - old
                yield Move("checkbox", f"Query {i + 1}, key {j + 1}", "Space", {"mask": mask})

    def numbers(self):
        t, steps = self.step, np.arange(1, self.step + 1)
        return {
            "query": t,
            "weights": self.weights[-1],
            "output": self.output[-1],
            "lost": self.lost,
            "differ": self.differ,
            # For the new row, and for all rows.
            "queries": [1, t],
            "scores": [t, t * t],
            "masked": [(~self.allowed[-1]).sum(), (~self.allowed).sum()],
            "total": [steps.sum(), (steps**2).sum()],
            "kept": [2 * t, 0],
        }

    def announcement(self):
        words, numbers = self.words, self.numbers()
        row = "row" if self.step not in self.lost else "empty"
        parts = [words[row], words["lost" if self.lost else "none_lost"]]
        parts += [words["differ" if self.differ else "same"], words["count"]]
        return fill(" ".join(parts), numbers)

    @still
    def picture(self):
        t, weights = self.step, self.weights
        names = [name[:8] for name in self.items[:t]]
        figure = figures.blank(5.0, 1.6 + 0.42 * t)
        ax = figures.heatmap(
            np.nan_to_num(weights),
            queries=[f"{name}  q{i}" for i, name in enumerate(names, start=1)],
            keys=[f"{name}\nk{j}" for j, name in enumerate(names, start=1)],
            title=f"Weights, {t} items, {self.words['ways'][self.way]}",
            ax=figure.subplots(),
        )
        for cell in ax.texts:
            j, i = map(int, cell.get_position())
            if not self.seen[i, j]:
                cell.set_text("")
        for i, j in zip(*np.nonzero(~self.allowed)):
            hatch = {"hatch": "////", "facecolor": LIGHT["page"], "edgecolor": LIGHT["muted"]}
            ax.add_patch(Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, linewidth=0, **hatch))
        for i in self.lost:
            ax.text(t - 0.4, i - 1, "no key", color=LIGHT["key"], va="center")
        ax.set_xlabel(textwrap.fill(self.announcement(), 60))
        return figure
