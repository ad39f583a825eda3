"""A signal and what a filter makes of it."""

import numpy as np

from attnlib.figures.style import axes
from attnlib.palette import LIGHT


def filtered_signal(signal, filtered, *, clean=None, weights=None, moment=None, ax=None):
    """A noisy signal, the truth behind it, and the filtered signal as a curve.

    Parameters
    ----------
    signal, filtered : array_like, shape (n,)
    clean : array_like, shape (n,), optional
        The truth, as a dashed line.
    weights : array_like, shape (n,), optional
        Weights of the elements for the output at the moment, as amounts of ink.
    moment : int, optional
        The element whose output is marked.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> len(filtered_signal([0, 2, 1], [1, 1, 1], clean=[1, 1, 1]).lines)
    2
    """
    ax = axes() if ax is None else ax
    time = np.arange(len(signal))
    if clean is not None:
        ax.plot(time, clean, color=LIGHT["muted"], linewidth=1.2, linestyle="--")
    ax.scatter(time, signal, s=14, facecolor=LIGHT["page"], edgecolor=LIGHT["muted"], zorder=2)
    if weights is not None:
        sizes = 500 * np.asarray(weights)
        ax.scatter(time, signal, s=sizes, color=LIGHT["ink"], zorder=3)
    ax.plot(time, filtered, color=LIGHT["value"], linewidth=2.2)
    if moment is not None:
        ax.scatter(
            moment, filtered[moment], marker="D", s=60, color=LIGHT["value"],
            edgecolor=LIGHT["ink"], linewidth=1.4, zorder=4,
        )  # fmt: skip
        ax.axvline(moment, color=LIGHT["query"], linewidth=1.2)
    ax.set_ylabel("level")
    return ax
