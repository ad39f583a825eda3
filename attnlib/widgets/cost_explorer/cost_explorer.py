"""Operations, bytes and least time of self-attention, step by step, and how they grow with n."""

import bisect
import math
import textwrap

import numpy as np
import traitlets

from attnlib import figures
from attnlib.cost import Ceilings, Cost, block_cost, roofline_time
from attnlib.palette import LIGHT
from attnlib.widgets.shared.amounts import amount, rounded
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import choice, presets, real, text, whole
from attnlib.widgets.shared.words import fill

#: The most items that are shown, and the most that a crossing is looked for at.
MOST, FARTHEST = 2**17, 2**24
#: The steps over pairs, which the fused way takes in one; and those over items.
PAIRS = ("scores", "normalise", "weigh")
PARTS = {
    "attention": ("projections", "output projection"),
    "block": ("projections", "output projection", "feed-forward", "norms and residuals"),
}
STEPS = ("projections", *PAIRS, "pairs", *PARTS["block"][1:])
MEASURES = {"work": "multiply_adds", "bytes": "bytes", "seconds": None}
#: Round numbers: near to the recorded core (`book/data/one_core.json`), and made up.
MACHINES = {
    "core": {"flops_per_s": 1.5e11, "bytes_per_s": 2e10, "exponentials_per_s": 1.8e9},
    "gpu": {"flops_per_s": 5e14, "bytes_per_s": 4e12, "exponentials_per_s": 4e12},
}


