"""The derivative of one output, or of a loss, by every number on the way to it."""

import re

import numpy as np
import traitlets

from attnlib import figures
from attnlib.attention import scaled_dot_product_attention
from attnlib.figures.plane import SUBSCRIPTS
from attnlib.gradients import scaled_dot_vjp, softmax_vjp, weighted_sum_vjp
from attnlib.masks import causal
from attnlib.normalizers import softmax
from attnlib.palette import LIGHT
from attnlib.scores import scaled_dot
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, real, text
from attnlib.widgets.shared.words import fill

#: Rows at most, the bound of every number, how far an entry is nudged, the step downhill.
MOST, LIMIT, REACH, RATE = 3, 6.0, 2.0, 0.5
LETTERS = "qkvsw"
TARGET = [[3, 3], [4, 4], [5, 5]]


def _names(letters, queries=MOST, keys=MOST):
    """The names of all entries of these matrices: ``k21`` is row 2, column 1 of the keys."""
    rows = {"k": keys, "v": keys}
    columns = {"s": keys, "w": keys}
    return [
        f"{letter}{i + 1}{j + 1}"
        for letter in letters
        for i, j in np.ndindex(rows.get(letter, queries), columns.get(letter, 2))
    ]


def _place(name):
    """Row and column of an entry, counted from 0: ``k21`` is (1, 0)."""
    return int(name[1]) - 1, int(name[2]) - 1


def _sentence(text):
    """With a capital where it begins with a word; the name of an entry stays as it is."""
    return re.sub(r"^[a-z](?=[a-z])", lambda first: first[0].upper(), text)


def _named(name):
    """The name of an entry as it is read: ``k21`` -> ``k₂₁``."""
    return name[0] + "".join(SUBSCRIPTS[int(digit) - 1] for digit in name[1:])


