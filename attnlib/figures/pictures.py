"""Still pictures of the widgets, for print, for GitHub and for pages without JavaScript."""

import numpy as np
from matplotlib.patches import Polygon

from attnlib.figures.style import blank, styled
from attnlib.palette import LIGHT

SUBSCRIPTS = "₁₂₃₄₅₆"


def _plane(ax, limits, title):
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    ax.set_title(title)
    ax.axhline(0, color=LIGHT["line"], linewidth=0.8, zorder=0)
    ax.axvline(0, color=LIGHT["line"], linewidth=0.8, zorder=0)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_facecolor(LIGHT["panel"])


def _outwards(point, centre):
    """Unit vector from the centre to the point; upwards where they coincide."""
    out = np.subtract(point, centre)
    length = np.hypot(*out)
    return out / length if length else np.array([0.0, 1.0])


def _arrow(ax, tip, role, name, width=2):
    style = {"arrowstyle": "-|>", "color": LIGHT[role], "lw": width, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", tip, (0, 0), arrowprops=style)
    out = _outwards(tip, (0, 0))
    ax.annotate(
        name, tip, xytext=12 * out, textcoords="offset points", ha="center", va="center",
        color=LIGHT[role], weight="bold",
    )  # fmt: skip


def _corners(points):
    """Points of the convex hull in order, by angle round their mean, inner ones left out."""
    points = np.unique(points, axis=0)
    keep = []
    for i, p in enumerate(points):
        angles = np.sort(np.arctan2(*(np.delete(points, i, axis=0) - p).T[::-1]))
        gaps = np.diff(np.r_[angles, angles[0] + 2 * np.pi]) if len(angles) else [2 * np.pi]
        if np.max(gaps) > np.pi + 1e-9:
            keep.append(p)
    keep = np.array(keep if len(keep) > 1 else points)
    middle = keep.mean(axis=0)
    return keep[np.argsort(np.arctan2(*(keep - middle).T[::-1]))]


@styled
def query_plane(query, keys, values, weights, output, *, key_range, value_range):
    """The two planes of `attnlib.widgets.QueryPlane` as a figure.

    Parameters
    ----------
    query : array_like, shape (2,)
    keys, values : array_like, shape (n, 2)
    weights : array_like, shape (n,)
    output : array_like, shape (2,)
    key_range, value_range : pair of float

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = blank(6.6, 3.5)
    left, right = figure.subplots(1, 2)
    _plane(left, key_range, "The query meets the keys")
    _arrow(left, query, "query", "q", width=4.5)
    for i, key in enumerate(keys):
        _arrow(left, key, "key", f"k{SUBSCRIPTS[i]}")
    _plane(right, value_range, "The values are mixed")
    values, output = np.array(values, dtype=float), np.array(output)
    right.add_patch(
        Polygon(
            _corners(values), facecolor=LIGHT["value"] + "20", edgecolor=LIGHT["value"], ls="--"
        )
    )
    middle = values.mean(axis=0)
    for i, (value, weight) in enumerate(zip(values, weights)):
        right.plot(*zip(output, value), color=LIGHT["ink"], alpha=0.55, linewidth=0.4 + 4 * weight)
        right.scatter(*value, s=330 * weight, color=LIGHT["ink"], zorder=3)
        right.scatter(*value, s=360, facecolor="none", edgecolor=LIGHT["value"], lw=1.6, zorder=4)
        right.annotate(
            f"v{SUBSCRIPTS[i]} · {weight:.3f}", value, xytext=20 * _outwards(value, middle),
            textcoords="offset points", ha="center", va="center",
            color=LIGHT["value"], weight="bold",
        )  # fmt: skip
    right.scatter(
        *output, marker="D", s=60, color=LIGHT["value"], edgecolor=LIGHT["ink"], lw=1.4, zorder=5
    )
    right.annotate("y", output, xytext=(10, 8), textcoords="offset points", color=LIGHT["value"])
    return figure


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
