"""Curves, stems and histograms with direct labels instead of legends."""

import numpy as np

from attnlib.figures.style import axes
from attnlib.palette import LIGHT


def _labelled(ax, title, x_label, y_label):
    if title:
        ax.set_title(title)
    ax.set_xlabel(x_label or "")
    ax.set_ylabel(y_label or "")
    return ax


def lines(x, series, *, title=None, x_label=None, y_label=None, styles=None, log=False, ax=None):
    """Curves over `x`, each named at its right end.

    Parameters
    ----------
    x : array_like, shape (n,)
        Positions along the horizontal axis.
    series : dict
        Name of a curve -> its values, shape (n,).
    title, x_label, y_label : str, optional
        Text over the axes and beside them.
    styles : dict, optional
        Name of a curve -> keyword arguments for `Axes.plot`; ink by default.
    log : bool
        Both axes logarithmic.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> len(lines([1, 2], {"a": [1, 2], "b": [2, 1]}).lines)
    2
    """
    ax = axes() if ax is None else ax
    x = np.asarray(x)
    for name, values in series.items():
        style = {"color": LIGHT["ink"], **(styles or {}).get(name, {})}
        (line,) = ax.plot(x, values, **style)
        ax.annotate(
            name, (x[-1], values[-1]), xytext=(5, 0), textcoords="offset points",
            va="center", color=line.get_color(), annotation_clip=False,
        )  # fmt: skip
    if log:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
    return _labelled(ax, title, x_label, y_label)


def stems(values, *, names=None, title=None, x_label=None, y_label="weight", top=1.0, ax=None):
    """Weights as bars of ink, with the number above each where there is room.

    Parameters
    ----------
    values : array_like, shape (n,)
        Heights of the bars.
    names : sequence of str, optional
        One for each bar.
    title, x_label, y_label : str, optional
        Text over the axes and beside them.
    top : float
        Upper end of the axis; 1 for weights.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> len(stems([0.2, 0.8]).patches)
    2
    """
    ax = axes(height=2.0) if ax is None else ax
    values = np.asarray(values, dtype=float)
    positions = np.arange(len(values))
    ax.bar(positions, values, width=0.72, color=LIGHT["ink"])
    if ax.get_position().width * ax.figure.get_figwidth() >= 0.38 * len(values):
        for x, value in zip(positions, values):
            ax.annotate(
                f"{value:.3f}", (x, value), xytext=(0, 3), textcoords="offset points",
                ha="center", fontsize=10,
            )  # fmt: skip
    if names is not None:
        ax.set_xticks(positions, names)
    ax.tick_params(axis="x", length=0)
    ax.set_ylim(0, top)
    return _labelled(ax, title, x_label, y_label)


def histogram(samples, *, bins, title=None, x_label=None, curve=None, ax=None):
    """How samples are spread, as a share of all in each bin, with an expected curve over it.

    Parameters
    ----------
    samples : array_like
        Any shape; flattened.
    bins : array_like, shape (n_bins + 1,)
        Edges of equally wide bins.
    title, x_label : str, optional
        Text over the axes and below them.
    curve : callable, optional
        Density to draw over the bars, in the same units.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> len(histogram([0.5, 1.5, 1.6], bins=[0, 1, 2]).patches)
    2
    """
    ax = axes(height=2.0) if ax is None else ax
    samples = np.ravel(samples)
    ax.hist(samples, bins=bins, weights=np.full(samples.size, 1 / samples.size), color=LIGHT["ink"])
    if curve is not None:
        x = np.linspace(bins[0], bins[-1], 200)
        ax.plot(x, curve(x) * (bins[1] - bins[0]), color=LIGHT["key"], linewidth=1.8)
    return _labelled(ax, title, x_label, "share")
