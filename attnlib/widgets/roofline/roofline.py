"""The roof of a machine, and how near to it naive and fused attention can come."""

import textwrap

import numpy as np

from attnlib import figures
from attnlib.cost import Ceilings, attention_cost, roofline_terms
from attnlib.palette import LIGHT
from attnlib.widgets.shared.amounts import amount, rounded
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import choice, presets, real, switch, text, whole
from attnlib.widgets.shared.words import fill

#: The most items that are shown.
MOST = 2**17
WAYS = ("naive", "fused")
#: Passes more over all pairs where a mask is a call of its own.
MASK_PASSES = 2
#: Round numbers; numbers near to the recorded core (`book/data/one_core.json`); and nominal ones:
#: an H200 with numbers of two bytes, from the maker's data sheet, and exponentials as Shah et al.
#: (2024) count them for an H100, which has the same processors.
MACHINES = {
    "pocket": {"flops_per_s": 1e14, "bytes_per_s": 1e12, "exponentials_per_s": 5e11},
    "core": {"flops_per_s": 1.5e11, "bytes_per_s": 2e10, "exponentials_per_s": 1.8e9},
    "h200": {"flops_per_s": 9.89e14, "bytes_per_s": 4.8e12, "exponentials_per_s": 3.9e12},
}
#: What limits a way, by the name of its longest term in `attnlib.cost`.
LIMITS = {"operations": "arithmetic", "bytes": "memory", "exponentials": "exponentials"}


