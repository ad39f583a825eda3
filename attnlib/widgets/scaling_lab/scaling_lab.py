"""Random queries and keys, and what the number of components does to attention."""

import math

import numpy as np
import traitlets

from attnlib import figures, normalizers
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import choice, presets, real, text, whole
from attnlib.widgets.shared.words import fill

N_Q, N_K, LARGEST = 32, 16, 512
SCALES = {"none": lambda d: 1.0, "sqrt": lambda d: 1 / math.sqrt(d), "linear": lambda d: 1 / d}


def uniforms(seed, count):
    """Reproducible numbers in [0, 1), the same as in the page (mulberry32); shape ``(count,)``.

    Examples
    --------
    >>> uniforms(0, 2).round(6)
    array([0.266429, 0.00033 ])
    """
    with np.errstate(over="ignore"):
        state = (np.arange(1, count + 1, dtype=np.uint64) * 0x6D2B79F5 + seed).astype(np.uint32)
        t = (state ^ (state >> 15)) * (state | np.uint32(1))
        t ^= t + (t ^ (t >> 7)) * (t | np.uint32(61))
        return (t ^ (t >> 14)) / 2.0**32


def draws(distribution, seed, count):
    """Components with mean 0 and variance 1: normal, uniform or a fair sign; shape ``(count,)``.

    Examples
    --------
    >>> draws("sign", 1, 4)
    array([ 1., -1.,  1.,  1.])
    """
    if distribution == "normal":
        u, angle = uniforms(seed, 2 * count).reshape(count, 2).T
        return np.sqrt(-2 * np.log(1 - u)) * np.cos(2 * np.pi * angle)
    u = uniforms(seed, count)
    return math.sqrt(3) * (2 * u - 1) if distribution == "uniform" else np.where(u < 0.5, -1.0, 1.0)


class ScalingLab(BookWidget):
    """32 random queries, 16 random keys: scores, sorted weights, and their derivatives.

    Every parameter is also an attribute that can be set.  `scores`, `weights` and `slopes` are
    computed from them when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value is none of these.

    Examples
    --------
    With 64 components the unscaled scores have a standard deviation of about √64 = 8.

    >>> lab = ScalingLab(dimension=64)
    >>> round(float(lab.scores.std()) / 8, 1)
    1.0
    """

    look = "wide"
    shows = (
        "Three charts: a histogram of the scores, the mean weights from the largest to the "
        "smallest, and the size of the weights' derivative by the query, a dot for each query, for "
        "each of three scales."
    )
    samples = (
        {"presets": [{"label": "Many", "dimension": 512, "correlation": 1.0}]},
        {"dimension": 64, "scale": "sqrt", "task": "Turn `d` up."},
        {"dimension": 256, "scale": "linear", "correlation": 0.5},
        {"distribution": "sign", "correlation": 1.0, "seed": 3},
        {"distribution": "uniform", "dimension": 512},
    )

    dimension = whole("Components of a query and a key, a power of two up to 512.", 4)
    scale = choice(r"What scores are multiplied by: 1, :math:`1/\sqrt{d}` or :math:`1/d`.", SCALES)
    distribution = choice(
        "How the components are drawn, always with mean 0 and variance 1.",
        ["normal", "uniform", "sign"],
    )
    correlation = real("From 0, independent, to 1: query i equals key i mod 16.", 0.0, 0.0, 1.0)
    seed = whole("The same seed gives the same queries and keys.", 1, 0, 2**31 - 1)
    presets = presets('{"label": "d = 64", "dimension": 64}')
    title = text("The heading over the widget.", "Add components, watch softmax saturate")

    @traitlets.validate("dimension")
    def _check(self, proposal):
        d = proposal["value"]
        if d < 1 or d > LARGEST or d & (d - 1):
            raise traitlets.TraitError(
                f"ScalingLab.dimension must be a power of two from 1 to {LARGEST}, got {d}."
            )
        return d

    @property
    def pairs(self):
        """Queries, shape ``(32, d)``, and keys, shape ``(16, d)``."""
        components = draws(self.distribution, self.seed, self.dimension * (N_Q + N_K))
        components = components.reshape(self.dimension, N_Q + N_K).T
        noise, K = components[:N_Q], components[N_Q:]
        r = self.correlation
        return r * K[np.arange(N_Q) % N_K] + math.sqrt(1 - r * r) * noise, K

    def slopes(self, scale):
        r"""How far a nudge of each query moves its weights, for one of the scales, ``(32,)``.

        The Frobenius norm of :math:`\partial w / \partial q = c J K`.
        """
        Q, K = self.pairs
        c = SCALES[scale](self.dimension)
        return np.linalg.norm(c * normalizers.softmax_jacobian(c * Q @ K.T) @ K, axis=(1, 2))

    @property
    def scores(self):
        """Scaled scores, shape ``(32, 16)``."""
        Q, K = self.pairs
        return Q @ K.T * SCALES[self.scale](self.dimension)

    @property
    def weights(self):
        """Softmax of each row of the scores, shape ``(32, 16)``."""
        return normalizers.softmax(self.scores)

    @property
    def own_weight(self):
        """Mean weight of the key that a query is correlated with, key i mod 16 for query i."""
        return float(self.weights[np.arange(N_Q), np.arange(N_Q) % N_K].mean())

    def moves(self):
        yield Move("slider", "Components d", "ArrowRight", {"dimension": 8})
        yield Move("slider", "Query like its key", "End", {"correlation": 1})
        for label, scale in zip(self.words["scales"], SCALES):
            yield Move("radio", label, "Space", {"scale": scale})
        for label, distribution in zip(("normal", "uniform", "±1"), ("normal", "uniform", "sign")):
            yield Move("radio", label, "Space", {"distribution": distribution})

    def lines(self):
        """The lines under each chart, in words and numbers: three lists of str."""
        numbers = self.numbers()
        return [[fill(line, numbers) for line in lines] for _, _, *lines in self.words["charts"]]

    def numbers(self):
        scores = self.scores
        numbers = {"mean": scores.mean(), "std": scores.std(), "own": self.own_weight}
        numbers["largest"] = self.weights.max(axis=1).mean()
        return numbers | {"slope": np.median(self.slopes(self.scale))}

    def announcement(self):
        charts = (
            f"{spoken}: {', '.join(lines)}."
            for (_, spoken, *_), lines in zip(self.words["charts"], self.lines())
        )
        return f"d = {self.dimension}. " + " ".join(charts)

    @still
    def picture(self):
        figure = figures.blank(5.0, 7.2)
        scores, weights, slopes = figure.subplots(3, 1)
        figures.histogram(np.clip(self.scores, -40, 39.5), bins=np.arange(-40, 41), ax=scores)
        scores.set(ylabel="", yticks=[])
        mean = np.sort(self.weights, axis=1)[:, ::-1].mean(axis=0)
        weights.bar(np.arange(1, len(mean) + 1), mean, color=LIGHT["ink"])
        weights.set(ylim=(0, 1))
        for place, name in enumerate(SCALES):
            x = place + np.linspace(-0.3, 0.3, N_Q)
            color = LIGHT["ink" if name == self.scale else "muted"]
            slopes.scatter(x, np.maximum(self.slopes(name), 1e-4), s=5, color=color)
        slopes.set_xticks(range(3), self.words["scales"])
        slopes.set(yscale="log", ylim=(1e-4, 16))
        axes = (scores, "score"), (weights, "key, by its weight"), (slopes, "scores times")
        for (ax, label), (title, *_), lines in zip(axes, self.words["charts"], self.lines()):
            ax.set_title(title)
            ax.set_xlabel("\n".join([label, *lines]))
        return figure
