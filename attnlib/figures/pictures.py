"""Still pictures of the other widgets, for print, for GitHub and for pages without JavaScript."""

import numpy as np

from attnlib.figures.style import blank, styled
from attnlib.palette import LIGHT


@styled
def signal_weights(signal, clean, filtered, weights, moment):
    """A signal, its filtered form, and the weights of one moment, as a figure.

    Parameters
    ----------
    signal, clean, filtered, weights : array_like, shape (n,)
    moment : int

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = blank(6.6, 3.3)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    time = np.arange(len(signal))
    top.plot(time, clean, color=LIGHT["muted"], linewidth=1.2, linestyle="--")
    top.scatter(time, signal, s=14, facecolor=LIGHT["page"], edgecolor=LIGHT["muted"], zorder=2)
    top.plot(time, filtered, color=LIGHT["value"], linewidth=2.2)
    top.scatter(
        moment, filtered[moment], marker="D", s=60, color=LIGHT["value"],
        edgecolor=LIGHT["ink"], linewidth=1.4, zorder=4,
    )  # fmt: skip
    bottom.bar(time, weights, color=LIGHT["ink"])
    for ax in (top, bottom):
        ax.axvline(moment, color=LIGHT["query"], linewidth=1.2)
    top.set_ylabel("signal")
    bottom.set(xlabel="reading", ylabel="weight")
    return figure


@styled
def scaling_lab(lab):
    """Histogram of scores, mean sorted weights, gradient against size, as a figure.

    Parameters
    ----------
    lab : attnlib.widgets.ScalingLab

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = blank(6.6, 2.3)
    scores, weights, gradients = figure.subplots(1, 3)
    flat = np.ravel(lab.scores)
    flat = np.clip(flat, -40, 39.5)
    scores.hist(
        flat, bins=np.arange(-40, 41), weights=np.full(flat.size, 1 / flat.size), color=LIGHT["ink"]
    )
    scores.set_title("Scores spread")
    scores.set(xlabel="score", ylim=(0, 0.45))
    mean = np.sort(lab.weights, axis=1)[:, ::-1].mean(axis=0)
    weights.bar(np.arange(1, len(mean) + 1), mean, color=LIGHT["ink"])
    weights.set_title("Weights sharpen")
    weights.set(xlabel="key, by its weight", ylim=(0, 1))
    sizes, curves = lab.gradient_curves()
    for name, curve in curves.items():
        chosen = name == lab.scale
        gradients.plot(
            sizes, curve, color=LIGHT["ink" if chosen else "muted"],
            linewidth=2 if chosen else 1, linestyle="-" if chosen else ":",
        )  # fmt: skip
    gradients.scatter(lab.dimension, lab.gradient, color=LIGHT["ink"], zorder=3)
    gradients.set_title("The Jacobian answers")
    gradients.set_xscale("log", base=2)
    gradients.set(xlabel="components d", ylim=(0, 0.5))
    return figure