class Roofline(BookWidget):
    """Where the limit of a machine lies, and how near to it attention over n items can come.

    The roof is the most FLOPs in a second that a machine allows at each intensity: what its memory
    brings, or what its arithmetic does, whichever is less.  On it are two points: naive attention,
    which writes all scores to memory, and fused attention, which never does.  Beside it stand the
    seconds that arithmetic, bytes and exponentials need alone.

    Every parameter is also an attribute that can be set.  `cost`, `terms`, `limits` and `seconds`
    are computed with `attnlib.cost` when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range.

    Examples
    --------
    >>> roofline = Roofline(n=1000, d=64, itemsize=2)
    >>> roofline.limits
    {'naive': 'memory', 'fused': 'arithmetic'}
    >>> [f"{1e6 * seconds:.2f}" for seconds in roofline.seconds.values()]
    ['8.51', '2.56']

    With narrow heads there are many exponentials for each product.

    >>> Roofline(n=1000, d=32, exponentials=True).limits["fused"]
    'exponentials'
    """

    look = "wide"
    shows = (
        "A chart with logarithmic axes: the FLOPs a second that a machine allows for each number "
        "of FLOPs a byte, with a point on it for naive and one for fused attention. Beside it the "
        "times that arithmetic, bytes and exponentials need alone, as bars."
    )
    samples = (
        {
            "n": 1000,
            "presets": [
                {"label": "Few items", "n": 16},
                {"label": "Wide heads", "d": 256, "n": 16384},
            ],
        },
        {"n": 1, "task": "Turn `n` up."},
        {"n": MOST, "d": 256, "n_heads": 16, "passes": 8, "flops_per_s": 4e15, "bytes_per_s": 1e10},
        {"n": 4096, "d": 32, "exponentials": True, "exponentials_per_s": 5e10, "causal": True},
        {"n": 640, "itemsize": 4, "d": 8, **MACHINES["core"], "exponentials": True},
        {
            "n": 4096,
            "n_heads": 32,
            "causal": True,
            **MACHINES["h200"],
        },
    )

    n = whole("Number of items in one sequence.", 1000, 1, MOST)
    d = whole("Width of a head.", 64, 8, 512)
    n_heads = whole("Number of heads of this width; it moves no point.", 1, 1, 64)
    itemsize = choice("Bytes of one number.", (2, 4, 8))
    passes = choice(
        "How often naive attention reads or writes an array of all pairs; a causal mask adds two.",
        (4, 6, 8),
    )
    causal = switch("Whether a query attends only to its own position and earlier ones.", False)
    flops_per_s = real("FLOPs in a second, two for a multiply-add.", 1e14, 1e9, 4e15)
    bytes_per_s = real("Bytes that are moved in a second.", 1e12, 1e9, 1e13)
    exponentials_per_s = real("Exponentials in a second.", 5e11, 1e9, 1e13)
    exponentials = switch("Whether exponentials count, or are free.", False)
    presets = presets('{"label": "Few items", "n": 16}')
    title = text("The heading over the widget.", "Find what limits attention")

    @property
    def machine(self):
        """The rates that count, as `attnlib.cost.Ceilings`."""
        counted = self.exponentials_per_s if self.exponentials else None
        return Ceilings(self.flops_per_s, self.bytes_per_s, counted)

    def _cost(self, n):
        costs = attention_cost(
            n,
            n,
            self.d,
            self.d,
            n_heads=self.n_heads,
            causal=self.causal,
            itemsize=self.itemsize,
            passes=self.passes + MASK_PASSES * self.causal,
        )
        return {way: getattr(costs, way) for way in WAYS}

    @property
    def cost(self):
        """What naive and fused attention have to do, each an `attnlib.cost.Cost`."""
        return self._cost(self.n)

    def _terms(self, cost):
        return roofline_terms(cost.flops, cost.bytes, self.machine, exponentials=cost.exponentials)

    @property
    def terms(self):
        """For both ways the seconds of arithmetic, memory and exponentials alone."""
        return {
            way: {LIMITS[name]: seconds for name, seconds in self._terms(cost).items()}
            for way, cost in self.cost.items()
        }

    @property
    def limits(self):
        """What limits both ways: the term that takes longest."""
        return {way: max(terms, key=terms.get) for way, terms in self.terms.items()}

    @property
    def seconds(self):
        """The least seconds of both ways."""
        return {way: max(terms.values()) for way, terms in self.terms.items()}

    def moves(self):
        words = self.words
        yield Move("slider", "Items n", "ArrowUp", {"n": 2 * self.n})
        yield Move("slider", "Width d", "ArrowRight", {"d": 2 * self.d})
        yield Move("slider", "Heads h", "ArrowRight", {"n_heads": 2 * self.n_heads})
        yield Move("slider", "Arithmetic", "Home", {"flops_per_s": 1e9})
        yield Move("slider", "Memory", "End", {"bytes_per_s": 1e13})
        yield Move("slider", "Exponentials", "End", {"exponentials_per_s": 1e13})
        for name, rates in MACHINES.items():
            yield Move("button", words["machines"][name], "Space", rates)
        for itemsize in (2, 4, 8):
            yield Move("radio", f"{itemsize} B", "Space", {"itemsize": itemsize})
        for passes in (4, 6, 8):
            yield Move("radio", f"{passes}", "Space", {"passes": passes})
        for label, counted in zip(words["counted"].values(), (False, True)):
            yield Move("radio", label, "Space", {"exponentials": counted})
        for label, causal in zip(words["masks"].values(), (False, True)):
            yield Move("radio", label, "Space", {"causal": causal})

    def numbers(self):
        (naive, fused), (slow, fast) = self.cost.values(), self.seconds.values()
        return {
            "n": self.n,
            "d": self.d,
            "ridge": rounded(self.machine.ridge, 1),
            "naive_intensity": rounded(naive.intensity, 1),
            "fused_intensity": rounded(fused.intensity, 1),
            "gain": rounded(slow / fast, 2),
        }

    def announcement(self):
        numbers = self.numbers()
        texts = {"lead": fill(self.words["gain"], numbers)}
        for way in WAYS:
            texts[f"{way}_time"] = amount(self.seconds[way], "s")
            texts[f"{way}_limit"] = self.words["limits"][self.limits[way]]
        return fill(self.words["announcement"], numbers | texts)

    @still
    def picture(self):
        x = 10 ** np.linspace(-1.3, 5.15, 400)
        slope, flat = self.bytes_per_s * x, self.flops_per_s
        ax = figures.blank(5.0, 4.8).subplots()
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.plot(x, np.minimum(slope, flat), color=LIGHT["ink"], linewidth=1.6)
        if self.exponentials:
            ax.axhline(4 * self.d * self.exponentials_per_s, color=LIGHT["ink"], linestyle="--")
        cost, seconds = self.cost, self.seconds
        names = {"naive": "naive", "fused": f"fused, n = {self.n}"}
        faces = {"naive": LIGHT["page"], "fused": LIGHT["ink"]}
        for way in WAYS:
            rate = cost[way].flops / seconds[way]
            ax.plot(
                cost[way].intensity, rate, "o", color=LIGHT["ink"], markersize=7,
                markerfacecolor=faces[way],
            )  # fmt: skip
            below = way == "naive"
            ax.annotate(
                names[way], (cost[way].intensity, rate), textcoords="offset points",
                xytext=(8, -12) if below else (-6, 7), ha="left" if below else "right",
            )  # fmt: skip
        ax.set_xlim(x[0], x[-1])
        ax.set_ylim(1e9, 10**15.9)
        ax.set_title("FLOPs a second for each intensity")
        ax.set_xlabel("\n".join(["FLOPs a byte", *textwrap.wrap(self.announcement(), 62)]))
        return ax.figure