class CostExplorer(BookWidget):
    """What n items cost in a self-attention layer, or in a whole block of width 4d inside.

    Each step has its multiply-adds, the bytes that it moves, and the least time for both, and for
    its exponentials, on a machine of three rates.  Steps come one after the other, so their times
    add up.  The chart shows one of the three for every n: the steps over pairs of items against
    the projections, which are steps over items.

    Every parameter is also an attribute that can be set.  `cost`, `seconds`, `doubling` and
    `crossing` are computed with `attnlib.cost` when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range, or `n_heads` does not divide `d_model`.

    Examples
    --------
    At n = 2d the pairs take as many multiply-adds as the projections.

    >>> explorer = CostExplorer(n=20, d_model=10, n_heads=2)
    >>> [step.multiply_adds for step in explorer.cost.steps.values()]
    [6000, 4000, 0, 4000, 2000]
    >>> explorer.crossing, explorer.doubling
    (20, 3.0)

    A whole block has the feed-forward network besides.

    >>> explorer.part = "block"
    >>> explorer.crossing
    60
    """

    look = "wide"
    shows = (
        "A chart with logarithmic axes: the work of the steps over pairs and of the projections "
        "for every number of items, and their sum. Beside it a table of the steps with "
        "multiply-adds, bytes and least time."
    )
    samples = (
        {
            "n": 256,
            "d_model": 64,
            "n_heads": 4,
            "presets": [
                {"label": "n = 2d", "n": 128},
                {"label": "A block", "part": "block", "n": 65536, "d_model": 1024, "n_heads": 16},
            ],
        },
        {"n": 10_000, "measure": "bytes", "task": "Turn `d` up."},
        {"part": "block", "n": 3072, "step": "feed-forward", "itemsize": 2, **MACHINES["gpu"]},
        {"way": "fused", "measure": "bytes", "step": "pairs", "d_model": 128, "n": 640},
        {
            "n": 3,
            "d_model": 6,
            "n_heads": 3,
            "itemsize": 8,
            "part": "block",
            "measure": "seconds",
            "step": "norms and residuals",
        },
        {"way": "fused", "measure": "seconds", "n": 20_000, "step": "output projection"},
    )

    n = whole("Number of items in one sequence.", 1024, 1, MOST)
    d_model = whole("Length of an item, d in the picture.", 512, 2, 8192)
    n_heads = whole("Number of heads; it divides `d_model`.", 8, 1, 64)
    itemsize = whole("Bytes of one number: 2, 4 or 8.", 4)
    flops_per_s = real("FLOPs in a second, two for a multiply-add.", 1.5e11, 1e9, 1e15)
    bytes_per_s = real("Bytes that are moved in a second.", 2e10, 1e9, 1e13)
    exponentials_per_s = real("Exponentials in a second.", 1.8e9, 1e8, 1e14)
    part = choice("What counts: the attention layer alone, or the whole block.", PARTS)
    way = choice("Whether all scores are written to memory, or never.", ("naive", "fused"))
    measure = choice(
        "What the chart shows, and what share, doubling and crossing are about.", MEASURES
    )
    step = choice(
        'The step that is written out; ``"pairs"`` is what the fused way takes in one.',
        sorted(STEPS, key=lambda name: name != "scores"),
    )
    presets = presets('{"label": "n = 2d", "n": 1024, "d_model": 512}')
    title = text("The heading over the widget.", "Count what attention costs")

    @traitlets.validate("itemsize")
    def _check_itemsize(self, proposal):
        if proposal["value"] not in (2, 4, 8):
            raise traitlets.TraitError(
                f"CostExplorer.itemsize must be 2, 4 or 8 bytes, got {proposal['value']}."
            )
        return proposal["value"]

    @traitlets.validate("d_model", "n_heads")
    def _check_heads(self, proposal):
        sizes = {"d_model": self.d_model, "n_heads": self.n_heads}
        sizes[proposal["trait"].name] = proposal["value"]
        if sizes["d_model"] % sizes["n_heads"]:
            raise traitlets.TraitError(
                f"CostExplorer.n_heads={sizes['n_heads']} must divide "
                f"d_model={sizes['d_model']}: each head takes an equal share."
            )
        return proposal["value"]

    @property
    def machine(self):
        """The three rates, as `attnlib.cost.Ceilings`."""
        return Ceilings(self.flops_per_s, self.bytes_per_s, self.exponentials_per_s)

    @property
    def counted(self):
        """The names of the steps that count."""
        over_pairs = PAIRS if self.way == "naive" else ("pairs",)
        return [name for name in STEPS if name in PARTS[self.part] + over_pairs]

    def steps_of(self, n):
        """Every step for n items, of the whole block."""
        cost = block_cost(n, self.d_model, self.n_heads, 4 * self.d_model, itemsize=self.itemsize)
        steps = getattr(cost, self.way).steps
        return steps | {"pairs": Cost({name: steps[name] for name in PAIRS})}

    def least_of(self, step):
        """The least seconds for a step."""
        return roofline_time(step.flops, step.bytes, self.machine, exponentials=step.exponentials)

    @property
    def cost(self):
        """The steps that count, as an `attnlib.cost.Cost`, with their sum."""
        steps = self.steps_of(self.n)
        return Cost({name: steps[name] for name in self.counted})

    @property
    def seconds(self):
        """The least seconds of each step that counts."""
        return {name: self.least_of(step) for name, step in self.cost.steps.items()}

    def sums(self, n):
        """What the measure gives for the steps over pairs, and for all else that counts."""
        steps, name = self.steps_of(n), MEASURES[self.measure]
        of = {step: getattr(s, name) if name else self.least_of(s) for step, s in steps.items()}
        rest = PARTS[self.part]
        return sum(of[s] for s in self.counted if s not in rest), sum(of[s] for s in rest)

    @property
    def doubling(self):
        """By how much the measure grows from n to 2n."""
        return sum(self.sums(2 * self.n)) / sum(self.sums(self.n))

    @property
    def crossing(self):
        """The first n at which the pairs take as much as all else; None if there is none."""

        def leads(n):
            pairs, rest = self.sums(n)
            return pairs >= rest

        if not leads(FARTHEST):
            return None
        return bisect.bisect_left(range(1, FARTHEST + 1), True, key=leads) + 1

    def moves(self):
        words = self.words
        yield Move("slider", "Items n", "ArrowUp", {"n": 2 * self.n})
        longer = self.d_model * 3 // 2  # after a power of two
        yield Move("slider", "Width d", "ArrowRight", {"d_model": longer})
        yield Move("slider", "Heads h", "ArrowRight", {"n_heads": 2 * self.n_heads})
        yield Move("slider", "Arithmetic", "End", {"flops_per_s": 1e15})
        yield Move("slider", "Memory", "Home", {"bytes_per_s": 1e9})
        yield Move("slider", "Exponentials", "End", {"exponentials_per_s": 1e14})
        for name, rates in MACHINES.items():
            yield Move("button", words["machines"][name], "Space", rates)
        for itemsize in (2, 4, 8):
            yield Move("radio", f"{itemsize}", "Space", {"itemsize": itemsize})
        for name in self.counted:
            yield Move("radio", words["steps"][name], "Space", {"step": name})
        for trait in ("measure", "way"):
            for value, label in words[f"{trait}s"].items():
                yield Move("radio", label, "Space", {trait: value})
        for name in STEPS:
            if name not in self.counted:
                before = {"way": "fused"} if name == "pairs" else {"part": "block"}
                yield Move("radio", words["steps"][name], "Space", {"step": name}, before)

    def numbers(self):
        pairs, rest = self.sums(self.n)
        return {
            "n": self.n,
            "twice": 2 * self.n,
            "d": self.d_model,
            "heads": self.n_heads,
            "pairs_share": rounded(pairs / (pairs + rest), 2),
            "doubling": self.doubling,
            "slope": math.log2(self.doubling),
            "crossing": self.crossing or math.nan,
        }

    def announcement(self):
        words, numbers, cost = self.words, self.numbers(), self.cost
        scores = self.n_heads * self.n**2
        texts = {
            "pairs": amount(scores),
            "held": amount(scores * self.itemsize, "B"),
            "measure": words["measures"][self.measure],
            "work_text": amount(cost.multiply_adds),
            "moved_text": amount(cost.bytes, "B"),
            "least_text": amount(sum(self.seconds.values()), "s"),
            "growth": fill(words["doubling"], numbers),
            "lead": fill(words["half" if self.crossing else "never"], numbers),
        }
        texts["scores"] = fill(words["kept" if self.way == "naive" else "blocks"], texts)
        return fill(words["announcement"], numbers | texts)

    @still
    def picture(self):
        words = self.words
        sizes = 2 ** np.arange(18)
        pairs, rest = np.array([self.sums(int(n)) for n in sizes], dtype=float).T
        figure = figures.blank(5.0, 4.8)
        name = words["rest"][self.part]
        dashed = {"linestyle": "--", "linewidth": 1.4, "color": LIGHT["muted"]}
        ax = figures.lines(
            sizes,
            {"pairs": pairs, name: rest},
            styles={"pairs": {"linewidth": 1.4}, name: dashed},
            log=True,
            title=f"{words['measures'][self.measure]} for every n",
            ax=figure.subplots(),
        )
        ax.plot(sizes, pairs + rest, color=LIGHT["ink"], linewidth=3, alpha=0.35)
        ax.plot(self.n, sum(self.sums(self.n)), "o", color=LIGHT["ink"])
        ax.set_ylim(bottom=(pairs + rest)[0] / 2)
        shown = self.steps_of(self.n)[self.step]
        about = (
            f"{self.announcement()} {words['steps'][self.step].capitalize()}: "
            f"{amount(shown.multiply_adds)} multiply-adds, {amount(shown.bytes, 'B')}, "
            f"{amount(self.least_of(shown), 's')}."
        )
        ax.set_xlabel("\n".join(["items n", *textwrap.wrap(about, 62)]))
        return figure
