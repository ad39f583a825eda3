"""One item's path through a transformer block, with every number on the way."""

import json
from pathlib import Path

import numpy as np
import traitlets

from attnlib import figures
from attnlib.blocks import EncoderBlock, FeedForward, LayerNorm, relu
from attnlib.heads import MultiHeadAttention
from attnlib.masks import causal
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, switch, text, whole, within
from attnlib.widgets.shared.words import fill

BLOCK = json.loads(Path(__file__).with_name("block.json").read_text(encoding="utf-8"))
ITEMS, WIDTH, LIMIT = 3, 4, BLOCK["limit"]
START = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]
#: The stations of the path, in the order of a block with the norm before.
STATIONS = ("x", "norm1", "weights", "adds1", "sum1", "norm2", "hidden", "adds2", "sum2")
#: The same, with the norm after.
AFTER = ("x", "weights", "adds1", "sum1", "norm1", "hidden", "adds2", "sum2", "norm2")


class BlockPath(BookWidget):
    """One of three items on its way through an encoder block, whose parts can be switched off.

    The block is small: one head, which reads the first two numbers of an item and writes into the
    last two, and a network with a hidden layer of two.  `block` is the same as an `EncoderBlock`,
    with all its parts.  A part that is off brings 0; without residuals a sum is only what was
    brought.  `stations`, `path`, `weights`, `output`, `reach` and `moved` are computed when they
    are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value has the wrong shape, is not finite, or lies outside its range.

    Examples
    --------
    With all its parts it is the block itself.

    >>> path = BlockPath(norm="after")
    >>> output, weights = path.block(path.X)
    >>> bool(abs(path.output - output).max() < 1e-12)
    True

    The items on which the output of the first depends: all of them, because of attention.

    >>> path.reach["norm2"]
    [1, 2, 3]
    >>> path.attention = False
    >>> path.reach["norm2"]
    [1]
    """

    look = "wide"
    #: Between which bounds the numbers of an item lie.
    limits = (-LIMIT, LIMIT)
    shows = (
        "Two rows of small bar charts, the path of one item: attention's half of a block, then "
        "the network's. Each shows signed numbers, in the sums what came and what was brought, "
        "and below it the items on which they depend."
    )
    samples = (
        {
            "X": [[1, 0, 0.5, 0], [0, 1, 0, -1], [1, 1, 0, 2]],
            "first": START,
            "norm": "before",
            "presets": [
                {"label": "No attention", "attention": False, "station": "sum1"},
                {"label": "With attention", "attention": True, "station": "norm1"},
            ],
        },
        {"task": "Whose change reaches `x`?", "norm": "after", "item": 2, "station": "norm1"},
        {"X": [[1, 0, 0, 0], [1, 3, 0, -0.5], [1, 1, 0, 0]], "first": START, "item": 3},
        {"mask": "causal", "item": 1, "network": False, "station": "adds1"},
        {"residual": False, "item": 3, "changed": 1, "station": "hidden"},
        {
            "attention": False,
            "residual": False,
            "norm": "after",
            "X": [[0] * 4, [6] * 4, [-6, 6, 6, 6]],
        },
    )

    X = Numbers(
        f"The items, one in each row, between -{LIMIT} and {LIMIT}.",
        START,
        (ITEMS, WIDTH),
    )
    first = Numbers(
        "The items before any was changed: a number of the path that is another than with them "
        "has a dot. Where it is not given, `X` as it is given.",
        START,
        (ITEMS, WIDTH),
    )
    item = whole("The item whose path is shown.", 1, 1, ITEMS)
    changed = whole("The item whose numbers can be changed.", 2, 1, ITEMS)
    norm = choice(
        "Where the norms are: nowhere, before each part, or after each sum.",
        ("none", "before", "after"),
    )
    mask = choice("Which items an item sees: all, or none that comes later.", ("none", "causal"))
    attention = switch("Whether attention brings anything.")
    network = switch("Whether the feed-forward network brings anything.")
    residual = switch("Whether what came is added to what a part brings.")
    station = choice(
        "The station whose numbers are worked out.",
        sorted(STATIONS, key=lambda name: name != "adds1"),
    )
    presets = presets('{"label": "No residuals", "residual": false}')
    title = text("The heading over the widget.", "Follow an item through a block")

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if "X" in kwargs and "first" not in kwargs:
            self.first = self.X

    @traitlets.validate("X", "first")
    def _check_numbers(self, proposal):
        return within(self, proposal["trait"].name, proposal["value"], "limits")

    @property
    def block(self):
        """The block with all its parts, an `EncoderBlock`; its norms after, unless before."""
        arrays = {
            name: np.array(rows, dtype=float) for name, rows in BLOCK.items() if np.ndim(rows)
        }
        attention = MultiHeadAttention(
            *(arrays[name] for name in ("W_Q", "W_K", "W_V", "W_O")), n_heads=1
        )
        network = FeedForward(*(arrays[name] for name in ("W_1", "b_1", "W_2", "b_2")))
        norm = LayerNorm(np.ones(WIDTH), np.zeros(WIDTH), BLOCK["epsilon"])
        return EncoderBlock(attention, norm, network, norm, self.norm == "before")

    @property
    def pairs(self):
        """Which item may attend to which, shape ``(3, 3)``."""
        return causal(ITEMS) if self.mask == "causal" else np.ones((ITEMS, ITEMS), dtype=bool)

    @property
    def stations(self):
        """What each station holds, a row for each item; `reads1` and `reads2` what parts read."""
        return self._run(np.array(self.X))

    def _run(self, X):
        block = self.block
        norm = (lambda Z: Z) if self.norm == "none" else block.norm_1

        def attend(Z):
            if not self.attention:
                return np.zeros_like(X), np.zeros((ITEMS, ITEMS))
            brought, weights = block.attention(Z, mask=self.pairs)
            return brought, weights[0]

        def network(Z):
            W_1, b_1 = block.feed_forward.W_1, block.feed_forward.b_1
            if not self.network:
                return np.zeros((ITEMS, len(b_1))), np.zeros_like(X)
            return relu(Z @ W_1 + b_1), block.feed_forward(Z)

        def joined(came, brought):
            return came + brought if self.residual else brought

        after = self.norm == "after"
        reads1 = X if after else norm(X)
        adds1, weights = attend(reads1)
        sum1 = joined(X, adds1)
        a = norm(sum1) if after else sum1
        reads2 = a if after else norm(a)
        hidden, adds2 = network(reads2)
        sum2 = joined(a, adds2)
        y = norm(sum2) if after else sum2
        norm1, norm2 = (a, y) if after else (reads1, reads2)
        stations = (X, norm1, weights, adds1, sum1, norm2, hidden, adds2, sum2)
        return dict(zip(STATIONS, stations)) | {"a": a, "y": y, "reads1": reads1, "reads2": reads2}

    @property
    def path(self):
        """What each station holds for the chosen item."""
        return {name: rows[self.item - 1] for name, rows in self.stations.items()}

    @property
    def weights(self):
        """The weights of attention, shape ``(3, 3)``; 0 where it is off."""
        return self.stations["weights"]

    @property
    def output(self):
        """What the block makes of the items, shape ``(3, 4)``."""
        return self.stations["y"]

    @property
    def moved(self):
        """For each station which of its numbers are others than with the items in `first`."""
        first = {
            name: rows[self.item - 1] for name, rows in self._run(np.array(self.first)).items()
        }
        return {name: abs(row - first[name]) > 1e-9 for name, row in self.path.items()}

    @property
    def reach(self):
        """For each station the items on which it depends, whatever the numbers."""
        nobody, own = set(), {self.item}
        seen = {int(j) + 1 for j in np.flatnonzero(self.pairs[self.item - 1])}
        adds1 = seen if self.attention else nobody
        sum1 = adds1 | own if self.residual else adds1
        hidden = sum1 if self.network else nobody
        sum2 = hidden | sum1 if self.residual else hidden
        reach = {
            "x": own,
            "norm1": sum1 if self.norm == "after" else own,
            "weights": adds1 if len(adds1) > 1 else nobody,
            "adds1": adds1,
            "sum1": sum1,
            "norm2": sum2 if self.norm == "after" else sum1,
            "hidden": hidden,
            "adds2": hidden,
            "sum2": sum2,
        }
        return {name: sorted(items) for name, items in reach.items()}

    def moves(self):
        for i in range(1, ITEMS + 1):
            yield Move("radio", f"follow item {i}", "Space", {"item": i})
            yield Move("radio", f"change item {i}", "Space", {"changed": i})
        row = self.changed - 1
        for k in range(WIDTH):
            name, rows = f"number {k + 1}", np.array(self.X)
            rows[row, k] = -1.25
            yield Move("textbox", name, "−1,25", {"X": rows.tolist()})
            rows[row, k] = round(self.X[row][k] + 0.1, 2)
            yield Move("slider", name, "ArrowRight", {"X": rows.tolist()})
        for place in ("none", "before", "after"):
            yield Move("radio", f"norm {place}", "Space", {"norm": place})
        for kind in ("none", "causal"):
            yield Move("radio", f"mask {kind}", "Space", {"mask": kind})
        for part, shown in self.words["parts"].items():
            yield Move("checkbox", shown, "Space", {part: not getattr(self, part)})
        for station, shown in self.words["stations"].items():
            yield Move("radio", shown, "Space", {"station": station})

    def numbers(self):
        path = self.path
        return {
            "item": self.item,
            "x": path["x"],
            "n_1": path["reads1"],
            "weights": path["weights"],
            "brought": path["adds1"],
            "a": path["a"],
            "n_2": path["reads2"],
            "hidden": path["hidden"],
            "written": path["adds2"],
            "y": path["y"],
        }

    def announcement(self):
        items = ", ".join(map(str, self.reach["norm2" if self.norm == "after" else "sum2"]))
        reached = f"item{'s' if ',' in items else ''} {items}" if items else "no item"
        return fill(self.words["announcement"], self.numbers() | {"reached": reached})

    @still
    def picture(self):
        figure = figures.blank(5.0, 5.0)
        path, moved = self.path, self.moved
        titles = self.words["titles"] | self.words["titles"][self.norm]
        signed = [row for name, row in path.items() if name != "weights"]
        scale = max(1.0, *(np.abs(row).max() for row in signed))
        order = AFTER if self.norm == "after" else STATIONS
        for ax, name in zip(figure.subplots(3, 3).ravel(), order):
            row = path[name]
            places = np.arange(len(row))
            bound = 1.0 if name == "weights" else scale
            if name in ("sum1", "sum2"):
                brought = path["adds1" if name == "sum1" else "adds2"]
                ax.barh(places, row - brought, height=0.7, color=LIGHT["line"])
                _bars(ax, places, brought, row - brought, 0.35)
            else:
                _bars(ax, places, row, 0, 0.55)
            ax.axvline(0, color=LIGHT["muted"], linewidth=1)
            for place in places[moved[name]]:
                ax.plot(-1.08 * bound, place, "o", color=LIGHT["muted"], markersize=3)
            ax.set(xlim=(-1.2 * bound, 1.2 * bound), ylim=(3.5, -0.5), yticks=[])
            ax.set_title(titles[name])
        figure.supxlabel(fill(self.words["picture"], {"item": self.item}))
        return figure


def _bars(ax, places, lengths, starts, height):
    """Bars from where they start, filled where they are above 0, hollow where below."""
    fill = [LIGHT["ink"] if x >= 0 else LIGHT["page"] for x in lengths]
    ax.barh(places, lengths, left=starts, height=height, color=fill, ec=LIGHT["ink"], lw=0.8)