class GradientFlow(BookWidget):
    """Attention of up to three queries, and the derivative of one number by every entry of it.

    The number, the goal, is an entry of the output, or half the squared distance of the output
    from a target.  One entry can be nudged, and what its derivative promises is compared with what
    comes.  Every parameter is also an attribute that can be set; `weights`, `output` and
    `gradients` are computed when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value has the wrong shape, is not finite, lies outside its range, or names no entry.

    Examples
    --------
    An output is pulled up by its column of the values, each by its weight.

    >>> flow = GradientFlow(goal="y11")
    >>> flow.gradients["v"].round(3)
    array([[0.401, 0.   ],
           [0.198, 0.   ],
           [0.401, 0.   ]])
    >>> flow.goal = "y22"
    >>> flow.gradients["v"].round(3)
    array([[0.   , 0.198],
           [0.   , 0.401],
           [0.   , 0.401]])
    """

    look = "wide"
    shows = (
        "Tables of queries, keys, scores, weights, values and output. Under each number stands "
        "the derivative of one output by it. Beside them a curve, that output when one entry is "
        "nudged, and its tangent."
    )
    samples = (
        {
            "Q": [[1, 0], [0.5, -1]],
            "K": [[1, 0.5], [-1, 1]],
            "V": [[2, -1], [-1.5, 1]],
            "target": [[1, 1], [0, -1]],
            "nudge": -1.0,
            "presets": [{"label": "loss", "goal": "loss", "entry": "k21", "without": "mean"}],
        },
        {"task": "Which `k` pull?", "goal": "y22", "entry": "s23"},
        {"goal": "loss", "entry": "q12", "without": "scale", "mask": "causal"},
        {"goal": "y12", "entry": "s12", "without": "diagonal", "V": [[1, 2], [5, 4], [5, 6]]},
        {"Q": [[0, 2]], "K": [[1, 1]], "V": [[3, 4]], "target": [[0, 0]], "entry": "w11"},
    )

    Q = Numbers("One to three queries, one in each row.", [[1, 0], [0, 1]], (None, 2))
    K = Numbers(
        "At most three keys, as many as queries or more.", [[1, 0], [0, 1], [1, 1]], (None, 2)
    )
    V = Numbers("As many values as keys.", [[1, 2], [3, 4], [5, 6]], (None, 2))
    target = Numbers(
        "Where the loss wants the output: as many rows as queries.", TARGET[:2], (None, 2)
    )
    goal = choice(
        'What is differentiated: an output, such as ``"y12"``, or ``"loss"``.',
        [*_names("y"), "loss"],
    ).tag(type="str")
    entry = choice(
        'By what, in the picture: ``"q12"`` or another entry of q, k, v, s or w.',
        sorted(_names(LETTERS), key=lambda name: name != "q12"),
    ).tag(type="str")
    nudge = real("How far that entry is moved in the picture.", 1.0, -REACH, REACH)
    mask = choice("Which keys a query sees: all, or none that comes later.", ("none", "causal"))
    without = choice(
        "What is left out of the derivatives by mistake: 1/√d, the mean that softmax subtracts, or "
        "all of its Jacobian but the diagonal.",
        ("nothing", "scale", "mean", "diagonal"),
    )
    presets = presets('{"label": "A key", "entry": "k21"}')
    title = text("The heading over the widget.", "See what an output pulls")

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        queries, keys = len(self.Q), len(self.K)
        if "target" not in kwargs:
            self.target = TARGET[:queries]
        if len(self.V) != keys or len(self.target) != queries or not queries <= keys:
            raise traitlets.TraitError(
                "GradientFlow needs a value for each key, a target for each query and no more "
                f"queries than keys, got rows of Q: {queries}, K: {keys}, V: {len(self.V)}, "
                f"target: {len(self.target)}."
            )
        self._rows = {"Q": queries, "K": keys, "V": keys, "target": queries}
        self._check_name("goal", self.goal)
        self._check_name("entry", self.entry)

    @traitlets.validate("Q", "K", "V", "target")
    def _check_numbers(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        rows = getattr(self, "_rows", {name: len(value)})[name]
        if len(value) > MOST:
            raise traitlets.TraitError(
                f"GradientFlow.{name} has at most {MOST} rows, got {len(value)}."
            )
        if rows != len(value):
            raise traitlets.TraitError(
                f"this GradientFlow.{name} has {rows} rows, got {len(value)}: make a new one."
            )
        if np.abs(value).max() > LIMIT:
            raise traitlets.TraitError(
                f"GradientFlow.{name} must lie between {-LIMIT} and {LIMIT}, got {value!r}."
            )
        return value

    @traitlets.validate("goal", "entry")
    def _check_text(self, proposal):
        if hasattr(self, "_rows"):
            self._check_name(proposal["trait"].name, proposal["value"])
        return proposal["value"]

    def _check_name(self, trait, value):
        names = [*self.names("y"), "loss"] if trait == "goal" else self.names(LETTERS)
        if value not in names:
            raise traitlets.TraitError(
                f"GradientFlow.{trait} must be one of {', '.join(names)}, got {value!r}."
            )

    def names(self, letters):
        """The names of all entries of these matrices, such as ``"k21"``."""
        return _names(letters, self._rows["Q"], self._rows["K"])

    @property
    def pairs(self):
        """Which query sees which key, shape ``(n_q, n_k)``; None without a mask."""
        return causal(len(self.Q), len(self.K)) if self.mask == "causal" else None

    @property
    def scores(self):
        """Scaled dot products, before the mask, shape ``(n_q, n_k)``."""
        return scaled_dot(self.Q, self.K)

    @property
    def weights(self):
        """The weights of the keys for each query, shape ``(n_q, n_k)``."""
        return scaled_dot_product_attention(self.Q, self.K, self.V, mask=self.pairs)[1]

    @property
    def output(self):
        """An output for each query, shape ``(n_q, 2)``."""
        return self.weights @ np.array(self.V)

    def _goal(self, output):
        """The number that is differentiated, and its derivative by each output."""
        if self.goal == "loss":
            error = output - np.array(self.target)
            return (error**2).sum() / 2, error
        d_output = np.zeros_like(output)
        d_output[_place(self.goal)] = 1.0
        return output[_place(self.goal)], d_output

    @property
    def gradients(self):
        """The derivative of the goal by each entry, for the letters q, k, v, s and w."""
        weights = self.weights
        _, d_output = self._goal(self.output)
        d_weights, d_V = weighted_sum_vjp(d_output, weights, self.V)
        d_scores = {
            "mean": weights * d_weights,
            "diagonal": weights * (1 - weights) * d_weights,
        }.get(self.without, softmax_vjp(d_weights, weights))
        d_Q, d_K = scaled_dot_vjp(
            d_scores, self.Q, self.K, 1.0 if self.without == "scale" else None
        )
        return {"q": d_Q, "k": d_K, "v": d_V, "s": d_scores, "w": d_weights}

    def nudged(self, by):
        """The goal with the chosen entry moved, and all that it does not lead to held."""
        letter, place = self.entry[0], _place(self.entry)
        arrays = {"q": self.Q, "k": self.K, "v": self.V, "s": self.scores, "w": self.weights}
        arrays = {name: np.array(rows) for name, rows in arrays.items()}
        arrays[letter][place] += by
        if letter != "w":
            S = arrays["s"] if letter == "s" else scaled_dot(arrays["q"], arrays["k"])
            arrays["w"] = softmax(S if self.pairs is None else np.where(self.pairs, S, -np.inf))
        return self._goal(arrays["w"] @ arrays["v"])[0]

    def _downhill(self):
        moved_rows = {}
        for name in "QKV":
            moved = np.array(getattr(self, name)) - RATE * self.gradients[name.lower()]
            moved_rows[name] = np.clip(moved, -LIMIT, LIMIT).tolist()
        return moved_rows

    def step(self):
        """Move queries, keys and values a step against their derivatives."""
        for name, rows in self._downhill().items():
            setattr(self, name, rows)

    def moves(self):
        for name in self.names("qkv"):
            rows = np.array(getattr(self, name[0].upper()))
            rows[_place(name)] = -1.25
            then = {name[0].upper(): rows.tolist(), "entry": name}
            yield Move("textbox", _named(name), "−1,25", then)
        for name in self.names(LETTERS):
            yield Move("radio", _named(name), "Space", {"entry": name})
        for name in self.names("y"):
            yield Move("radio", _named(name), "Space", {"goal": name})
        yield Move("radio", "the loss", "Space", {"goal": "loss"})
        yield Move("slider", "Nudge", "ArrowUp", {"nudge": round(self.nudge + 0.1, 2)})
        for mask in ("none", "causal"):
            yield Move("radio", mask, "Space", {"mask": mask})
        for part, shown in self.words["parts"].items():
            yield Move("radio", shown, "Space", {"without": part})
        yield Move("button", "Step downhill", "Space", self._downhill())

    def numbers(self):
        gradients = self.gradients
        value = self._goal(self.output)[0]
        slope = gradients[self.entry[0]][_place(self.entry)]
        numbers = {"value": value, "slope": slope, "nudge": self.nudge}
        numbers |= {"predicted": slope * self.nudge, "actual": self.nudged(self.nudge) - value}
        return numbers | {f"d_{letter}": gradients[letter] for letter in LETTERS}

    def announcement(self):
        return self._told("announcement")

    @property
    def _goal_name(self):
        return self.words["loss"] if self.goal == "loss" else _named(self.goal)

    def _told(self, name):
        in_full = f"{self.words['loss']} {self.words['square']}"
        names = {"goal": self._goal_name, "entry": _named(self.entry)}
        names["goal_in_full"] = in_full if self.goal == "loss" else self._goal_name
        return _sentence(fill(self.words[name], self.numbers() | names))

    @still
    def picture(self):
        figure = figures.blank(5.0, 4.2)
        parts = figure.subplot_mosaic(
            [["q", "s", "w"], ["k", "v", "curve"]],
            height_ratios=[len(self.Q) + 1, len(self.K) + 1],
            width_ratios=[2, len(self.K), max(3, len(self.K))],
        )
        gradients, titles = self.gradients, self.words["titles"]
        for letter in LETTERS:
            figures.heatmap(
                gradients[letter].round(2) + 0.0, signed=True, queries=[], keys=[],
                title=titles[letter].split()[0], ax=parts[letter],
            )  # fmt: skip
        ax, ts = parts["curve"], np.linspace(-REACH, REACH, 81)
        numbers = self.numbers()
        ax.plot(ts, [self.nudged(t) for t in ts], color=LIGHT["ink"])
        line = numbers["value"] + numbers["slope"] * ts
        ax.plot(ts, line, color=LIGHT["muted"], linestyle="--", linewidth=1.2)
        ax.plot(0, numbers["value"], "o", color=LIGHT["ink"])
        ax.set(xlabel=f"nudge of {_named(self.entry)}", title=_sentence(self._goal_name))
        figure.supxlabel(self._told("picture"), fontsize=10)
        return figure
