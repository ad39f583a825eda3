"""A picture cut into patches, and the weight of each."""

import numpy as np

from attnlib.figures.style import INK, axes, styled
from attnlib.palette import LIGHT

PALE = 0.5  # of the ink, where bars of weights are to be seen


@styled
def canvas(pixels, weights=None, *, patch=5, title=None, ax=None):
    """A picture with its patches, each with a bar as long as its weight.

    Parameters
    ----------
    pixels : array_like, shape (height, width)
        Ink from 0 to 1.
    weights : array_like, optional
        One for each patch, row by row, between 0 and 1; without them the ink is dark.
    patch : int, optional
        Side of a patch in pixels.
    title : str, optional
        Text over the axes.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> len(canvas(np.zeros((10, 20)), np.full(8, 0.125)).patches)
    8
    """
    pixels = np.asarray(pixels, dtype=float)
    if pixels.ndim != 2 or pixels.shape[0] % patch or pixels.shape[1] % patch:
        raise ValueError(
            f"canvas needs pixels whose sides are multiples of {patch}, got shape {pixels.shape}."
        )
    ax = axes(height=2.4) if ax is None else ax
    (height, width), strength = pixels.shape, 1.0 if weights is None else PALE
    ax.imshow(
        strength * pixels, cmap=INK, vmin=0, vmax=1, extent=(0, width, height, 0), aspect="equal"
    )
    ax.set_xticks(range(0, width + 1, patch), [])
    ax.set_yticks(range(0, height + 1, patch), [])
    ax.tick_params(length=0)
    ax.grid(color=LIGHT["key"], linewidth=0.8, alpha=0.6)
    ax.spines[:].set_visible(False)
    if weights is not None:
        across = width // patch
        for j, weight in enumerate(np.asarray(weights, dtype=float)):
            top, left = patch * (j // across), patch * (j % across)
            ax.barh(top + patch - 0.45, (patch - 0.4) * weight, 0.6, left + 0.2, color=LIGHT["ink"])
    if title:
        ax.set_title(title)
    return ax
