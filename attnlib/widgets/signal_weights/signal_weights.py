"""A signal, a moment in it, and the weights that make the output there."""

import math
import textwrap

import numpy as np
import traitlets

from attnlib import examples, figures, normalizers
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, real, text, whole

EDGE = examples.noisy_edge()


def window_weights(n, moment, reach):
    """Equal weights on the elements within `reach` of `moment`; shape ``(n,)``.

    Examples
    --------
    >>> window_weights(4, 0, 1)
    array([0.5, 0.5, 0. , 0. ])
    """
    inside = np.abs(np.arange(n) - moment) <= reach
    return inside / inside.sum()


def similarity_weights(signal, moment, bandwidth):
    """Weights that are large where the signal is like it is at `moment`; shape ``(n,)``.

    Examples
    --------
    >>> similarity_weights(np.array([0.0, 0.0, 9.0]), 0, 1.0).round(3)
    array([0.5, 0.5, 0. ])
    """
    distance = (signal - signal[moment]) / bandwidth
    return normalizers.softmax(-(distance**2) / 2)


class SignalWeights(BookWidget):
    """A filter on a noisy signal: fixed weights against weights that look at the signal.

    Every parameter is also an attribute that can be set.  `weights` and `output`, those at the
    moment, follow.

    Raises
    ------
    traitlets.TraitError
        When sizes differ, a number is not finite, or the moment lies outside the signal.

    Examples
    --------
    A fixed window reaches two elements to either side: five equal weights.

    >>> widget = SignalWeights(moment=20, mode="fixed", reach=2)
    >>> widget.weights[18:23].round(2)
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """

    look = "wide"
    shows = (
        "A noisy signal, the truth behind it as a dashed line and the filtered signal as a curve; "
        "below them the weights of one moment as bars, and the errors in numbers."
    )
    samples = (
        {"moment": 20, "presets": [{"label": "Later", "moment": 40}]},
        {"moment": 20, "mode": "adaptive", "bandwidth": 0.5, "task": "Widen `h`."},
        {"signal": [0, 0, 1, 1], "clean": [0, 0, 1, 1], "moment": 1},
    )

    signal = Numbers("The noisy signal, 4 to 120 elements.", EDGE.noisy, (None,))
    clean = Numbers("The truth behind the signal, for the error.", EDGE.clean, (None,))
    moment = whole("The element whose weights are shown.", 27, 0)
    mode = choice(
        "Equal weights in a window round the moment, or more weight where the signal is alike.",
        ["fixed", "adaptive"],
    )
    reach = whole("Half width of the fixed window, in elements.", 4, 0, 12)
    bandwidth = real("Width of the Gaussian over differences in level.", 0.15, 0.01, 10.0)
    presets = presets('{"label": "Before the edge", "moment": 23}')
    title = text("The heading over the widget.", "Choose a moment, see its weights")

    weights = traitlets.Any(read_only=True)
    output = traitlets.Any(read_only=True)

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if len(self.signal) != len(self.clean):
            raise traitlets.TraitError(
                "SignalWeights needs as many clean elements as noisy ones, "
                f"got {len(self.clean)} and {len(self.signal)}."
            )
        self._length = len(self.signal)
        self._compute()
        self.observe(self._compute, ["signal", "clean", "moment", "mode", "reach", "bandwidth"])

    @traitlets.validate("signal", "clean")
    def _check_size(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if not 4 <= len(value) <= 120:
            raise traitlets.TraitError(
                f"SignalWeights.{name} needs 4 to 120 elements, got {len(value)}."
            )
        if getattr(self, "_length", len(value)) != len(value):
            raise traitlets.TraitError(
                f"this SignalWeights.{name} has {self._length} elements, got {len(value)}: "
                "make a new one for another length."
            )
        return value

    @traitlets.validate("moment")
    def _check_moment(self, proposal):
        if proposal["value"] >= len(self.signal):
            raise traitlets.TraitError(
                f"SignalWeights.moment must be below {len(self.signal)}, got {proposal['value']}."
            )
        return proposal["value"]

    def weights_at(self, moment):
        """Weights for the output at any moment, shape ``(n,)``."""
        if self.mode == "fixed":
            return window_weights(len(self.signal), moment, self.reach)
        return similarity_weights(np.array(self.signal), moment, self.bandwidth)

    def filtered(self):
        """The output at every moment, shape ``(n,)``."""
        signal = np.array(self.signal)
        return np.array([self.weights_at(t) @ signal for t in range(len(signal))])

    def errors(self):
        """Root mean squared error before the edge of the truth, at it and after it, three floats.

        The edge lies where the truth jumps furthest; 4 elements to either side count as at it.
        NaN where there is no element.
        """
        clean = np.array(self.clean)
        position = np.arange(len(clean)) - (np.abs(np.diff(clean)).argmax() + 0.5)
        squares = (self.filtered() - clean) ** 2
        stretches = position <= -4, np.abs(position) < 4, position >= 4
        return [float(np.sqrt(squares[s].mean())) if s.any() else math.nan for s in stretches]

    def _compute(self, _change=None):
        self.set_trait("weights", self.weights_at(self.moment))
        self.set_trait("output", float(self.weights @ np.array(self.signal)))

    def moves(self):
        yield Move("slider", "Moment", "ArrowRight", {"moment": 21})
        yield Move("slider", "Reach in time", "Home", {"reach": 0})
        # From 0.15 the slider steps along powers of ten, -0.80, -0.75, ...
        adaptive = {"mode": "adaptive", "bandwidth": 0.15}
        bandwidth = {"bandwidth": 0.1778}
        yield Move("slider", "Bandwidth in level", "ArrowRight", bandwidth, before=adaptive)
        yield Move("radio", "fixed: near in time", "Space", {"mode": "fixed"})
        yield Move("radio", "adaptive: alike in level", "Space", {"mode": "adaptive"})

    def numbers(self):
        at = {name: getattr(self, name)[self.moment] for name in ("signal", "clean")}
        at |= {"moment": self.moment, "output": self.output}
        return at | dict(zip(("before", "near", "after"), self.errors()))

    @still
    def picture(self):
        figure = figures.blank(5.0, 4.0)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
        figures.filtered_signal(
            self.signal, self.filtered(), clean=self.clean, weights=self.weights,
            moment=self.moment, ax=top,
        )  # fmt: skip
        bottom.bar(range(len(self.weights)), self.weights, color=LIGHT["ink"])
        bottom.axvline(self.moment, color=LIGHT["query"], linewidth=1.2)
        sentence = textwrap.fill(self.announcement(), 60)
        bottom.set(xlabel=f"reading\n{sentence}", ylabel="weight")
        return figure
