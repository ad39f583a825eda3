"""Scores that can be dragged, four normalisers, and how the weights of one answer."""

import numpy as np
import traitlets

from attnlib import figures, normalizers
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, real, text
from attnlib.widgets.shared.words import fill

NORMALIZERS = ("softmax", "sparsemax", "sigmoid_normalize", "hardmax")
LOWEST, HIGHEST = -4, 6


class NormalizerLab(BookWidget):
    """Two to six scores, their weights by four normalisers, and the Jacobian of one of these.

    Every parameter is also an attribute that can be set.  `weights`, `jacobian` and `threshold`
    are computed from them when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When there are fewer than two scores or more than six, another number than at the start,
        or one outside −4 to 6, or when another value is none of these.

    Examples
    --------
    The third score leads the others by more than 1, so sparsemax gives it everything.

    >>> lab = NormalizerLab(scores=[2.1, -0.5, 3.8, 0.2])
    >>> lab.weights["softmax"].round(3)
    array([0.149, 0.011, 0.817, 0.022])
    >>> lab.weights["sparsemax"]
    array([0., 0., 1., 0.])
    """

    look = "wide"
    shows = (
        "Three panels: the scores as bars whose ends can be dragged, four rows of weights, by "
        "softmax, sparsemax, normalised sigmoid and hardmax, and the Jacobian of one of these as a "
        "table of tinted squares with their numbers."
    )
    samples = (
        {
            "scores": [2, -2, 4.5, 0.5],
            "presets": [{"label": "Tie", "scores": [1, 1, 0, -1], "normalizer": "hardmax"}],
        },
        {"scores": [1.2, 0.9, 0.2], "normalizer": "sparsemax", "task": "Pull `s₃` to the right."},
        {"scores": [1, 0], "normalizer": "sigmoid_normalize", "temperature": 0.3},
        {"scores": [6, 4, 3, -4, 0, 1], "normalizer": "hardmax", "temperature": 4},
    )

    scores = Numbers("Two to six scores, each from −4 to 6.", [2.1, -0.5, 3.8, 0.2], (None,))
    normalizer = choice("Whose Jacobian is shown.", NORMALIZERS)
    temperature = real("What scores are divided by before that.", 1.0, 0.1, 10.0)
    presets = presets('{"label": "Tie", "scores": [1, 1, 0, -1]}')
    title = text("The heading over the widget.", "Drag scores, compare four normalisers")

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self._length = len(self.scores)

    @traitlets.validate("scores")
    def _check(self, proposal):
        value = proposal["value"]
        if not 2 <= len(value) <= 6:
            raise traitlets.TraitError(
                f"NormalizerLab.scores needs two to six scores, got {len(value)}."
            )
        if getattr(self, "_length", len(value)) != len(value):
            raise traitlets.TraitError(
                f"this NormalizerLab.scores has {self._length} scores, got {len(value)}: make a "
                "new one for another number."
            )
        if min(value) < LOWEST or max(value) > HIGHEST:
            raise traitlets.TraitError(
                f"NormalizerLab.scores must lie between {LOWEST} and {HIGHEST}, got {value!r}."
            )
        return value

    @property
    def weights(self):
        """Name of each normaliser -> its weights, shape ``(n,)``."""
        scores = np.array(self.scores)
        return {
            name: getattr(normalizers, name)(scores, temperature=self.temperature)
            for name in NORMALIZERS
        }

    @property
    def jacobian(self):
        """How each weight of the chosen normaliser answers to each score, shape ``(n, n)``."""
        if self.normalizer == "hardmax":
            return np.zeros((len(self.scores),) * 2)
        derivative = getattr(normalizers, f"{self.normalizer}_jacobian")
        return derivative(np.array(self.scores), temperature=self.temperature)

    @property
    def threshold(self):
        """The score at which sparsemax weights begin: those below it get none."""
        return max(self.scores) - self.temperature * float(self.weights["sparsemax"].max())

    def moves(self):
        for i, score in enumerate(self.scores):
            moved = [*self.scores[:i], round(score + 0.1, 2), *self.scores[i + 1 :]]
            yield Move("slider", f"Score {i + 1}", "ArrowUp", {"scores": moved})
        for name, label in self.words["names"].items():
            yield Move("radio", label, "Space", {"normalizer": name})
        yield Move("slider", "Temperature", "End", {"temperature": 10})

    def numbers(self):
        return self.weights | {"own": np.diag(self.jacobian)}

    def announcement(self):
        name = self.words["names"][self.normalizer]
        return fill(self.words["announcement"], self.numbers() | {"name": name})

    @still
    def picture(self):
        figure = figures.blank(5.0, 5.6)
        n, places = len(self.scores), np.arange(len(self.scores))
        parts = figure.subplot_mosaic(
            [["scores", name] for name in NORMALIZERS] + [["jacobian", "jacobian"]],
            height_ratios=[1, 1, 1, 1, 5],
        )
        scores = parts["scores"]
        scores.barh(places, self.scores, height=0.4, color=LIGHT["muted"])
        scores.axvline(0, color=LIGHT["line"], linewidth=0.8)
        if self.normalizer == "sparsemax":
            scores.axvline(self.threshold, color=LIGHT["ink"], linestyle="--", linewidth=1.2)
        scores.set(xlim=(LOWEST, HIGHEST), ylim=(n - 0.5, -0.5), title="Scores")
        scores.set_yticks(
            places,
            [f"s{chr(0x2081 + i)} = {s:g}".replace("-", "−") for i, s in enumerate(self.scores)],
        )
        names = self.words["names"]
        for name, weights in self.weights.items():
            ax = parts[name]
            ax.bar(places, weights, width=0.6, color=LIGHT["ink"])
            for x, w in zip(places, weights):
                ax.annotate(f"{w:.2f}", (x, w), xytext=(0, 2), textcoords="offset points",
                            ha="center")  # fmt: skip
            ax.set(ylim=(0, 1.9), yticks=[], xticks=[], title=names[name])
        digits = 3 if n < 5 else 2
        figures.heatmap(
            self.jacobian.round(digits) + 0.0, signed=True, ax=parts["jacobian"], digits=digits,
            queries=[f"w{chr(0x2081 + i)}" for i in places],
            keys=[f"s{chr(0x2081 + i)}" for i in places],
            title=fill(self.words["jacobian"], {"name": names[self.normalizer]}),
        )  # fmt: skip
        for entry, written in zip(self.jacobian.ravel(), parts["jacobian"].texts):
            if entry == 0:  # not only rounded
                written.set_text("0")
        return figure
