"""Still pictures of the other widgets, for print, for GitHub and for pages without JavaScript."""

import numpy as np

from attnlib.figures.style import blank, styled
from attnlib.palette import LIGHT

#: What `ScalingLab` calls its scales, as they are written, and their lines when not chosen.
NAMES = {"none": "1", "sqrt": "1/√d", "linear": "1/d"}
LINES = {"none": "-.", "sqrt": "--", "linear": ":"}


@styled
def signal_weights(lab):
    """A signal, its filtered form, the weights of one moment, and the numbers, as a figure.

    Parameters
    ----------
    lab : attnlib.widgets.SignalWeights

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = blank(6.6, 3.6)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    signal, filtered, t = lab.signal, lab.filtered(), lab.moment
    time = np.arange(len(signal))
    top.plot(time, lab.clean, color=LIGHT["muted"], linewidth=1.2, linestyle="--")
    top.scatter(time, signal, s=14, facecolor=LIGHT["page"], edgecolor=LIGHT["muted"], zorder=2)
    top.scatter(time, signal, s=500 * lab.weights, color=LIGHT["ink"], zorder=3)
    top.plot(time, filtered, color=LIGHT["value"], linewidth=2.2)
    top.scatter(
        t, filtered[t], marker="D", s=60, color=LIGHT["value"],
        edgecolor=LIGHT["ink"], linewidth=1.4, zorder=4,
    )  # fmt: skip
    bottom.bar(time, lab.weights, color=LIGHT["ink"])
    for ax in (top, bottom):
        ax.axvline(t, color=LIGHT["query"], linewidth=1.2)
    top.set_ylabel("signal")
    before, near, after = ("–" if np.isnan(x) else f"{x:.3f}" for x in lab.errors())
    told = (
        f"At {t}: signal {signal[t]:.2f}, output {filtered[t]:.2f}, truth {lab.clean[t]:.2f}. "
        f"Error before the edge {before}, at it {near}, after it {after}."
    )
    bottom.set(xlabel=f"reading\n{told.replace('-', '−')}", ylabel="weight")
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
    figure = blank(6.6, 2.7)
    scores, weights, gradients = figure.subplots(1, 3)
    flat = np.ravel(lab.scores)
    flat = np.clip(flat, -40, 39.5)
    scores.hist(
        flat, bins=np.arange(-40, 41), weights=np.full(flat.size, 1 / flat.size), color=LIGHT["ink"]
    )
    scores.set_title("Scores, and their share")
    spread = f"mean {lab.scores.mean() + 0.0:.2f}\nstandard deviation {lab.scores.std():.2f}"
    scores.set(xlabel=f"score\n{spread}".replace("-", "−"), ylim=(0, 0.45))
    mean = np.sort(lab.weights, axis=1)[:, ::-1].mean(axis=0)
    weights.bar(np.arange(1, len(mean) + 1), mean, color=LIGHT["ink"])
    weights.set_title("Mean weights, largest first")
    largest = f"largest {mean[0]:.3f}\nown key {lab.own_weight:.3f}"
    weights.set(xlabel=f"key, by its weight\n{largest}", ylim=(0, 1))
    sizes, curves = lab.gradient_curves()
    for name, curve in curves.items():
        chosen = name == lab.scale
        gradients.plot(
            sizes, curve, color=LIGHT["ink" if chosen else "muted"],
            linewidth=2 if chosen else 1, linestyle="-" if chosen else LINES[name],
            label=NAMES[name],
        )  # fmt: skip
    gradients.scatter(lab.dimension, lab.gradient, color=LIGHT["ink"], zorder=3)
    gradients.set_title("Mean size of the Jacobian")
    gradients.legend(ncols=3, handlelength=1.4, columnspacing=0.8, frameon=False)
    gradients.set_xscale("log", base=2)
    gradients.set_xticks([1, 8, 64, 512], [1, 8, 64, 512])
    gradients.set(xlabel=f"components d\nmean size {lab.gradient:.3f}", ylim=(0, 0.5))
    return figure
