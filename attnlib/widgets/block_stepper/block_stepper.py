"""One query whose keys arrive in blocks: a running maximum, a running sum, a running output."""

import math
import textwrap
from typing import NamedTuple

import numpy as np
import traitlets

from attnlib import figures, normalizers
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, switch, text, whole
from attnlib.widgets.shared.words import fill

FEWEST, MOST = 2, 8
#: How large a score may be, and a value.
LIMIT, LARGEST = 6, 20
#: The worked example: the exponentials of the scores are 1, 2, 8, 4 and 1, the answer is 5.
SCORES = np.log([1, 2, 8, 4, 1]).tolist()
VALUES = (8, 4, 6, 2, 8)
SIZED = ("scores", "values", "masked")
ORDERS = ("given", "reversed", "largest", "smallest")


class Step(NamedTuple):
    """The largest score so far, c, the sum of powers, and the sum of weighted values."""

    maximum: float
    correction: float
    total: float
    weighted: float


def _power(score, maximum):
    """The exponential from the maximum, or from 0 where there is no maximum yet."""
    return np.exp(score - (0.0 if maximum == -math.inf else maximum))


class BlockStepper(BookWidget):
    """The online softmax of one query, a block of keys at a time.

    After each block it holds the largest score so far, m; the sum l of the powers e^(s − m); and
    the sum o of the values weighted by them.  A block with a larger score changes m, and what was
    summed before is multiplied by c = e^(old m − new m).  A masked key has the score −∞.  Where no
    other key has come there is no maximum to measure from: 0 takes its place, and all powers are 0.
    Without the correction what was summed before is left as it is, and the answer is wrong.

    Every parameter is also an attribute that can be set.  What `numbers` returns is computed when
    it is asked for.

    Raises
    ------
    traitlets.TraitError
        When sizes do not fit, or a value lies outside its range.

    Examples
    --------
    After two blocks of two keys; four keys of five have come, and their answer is 4.8.

    >>> stepper = BlockStepper()
    >>> numbers = stepper.numbers()
    >>> [round(numbers[name], 3) for name in ("correction", "total", "weighted", "so_far")]
    [0.25, 1.875, 9.0, 4.8]

    The answer over all keys is the same, however they come.

    >>> stepper.order, stepper.block, stepper.step = "reversed", 3, 2
    >>> round(stepper.numbers()["so_far"], 3), round(stepper.numbers()["answer"], 3)
    (5.0, 5.0)
    """

    look = "wide"
    shows = (
        "A row for each key, with the number of the block in which it comes, a bar for its score, "
        "and a bar for its power, measured from the line of the largest score so far. Below stand "
        "their sum, the sum of weighted values, and the answer so far."
    )
    samples = (
        {"presets": [{"label": "First block masked", "masked": [1, 1, 0, 0, 0], "step": 1}]},
        {"step": 0, "task": "Press `k₁`."},
        {"masked": [1, 1, 0, 0, 0], "step": 1},
        {"masked": [1, 1, 0, 0, 0]},
        {"order": "reversed", "step": 3},
        {"corrected": False, "order": "smallest"},
        {"scores": [-1.5, 3.25, -6, 6, 0.4, 2.1, -0.7, 1], "block": 3, "step": 8},
        {"masked": [1] * 5, "block": 8, "step": 1},
        {"scores": [0.5, -2], "values": [-1, 2.5], "block": 1},
        {"order": "largest", "step": 2, "values": [-8, -4, 6, 2, -8]},
    )

    scores = Numbers("Scores of two to eight keys, from −6 to 6.", SCORES, (None,))
    values = Numbers("The value of each key, from −20 to 20.", VALUES, (None,))
    masked = Numbers(
        "1 where a key is masked, 0 elsewhere; truth values do as well.", np.zeros(5), (None,)
    )
    block = whole("How many keys arrive together; the last block may have fewer.", 2, 1, MOST)
    order = choice("The order in which keys arrive, by place or by score.", ORDERS)
    step = whole("How many blocks have come; more than there are means all.", 2, 0, MOST)
    corrected = switch("Whether what was summed before is multiplied by c.")
    presets = presets('{"label": "One key at a time", "block": 1, "step": 1}')
    title = text("The heading over the widget.", "Let the keys come in blocks")

    def __init__(self, **kwargs):
        sized = [kwargs[name] for name in SIZED if name in kwargs]
        try:
            n = len(sized[0]) if sized else 5
        except TypeError:  # no list at all, which its trait will say
            n = 5
        if FEWEST <= n <= MOST:
            values = [*VALUES, 5, 3, 7][:n]
            made = {"scores": [*SCORES, *SCORES][:n], "values": values}
            kwargs = made | {"masked": [0] * n} | kwargs
        super().__init__(**kwargs)
        self._n = n
        for name in SIZED:
            self._fits(name, getattr(self, name))

    def _fits(self, name, value):
        """The value, if it has as many entries as there are keys."""
        n = getattr(self, "_n", len(value))
        if not FEWEST <= len(value) <= MOST:
            raise traitlets.TraitError(
                f"BlockStepper.{name} needs {FEWEST} to {MOST} entries, got {len(value)}."
            )
        if len(value) != n:
            raise traitlets.TraitError(
                f"BlockStepper.{name} needs {n} entries, got {len(value)}. The number of keys is "
                "fixed: make a new BlockStepper for another."
            )
        return value

    @traitlets.validate("scores", "values")
    def _check_numbers(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        reach = {"scores": LIMIT, "values": LARGEST}[name]
        if np.abs(value).max() > reach:
            raise traitlets.TraitError(
                f"BlockStepper.{name} must lie between {-reach} and {reach}, got {value!r}."
            )
        return self._fits(name, value)

    @traitlets.validate("masked")
    def _check_masked(self, proposal):
        if not np.isin(proposal["value"], (0, 1)).all():
            raise traitlets.TraitError(
                f"BlockStepper.masked must hold 0 and 1, got {proposal['value']!r}."
            )
        return self._fits("masked", proposal["value"])

    @property
    def seen(self):
        """The scores, −∞ for masked keys, shape ``(n,)``."""
        return np.where(self.masked, -np.inf, self.scores)

    @property
    def blocks(self):
        """The keys of each block, in the order of arrival, counted from 0."""
        keys, seen = [*range(len(self.scores))], self.seen
        if self.order == "reversed":
            keys.reverse()
        elif self.order != "given":
            sign = {"largest": -1, "smallest": 1}[self.order]
            keys.sort(key=lambda j: sign * seen[j])
        return [keys[start : start + self.block] for start in range(0, len(keys), self.block)]

    @property
    def came(self):
        """How many blocks have come."""
        return min(self.step, len(self.blocks))

    @property
    def steps(self):
        """Where it stands before the first block and after each that has come, a `Step` each."""
        seen, values = self.seen, np.array(self.values)
        steps = [Step(-math.inf, math.nan, 0.0, 0.0)]
        for keys in self.blocks[: self.came]:
            before = steps[-1]
            new = max(before.maximum, *seen[keys])
            c, powers = _power(before.maximum, new), _power(seen[keys], new)
            kept = c if self.corrected else 1.0
            total = kept * before.total + powers.sum()
            weighted = kept * before.weighted + powers @ values[keys]
            steps.append(Step(*map(float, (new, c, total, weighted))))
        return steps

    @property
    def powers(self):
        """What each key adds to the sum so far; NaN for those that have not come."""
        powers = np.full(len(self.scores), np.nan)
        maxima = [step.maximum for step in self.steps[1:]]
        for keys, own in zip(self.blocks, maxima):
            powers[keys] = _power(self.seen[keys], maxima[-1] if self.corrected else own)
        return powers

    def _answer(self, keys):
        """What softmax gives over these keys; NaN where all of them are masked."""
        seen, values = self.seen[keys], np.array(self.values)[keys]
        return float(normalizers.softmax(seen) @ values) if np.isfinite(seen).any() else math.nan

    @property
    def answer(self):
        """The answer over all keys at once; NaN if all of them are masked."""
        return self._answer([*range(len(self.scores))])

    def moves(self):
        n, words = len(self.scores), self.words
        for j in range(n):
            scores = list(self.scores)
            scores[j] = round(scores[j] + 0.1, 2)
            yield Move("slider", f"Score of key {j + 1}", "ArrowUp", {"scores": scores})
        yield Move("slider", "Blocks so far", "Home", {"step": 0})
        yield Move("slider", "Keys in a block", "End", {"block": n})
        for j in range(n):
            masked = [int(hidden) ^ (i == j) for i, hidden in enumerate(self.masked)]
            yield Move("checkbox", f"Mask key {j + 1}", "Space", {"masked": masked})
            for trait, name in (("scores", "score"), ("values", "value")):
                then = list(getattr(self, trait))
                then[j] = -1.25
                yield Move("textbox", f"Key {j + 1}, {name}", "−1,25", {trait: then})
        for order, label in words["orders"].items():
            yield Move("radio", label, "Space", {"order": order})
        for name, label in words["corrections"].items():
            yield Move("radio", label, "Space", {"corrected": name == "true"})

    def numbers(self):
        steps = self.steps
        now, before = steps[-1], steps[-2].maximum if self.came else -math.inf
        return now._asdict() | {
            "maximum": now.maximum if math.isfinite(now.maximum) else math.nan,
            "before": before if math.isfinite(before) else math.nan,
            "so_far": now.weighted / now.total if now.total else math.nan,
            "right": self._answer([j for keys in self.blocks[: self.came] for j in keys]),
            "answer": self.answer,
        }

    def _sentences(self):
        """What happened in this step, and what follows from it."""
        steps, words, numbers = self.steps, self.words, self.numbers()
        now = steps[-1]
        if not self.came:
            note = "none"
        elif now.maximum == -math.inf:
            note = "empty"
        elif steps[-2].maximum == -math.inf:
            note = "first"
        elif now.maximum == steps[-2].maximum:
            note = "smaller"
        else:
            note = "larger" if self.corrected else "left"
        lost = math.isnan(self.answer)
        if not now.total:
            result = "never" if lost else "nothing"
        elif abs(numbers["so_far"] - numbers["right"]) > 5e-4:
            result = "wrong"
        else:
            result = "whole" if self.came == len(self.blocks) else "part"
        sentences = (words[note], words[result], "" if lost else words["answer"])
        return dict(zip(("note", "result", "all"), (fill(s, numbers) for s in sentences)))

    def announcement(self):
        return fill(self.words["announcement"], self.numbers() | self._sentences()).strip()

    @still
    def picture(self):
        n, m = len(self.scores), self.steps[-1].maximum
        figure = figures.blank(5.0, 1.9 + 0.32 * n)
        left, right = figure.subplots(1, 2, sharey=True)
        rows = np.arange(n)
        number = {j: k for k, keys in enumerate(self.blocks) for j in keys}
        for j in rows:
            if not self.masked[j]:
                shade = {"color": LIGHT["key"], "alpha": 1 if number[j] < self.came else 0.35}
                left.barh(j, self.scores[j] + LIMIT, left=-LIMIT, height=0.5, **shade)
            else:
                left.text(-LIMIT, j, " −∞", va="center", color=LIGHT["muted"])
        right.barh(rows, np.nan_to_num(self.powers), height=0.5, color=LIGHT["ink"])
        if math.isfinite(m):
            left.axvline(m, color=LIGHT["ink"], linewidth=1.6)
        for j in rows[1:]:
            if number[j] != number[j - 1]:
                left.axhline(j - 0.5, color=LIGHT["line"], linewidth=1)
                right.axhline(j - 0.5, color=LIGHT["line"], linewidth=1)
        left.set(title="Scores; line: m", xlim=(-LIMIT, LIMIT), ylim=(n - 0.5, -0.5))
        left.set_yticks(
            rows, [f"block {number[j] + 1}   $k_{j + 1}$" for j in rows], color=LIGHT["key"]
        )
        right.set(title="Powers e^(s − m)", xlim=(0, 1))
        figure.supxlabel(textwrap.fill(self.announcement(), 64), fontsize=10)
        return figure
