"""An episode of CartPole, the views that were lost, and where the policy looked."""

import textwrap
from functools import cache

import numpy as np
import traitlets

from attnlib import figures
from attnlib.data.cartpole import WINDOW, fallen, history, step
from attnlib.networks import Balancer
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import presets, text, whole
from attnlib.widgets.shared.words import fill

STEPS = 100
START = (0.0, 0.1, 0.03, -0.1)

trained = cache(Balancer.trained)


@cache
def episode(lost):
    """An episode with these views lost: states, histories, weights and pushes up to the fall."""
    seen = ~np.isin(np.arange(STEPS), lost)
    states, S, looks = np.zeros((STEPS, 4)), np.array(START), []
    for t in range(STEPS):
        states[t] = S
        weights, push = trained().look(history(states, seen, t))
        looks.append((weights, float(push)))
        S = step(S, push > 0)
        if fallen(S):
            break
    return states[: len(looks)], looks


class PolicyGaze(BookWidget):
    """A hundred steps of a pole that a trained policy balances, and its weights at one of them.

    The policy is `attnlib.networks.Balancer.trained`.  It sees place and angle, and in place
    of a view that was lost only zeros.  Whenever another view is lost the episode is computed anew.

    Raises
    ------
    traitlets.TraitError
        When a step lies outside the episode.

    Examples
    --------
    >>> widget = PolicyGaze(lost=[39], moment=40)
    >>> widget.weights.shape, widget.length
    ((16,), 100)
    """

    look = "wide"
    shows = (
        "The angle of a pole over a hundred steps, with a ring for each view that was lost, and "
        "below it bars for the weights of the views before the chosen step."
    )
    samples = (
        {"lost": [39], "moment": 40, "presets": [{"label": "All seen", "lost": []}]},
        {"lost": [], "moment": 3, "task": "Find the largest weight."},
        {"lost": [*range(20, 60)], "moment": 99},
    )

    lost = traitlets.List(
        traitlets.Int(min=0, max=STEPS - 1), help="The steps whose views are lost."
    ).tag(sync=True, type="list of int, from 0 to 99")
    moment = whole("The step whose weights are shown, at most the last one.", 40, 0, STEPS - 1)
    presets = presets('{"label": "One lost", "lost": [39]}')
    title = text("The heading over the widget.", "Choose a moment, see where the policy looks")

    @traitlets.validate("lost")
    def _in_order(self, proposal):
        return sorted({*proposal["value"]})

    @property
    def length(self):
        """The steps until the pole fell, or all."""
        return len(self._episode[1])

    @property
    def _episode(self):
        return episode(tuple(self.lost))

    @property
    def _at(self):
        return min(self.moment, self.length - 1)

    @property
    def weights(self):
        """The weights of the views before the moment, the present one last, shape ``(16,)``."""
        return self._episode[1][self._at][0]

    def moves(self):
        yield Move("slider", "Moment", "ArrowRight", {"moment": 41})
        yield Move("radio", "lost", "Space", {"lost": [39, 40]})
        yield Move("radio", "seen", "Space", {"lost": [39]})

    def numbers(self):
        weights, t = self.weights, self._at
        back = WINDOW - 1 - int(weights.argmax())
        lags = t - np.arange(WINDOW)[::-1]
        return {
            "moment": t,
            "most": weights.max(),
            "back": back,
            "on_lost": weights[np.isin(lags, self.lost)].sum(),
            "push": self._episode[1][t][1],
            "angle": np.degrees(self._episode[0][t, 2]),
            "length": self.length,
        }

    def announcement(self):
        numbers = self.numbers()
        up = self.length == STEPS
        return fill(self.words["announcement"], numbers | {
            "side": self.words["right" if numbers["push"] > 0 else "left"],
            "verdict": fill(self.words["up" if up else "down"], numbers),
        })  # fmt: skip

    @still
    def picture(self):
        states, t = self._episode[0], self._at
        figure = figures.blank(5.0, 4.0)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
        angles, steps = np.degrees(states[:, 2]), np.arange(len(states))
        gone = np.isin(steps, self.lost)
        top.plot(steps, angles, color=LIGHT["muted"], linewidth=1)
        top.scatter(steps[~gone], angles[~gone], s=9, color=LIGHT["value"])
        top.scatter(steps[gone], angles[gone], s=14, facecolor="none", edgecolor=LIGHT["key"])
        top.axvline(t, color=LIGHT["query"], linewidth=1.2)
        top.set(ylabel="angle, degrees")
        bottom.bar(t - np.arange(WINDOW)[::-1], self.weights, color=LIGHT["ink"])
        sentence = textwrap.fill(self.announcement(), 60)
        bottom.set(xlabel=f"step\n{sentence}", ylabel="weight", xlim=(-1, STEPS), ylim=(0, 1))
        return figure
